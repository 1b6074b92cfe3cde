package ciphers_test

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"log"
	"sync"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/builtin"
	"github.com/sealburst/sealburst/engine"
	"golang.org/x/crypto/chacha20poly1305"
)

// chachas serves ChaCha20-Poly1305 by a library, one call a packet. A card's driver
// would stand where the library does.
type chachas struct{}

// ScheduleSize is 0: the library keeps its keys itself.
func (chachas) ScheduleSize() int { return 0 }

// Expand makes the library's object of a key. spec passed Check, and its TagSize is 0
// or the only one that the algorithm has; other algorithms have several.
func (chachas) Expand(st *ciphers.State, spec *ciphers.KeySpec) error {
	aead, err := chacha20poly1305.New(spec.Key)
	st.Object = aead
	return err
}

// Seal trusts the packets, which passed the border, and sets the status of each.
func (chachas) Seal(b ciphers.Burst) int {
	for _, i := range b.Index {
		p := &b.Packets[i]
		aead := p.Key.State(b.Slot).Object.(cipher.AEAD)
		aad := gather(p)
		aead.Seal(p.Sealed(p.Key.TagSize())[:0], p.Nonce()[:], p.Plaintext(), aad.bytes)
		aads.Put(aad)
		p.Status = ciphers.StatusOK
	}
	return len(b.Index)
}

// Open zeroes the plaintext of what is not authentic.
func (chachas) Open(b ciphers.Burst) (ok int) {
	for _, i := range b.Index {
		p := &b.Packets[i]
		aead := p.Key.State(b.Slot).Object.(cipher.AEAD)
		opened, aad := p.Opened(p.Key.TagSize()), gather(p)
		_, err := aead.Open(opened[:0], p.Nonce()[:], p.Received(), aad.bytes)
		aads.Put(aad)
		if err != nil {
			p.Status = ciphers.StatusAuth
			clear(opened)
			continue
		}
		p.Status = ciphers.StatusOK
		ok++
	}
	return ok
}

// scratch keeps the room for associated data that lie in two pieces, so that no burst
// allocates.
type scratch struct{ room, bytes []byte }

var aads = sync.Pool{New: func() any { return &scratch{room: make([]byte, ciphers.MaxAAD)} }}

func gather(p *ciphers.Packet) *scratch {
	s := aads.Get().(*scratch)
	s.bytes = p.AAD(s.room)
	return s
}

// mine is a backend of one algorithm. Its conformance test, in a package of its own,
// is one line:
//
//	func TestConformance(t *testing.T) { cipherstest.TestBackend(t, mine()) }
func mine() *ciphers.Backend {
	return &ciphers.Backend{
		Name:     "mine",
		Priority: -1, // behind those of the build: only a pin chooses it
		AEADs:    map[ciphers.Algorithm]ciphers.AEAD{ciphers.ChaCha20Poly1305: chachas{}},
	}
}

// A backend of one's own is handed to the engine beside those of the build, and
// pinned by its name.
func ExampleBackend() {
	e, err := engine.New(engine.Config{
		Available: append(builtin.Backends(), mine()),
		Backends:  map[engine.Algorithm]string{ciphers.ChaCha20Poly1305: "mine"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()

	key, err := e.NewKey(engine.KeySpec{
		Algorithm: ciphers.ChaCha20Poly1305, Direction: ciphers.Sealing,
		Key: bytes.Repeat([]byte{7}, 32), Nonce: ciphers.NonceXOR, IV: make([]byte, 12),
	})
	if err != nil {
		log.Fatal(err)
	}
	packets := make([]engine.Packet, 8)
	for i := range packets {
		packets[i] = engine.Packet{Buf: make([]byte, 13+100+16), Key: key, Number: uint64(i), Off: 13, Len: 100, AADLen: 13}
	}
	fmt.Println(e.Seal(packets), "sealed")
	for _, a := range e.Report().Algorithms {
		if a.Algorithm == ciphers.ChaCha20Poly1305.String() {
			fmt.Println(a.Algorithm, "by", a.Backend+",", a.Why)
		}
	}
	// Output:
	// 8 sealed
	// chacha20-poly1305 by mine, pinned by Config
}
