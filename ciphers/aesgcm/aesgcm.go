// Package aesgcm implements AES-GCM (SP 800-38D) for bursts, in tiers. The tier on
// 512-bit registers has kernels of their own for packets that are alike (uniform), for
// those that the border knows to be (row), with header-protection masks (masked), and
// for long packets under one key (onekey).
//
// Nonces are 12 bytes and tags 8, 12 or 16. Every tier is an AEAD of package
// ciphers for one key size; package ciphers/builtin puts the tiers into backends.
package aesgcm
