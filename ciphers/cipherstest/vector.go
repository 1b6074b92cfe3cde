package cipherstest

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// vector is a published known answer.
type vector struct {
	name                           string
	key, nonce, aad, plain, sealed []byte
	invalid                        bool // sealed must not open
}

// forms are the forms of the subject's keys under which a key and a number can make the
// vector's nonce and tag.
func (v *vector) forms(s subject) []form {
	return slices.DeleteFunc(s.forms(), func(f form) bool {
		return f.nonceSize() != len(v.nonce) || f.tag != len(v.sealed)-len(v.plain)
	})
}

// record makes of v a record under a key of form f, and hides the nonce behind
// a number of the writer's where the form combines the two.
func (v *vector) record(t testing.TB, s subject, w *writer, f form) record {
	iv, high, number := v.split(w, f)
	r := record{
		keys: s.keysFrom(t, f, v.key, iv), number: number, high: high,
		plain: v.plain, sealed: v.sealed, forged: v.invalid, align: -1,
	}
	w.count++
	cut := int(w.count) % (len(v.aad) + 1)
	r.prefix, r.ranged = v.aad[:cut], v.aad[cut:]
	r.apart = w.count&1 == 0
	return r
}

func (v *vector) split(w *writer, f form) (iv []byte, high uint32, number uint64) {
	iv = slices.Clone(v.nonce)
	if f.nonce == ciphers.NonceExplicit {
		return iv[:f.iv], 0, binary.BigEndian.Uint64(iv[len(iv)-8:])
	}
	high, number = f.high(uint32(w.src.Uint64())), w.src.Uint64()
	combine(iv, high, number)
	return iv, high, number
}

// runVectors runs all of vs in bursts, the valid ones sealing and opening, the
// invalid ones opening among them.
func (s subject) runVectors(t *testing.T, w *writer, vs []vector) {
	t.Helper()
	var valid, all []record
	for i := range vs {
		fit := vs[i].forms(s)
		if len(fit) == 0 {
			t.Errorf("%s: no form of key of %v fits", vs[i].name, s.alg)
		}
		for _, f := range fit {
			r := vs[i].record(t, s, w, f)
			all = append(all, r)
			if !r.forged {
				valid = append(valid, r)
			}
		}
	}
	for burst := range slices.Chunk(valid, 64) {
		newScene(ciphers.Sealing, burst).run(t, s.impl, Run{})
	}
	for burst := range slices.Chunk(all, 64) {
		newScene(ciphers.Opening, burst).run(t, s.impl, Run{})
	}
}
