// Package openssl is a backend on OpenSSL's EVP interface, version 3.0 or later,
// which it links. It serves AES-GCM, AES-CCM, ChaCha20-Poly1305, masks and key
// exchange, one EVP operation a packet or exchange and one crossing a burst or
// batch.
//
// The package is empty unless it is built with the tag openssl, cgo and the
// library's headers (Debian's package libssl-dev).
package openssl
