//go:build amd64 && !purego

package cbchmac

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// alikePackets are packets of one shape, each in one piece, for sealing. Every other
// one of them is sealed from a place of its own.
func alikePackets(rng *rand.Rand, alg ciphers.Algorithm, count, aad, payload int, keys []twin) (ours, theirs []ciphers.Packet) {
	iv := 0
	if alg.IVForm() != 0 {
		iv = 16
	}
	if alg.Encryption() == ciphers.IntegrityOnly {
		payload = 0
	}
	front := rng.IntN(4)
	for i := range count {
		p := ciphers.Packet{
			Buf: random(rng, front+aad+iv+payload+16+rng.IntN(3)), High: rng.Uint32(), Len: uint32(payload),
			AADOff: uint16(front), AADLen: uint16(aad), IVOff: uint16(front + aad), Off: uint16(front + aad + iv),
		}
		if i%2 == 1 {
			p.Plain = random(rng, payload)
		}
		k, q := keys[rng.IntN(len(keys))], p
		q.Buf, q.Plain = bytes.Clone(p.Buf), bytes.Clone(p.Plain)
		p.Key, p.MaskKey = k.lanes[ciphers.Sealing], k.lanes[ciphers.Opening] // kept here for opening
		q.Key, q.MaskKey = k.std[ciphers.Sealing], k.std[ciphers.Opening]
		ours, theirs = append(ours, p), append(theirs, q)
	}
	return ours, theirs
}

func twins(t testing.TB, rng *rand.Rand, alg ciphers.Algorithm, count int, esn bool) (keys []twin) {
	for range count {
		keys = append(keys, twinOf(t, alg, rng, esn))
	}
	return keys
}

// TestGroupsAgainstTheLibrary seals and opens bursts of packets that are alike, of
// every length around the edges of blocks, under one key and several, and wants
// what the portable tier makes of them.
func TestGroupsAgainstTheLibrary(t *testing.T) {
	needVAES512(t)
	rng := rand.New(rand.NewPCG(7, 8))
	tier := VAES512()
	for _, alg := range slices.Sorted(maps.Keys(tier)) {
		for i, esn := range []bool{false, true} {
			one, many := twins(t, rng, alg, 1, esn), twins(t, rng, alg, 5, esn)
			for aad := 0; aad <= 2*hashBlock; aad += 1 + 3*i { // the high half of a number starts at a word
				keys := one
				if aad/4%2 == 1 {
					keys = many
				}
				ours, theirs := alikePackets(rng, alg, 1+rng.IntN(40), aad, 16*rng.IntN(12), keys)
				sealAndOpen(t, alg, ours, theirs)
			}
		}
	}
}

// sealAndOpen compares both tiers' sealing and, with every third ICV spoilt,
// opening. The lanes must take the packets as groups.
func sealAndOpen(t *testing.T, alg ciphers.Algorithm, ours, theirs []ciphers.Packet) {
	t.Helper()
	wantGroup(t, ours)
	compare(t, alg, ours, theirs)
	for i := range ours {
		for _, p := range []*ciphers.Packet{&ours[i], &theirs[i]} {
			p.Key = p.MaskKey
			p.Len += uint32(p.Key.TagSize())
			if i%3 == 1 {
				p.Buf[int(p.Off)+int(p.Len)-1-i%p.Key.TagSize()] ^= 0x40
			}
		}
	}
	wantGroup(t, ours)
	compare(t, alg, ours, theirs)
}

func wantGroup(t *testing.T, ps []ciphers.Packet) {
	t.Helper()
	if !new(group).take(groupJob(ps)) {
		t.Fatalf("%d packets of %d bytes and %d of associated data are no group", len(ps), ps[0].Len, ps[0].AADLen)
	}
}

func groupJob(ps []ciphers.Packet) *job {
	return &job{
		Burst:   ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps))},
		opening: ps[0].Key.Direction() == ciphers.Opening,
	}
}

