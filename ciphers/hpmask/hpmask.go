// Package hpmask makes header-protection masks for bursts, one file a tier: the
// AES-ECB masks of RFC 9001 section 5.4.3 and RFC 9147 section 4.2.3, and the
// ChaCha20 masks of RFC 9001 section 5.4.4. A mask is 16 bytes of a block of
// cipher output; QUIC uses the first 5, DTLS 1.3 the first 2.
//
// AES and ChaCha20 are the portable tiers, on every platform. On amd64, unless
// the tag purego is set, kernels for VAES, AVX-512 and AVX2 stand beside them;
// package ciphers/builtin offers each to processors that have what it requires.
package hpmask
