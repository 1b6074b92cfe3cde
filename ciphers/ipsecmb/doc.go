// Package ipsecmb is a backend on Intel's Multi-Buffer Crypto for IPsec library,
// version 1.3 or later of the 1.x series, which it links. It serves AES-GCM
// through the library's direct calls, and AES-CCM and ChaCha20-Poly1305 through
// its jobs.
//
// The library's CCM takes 46 bytes of associated data and payloads of 65534
// bytes. What is longer is composed of its CBC and CTR, one packet after another.
//
// The package is empty unless it is built with the tag ipsecmb, cgo, and the
// library's header (Debian's package libipsec-mb-dev), on amd64.
package ipsecmb