// TestLongestGroup is at the most blocks that a call of the kernels takes, and
// beyond.
func TestLongestGroup(t *testing.T) {
	needVAES512(t)
	rng := rand.New(rand.NewPCG(9, 10))
	alg := benchAlgorithms()[1]
	keys := twins(t, rng, alg, 2, false)
	longest := (maxHashBlocks-1)*hashBlock - 16
	for aad := range 16 {
		ours, theirs := alikePackets(rng, alg, 18, aad, longest-16, keys)
		sealAndOpen(t, alg, ours, theirs)
		ours, theirs = alikePackets(rng, alg, 18, aad, longest, keys)
		if new(group).take(groupJob(ours)) {
			t.Errorf("%d blocks were taken", maxHashBlocks-1)
		}
		compare(t, alg, ours, theirs)
	}
}

// TestGroupIsOfPacketsAlike changes one thing of the last packet or of all.
func TestGroupIsOfPacketsAlike(t *testing.T) {
	needVAES512(t)
	rng := rand.New(rand.NewPCG(11, 12))
	alg := benchAlgorithms()[1]
	plain, esn := twins(t, rng, alg, 2, false), twins(t, rng, alg, 1, true)
	sealing := func(k twin) *ciphers.Key { return k.lanes[ciphers.Sealing] }
	for _, c := range []struct {
		name   string
		all    bool
		change func(p *ciphers.Packet)
		group  bool
	}{
		{"nothing", true, func(*ciphers.Packet) {}, true},
		{"another key", false, func(p *ciphers.Packet) { p.Key = sealing(plain[1]) }, true},
		{"number and high half", false, func(p *ciphers.Packet) { p.Number, p.High = 1, 2 }, true},
		{"in place", false, func(p *ciphers.Packet) { p.Plain = nil }, true},
		{"a longer buffer", false, func(p *ciphers.Packet) { p.Buf = append(p.Buf, 1, 2, 3) }, true},
		{"no associated data, AADOff anywhere", true, func(p *ciphers.Packet) { p.AADLen, p.AADOff = 0, 65535 }, true},
		{"all with ESN", true, func(p *ciphers.Packet) { p.Key = sealing(esn[0]) }, true},
		{"a key with ESN", false, func(p *ciphers.Packet) { p.Key = sealing(esn[0]) }, false},
		{"Len", false, func(p *ciphers.Packet) { p.Len -= 16 }, false},
		{"Off", false, func(p *ciphers.Packet) { p.Off-- }, false},
		{"AADOff", false, func(p *ciphers.Packet) { p.AADOff++ }, false},
		{"AADLen", false, func(p *ciphers.Packet) { p.AADLen-- }, false},
		{"IVOff", false, func(p *ciphers.Packet) { p.IVOff-- }, false},
		{"Prefix", false, func(p *ciphers.Packet) { p.Prefix = make([]byte, 1) }, false},
		{"Prefix of all", true, func(p *ciphers.Packet) { p.Prefix = make([]byte, 1) }, false},
		{"IV apart from payload", true, func(p *ciphers.Packet) { p.Off++ }, false},
		{"associated data apart from IV", true, func(p *ciphers.Packet) { p.AADLen-- }, false},
		{"all with ESN, not at a word", true, func(p *ciphers.Packet) { p.Key = sealing(esn[0]); p.AADOff++; p.AADLen-- }, false},
	} {
		for count := 2; count <= lanes; count += lanes - 2 {
			for last := 1; last < count; last++ {
				ps, _ := alikePackets(rng, alg, count, 8, 64, plain[:1])
				for i := range ps {
					if c.all || i == last {
						c.change(&ps[i])
					}
				}
				if got := new(group).take(groupJob(ps)); got != c.group {
					t.Errorf("%s, packet %d of %d: a group is %v", c.name, last, count, got)
				}
			}
		}
	}
}

// TestGroupsThenLanes has a burst of which the first packets are alike and the
// others are not.
func TestGroupsThenLanes(t *testing.T) {
	needVAES512(t)
	rng := rand.New(rand.NewPCG(13, 14))
	for _, alg := range benchAlgorithms() {
		for _, count := range []int{16, 31, 32, 40} {
			t.Run(fmt.Sprintf("%v/%d", alg, count), func(t *testing.T) {
				keys := twins(t, rng, alg, 3, false)
				ours, theirs := alikePackets(rng, alg, count, 8, 48, keys)
				for i := range 20 {
					a, b := alikePackets(rng, alg, 1, 8+i, 16*i, keys)
					ours, theirs = append(ours, a...), append(theirs, b...)
				}
				compare(t, alg, ours, theirs)
			})
		}
	}
}
