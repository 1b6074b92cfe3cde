package exchange

import (
	"bytes"
	"fmt"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/bench/internal/pair"
)

// Groups are those that the table shows.
func Groups() []engine.Algorithm {
	return []engine.Algorithm{ciphers.X25519, ciphers.X448, ciphers.P256, ciphers.P384, ciphers.P521,
		ciphers.FFDHE2048, ciphers.MLKEM768, ciphers.X25519MLKEM768}
}

// Operations are those of a group: Diffie-Hellman derives, a KEM encapsulates.
func Operations(group engine.Algorithm) []ciphers.Operation {
	if group.IsDH() {
		return []ciphers.Operation{ciphers.OpGenerate, ciphers.OpDerive}
	}
	return []ciphers.Operation{ciphers.OpGenerate, ciphers.OpEncapsulate, ciphers.OpDecapsulate}
}

// Load is the work of a cell: Batch exchanges of a group.
type Load struct {
	Group engine.Algorithm
	Op    ciphers.Operation
	Batch int

	library library
	ready   []engine.Exchange // a batch with all that any operation reads
}

// New makes key pairs and peers for the load, by the engine given.
func New(group engine.Algorithm, op ciphers.Operation, batch int, e *engine.Engine) (*Load, error) {
	l := &Load{Group: group, Op: op, Batch: batch, library: libraryOf(group), ready: make([]engine.Exchange, batch)}
	for i := range l.ready {
		l.ready[i] = engine.Exchange{Group: group, Operation: ciphers.OpGenerate, Private: make([]byte, group.PrivateSize()),
			Public: make([]byte, group.PublicSize()), Ciphertext: make([]byte, group.CiphertextSize()), Secret: make([]byte, group.SecretSize())}
	}
	for _, op := range []ciphers.Operation{ciphers.OpGenerate, ciphers.OpEncapsulate} {
		for i := range l.ready {
			l.ready[i].Operation = op
		}
		if ok := e.Exchange(l.ready); ok != batch {
			return nil, fmt.Errorf("exchange: %v: %d of %d", op, ok, batch)
		}
	}
	return l, nil
}

// Library is the contestant that calls the libraries, one exchange a call.
func (l *Load) Library() (pair.Contestant, error) {
	keys := make([]libraryKey, l.Batch)
	for i := range keys {
		k, err := l.library.key(l.ready[i].Private)
		if err != nil {
			return pair.Contestant{}, err
		}
		keys[i] = k
	}
	return pair.Contestant{Name: Library, Items: l.Batch, Run: func(n int) error {
		for range n {
			for i := range keys {
				if err := l.once(keys[i], i); err != nil {
					return err
				}
			}
		}
		return nil
	}}, nil
}

func (l *Load) once(k libraryKey, i int) (err error) {
	switch l.Op {
	case ciphers.OpGenerate:
		err = l.library.generate()
	case ciphers.OpEncapsulate:
		err = l.library.encapsulate(l.ready[i].Public)
	default:
		_, err = k.agree(l.ready[i].Ciphertext)
	}
	return err
}

// Batches is the load through an engine.
type Batches struct {
	load   *Load
	name   string
	engine *engine.Engine
	batch  []engine.Exchange
}

// Engine makes the contestant's batch, its keys prepared as an engine leaves
// them when it generated them.
func (l *Load) Engine(name string, e *engine.Engine) *Batches {
	b := &Batches{l, name, e, make([]engine.Exchange, l.Batch)}
	for i := range b.batch {
		x := &b.batch[i]
		*x = l.ready[i]
		x.Prepared = nil
		x.Operation, x.Secret = l.Op, make([]byte, l.Group.SecretSize())
		switch l.Op {
		case ciphers.OpGenerate:
			x.Private, x.Public = make([]byte, l.Group.PrivateSize()), make([]byte, l.Group.PublicSize())
		case ciphers.OpEncapsulate:
			x.Ciphertext = make([]byte, l.Group.CiphertextSize())
		case ciphers.OpDerive:
			x.Public = l.ready[i].Ciphertext
		}
	}
	return b
}

// Contestant is the load's work through the engine.
func (b *Batches) Contestant() pair.Contestant {
	return pair.Contestant{Name: b.name, Items: b.load.Batch, Run: func(n int) error {
		for range n {
			if ok := b.engine.Exchange(b.batch); ok != len(b.batch) {
				return fmt.Errorf("exchange: %s: %v %v: %d of %d succeeded", b.name, b.load.Op, b.load.Group, ok, len(b.batch))
			}
		}
		return nil
	}}
}

// Check compares what the engine made last with the libraries.
func (b *Batches) Check() error {
	for i := range b.batch {
		if !b.agrees(&b.batch[i], &b.load.ready[i]) {
			return fmt.Errorf("exchange: %s: %v %v: entry %d is not what the libraries make", b.name, b.load.Op, b.load.Group, i)
		}
	}
	return nil
}

func (b *Batches) agrees(x, ready *engine.Exchange) bool {
	private, share, secret := ready.Private, x.Ciphertext, x.Secret
	if b.load.Op == ciphers.OpGenerate {
		private = x.Private
	}
	k, err := b.load.library.key(private)
	if err != nil {
		return false
	}
	if b.load.Op == ciphers.OpGenerate {
		return bytes.Equal(k.public(), x.Public)
	}
	want, err := k.agree(share)
	return err == nil && bytes.Equal(want, secret)
}
