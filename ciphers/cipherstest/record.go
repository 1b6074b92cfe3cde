package cipherstest

import (
	"math/rand/v2"
	"slices"

	"github.com/sealburst/sealburst/ciphers"
)

// record is one packet of a test: what it says and how its buffers lie.
type record struct {
	keys   *keys
	number uint64
	high   uint32
	plain  []byte
	prefix []byte // associated data outside Buf
	ranged []byte // associated data in Buf
	sealed []byte // the ciphertext and tag that plain becomes
	iv     []byte // what sealing would draw

	apart bool // the plaintext has a place of its own
	late  bool // ranged lies behind the tag, not in front of the payload
	spare int  // bytes of room behind the tag, and behind the plaintext's place
	align int  // where the payload starts, modulo 64; negative for anywhere
	gap   int  // bytes between this record and the one before

	forged bool // must not open
	fault  fault
}

// write completes r with what the oracle makes of it.
func (r record) write() record {
	if r.keys.pair != nil {
		r.sealed = r.keys.pair.seal(&r)
		return r
	}
	aad := slices.Concat(r.prefix, r.ranged)
	r.sealed = r.keys.oracle.Seal(nil, r.keys.nonce(r.high, r.number), r.plain, aad)
	return r
}

// writer makes records of random content.
type writer struct {
	src   *rand.ChaCha8
	text  []byte // long enough for any payload or associated data
	count uint64
}

func newWriter(name string) *writer {
	src := source(name)
	return &writer{src: src, text: random(src, 2*ciphers.MaxPayload)}
}

// record has n bytes of plaintext, fewer where those are no whole blocks, a
// number of its own, and 13 bytes of associated data in front of its payload.
func (w *writer) record(k *keys, n int) record {
	w.count++
	n = k.whole(n)
	r := record{
		keys: k, number: w.src.Uint64()<<16 | w.count, plain: w.bytes(n),
		ranged: w.bytes(13), gap: int(w.count % 5), align: -1,
	}
	if k.form.nonce == ciphers.NonceXOR || k.form.esn {
		r.high = k.high(uint32(w.src.Uint64()))
	}
	if k.form.nonce == ciphers.NonceDrawn {
		r.iv = w.bytes(k.form.block)
	}
	return r
}

// bytes is a piece of the text, a different one each time.
func (w *writer) bytes(n int) []byte {
	from := w.src.Uint64() % uint64(len(w.text)-n+1)
	return w.text[from:][:n:n]
}
