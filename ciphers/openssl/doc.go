// Package openssl is a backend on OpenSSL's EVP interface, version 3.0 or later,
// which it links. It serves AES-GCM, AES-CCM, ChaCha20-Poly1305 and masks, one
// EVP operation a packet and one crossing a burst.
//
// The package is empty unless it is built with the tag openssl, cgo and the
// library's headers (Debian's package libssl-dev).
package openssl
