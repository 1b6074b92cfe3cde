package cipherstest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// kexCase is one key pair, one peer and all that follows from them, by the oracle.
type kexCase struct {
	private, public          []byte
	seed, ciphertext, secret []byte // what a peer makes of public from seed
}

// kexCases are n of them, the same in every run.
func kexCases(t testing.TB, group ciphers.Algorithm, n int) []kexCase {
	oracle := oracleOf(t, group)
	draw := rand.NewChaCha8([32]byte{byte(group)})
	cases := make([]kexCase, n)
	for i := range cases {
		c := &cases[i]
		c.private, c.seed = privateKey(draw, group, group.PrivateSize()), privateKey(draw, group, group.SeedSize())
		c.public = oracle.public(c.private)
		c.ciphertext, c.secret = oracle.encapsulate(c.public, c.seed)
	}
	return cases
}

// privateKey draws size bytes that every group takes as a private key or seed.
func privateKey(draw *rand.ChaCha8, group ciphers.Algorithm, size int) []byte {
	k := make([]byte, size)
	_, _ = draw.Read(k)
	switch group {
	case ciphers.P521, ciphers.FFDHE2048, ciphers.MODP14:
		k[0] &= 1
	case ciphers.FFDHE3072:
		k[0] &= 7
	case ciphers.FFDHE4096:
		k[0] &= 31
	}
	return k
}

// field is a slice of an entry, what must stand in it afterwards and whether the
// operation writes it.
type field struct {
	to    *[]byte
	value []byte
	out   bool
}

// fields lays a case out for an operation.
func (c *kexCase) fields(op ciphers.Operation, x *ciphers.Exchange) []field {
	switch op {
	case ciphers.OpGenerate:
		return []field{{&x.Seed, c.private, false}, {&x.Private, c.private, true}, {&x.Public, c.public, true}}
	case ciphers.OpEncapsulate:
		return []field{{&x.Seed, c.seed, false}, {&x.Public, c.public, false}, {&x.Ciphertext, c.ciphertext, true}, {&x.Secret, c.secret, true}}
	case ciphers.OpDerive:
		return []field{{&x.Private, c.private, false}, {&x.Public, c.ciphertext, false}, {&x.Secret, c.secret, true}}
	}
	return []field{{&x.Private, c.private, false}, {&x.Ciphertext, c.ciphertext, false}, {&x.Secret, c.secret, true}}
}

// stage is a batch whose slices lie in one arena, with canaries between them.
type stage struct {
	batch       []ciphers.Exchange
	arena, want []byte
}

const canary = 24

// layOut makes the batch of those cases.
func layOut(op ciphers.Operation, cases []kexCase, pick func(i int) int, n int) *stage {
	s := &stage{batch: make([]ciphers.Exchange, n)}
	var slots []func()
	for i := range s.batch {
		c := &cases[pick(i)]
		for _, f := range c.fields(op, &s.batch[i]) {
			at := len(s.want) + canary
			s.want = slices.Concat(s.want, bytes.Repeat([]byte{0xc3}, canary), f.value)
			slots = append(slots, func() {
				*f.to = s.arena[at:][:len(f.value):len(f.value)]
				if f.out {
					copy(*f.to, junk(len(f.value)))
				}
			})
		}
	}
	s.arena = slices.Clone(s.want)
	for _, slot := range slots {
		slot()
	}
	return s
}

// testKexBatchSizes runs every operation in batches of the sizes where vectors
// are full or nearly so, and compares every byte of the arena with the oracle's.
func testKexBatchSizes(t *testing.T, s kexSubject) {
	cases := kexCases(t, s.group, 11)
	sizes := []int{1, 2, 7, 8, 9, 15, 16, 17, 64}
	if testing.Short() {
		sizes = []int{1, 9}
	} else if s.group == ciphers.X25519 {
		sizes = append(sizes, 3, 4, 5, 6, 63, 65, 127, ciphers.MaxBurst)
	}
	for _, op := range s.operations() {
		for _, n := range sizes {
			st := layOut(op, cases, func(i int) int { return (i*3 + n) % len(cases) }, n)
			if ok := s.do(op, st.batch); ok != n {
				t.Fatalf("%v: batch of %d: %d succeeded", op, n, ok)
			}
			st.check(t, fmt.Sprintf("%v: batch of %d", op, n))
		}
		testKexIndex(t, s, op, cases)
	}
}

// testKexIndex hands over every other entry, backwards.
func testKexIndex(t *testing.T, s kexSubject, op ciphers.Operation, cases []kexCase) {
	st := layOut(op, cases, func(i int) int { return i }, len(cases))
	before := slices.Clone(st.arena)
	for i := range st.batch {
		st.batch[i].Group, st.batch[i].Operation = s.group, op
	}
	ciphers.ExchangeBorder(st.batch)
	index := []uint8{9, 7, 5, 3, 1}
	if ok := s.impl.Exchange(op, ciphers.ExchangeBatch{Entries: st.batch, Index: index}); ok != len(index) {
		t.Fatalf("%v: %d of %d succeeded", op, ok, len(index))
	}
	for i := range st.batch {
		want := ciphers.StatusNone
		if i%2 == 1 {
			want = ciphers.StatusOK
		}
		if st.batch[i].Status != want {
			t.Errorf("%v: entry %d: %v, want %v", op, i, st.batch[i].Status, want)
		}
	}
	s.checkHalf(t, op, st, before)
}

// checkHalf expects the oracle's bytes of odd entries and unchanged ones of even entries.
func (s kexSubject) checkHalf(t *testing.T, op ciphers.Operation, st *stage, before []byte) {
	at, per := 0, len(st.want)/len(st.batch)
	for i := range st.batch {
		want := before
		if i%2 == 1 {
			want = st.want
		}
		if !bytes.Equal(st.arena[at:][:per], want[at:][:per]) {
			t.Errorf("%v: entry %d of a partial batch has wrong bytes", op, i)
		}
		at += per
	}
}

func (s *stage) check(t *testing.T, what string) {
	t.Helper()
	for i := range s.batch {
		if s.batch[i].Status != ciphers.StatusOK {
			t.Errorf("%s: entry %d: %v", what, i, s.batch[i].Status)
		}
	}
	if !bytes.Equal(s.arena, s.want) {
		for i := range s.arena {
			if s.arena[i] != s.want[i] {
				t.Fatalf("%s: first wrong byte at %d of %d", what, i, len(s.arena))
			}
		}
	}
}
