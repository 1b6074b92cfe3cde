//go:build !purego

package aesgcm

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// eachUniform calls f for the tiers that have kernels for uniform bursts.
func eachUniform(t *testing.T, f func(t *testing.T, tier tiertest.Tier, v vector)) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		if v, ok := tier.Impl.(vector); ok && v.on512() {
			f(t, tier, v)
		}
	})
}

// ofOneKind is a burst of one key and shape. Packets are in place and out of place by
// turns, their associated data outside the buffer or in it.
func ofOneKind(k *tiertest.KeyPair, count, n, aad int, inside bool, r *rand.ChaCha8) (b burst) {
	for i := range count {
		p := b.Add(k, n, aad, r)
		if inside {
			tiertest.InBuffer(p, len(p.Prefix))
		}
		if i%3 == 1 {
			p.Plain = slices.Clone(b.Plain[i])
			r.Read(p.Buf[:n])
		}
	}
	return b
}

// TestUniformKernel has every length that it takes in bursts of every size, with
// all the associated data that it takes and more, and counts the packets that it
// takes.
func TestUniformKernel(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("uniform kernel")
		k := newKeyPair(t, tier, fullTag, r)
		got, want := 0, 0
		for n := range maxUniformPayload + 2 {
			for count := 1; count <= 33; count++ {
				aad := (33*n + count) % (inPlaceAAD + 1)
				b := ofOneKind(k, count, n, aad, (n+count)%2 == 1, r)
				got += takenOf(v, b.Packets)
				if n > 0 && n <= maxUniformPayload && aad <= maxUniformAAD {
					want += count / quad * quad
				}
				b.Run(t, tier.Impl)
			}
		}
		if got != want || want == 0 {
			t.Errorf("the kernel takes %d packets, want %d", got, want)
		}
	})
}

// TestUniformAssociatedData has every length of associated data on either side
// with payloads that end in each block of a register.
func TestUniformAssociatedData(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, _ vector) {
		r := tiertest.Source("uniform associated data")
		k := newKeyPair(t, tier, fullTag, r)
		for n := 3; n <= maxUniformPayload; n += 13 {
			for aad := range inPlaceAAD + 1 {
				for _, inside := range []bool{false, true} {
					b := ofOneKind(k, 8, n, aad, inside, r)
					b.Run(t, tier.Impl)
				}
			}
		}
	})
}

// TestUniformForgeries has each bit of a tag wrong, at each place of a burst.
func TestUniformForgeries(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, _ vector) {
		r := tiertest.Source("uniform forgeries")
		k := newKeyPair(t, tier, fullTag, r)
		for _, n := range []int{1, 64, 65, 130, 200, 320} {
			b := ofOneKind(k, 33, n, 20, n%2 == 1, r)
			b.Run(t, tier.Impl) // leaves what opens
			for bit := range 8 * fullTag {
				b.forge(t, tier.Impl, bit, bit%33)
				b.forge(t, tier.Impl, bit, bit%33, (bit*7+1)%33, 32)
			}
		}
	})
}

// forge seals the burst, turns a bit of some tags, and opens it.
func (b *burst) forge(t *testing.T, impl ciphers.AEAD, bit int, bad ...int) {
	t.Helper()
	slices.Sort(bad)
	bad = slices.Compact(bad)
	index := ciphers.Identity(len(b.Packets))
	for i := range b.Packets {
		p := &b.Packets[i]
		copy(p.Opened(fullTag), b.Plain[i])
		p.Key, p.Len = b.Keys[i].Seal, uint32(len(b.Plain[i]))
	}
	ciphers.SealBorder(b.Packets)
	impl.Seal(ciphers.Burst{Packets: b.Packets, Index: index})
	for i := range b.Packets {
		p := &b.Packets[i]
		p.Key, p.Len = b.Keys[i].Open, p.Len+fullTag
		if slices.Contains(bad, i) {
			p.Buf[int(p.Off)+int(p.Len)-fullTag+bit/8] ^= 1 << (bit % 8)
		}
	}
	ciphers.OpenBorder(b.Packets)
	if n := impl.Open(ciphers.Burst{Packets: b.Packets, Index: index}); n != len(index)-len(bad) {
		t.Fatalf("opened %d of %d with %d forgeries", n, len(index), len(bad))
	}
	for i := range b.Packets {
		want, status := b.Plain[i], ciphers.StatusOK
		if slices.Contains(bad, i) {
			want, status = make([]byte, len(want)), ciphers.StatusAuth
		}
		if p := &b.Packets[i]; p.Status != status || !bytes.Equal(p.Opened(fullTag), want) {
			t.Fatalf("packet %d, forged %v at bit %d: status %v, %x", i, bad, bit, p.Status, p.Opened(fullTag))
		}
	}
}

