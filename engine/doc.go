// Package engine protects packets in bursts on whatever the processor does
// best. It owns keys and policy: which backend serves which algorithm, the
// self-test, bursts of mixed keys, statistics. It knows no protocol; the
// adapters do.
//
//	e, err := engine.New(engine.Config{})
//	k, err := e.NewKey(engine.KeySpec{ … })
//	n := e.Seal(packets)
//
// # Choosing a backend
//
// Each algorithm is served by the best backend that the processor can run and
// that passes the self-test; one that answers wrongly in it, or panics, is refused, and
// the report says why. A pin overrides that: Config.Backend and
// Config.Backends in the program, SEALBURST_BACKEND in the environment. The
// variable holds a backend's name for all algorithms, or assignments for some,
// or both:
//
//	SEALBURST_BACKEND=std
//	SEALBURST_BACKEND=aes-128-gcm=vaes256,chacha20-poly1305=std
//
// An algorithm goes by the name of its String method:
//
//	aes-128-gcm aes-192-gcm aes-256-gcm aes-128-ccm aes-256-ccm chacha20-poly1305
//	mask-aes-128 mask-aes-256 mask-chacha20
//	x25519 x448 p-256 p-384 p-521 ffdhe2048 ffdhe3072 ffdhe4096 modp-14
//	ml-kem-768 ml-kem-1024 x25519mlkem768 secp256r1mlkem768
//
// and those of two parts, such as aes-128-cbc-hmac-sha-256-128, by any of
//
//	aes-128-cbc- aes-192-cbc- aes-256-cbc- aes-128-ctr- aes-192-ctr- aes-256-ctr-
//	null- 3des-cbc- des-cbc- blowfish-cbc-
//
// or nothing, before one of
//
//	hmac-sha-256-128 hmac-sha-384-192 hmac-sha-512-256 hmac-sha-1-96 hmac-md5-96
//
// SEALBURST_CPU takes processor features away, such as -avx512f. SEALBURST_CRYPTODEV
// names crypto devices of DPDK, which serve what is pinned to them. A pin that
// cannot be kept and a device that is not there make New fail and say why.
//
// # Key exchange
//
// Engine.Exchange does key exchanges in batches, of which a vector takes eight at
// once. A handshake over any group takes three operations: the client generates,
// the server encapsulates against the client's share, the client decapsulates the
// server's answer. An ExchangeQueue gathers the exchanges of many goroutines into
// batches, and KeyPairs makes ephemeral key pairs ahead.
//
// # Queues
//
// A Queue does bursts meanwhile: Submit takes one and returns at once, Poll gives
// bursts back in the order in which they came. Worker goroutines run them, or a device
// that serves the engine (ciphers.Asynchronous) does, such as those of package
// ciphers/cryptodev. A queue is bounded: when it is full, Submit says ErrQueueFull.
// Closing a key, a queue or the engine waits for the bursts inside.
//
// # Concurrency
//
// An Engine and its keys may be used by any number of goroutines at once; a
// packet belongs to one call at a time. A burst takes no lock, allocates nothing
// and writes to no memory that another running burst writes to.
package engine
