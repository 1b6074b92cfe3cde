// Package cipherstest is the conformance kit for implementations of package
// ciphers. Whoever writes a backend gives it to TestBackend in a test of their
// own:
//
//	func TestConformance(t *testing.T) { cipherstest.TestBackend(t, mine.Backend()) }
//
// Nothing is compared with a round trip. What an implementation makes is held
// against published vectors (SP 800-38D, SP 800-38C, RFC 3610, RFC 8439,
// RFC 9001, RFC 9369, Project Wycheproof) and against other libraries
// (crypto/cipher, golang.org/x/crypto, pion's CCM).
//
// All buffers of a burst lie side by side in one arena of random bytes, and the
// kit knows what every byte of the arena must be afterwards. A store outside a
// packet is therefore seen wherever it lands, between packets or in a
// neighbour.
//
// Key exchange has a kit of its own, TestExchanger, which TestBackend runs too: RFC
// 7748, CAVS and Wycheproof vectors, arithmetic of math/big as the oracle, bad
// shares among good ones. TestIterated, TestTiming and TestTimingOf are for the
// groups that have kernels.
//
// TestDevice runs much of the kit again over the lanes of a device, with packets in
// Go memory and in each kind of memory that the device works on, and tests what
// ciphers.Lane promises. What an implementation refuses by ciphers.Limits, the kit
// wants refused.
//
// Run is for tests beside the kit's own: it hands a burst over the border to an
// implementation as the engine does.
//
// The flag -short thins out lengths and burst sizes. Allocations are not
// counted under the race detector, which makes sync.Pool forget on purpose.
package cipherstest
