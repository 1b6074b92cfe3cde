package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/sealburst/sealburst/ciphers"
)

// Why a self-test refused an implementation.
var (
	ErrKnownAnswer = errors.New("engine: self-test: wrong known answer")
	ErrForgery     = errors.New("engine: self-test: a forgery was accepted, or its plaintext left")
	ErrPanic       = errors.New("engine: self-test: the implementation panicked")
)

// withoutPanic runs a self-test. An implementation that panics in it is refused as one
// that answers wrongly is; the error says with what it panicked.
func withoutPanic(test func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrPanic, p)
		}
	}()
	return test()
}

// selfTest seals a fixed burst under a plan, compares the SHA-256 digest of all
// that came out with the known one, opens it again, and sees that forged
// packets among good ones fail alone. Masks are compared by digest.
func selfTest(alg Algorithm, plan *ciphers.Plan) error {
	if alg.IsMask() {
		return testMasks(alg, plan)
	}
	return testAEAD(alg, plan)
}

// testSizes are the plaintext lengths of the burst: the edges of blocks and of
// vector registers, and packets.
var testSizes = [...]int{0, 1, 15, 16, 17, 63, 64, 65, 128, 255, 300, 512, 600, 1025, 1450, 16}

const (
	testSlot   = 1536 // bytes of the arena that each packet has
	testHeader = 20   // associated data in front of the payload, and canaries
)

func testAEAD(alg Algorithm, plan *ciphers.Plan) error {
	sealing, err := testKey(alg, ciphers.Sealing, plan)
	if err != nil {
		return err
	}
	defer sealing.Close()
	opening, err := testKey(alg, ciphers.Opening, plan)
	if err != nil {
		return err
	}
	defer opening.Close()

	arena, packets := testBurst(sealing)
	index := ciphers.Identity(len(packets))
	ciphers.SealBorder(packets)
	fixIVs(packets)
	ok := plan.Bulk.Seal(ciphers.Burst{Packets: packets, Index: index})
	if ok != len(packets) || digest(arena) != knownAnswer(alg) {
		return ErrKnownAnswer
	}
	if err := testOpening(opening, plan, arena, packets); err != nil {
		return err
	}
	return testRows(sealing, opening, plan)
}

// testOpening forges every third packet, opens all and looks at each outcome and
// at all bytes of the arena: plaintext, or zeros for a forgery, and nothing else
// changed.
func testOpening(k *Key, plan *ciphers.Plan, arena []byte, packets []Packet) error {
	original, _ := testBurst(k)
	good := 0
	for i := range packets {
		p := &packets[i]
		p.Key = k
		p.Len += uint32(k.TagSize())
		if forged(i) {
			p.Buf[int(p.Off)+int(p.Len)-1] ^= 1
		} else {
			good++
		}
	}
	want := opened(k.Algorithm(), arena, original)
	ciphers.OpenBorder(packets)
	ok := plan.Bulk.Open(ciphers.Burst{Packets: packets, Index: ciphers.Identity(len(packets))})
	if err := checkForgeries(arena, packets); err != nil {
		return err
	}
	if ok != good || !bytes.Equal(arena, want) {
		return ErrKnownAnswer
	}
	return nil
}

// opened is what the arena must be afterwards.
func opened(alg Algorithm, arena, original []byte) []byte {
	want := bytes.Clone(arena)
	for i := range testSizes {
		at, size := i*testSlot+testHeader, testSize(alg, i)
		clear(want[at : at+size])
		if !forged(i) {
			copy(want[at:at+size], original[at:])
		}
	}
	return want
}

// checkForgeries wants good packets opened, and forgeries refused and zeroed.
func checkForgeries(arena []byte, packets []Packet) error {
	for i := range packets {
		got := arena[i*testSlot+testHeader:][:testSize(packets[i].Key.Algorithm(), i)]
		switch status := packets[i].Status; {
		case !forged(i) && status != ciphers.StatusOK:
			return ErrKnownAnswer
		case forged(i) && (status != ciphers.StatusAuth || !zero(got)):
			return ErrForgery
		}
	}
	return nil
}

func forged(i int) bool { return i%3 == 1 }

func zero(b []byte) bool {
	var or byte
	for _, v := range b {
		or |= v
	}
	return or == 0
}

func testKey(alg Algorithm, d ciphers.Direction, plan *ciphers.Plan) (*Key, error) {
	spec := &KeySpec{Algorithm: alg, Key: counting(alg.KeySize(), 0)}
	switch {
	case alg.Integrity() != 0:
		pairSpec(spec, d)
	case !alg.IsMask():
		spec.Direction, spec.Nonce, spec.IV = d, ciphers.NonceXOR, counting(nonceSize, 0x80)
	}
	return ciphers.NewKey(spec, plan, nil)
}

// testBurst lays packets of every test size into an arena, each behind a
// header, 4 to 19 bytes of which are associated data.
func testBurst(k *Key) ([]byte, []Packet) {
	arena := counting(len(testSizes)*testSlot, 7)
	packets := make([]Packet, len(testSizes))
	for i, size := range testSizes {
		packets[i] = Packet{
			Buf: arena[i*testSlot:][:testSlot:testSlot], Key: k, MaskKey: k,
			Number: uint64(i) << (3 * i), Off: testHeader, Len: uint32(size),
			AADLen: uint16(4 + i), SampleOff: uint16(i),
		}
		if k != nil && k.Algorithm().Integrity() != 0 {
			pairPacket(&packets[i], i)
		}
	}
	return arena, packets
}

// counting is n bytes that do not repeat with the period of any block or vector.
func counting(n int, first byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = first + byte(i) + byte(i>>8)*3
	}
	return b
}

func testMasks(alg Algorithm, plan *ciphers.Plan) error {
	k, err := testKey(alg, 0, plan)
	if err != nil {
		return err
	}
	defer k.Close()
	_, packets := testBurst(k)
	masks := make([]byte, len(packets)*ciphers.MaskSize)
	plan.Mask.Mask(masks, ciphers.Burst{Packets: packets, Index: ciphers.Identity(len(packets))})
	if digest(masks) != knownAnswers[alg] {
		return ErrKnownAnswer
	}
	if row, ok := plan.Mask.(ciphers.RowMasker); ok {
		clear(masks)
		row.MaskRow(masks, packets)
	}
	if digest(masks) != knownAnswers[alg] {
		return ErrKnownAnswer
	}
	return nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
