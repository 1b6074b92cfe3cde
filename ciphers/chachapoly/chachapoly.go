// Package chachapoly implements ChaCha20-Poly1305 (RFC 8439) for bursts, in two
// tiers: Std, which is portable, and IFMA. Nonces are 12 bytes and tags 16.
package chachapoly