// TestUniformRuns has one packet differ from the others at each place, in what
// matters: the kernel stops before its quad. All are sealed and opened even so.
func TestUniformRuns(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("runs")
		keys := newKeyPairs(t, tier, 2, fullTag, r)
		for name, odd := range map[string]func(b *burst) *ciphers.Packet{
			"key":          func(b *burst) *ciphers.Packet { return b.AddText(keys[1], tiertest.Random(r, 100), nil, r) },
			"shorter":      func(b *burst) *ciphers.Packet { return b.AddText(keys[0], tiertest.Random(r, 99), nil, r) },
			"longer":       func(b *burst) *ciphers.Packet { return b.AddText(keys[0], tiertest.Random(r, 200), nil, r) },
			"AAD in front": func(b *burst) *ciphers.Packet { return b.Add(keys[0], 100, 1, r) },
			"AAD in Buf": func(b *burst) *ciphers.Packet {
				p := b.Add(keys[0], 100, 1, r)
				tiertest.InBuffer(p, len(p.Prefix))
				return p
			},
		} {
			for at := range 33 {
				b := ofOneKind(keys[0], at, 100, 0, false, r)
				odd(&b)
				b.append(ofOneKind(keys[0], 32-at, 100, 0, false, r))
				if got, want := takenOf(v, b.Packets), at/quad*quad; got != want {
					t.Errorf("%s at %d: the kernel takes %d, want %d", name, at, got, want)
				}
				if got := v.uniformQuads(b.Packets, ciphers.Identity(33), false); (got == 0) != (at < quad) {
					t.Errorf("%s at %d: the kernel is offered %d quads", name, at, got)
				}
				b.Run(t, tier.Impl)
			}
		}
	})
}

// takenOf seals copies of packets that are in place in other buffers.
func takenOf(v vector, ps []ciphers.Packet) int {
	ps = slices.Clone(ps)
	for i := range ps {
		ps[i].Buf = slices.Clone(ps[i].Buf)
	}
	taken, _ := v.uniform(ps, ciphers.Identity(len(ps)), ciphers.SlotBulk, false)
	return taken
}

func (b *burst) append(more burst) {
	b.Packets = append(b.Packets, more.Packets...)
	b.Keys = append(b.Keys, more.Keys...)
	b.Plain = append(b.Plain, more.Plain...)
}

// TestUniformButForTheRest has every packet differ from the others in what does
// not matter.
func TestUniformButForTheRest(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("rest")
		k := newKeyPair(t, tier, fullTag, r)
		b := ofOneKind(k, 33, 70, 0, false, r)
		for i := range b.Packets {
			p := &b.Packets[i]
			p.Buf, p.Off = append(make([]byte, i), p.Buf...), uint16(i)
			p.MaskKey, p.High, p.Status = []*ciphers.Key{nil, k.Open}[i%2], uint32(i), ciphers.Status(i)
			p.AADOff, p.IVOff, p.SampleOff = uint16(2*i), uint16(3*i), uint16(5*i)
		}
		if got := takenOf(v, b.Packets); got != 32 {
			t.Errorf("the kernel takes %d", got)
		}
		b.Run(t, tier.Impl)
	})
}

// TestUniformLimits has bursts of one kind that the kernel does not take.
func TestUniformLimits(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		for _, test := range []struct{ tag, count, n, aad, quads int }{
			{16, 33, 1, 0, 8}, {16, 4, 320, 32, 1}, {16, 180, 100, 0, 45}, {16, 256, 100, 0, maxUniformQuads},
			{12, 33, 64, 0, 0}, {8, 33, 64, 0, 0}, {16, 3, 64, 0, 0}, {16, 33, 0, 0, 0}, {16, 33, 321, 0, 0},
			{16, 33, 64, 33, 0}, {16, 33, 64, 49, 0}, {16, 33, 64, 65535, 0},
		} {
			r := tiertest.Source("limits")
			b := ofOneKind(newKeyPair(t, tier, test.tag, r), test.count, test.n, test.aad, false, r)
			if got := v.uniformQuads(b.Packets, ciphers.Identity(test.count), false); got != test.quads {
				t.Errorf("%+v: %d quads", test, got)
			}
		}
	})
}

// TestUniformAnyOrder has the packets of a burst in another order than they lie,
// some of them left out.
func TestUniformAnyOrder(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, _ vector) {
		r := tiertest.Source("any order")
		k := newKeyPair(t, tier, fullTag, r)
		for _, n := range []int{40, 100, 300} {
			b := ofOneKind(k, ciphers.MaxBurst, n, 8, false, r)
			index := slices.Clone(ciphers.Identity(ciphers.MaxBurst))
			rand.New(r).Shuffle(len(index), func(i, j int) { index[i], index[j] = index[j], index[i] })
			ciphers.SealBorder(b.Packets)
			tier.Impl.Seal(ciphers.Burst{Packets: b.Packets, Index: index[:201]})
			for i := range b.Packets {
				p := &b.Packets[i]
				want := k.Oracle.Seal(nil, p.Nonce()[:], b.Plain[i], p.Prefix)
				if took := slices.Contains(index[:201], uint8(i)); took != bytes.Equal(p.Sealed(fullTag), want) {
					t.Errorf("packet %d, in the burst %t: sealed %x", i, took, p.Sealed(fullTag))
				}
			}
		}
	})
}
