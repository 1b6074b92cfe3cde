// Package chachapoly implements ChaCha20-Poly1305 (RFC 8439) for bursts, one
// file a tier. Nonces are 12 bytes and tags 16.
package chachapoly
