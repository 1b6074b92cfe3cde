// Package ciphers is the contract between the engine and whatever protects
// packets for it: the algorithms, the packet descriptor, keys, and the
// interfaces that an implementation fulfils.
//
// A burst is a slice of 1 to MaxBurst packets. The border of this package
// (SealBorder, OpenBorder, MaskBorder, SealMaskBorder) checks every descriptor once and derives
// its nonce. Implementations trust what passed it: they see a Burst of valid
// packets, all of whose keys are theirs, and write one Status each.
//
// Key exchange comes in batches in the same way: ExchangeBorder checks entries of
// type Exchange, and an Exchanger serves those of one group and operation.
//
// An implementation is an AEAD, a Masker or an Exchanger for one algorithm. A Backend is a
// named set of them with the processor features that they need. Package
// ciphers/cipherstest has the conformance kit that each of them must pass.
//
// The package holds no policy and does no I/O. Users import package engine.
package ciphers
