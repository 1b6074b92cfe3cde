package cipherstest

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cbchmac"
	"github.com/sealburst/sealburst/ciphers/cipherstest/race"
)

// brokenVariable names, in the environment of a child process, the broken
// implementation that TestBroken is to run the kit over.
const brokenVariable = "CIPHERSTEST_BROKEN"

// TestBroken runs the kit over one broken implementation. It does so only in
// the child processes of TestKitCatches.
func TestBroken(t *testing.T) {
	name := os.Getenv(brokenVariable)
	for _, b := range brokenAEADs {
		if b.name == name {
			TestAEAD(t, b.alg, b.make(rightFor(b.alg)))
		}
	}
	for _, b := range brokenMaskers {
		if b.name == name {
			TestMasker(t, b.alg, b.masker)
		}
	}
	for _, b := range brokenPairs {
		if b.name == name {
			testBrokenPair(t, b.pair)
		}
	}
	for _, b := range brokenDevices {
		if b.name == name {
			d := newSlowDevice(slowAlgorithm)
			b.spoil(d)
			TestDevice(t, slowAlgorithm, d, anyMemory)
		}
	}
}

// TestKitCatches proves that the parts of the kit fail where they should.
func TestKitCatches(t *testing.T) {
	caught := func(name, part string) {
		if part == "NoAllocations" && race.Uncounted {
			return // that part is not for the race detector
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			child := exec.Command(os.Args[0], "-test.run=^TestBroken$/^"+part+"$", "-test.short")
			child.Env = append(os.Environ(), brokenVariable+"="+name)
			out, err := child.CombinedOutput()
			var failed *exec.ExitError
			if err != nil && !errors.As(err, &failed) {
				t.Skipf("this test starts itself as a child process, which fails here: %v", err)
			}
			if err == nil || !strings.Contains(string(out), "--- FAIL: TestBroken/"+part+" ") {
				t.Errorf("%s does not fail: %v\n%s", part, err, out)
			}
		})
	}
	for _, b := range brokenAEADs {
		caught(b.name, b.part)
	}
	for _, b := range brokenMaskers {
		caught(b.name, b.part)
	}
	for _, b := range brokenPairs {
		caught(b.name, b.part)
	}
	for _, b := range brokenDevices {
		caught(b.name, b.part)
	}
}

// brokenAEAD changes what another implementation does, before or after it or
// instead of it.
type brokenAEAD struct {
	ciphers.AEAD
	seal, open func(inner ciphers.AEAD, b ciphers.Burst) int
}

func (a brokenAEAD) Seal(b ciphers.Burst) int {
	if a.seal == nil {
		return a.AEAD.Seal(b)
	}
	return a.seal(a.AEAD, b)
}

func (a brokenAEAD) Open(b ciphers.Burst) int {
	if a.open == nil {
		return a.AEAD.Open(b)
	}
	return a.open(a.AEAD, b)
}

type breakage func(inner ciphers.AEAD) ciphers.AEAD

// afterSeal does something to every sealed packet.
func afterSeal(spoil func(p *ciphers.Packet)) breakage {
	return func(inner ciphers.AEAD) ciphers.AEAD {
		return brokenAEAD{AEAD: inner, seal: func(inner ciphers.AEAD, b ciphers.Burst) int {
			n := inner.Seal(b)
			for _, i := range b.Index {
				spoil(&b.Packets[i])
			}
			return n
		}}
	}
}

// before does something to every packet on its way in, both ways.
func before(spoil func(b ciphers.Burst, p *ciphers.Packet)) breakage {
	each := func(b ciphers.Burst) ciphers.Burst {
		b.Packets = slices.Clone(b.Packets)
		for _, i := range b.Index {
			spoil(b, &b.Packets[i])
		}
		return b
	}
	return func(inner ciphers.AEAD) ciphers.AEAD {
		run := func(do func(ciphers.Burst) int) func(ciphers.AEAD, ciphers.Burst) int {
			return func(_ ciphers.AEAD, b ciphers.Burst) int {
				changed := each(b)
				n := do(changed)
				for i := range b.Packets {
					b.Packets[i].Status = changed.Packets[i].Status
				}
				return n
			}
		}
		return brokenAEAD{AEAD: inner, seal: run(inner.Seal), open: run(inner.Open)}
	}
}

// behind is the first byte behind what sealing writes, the packet's or not.
func behind(p *ciphers.Packet) *byte {
	sealed := p.Sealed(p.Key.TagSize())
	return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(sealed)), len(sealed)))
}

// zeroNonce zeroes part of a nonce by NonceXOR, as one does who forgets it.
func zeroNonce(from, to int) breakage {
	return before(func(_ ciphers.Burst, p *ciphers.Packet) {
		if p.Key.ExplicitSize() == 0 {
			clear(p.Nonce()[from:to])
		}
	})
}

// flipAt spoils the tag of packets of one length.
func flipAt(length uint32) breakage {
	return afterSeal(func(p *ciphers.Packet) {
		if p.Len == length {
			*(*byte)(unsafe.Add(unsafe.Pointer(behind(p)), -1)) ^= 1
		}
	})
}

func number(p *ciphers.Packet) { binary.BigEndian.PutUint64(p.Nonce()[4:], p.Number) }

// rightFor is an implementation that passes.
func rightFor(alg ciphers.Algorithm) ciphers.AEAD {
	if alg.Integrity() != 0 {
		return cbchmac.Std()
	}
	return ciphers.Std(oracleFor(alg))
}

func oracleFor(alg ciphers.Algorithm) ciphers.NewAEADFunc {
	return func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
		return newOracle(alg, key, nonceSize, tagSize)
	}
}
