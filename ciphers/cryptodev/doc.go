// Package cryptodev makes a backend of any crypto device that DPDK drives: a
// library behind a virtual device (crypto_aesni_gcm, crypto_aesni_mb,
// crypto_openssl, crypto_chacha20_poly1305) or hardware at a PCI address.
//
//	d, err := cryptodev.Open(cryptodev.Config{Device: "crypto_aesni_gcm0"})
//	e, err := engine.New(engine.Config{
//		Available: append(builtin.Backends(), d.Backend()),
//		Backend:   d.Name(),
//	})
//
// A program built with the tag dpdk needs none of that: what the variable
// SEALBURST_CRYPTODEV names, devices with a space between, is among
// builtin.Backends, and SEALBURST_BACKEND chooses it by name:
//
//	SEALBURST_CRYPTODEV=crypto_aesni_gcm0 SEALBURST_BACKEND=crypto_aesni_gcm0 gateway …
//
// A device serves nothing unless it is pinned. Where one that is named is not there, or
// the program was built without the tag, engine.New fails and says so.
//
// # What a device serves
//
// AES-GCM, AES-CCM, ChaCha20-Poly1305, and AES in CBC and CTR mode with HMAC, as
// far as the device's capabilities say. Where they allow less than package ciphers
// does, ciphers.Limits says so: keys with other tags are refused when they are made,
// and packets with more associated data by their status. Devices make no masks and
// exchange no keys.
//
// # How packets travel
//
// A burst crosses into C once to be handed over and once to be taken back. What lies
// in Go memory is copied into packet buffers and out again, 160 KiB at a time. What lies
// in DPDK's memory, such as the packet buffers of a port, is known by its address and
// worked on where it lies; so is what a packet's Memory says is in the device's reach.
// Both are counted. Out of place, the bytes are moved first and worked on at their
// destination. If the device fails after that, what was to be opened is zero and
// what was to be sealed is undefined.
//
// Engine.Seal and Engine.Open wait for the device, through
// rte_cryptodev_sym_cpu_crypto_process where it has that, else over a queue pair of
// their own. Engine queues go over lanes, a queue pair each.
//
// A device that gives nothing back for a second is down: what it had, and what comes
// later, gets ciphers.StatusBackend.
//
// # Keys
//
// DPDK's sessions fix the length of associated data. A key has up to eight, made when
// a length is first met; packets of further lengths bring a session of their own,
// which is slow. Closing the key zeroes and frees all of them. Tags are compared by the
// device: the drivers of Intel's library do that with memcmp.
//
// The package is empty unless it is built with the tag dpdk, cgo and DPDK 22.11 or
// later (Debian's package libdpdk-dev), on Linux.
package cryptodev
