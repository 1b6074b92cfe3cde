package load

import (
	"bytes"
	"fmt"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/bench/internal/pair"
)

const xor = ciphers.NonceXOR

func (l *Load) direction() ciphers.Direction {
	if l.Op == Open {
		return ciphers.Opening
	}
	return ciphers.Sealing
}

// Bursts is a load in an engine's hands.
type Bursts struct {
	load    *Load
	name    string
	engine  *engine.Engine
	keys    []*engine.Key
	mask    *engine.Key
	packets []engine.Packet
}

// Engine gives the load to an engine, which must support the suite. Close it
// after the match.
func (l *Load) Engine(name string, e *engine.Engine) (*Bursts, error) {
	b := &Bursts{load: l, name: name, engine: e}
	err := b.makeKeys()
	if err == nil {
		b.fill()
		err = b.Check()
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

func (b *Bursts) makeKeys() (err error) {
	l := b.load
	if l.Op == Mask || l.Op == SealMask {
		b.mask, err = b.engine.NewKey(engine.KeySpec{Algorithm: l.Suite.Mask, Key: l.maskKey()})
		if err != nil || l.Op == Mask {
			return err
		}
	}
	b.keys = make([]*engine.Key, l.Keys)
	return inParallel(l.Keys, func(i int) (err error) {
		b.keys[i], err = b.engine.NewKey(l.spec(i))
		return err
	})
}

// fill writes what stays the same in every burst.
func (b *Bursts) fill() {
	l := b.load
	b.packets = make([]engine.Packet, len(l.lanes))
	for i := range l.lanes {
		p := &l.lanes[i]
		b.packets[i] = engine.Packet{
			Buf: p.wire, Plain: p.plain, MaskKey: b.mask, Len: uint32(len(p.plain)),
			Off: uint16(p.off), AADOff: uint16(p.off - aadSize), AADLen: aadSize, SampleOff: uint16(p.off),
		}
		if b.keys != nil {
			b.packets[i].Key = b.keys[p.key]
		}
		if l.Op == Open {
			b.packets[i].Len = uint32(len(p.sealed()))
		}
	}
}

// Close closes the keys.
func (b *Bursts) Close() {
	for _, k := range b.keys {
		if k != nil {
			k.Close()
		}
	}
	if b.mask != nil {
		b.mask.Close()
	}
}

// Contestant is the load's work through the engine.
func (b *Bursts) Contestant() pair.Contestant {
	return pair.Contestant{Name: b.name, Items: b.load.Burst, Run: b.run(), Warm: b.load.warm()}
}

func (b *Bursts) run() func(n int) error {
	switch b.load.Op {
	case Open:
		return b.open
	case Mask:
		return b.makeMasks
	case SealMask:
		return b.sealMask
	}
	if b.load.Draw != nil {
		return b.sealDrawn
	}
	return b.seal
}

// numbered is the next burst, with the next numbers.
func (b *Bursts) numbered() []engine.Packet {
	l := b.load
	from, to := l.next()
	burst := b.packets[from:to]
	for i := range burst {
		l.number++
		burst[i].Number = l.number
	}
	return burst
}

func (b *Bursts) seal(n int) error {
	for range n {
		burst := b.numbered()
		b.engine.Seal(burst)
		if err := statuses(burst); err != nil {
			return err
		}
	}
	return nil
}

func (b *Bursts) sealDrawn(n int) error {
	l := b.load
	for range n {
		burst := b.numbered()
		for i := range burst {
			burst[i].Key = b.keys[l.drawn()]
		}
		b.engine.Seal(burst)
		if err := statuses(burst); err != nil {
			return err
		}
	}
	return nil
}

func (b *Bursts) open(n int) error {
	l := b.load
	for range n {
		from, to := l.next()
		burst := b.packets[from:to]
		for i := range burst {
			burst[i].Number = l.lanes[from+i].number
		}
		b.engine.Open(burst)
		if err := statuses(burst); err != nil {
			return err
		}
	}
	return nil
}

func (b *Bursts) sealMask(n int) error {
	for range n {
		burst := b.numbered()
		b.engine.SealMask(b.load.masks, burst)
		if err := statuses(burst); err != nil {
			return err
		}
	}
	return nil
}

func (b *Bursts) makeMasks(n int) error {
	l := b.load
	for range n {
		from, to := l.next()
		if made := b.engine.Mask(l.masks, b.packets[from:to]); made != l.Burst {
			return fmt.Errorf("%d masks of %d", made, l.Burst)
		}
	}
	return nil
}

// statuses reads every status, as a caller must.
func statuses(burst []engine.Packet) error {
	for i := range burst {
		if burst[i].Status != ciphers.StatusOK {
			return burst[i].Status.Err()
		}
	}
	return nil
}

// Check does each burst once and compares with the libraries.
func (b *Bursts) Check() error {
	l := b.load
	l.first = 0
	run := b.run()
	for from := 0; from < len(l.lanes); from += l.Burst {
		b.spoil(from)
		if err := run(1); err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		for i := from; i < from+l.Burst; i++ {
			if err := b.checkLane(i, i-from); err != nil {
				return fmt.Errorf("%s: %s %s, packet %d of %d bytes: %w", b.name, l.Op, l.Suite.Name, i, l.Sizes[i], err)
			}
		}
	}
	return nil
}

// spoil overwrites what the burst from that lane on is to make.
func (b *Bursts) spoil(from int) {
	l := b.load
	clear(l.masks)
	for i := from; i < from+l.Burst; i++ {
		switch p := &l.lanes[i]; l.Op {
		case Open:
			clear(p.plain)
		case Seal, SealMask:
			clear(p.sealed())
		}
	}
}

func (b *Bursts) checkLane(i, at int) error {
	l, p := b.load, &b.load.lanes[i]
	if l.Op == Open {
		return same("plaintext", p.plain, p.want)
	}
	if l.Op != Seal {
		mask := make([]byte, 16)
		libraryMask(l.Suite.Mask, l.maskKey())(mask, p.sample())
		if err := same("mask", l.masks[16*at:][:16], mask); err != nil || l.Op == Mask {
			return err
		}
	}
	a, err := l.Suite.library(l.key(b.keyOf(i)))
	if err != nil {
		return err
	}
	return same("ciphertext", p.sealed(), a.Seal(nil, nonce(b.packets[i].Number), p.want, p.aad()))
}

// keyOf is the index of the key that packet i was sealed under.
func (b *Bursts) keyOf(i int) int {
	l := b.load
	if l.Draw == nil {
		return l.lanes[i].key
	}
	for k, key := range b.keys {
		if key == b.packets[i].Key {
			return k
		}
	}
	return -1
}

func same(what string, got, want []byte) error {
	if !bytes.Equal(got, want) {
		return fmt.Errorf("wrong %s", what)
	}
	return nil
}
