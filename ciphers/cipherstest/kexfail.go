package cipherstest

import (
	"bytes"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// shareOf is the slice of the peer's share that op reads.
func shareOf(op ciphers.Operation, x *ciphers.Exchange) []byte {
	if op == ciphers.OpDecapsulate {
		return x.Ciphertext
	}
	return x.Public
}

// outputs are the slices that op writes.
func outputs(op ciphers.Operation, x *ciphers.Exchange) [][]byte {
	switch op {
	case ciphers.OpGenerate:
		return [][]byte{x.Private, x.Public}
	case ciphers.OpEncapsulate:
		return [][]byte{x.Ciphertext, x.Secret}
	}
	return [][]byte{x.Secret}
}

// expectFailures runs a batch whose odd entries must fail by why and whose even
// ones must have the oracle's bytes.
func (s *stage) expectFailures(t *testing.T, subject kexSubject, op ciphers.Operation, why ciphers.Status) {
	t.Helper()
	if ok, want := subject.do(op, s.batch), (len(s.batch)+1)/2; ok != want {
		t.Errorf("%v: %d succeeded, want %d", op, ok, want)
	}
	per := len(s.want) / len(s.batch)
	for i := range s.batch {
		x := &s.batch[i]
		if i%2 == 0 {
			if x.Status != ciphers.StatusOK || !bytes.Equal(s.arena[i*per:][:per], s.want[i*per:][:per]) {
				t.Errorf("%v: entry %d beside bad ones: %v, or wrong bytes", op, i, x.Status)
			}
			continue
		}
		if x.Status != why {
			t.Errorf("%v: bad entry %d: %v, want %v", op, i, x.Status, why)
		}
		for _, out := range outputs(op, x) {
			if !allZero(out) {
				t.Errorf("%v: bad entry %d left bytes in its outputs", op, i)
			}
		}
	}
}

// badPrivate lists private keys that the group refuses; X25519, X448 and ML-KEM
// take every one.
func badPrivate(group ciphers.Algorithm) [][]byte {
	size := group.PrivateSize()
	switch group {
	case ciphers.P256, ciphers.P384, ciphers.P521:
		order := curveOf(group).N.FillBytes(make([]byte, size))
		return [][]byte{make([]byte, size), order, bytes.Repeat([]byte{0xff}, size)}
	case ciphers.FFDHE2048, ciphers.FFDHE3072, ciphers.FFDHE4096, ciphers.MODP14:
		one := make([]byte, size)
		one[size-1] = 1
		return [][]byte{make([]byte, size), one, bytes.Repeat([]byte{0xff}, size)}
	case ciphers.SecP256r1MLKEM768:
		return each(badPrivate(ciphers.P256), func(b []byte) []byte { return append(b, make([]byte, ciphers.MLKEM768PrivateSize)...) })
	}
	return nil
}

func testKexBadPrivate(t *testing.T, s kexSubject) {
	bad := badPrivate(s.group)
	cases := kexCases(t, s.group, 3)
	for _, op := range s.operations() {
		why := ciphers.StatusPrivate
		if op == ciphers.OpGenerate || op == ciphers.OpEncapsulate {
			why = ciphers.StatusSeed
		}
		st := layOut(op, cases, func(i int) int { return i % len(cases) }, 2*len(bad)+1)
		for i, private := range bad {
			x := &st.batch[2*i+1]
			if why == ciphers.StatusSeed {
				copy(x.Seed, private)
			} else {
				copy(x.Private, private)
			}
		}
		st.expectFailures(t, s, op, why)
	}
}

// testKexFresh sees that key pairs and answers without a seed differ.
func testKexFresh(t *testing.T, s kexSubject) {
	const n = 10
	seen := map[string]bool{}
	peer := kexCases(t, s.group, 1)[0].public
	for _, op := range []ciphers.Operation{ciphers.OpGenerate, ciphers.OpEncapsulate} {
		batch := make([]ciphers.Exchange, n)
		for i := range batch {
			batch[i] = *s.room()
			if op == ciphers.OpEncapsulate {
				batch[i].Public = peer
			}
		}
		if ok := s.do(op, batch); ok != n {
			t.Fatalf("%v: %d of %d succeeded", op, ok, n)
		}
		for i := range batch {
			for _, out := range outputs(op, &batch[i]) {
				if seen[string(out)] || allZero(out) {
					t.Errorf("%v: entry %d repeats bytes or has none", op, i)
				}
				seen[string(out)] = true
			}
		}
	}
}

// testKexHandshake plays client and server without seeds.
func testKexHandshake(t *testing.T, s kexSubject) {
	client, server := s.room(), s.room()
	if st := s.one(ciphers.OpGenerate, client); st != ciphers.StatusOK {
		t.Fatal(st)
	}
	server.Public = client.Public
	if st := s.one(ciphers.OpEncapsulate, server); st != ciphers.StatusOK {
		t.Fatal(st)
	}
	client.Ciphertext = server.Ciphertext
	if st := s.one(ciphers.OpDecapsulate, client); st != ciphers.StatusOK {
		t.Fatal(st)
	}
	if !bytes.Equal(client.Secret, server.Secret) {
		t.Error("client and server disagree")
	}
	oracle := oracleOf(t, s.group)
	if !bytes.Equal(client.Secret, oracle.decapsulate(client.Private, client.Ciphertext)) {
		t.Error("the secret is not the oracle's")
	}
}

// testKexStale changes the private key under what the backend prepared, and
// clears that.
func testKexStale(t *testing.T, s kexSubject) {
	cases := kexCases(t, s.group, 2)
	x := s.room()
	for round := range 4 {
		c := &cases[round%2]
		copy(x.Private, c.private)
		copy(x.Ciphertext, c.ciphertext)
		if st := s.one(ciphers.OpDecapsulate, x); st != ciphers.StatusOK || !bytes.Equal(x.Secret, c.secret) {
			t.Errorf("round %d: %v, or the secret of another key", round, st)
		}
		if x.Prepared != nil && round == 2 {
			x.Prepared.Clear()
		}
	}
}

func allZero(b []byte) bool { return bytes.Count(b, []byte{0}) == len(b) }
