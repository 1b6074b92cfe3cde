//go:build !purego

package chachapoly

import (
	"encoding/binary"
	"math/big"
	"slices"
	"testing"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// hashCase is one lane's input to the hash kernels.
type hashCase struct {
	key   oneTimeKey
	head  []byte // up to 32 bytes
	text  []byte // any
	sizes [2]uint64
}

// tag is Poly1305 (RFC 8439 section 2.5) in the words of its definition.
func (c *hashCase) tag() (tag [tagSize]byte) {
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 130), big.NewInt(5))
	clamp, _ := new(big.Int).SetString("0ffffffc0ffffffc0ffffffc0fffffff", 16)
	r := new(big.Int).And(little(c.key[:16]), clamp)
	h := new(big.Int)
	for _, block := range c.blocks() {
		h.Add(h, little(append(block, 1)))
		h.Mod(h.Mul(h, r), p)
	}
	h.Add(h, little(c.key[16:]))
	h.And(h, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1)))
	h.FillBytes(tag[:])
	slices.Reverse(tag[:])
	return tag
}

func (c *hashCase) blocks() (all [][]byte) {
	for _, part := range [][]byte{c.head, c.text} {
		for block := range slices.Chunk(part, hashBlock) {
			all = append(all, append(slices.Clone(block), make([]byte, hashBlock-len(block))...))
		}
	}
	sizes := binary.LittleEndian.AppendUint64(nil, c.sizes[0])
	return append(all, binary.LittleEndian.AppendUint64(sizes, c.sizes[1]))
}

func little(b []byte) *big.Int {
	turned := slices.Clone(b)
	slices.Reverse(turned)
	return new(big.Int).SetBytes(turned)
}

// runHashes has the kernels hash eight cases at once, whose heads and texts have one length,
// and compares their tags.
func runHashes(t *testing.T, cases *[lanes]hashCase) {
	t.Helper()
	var l hashLanes
	var e hashEdges
	var keys [lanes]oneTimeKey
	var at [lanes]unsafe.Pointer
	var tags [lanes][tagSize]byte
	n := len(cases[0].text)
	for i := range cases {
		c := &cases[i]
		keys[i] = c.key
		c.sizes = [2]uint64{uint64(len(c.head)), uint64(n)}
		head := append(slices.Clone(c.head), tiertest.Random(tiertest.Source("behind"), maxHead)...)
		text := append(slices.Clone(c.text), tiertest.Random(tiertest.Source("behind"), hashBlock)...)
		e.aad[i], at[i] = unsafe.Pointer(&head[0]), unsafe.Pointer(&text[0])
		e.tail[i], e.tag[i] = unsafe.Pointer(&text[n&^(hashBlock-1)]), unsafe.Pointer(&tags[i])
		e.sizes[0][i], e.sizes[1][i] = c.sizes[0], c.sizes[1]
	}
	hashStart(&l, &keys, &e)
	if n >= hashBlock {
		hashBlocks(&l, &at, n/hashBlock, 1<<lanes-1)
	}
	hashSeal(&l, &e)
	for i := range cases {
		if want := cases[i].tag(); tags[i] != want {
			t.Fatalf("lane %d, %d and %d bytes, key %x: tag %x, want %x", i, len(cases[i].head), n, cases[i].key, tags[i], want)
		}
	}
	for i := range tags {
		tags[i][7*i%tagSize] ^= byte(i) // lane 0 keeps its own
	}
	if equal := hashOpen(&l, &e); equal != 1 {
		t.Fatalf("lanes %#x have the tag, not lane 0 alone", equal)
	}
}

// TestHashLimits has keys and blocks of all ones, of zeros, and random ones, at every length of
// up to 12 blocks: the largest limbs and carries.
func TestHashLimits(t *testing.T) {
	cipherstest.NeedCPU(t, RequiresIFMA)
	r := tiertest.Source("hash limits")
	fill := func(n int, kind int) []byte {
		b := tiertest.Random(r, n)
		for i := range b {
			switch kind {
			case 0:
				b[i] = 0xff
			case 1:
				b[i] = 0
			}
		}
		return b
	}
	for n := range 12*hashBlock + 1 {
		for head := range maxHead + 1 {
			var cases [lanes]hashCase
			for i := range cases {
				cases[i].head, cases[i].text = fill(head, i%3), fill(n, (i+n)%3)
				copy(cases[i].key[:16], fill(16, i/2%3))
				copy(cases[i].key[16:], fill(16, (i+head)%3))
			}
			runHashes(t, &cases)
		}
	}
}

// TestHashNearThePrime has hashes that end within a few of a multiple of 2^130-5, of 2^130 and of
// 2^88, where upper limbs get their last carry: with r = 1 the hash is the sum of the blocks, each
// with 2^128 above it.
func TestHashNearThePrime(t *testing.T) {
	cipherstest.NeedCPU(t, RequiresIFMA)
	const blocks = 9
	for offset := -24; offset <= 24; offset += lanes {
		for _, power := range []uint{88, 130} {
			for multiple := range int64(5) {
				var cases [lanes]hashCase
				for i := range cases {
					target := new(big.Int).Lsh(big.NewInt(multiple), power)
					target.Add(target, big.NewInt(int64(offset+i)))
					cases[i].key[0] = 1
					cases[i].text = summing(target, blocks)
				}
				runHashes(t, &cases)
			}
		}
	}
}

// summing is text whose blocks, with 2^128 above each and with the sizes' block, have a sum of
// target modulo 2^130-5.
func summing(target *big.Int, blocks int) []byte {
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 130), big.NewInt(5))
	rest := new(big.Int).Sub(target, new(big.Int).Lsh(big.NewInt(int64(blocks+1)), 128))
	rest.Sub(rest, new(big.Int).Lsh(big.NewInt(int64(blocks*hashBlock)), 64))
	rest.Mod(rest, p)
	most := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1))
	var text []byte
	for range blocks {
		block := new(big.Int).Set(rest)
		if block.Cmp(most) > 0 {
			block.Set(most)
		}
		rest.Sub(rest, block)
		b := block.FillBytes(make([]byte, hashBlock))
		slices.Reverse(b)
		text = append(text, b...)
	}
	return text
}

// TestLanesThatRest has blocks change only the lanes that they are for.
func TestLanesThatRest(t *testing.T) {
	cipherstest.NeedCPU(t, RequiresIFMA)
	r := tiertest.Source("lanes that rest")
	text := tiertest.Random(r, 16*hashBlock)
	var at [lanes]unsafe.Pointer
	for i := range at {
		at[i] = unsafe.Pointer(&text[0])
	}
	for active := range 1 << lanes {
		var l hashLanes
		for i := range lanes {
			for k := range l.hash {
				l.r[k][i], l.square[k][i], l.hash[k][i] = uint64(3+k), uint64(5+k), uint64(100*k+i)
			}
		}
		before := l
		hashBlocks(&l, &at, 1+active%7, active)
		for i := range lanes {
			same := l.hash[0][i] == before.hash[0][i] && l.hash[1][i] == before.hash[1][i] && l.hash[2][i] == before.hash[2][i]
			if same == (active>>i&1 == 1) {
				t.Fatalf("lanes %#x: lane %d changed: %v", active, i, !same)
			}
		}
	}
}
