package engine

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/builtin"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

// std is the portable backend.
func std(t testing.TB) *ciphers.Backend {
	t.Helper()
	for _, b := range builtin.Backends() {
		if b.Name == "std" {
			return b
		}
	}
	t.Fatal("this build has no std")
	return nil
}

// fake is a backend of the portable implementations of some AEADs, each under a spy.
func fake(t testing.TB, name string, priority int, algs ...Algorithm) *ciphers.Backend {
	t.Helper()
	b := &ciphers.Backend{Name: name, Priority: priority, AEADs: map[Algorithm]ciphers.AEAD{}, Masks: map[Algorithm]ciphers.Masker{}}
	for _, alg := range algs {
		if alg.IsMask() {
			b.Masks[alg] = std(t).Masks[alg]
		} else {
			b.AEADs[alg] = &spy{AEAD: std(t).AEADs[alg]}
		}
	}
	return b
}

// spy notes what an AEAD is handed.
type spy struct {
	ciphers.AEAD
	bursts []ciphers.Burst
}

func (s *spy) Seal(b ciphers.Burst) int {
	s.bursts = append(s.bursts, b)
	return s.AEAD.Seal(b)
}

func (s *spy) Open(b ciphers.Burst) int {
	s.bursts = append(s.bursts, b)
	return s.AEAD.Open(b)
}

// seen are the bursts since the last call.
func seen(b *ciphers.Backend, alg Algorithm) []ciphers.Burst {
	s := b.AEADs[alg].(*spy)
	bursts := s.bursts
	s.bursts = nil
	return bursts
}

func mustNew(t testing.TB, c Config) *Engine {
	t.Helper()
	e, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// mustNewOn is mustNew on a processor that has those features and no others.
func mustNewOn(t testing.TB, processor cpu.Set, c Config) *Engine {
	t.Helper()
	e, err := newOn(processor, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// only makes an engine of some backends, best first, whatever the environment says.
func only(t testing.TB, backends ...*ciphers.Backend) *Engine {
	t.Helper()
	return mustNew(t, Config{Available: backends, IgnoreEnvironment: true})
}

// portable makes an engine of the portable backend.
func portable(t testing.TB) *Engine {
	t.Helper()
	return only(t, std(t))
}

func mustKey(t testing.TB, e *Engine, spec KeySpec) *Key {
	t.Helper()
	k, err := e.NewKey(spec)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// specOf is a key's spec: NonceXOR, a full tag.
func specOf(alg Algorithm, d ciphers.Direction) KeySpec {
	if alg.IsMask() {
		return KeySpec{Algorithm: alg, Key: counting(alg.KeySize(), 5)}
	}
	return KeySpec{Algorithm: alg, Direction: d, Key: counting(alg.KeySize(), 5), Nonce: ciphers.NonceXOR, IV: counting(nonceSize, 9)}
}

// sealable are n packets of 64 bytes under a key, numbered from 1.
func sealable(k *Key, n int) []Packet {
	ps := make([]Packet, n)
	for i := range ps {
		ps[i] = Packet{Buf: counting(20+64+16, byte(i)), Key: k, Number: uint64(i + 1), Off: 20, Len: 64, AADLen: 20}
	}
	return ps
}

// openable turns what was sealed into what is to be opened.
func openable(ps []Packet, k *Key) []Packet {
	for i := range ps {
		ps[i].Key = k
		ps[i].Len += uint32(k.TagSize())
	}
	return ps
}

// packetAEADs are the AEADs.
func packetAEADs() (aeads []Algorithm) {
	for _, alg := range packetAlgorithms() {
		if !alg.IsMask() {
			aeads = append(aeads, alg)
		}
	}
	return aeads
}

func wantStatus(t testing.TB, p *Packet, want Status) {
	t.Helper()
	if p.Status != want {
		t.Errorf("status %v, want %v", p.Status, want)
	}
}
