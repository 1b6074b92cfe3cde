// Package aesccm implements AES-CCM (SP 800-38C, RFC 3610) for bursts, one file
// a tier. Nonces are 11, 12 or 13 bytes and tags 8, 12 or 16.
package aesccm
