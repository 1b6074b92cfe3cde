package main

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/bench/internal/entrant"
	"github.com/sealburst/sealburst/examples/bench/internal/load"
)

// enginePackets does with the engine's calls, in bursts, what singlePackets does with the
// libraries'.
type enginePackets struct {
	engine  *engine.Engine
	keys    []*engine.Key
	out, in []engine.Packet
	masks   []byte
	number  uint32
}

func newEnginePackets(suite load.Suite, n, burst int, e *entrant.Entrant) (*enginePackets, error) {
	p := &enginePackets{
		engine: e.Engine, masks: make([]byte, ciphers.MaskSize*burst),
		out: make([]engine.Packet, burst), in: make([]engine.Packet, burst),
	}
	if err := p.makeKeys(suite); err != nil {
		p.close()
		return nil, err
	}
	for i, buf := range singleBuffers(burst, n) {
		p.out[i] = engine.Packet{
			Buf: buf, Key: p.keys[0], MaskKey: p.keys[2],
			Len: uint32(n), Off: singleHeader, AADLen: singleHeader, SampleOff: singleSample,
		}
		p.in[i] = p.out[i]
		p.in[i].Key, p.in[i].Len = p.keys[1], uint32(n+16)
	}
	return p, nil
}

// makeKeys makes the sealing, the opening and the mask key, of zeros as singlePackets has them.
func (p *enginePackets) makeKeys(suite load.Suite) error {
	key, iv := make([]byte, suite.Alg.KeySize()), make([]byte, 12)
	for _, spec := range []engine.KeySpec{
		{Algorithm: suite.Alg, Key: key, Direction: ciphers.Sealing, Nonce: ciphers.NonceXOR, IV: iv},
		{Algorithm: suite.Alg, Key: key, Direction: ciphers.Opening, Nonce: ciphers.NonceXOR, IV: iv},
		{Algorithm: suite.Mask, Key: make([]byte, suite.Mask.KeySize())},
	} {
		k, err := p.engine.NewKey(spec)
		if err != nil {
			return err
		}
		p.keys = append(p.keys, k)
	}
	return nil
}

func (p *enginePackets) close() {
	for _, k := range p.keys {
		k.Close()
	}
}

func (p *enginePackets) run(n int) error {
	for range n {
		if err := p.seal(); err != nil {
			return err
		}
		if err := p.open(); err != nil {
			return err
		}
	}
	return nil
}

func (p *enginePackets) seal() error {
	out, in, number := p.out, p.in[:len(p.out)], p.number
	for i := range out {
		out[i].Number, in[i].Number = uint64(number), uint64(number)
		putSingleHeader(out[i].Buf, number)
		number++
	}
	p.number = number
	if p.engine.SealMask(p.masks, p.out) != len(p.out) {
		return errPacket
	}
	p.apply()
	return nil
}

func (p *enginePackets) open() error {
	if p.engine.Mask(p.masks, p.in) != len(p.in) {
		return errPacket
	}
	p.apply()
	if p.engine.Open(p.in) != len(p.in) {
		return errPacket
	}
	return nil
}

func (p *enginePackets) apply() {
	packets, masks := p.in, p.masks
	for i := range packets {
		applyMask(packets[i].Buf, binary.LittleEndian.Uint32(masks[ciphers.MaskSize*i:]))
	}
}
