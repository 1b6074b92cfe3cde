package engine

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// specs are keys of every AEAD, form of nonce and length of tag, two of each.
func specs() (all []KeySpec) {
	for _, alg := range packetAEADs() {
		for _, tag := range alg.TagSizes() {
			for i := range byte(2) {
				s := KeySpec{Algorithm: alg, Key: counting(alg.KeySize(), 7*i), TagSize: tag}
				s.Nonce, s.IV = ciphers.NonceXOR, counting(12, 50+i)
				all = append(all, s)
				if slices.Contains(alg.NonceSizes(), 13) {
					s.IV = counting(13, 60+i)
					all = append(all, s)
				}
				s.Nonce, s.IV = ciphers.NonceExplicit, counting(4, 70+i)
				all = append(all, s)
			}
		}
	}
	return all
}

// mixedBurst is a burst of random keys among specs, and random lengths, in one
// arena, with what each packet must become.
type mixedBurst struct {
	specs   []KeySpec
	seal    []*Key
	open    []*Key
	packets []Packet
	key     []int
	plain   [][]byte
	want    [][]byte
}

func newMixedBurst(t testing.TB, e *Engine, specs []KeySpec, n int, rng *rand.Rand) *mixedBurst {
	m := &mixedBurst{specs: specs}
	for _, s := range specs {
		s.Direction = ciphers.Sealing
		m.seal = append(m.seal, mustKey(t, e, s))
		s.Direction = ciphers.Opening
		m.open = append(m.open, mustKey(t, e, s))
	}
	for i := range n {
		m.add(t, i, rng)
	}
	return m
}

func (m *mixedBurst) add(t testing.TB, i int, rng *rand.Rand) {
	k := rng.IntN(len(m.specs))
	spec, size := &m.specs[k], rng.IntN(1600)
	if rng.IntN(4) == 0 {
		size = rng.IntN(20)
	}
	buf := counting(13+8+size+spec.TagSize, byte(i))
	p := Packet{Buf: buf, Key: m.seal[k], Number: rng.Uint64(), Off: 21, Len: uint32(size), AADLen: 13, IVOff: 13}
	if spec.Nonce == ciphers.NonceXOR {
		p.High = rng.Uint32()
	}
	plain := bytes.Clone(buf[21 : 21+size])
	m.packets, m.key, m.plain = append(m.packets, p), append(m.key, k), append(m.plain, plain)
	m.want = append(m.want, librarySeal(t, spec, p.Number, p.High, plain, buf[:13]))
}

func TestMixedBurstsAreWhatTheLibrariesMake(t *testing.T) {
	e, rng := portable(t), rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 31, 64, 255, 256} {
		m := newMixedBurst(t, e, specs(), n, rng)
		if ok := e.Seal(m.packets); ok != n {
			t.Fatalf("%d packets: sealed %d", n, ok)
		}
		for i := range m.packets {
			p := &m.packets[i]
			wantStatus(t, p, ciphers.StatusOK)
			if !bytes.Equal(p.Buf[p.Off:], m.want[i]) {
				t.Errorf("packet %d of %d under %+v: wrong", i, n, m.specs[m.key[i]])
			}
		}
		m.openAll(t, e, rng)
	}
}

// openAll forges some of the sealed packets and opens all.
func (m *mixedBurst) openAll(t *testing.T, e *Engine, rng *rand.Rand) {
	t.Helper()
	forged, good := make([]bool, len(m.packets)), 0
	for i := range m.packets {
		p := &m.packets[i]
		p.Key = m.open[m.key[i]]
		p.Len += uint32(p.Key.TagSize())
		p.Number += 0
		if forged[i] = rng.IntN(5) == 0; forged[i] {
			p.Buf[int(p.Off)+rng.IntN(int(p.Len))] ^= 1 << rng.IntN(8)
		} else {
			good++
		}
	}
	if ok := e.Open(m.packets); ok != good {
		t.Errorf("opened %d, want %d", ok, good)
	}
	for i := range m.packets {
		p, want, status := &m.packets[i], m.plain[i], ciphers.StatusOK
		if forged[i] {
			want, status = make([]byte, len(want)), ciphers.StatusAuth
		}
		wantStatus(t, p, status)
		if !bytes.Equal(p.Buf[p.Off:][:len(want)], want) {
			t.Errorf("packet %d, forged %v: wrong plaintext", i, forged[i])
		}
	}
}

func TestEachImplementationIsEnteredOnceABurst(t *testing.T) {
	gcm, ccm := fake(t, "gcm", 2, ciphers.AES128GCM), fake(t, "ccm", 1, ciphers.AES128CCM)
	e := only(t, gcm, ccm)
	one, two := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing)), mustKey(t, e, specOf(ciphers.AES128CCM, ciphers.Sealing))
	ps := sealable(one, 7)
	ps[2].Key, ps[3].Key, ps[6].Key = two, two, two
	ps[4].Key = nil
	seen(gcm, ciphers.AES128GCM)
	seen(ccm, ciphers.AES128CCM)
	if ok := e.Seal(ps); ok != 6 {
		t.Fatalf("sealed %d, want 6", ok)
	}
	for backend, want := range map[*ciphers.Backend][]uint8{gcm: {0, 1, 5}, ccm: {2, 3, 6}} {
		alg := ciphers.AES128GCM
		if backend == ccm {
			alg = ciphers.AES128CCM
		}
		if got := seen(backend, alg); len(got) != 1 || len(got[0].Index) != 3 {
			t.Errorf("%s was handed %d bursts, want one of packets %v", backend.Name, len(got), want)
		}
	}
}

func TestBurstSizes(t *testing.T) {
	e := portable(t)
	k := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing))
	masks := make([]byte, 16*300)
	calls := map[string]func([]Packet) int{
		"Seal": e.Seal, "Open": e.Open,
		"Mask":     func(ps []Packet) int { return e.Mask(masks, ps) },
		"SealMask": func(ps []Packet) int { return e.SealMask(masks, ps) },
	}
	for name, call := range calls {
		before := fmt.Sprint(e.Stats())
		if ok := call(nil); ok != 0 {
			t.Errorf("%s of nothing: %d", name, ok)
		}
		ps := sealable(k, ciphers.MaxBurst+1)
		if ok := call(ps); ok != 0 {
			t.Errorf("%s of 257: %d", name, ok)
		}
		for i := range ps {
			wantStatus(t, &ps[i], ciphers.StatusBurst)
			if !bytes.Equal(ps[i].Buf, counting(100, byte(i))) {
				t.Fatalf("%s of 257: packet %d was touched", name, i)
			}
		}
		if after := fmt.Sprint(e.Stats()); after != before {
			t.Errorf("%s: bursts that were refused whole are counted: %s, before %s", name, after, before)
		}
	}
	if ok := e.Seal(sealable(k, ciphers.MaxBurst)); ok != ciphers.MaxBurst {
		t.Errorf("Seal of 256: %d", ok)
	}
}
