//go:build amd64 && !purego

package cbchmac

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
)

// twin is one secret under both tiers.
type twin struct {
	lanes, std map[ciphers.Direction]*ciphers.Key
}

func needVAES512(t testing.TB) {
	t.Helper()
	cipherstest.NeedCPU(t, RequiresVAES512)
}

func newTwin(t testing.TB, alg ciphers.Algorithm, rng *rand.Rand) twin {
	t.Helper()
	return twinOf(t, alg, rng, rng.IntN(2) == 0)
}

func twinOf(t testing.TB, alg ciphers.Algorithm, rng *rand.Rand, esn bool) twin {
	t.Helper()
	spec := ciphers.KeySpec{
		Algorithm: alg, Key: random(rng, alg.KeySize()), AuthKey: random(rng, alg.AuthKeySize()), Nonce: alg.IVForm(), ESN: esn,
	}
	return twin{keysOf(t, spec, VAES512()[alg]), keysOf(t, spec, Std())}
}

func keysOf(t testing.TB, spec ciphers.KeySpec, impl ciphers.AEAD) map[ciphers.Direction]*ciphers.Key {
	t.Helper()
	keys := map[ciphers.Direction]*ciphers.Key{}
	for _, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
		spec.Direction = d
		k, err := ciphers.NewKey(&spec, &ciphers.Plan{Bulk: impl}, nil)
		if err != nil {
			t.Fatal(err)
		}
		keys[d] = k
	}
	return keys
}

func random(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// FuzzVAES512 seals bursts of random lengths, keys and layouts on the lanes and
// on the portable tier, wants the same bytes, spoils some and wants the same
// outcomes.
func FuzzVAES512(f *testing.F) {
	for seed := range uint64(24) {
		f.Add(seed, uint8(seed*11), uint16(seed*seed*29))
	}
	f.Fuzz(func(t *testing.T, seed uint64, size uint8, longest uint16) {
		needVAES512(t)
		rng := rand.New(rand.NewPCG(seed, 1))
		algs := benchAlgorithms()
		alg := algs[int(seed%uint64(len(algs)))]
		keys := make([]twin, 1+rng.IntN(20))
		for i := range keys {
			keys[i] = newTwin(t, alg, rng)
		}
		ours, theirs := make([]ciphers.Packet, int(size)+1), make([]ciphers.Packet, int(size)+1)
		for i := range ours {
			ours[i] = randomPacket(rng, alg, int(longest))
			theirs[i] = ours[i]
			theirs[i].Buf = bytes.Clone(ours[i].Buf)
			k := keys[rng.IntN(len(keys))]
			ours[i].Key, theirs[i].Key = k.lanes[ciphers.Sealing], k.std[ciphers.Sealing]
			ours[i].MaskKey, theirs[i].MaskKey = k.lanes[ciphers.Opening], k.std[ciphers.Opening] // kept here for opening
		}
		compare(t, alg, ours, theirs)
		for i := range ours {
			for _, p := range []*ciphers.Packet{&ours[i], &theirs[i]} {
				p.Len += uint32(p.Key.TagSize())
				p.Key = p.MaskKey
				if i%3 == 1 {
					p.Buf[int(p.Off)+int(p.Len)-1-i%p.Key.TagSize()] ^= 0x40
				}
			}
		}
		compare(t, alg, ours, theirs)
	})
}

func randomPacket(rng *rand.Rand, alg ciphers.Algorithm, longest int) ciphers.Packet {
	iv := 0
	if alg.IVForm() != 0 {
		iv = 16
	}
	aad, gap, n := rng.IntN(150), rng.IntN(3), rng.IntN(longest+1)&^15
	if alg.Encryption() == ciphers.IntegrityOnly {
		n = 0
	}
	return ciphers.Packet{
		Buf: random(rng, aad+gap+iv+n+16), Prefix: random(rng, rng.IntN(2)*rng.IntN(100)), High: rng.Uint32(),
		AADLen: uint16(aad), IVOff: uint16(aad + gap), Off: uint16(aad + gap + iv), Len: uint32(n),
	}
}

// compare runs both bursts, sealing under the same IVs, and wants no difference.
func compare(t *testing.T, alg ciphers.Algorithm, ours, theirs []ciphers.Packet) {
	t.Helper()
	burst := func(ps []ciphers.Packet) ciphers.Burst {
		return ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps))}
	}
	var n, want int
	if ours[0].Key.Direction() == ciphers.Sealing {
		ciphers.SealBorder(ours)
		ciphers.SealBorder(theirs)
		for i := range ours {
			copy(theirs[i].IV(), ours[i].IV())
		}
		n, want = VAES512()[alg].Seal(burst(ours)), Std().Seal(burst(theirs))
	} else {
		ciphers.OpenBorder(ours)
		ciphers.OpenBorder(theirs)
		n, want = VAES512()[alg].Open(burst(ours)), Std().Open(burst(theirs))
	}
	if n != want {
		t.Errorf("%v: %d succeeded, want %d", alg, n, want)
	}
	for i := range ours {
		if ours[i].Status != theirs[i].Status || !bytes.Equal(ours[i].Buf, theirs[i].Buf) || !bytes.Equal(ours[i].Plain, theirs[i].Plain) {
			t.Fatalf("%v, packet %d of %d, %d bytes: %v, want %v, or other bytes", alg, i, len(ours), ours[i].Len, ours[i].Status, theirs[i].Status)
		}
	}
}

// TestKeyExpansion holds the round keys against FIPS 197 appendix A.
func TestKeyExpansion(t *testing.T) {
	needVAES512(t)
	var s schedule
	s.expandAES([]byte{0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c})
	want := [16]byte{0xd0, 0x14, 0xf9, 0xa8, 0xc9, 0xee, 0x25, 0x89, 0xe1, 0x3f, 0x0c, 0xc8, 0xb6, 0x63, 0x0c, 0xa6}
	if s.rounds[10] != want {
		t.Errorf("the last round key is %x, want %x", s.rounds[10], want)
	}
}
