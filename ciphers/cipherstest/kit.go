package cipherstest

import (
	"maps"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// TestBackend runs the kit over every implementation of b, those of b.Lone
// included, and over every pair of AEAD and Masker that seals and masks in one
// pass. It does not look at b.Requires or b.Probe: what the processor lacks is
// the caller's to know.
func TestBackend(t *testing.T, b *ciphers.Backend) {
	t.Run("Declaration", func(t *testing.T) { testDeclaration(t, b) })
	for _, alg := range slices.Sorted(maps.Keys(b.AEADs)) {
		t.Run(alg.String(), func(t *testing.T) {
			TestAEAD(t, alg, b.AEADs[alg])
			testPairs(t, b, alg)
		})
	}
	for _, alg := range slices.Sorted(maps.Keys(b.Masks)) {
		t.Run(alg.String(), func(t *testing.T) { TestMasker(t, alg, b.Masks[alg]) })
	}
	for _, alg := range slices.Sorted(maps.Keys(b.Exchanges)) {
		t.Run(alg.String(), func(t *testing.T) { TestExchanger(t, alg, b.Exchanges[alg]) })
	}
}

func testPairs(t *testing.T, b *ciphers.Backend, alg ciphers.Algorithm) {
	both, ok := b.AEADs[alg].(ciphers.MaskSealer)
	if !ok {
		return
	}
	for _, mask := range slices.Sorted(maps.Keys(b.Masks)) {
		if both.MasksWith(b.Masks[mask]) {
			t.Run("with-"+mask.String(), func(t *testing.T) { TestMaskSealer(t, alg, both, mask, b.Masks[mask]) })
		}
	}
}

// testDeclaration looks at what the backend says of itself.
func testDeclaration(t *testing.T, b *ciphers.Backend) {
	if err := b.Check(); err != nil {
		t.Error(err)
	}
	if len(b.AEADs)+len(b.Masks)+len(b.Exchanges) == 0 {
		t.Error("the backend serves no algorithm")
	}
}

type aeadTest struct {
	name string
	run  func(*testing.T, subject)
}

// aeadTests are the parts of TestAEAD, named after the rule that each proves.
var aeadTests = []aeadTest{
	{"KnownAnswers", testKnownAnswers},
	{"Wycheproof", testWycheproof},
	{"EveryLength", testEveryLength},
	{"AssociatedData", testAssociatedData},
	{"TagsWithShortPayloadsKeepNeighbours", testShortPayloads},
	{"RemainderShorterThanTagIsRefused", testShortRemainder},
	{"OverlapIsExactOrRefused", testOverlap},
	{"SpareRoomIsNotWritten", testSpareRoom},
	{"BadPacketsAmongGoodOnes", testBadPackets},
	{"FailureZeroesPlaintext", testFailureZeroes},
	{"MixedKeys", testMixedKeys},
	{"MixedLengths", testMixedLengths},
	{"NumbersGiveDistinctNonces", testNumbers},
	{"ExplicitNonceIsThePeers", testPeersNonce},
	{"EveryAlignment", testAlignment},
	{"BurstSizes", testBurstSizes},
	{"PartialPermutedIndex", testPartialIndex},
	{"LoneSlot", testLoneSlot},
	{"NoAllocations", testAllocations},
	{"ConcurrentUseOfOneKey", testConcurrency},
	{"CloseZeroesTheSchedule", testClose},
	{"LimitsAreRefused", testLimits},
}

// TestAEAD runs the kit over impl as an implementation of alg.
func TestAEAD(t *testing.T, alg ciphers.Algorithm, impl ciphers.AEAD) {
	tests := aeadTests
	if alg.Integrity() != 0 {
		tests = pairTests(alg)
	}
	if _, takes := impl.(ciphers.RowAEAD); takes {
		tests = append(slices.Clone(tests), aeadTest{"RowsOfPacketsThatAreAlike", testRows})
	}
	for _, part := range tests {
		t.Run(part.name, func(t *testing.T) { part.run(t, subject{alg, impl}) })
	}
}

// subject is the implementation under test and what it serves.
type subject struct {
	alg  ciphers.Algorithm
	impl ciphers.AEAD
}
