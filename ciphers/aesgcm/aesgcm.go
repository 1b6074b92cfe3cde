// Package aesgcm implements AES-GCM (SP 800-38D) for bursts, one file a tier.
//
// Nonces are 12 bytes and tags 8, 12 or 16. Every tier is an AEAD of package
// ciphers for one key size; package ciphers/builtin puts the tiers into backends.
package aesgcm
