package main

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/pion/dtls/v2/pkg/crypto/ccm"
	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/chacha20poly1305"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/examples/bench/internal/contest"
	"github.com/sealburst/sealburst/examples/bench/internal/entrant"
	"github.com/sealburst/sealburst/examples/bench/internal/load"
	"github.com/sealburst/sealburst/examples/bench/internal/pair"
	"github.com/sealburst/sealburst/examples/bench/internal/table"
	"github.com/sealburst/sealburst/quicadapter"
	"github.com/sealburst/sealburst/record"
)

// packetOp is a whole 1-RTT packet, sealed and opened again: header, number, masks,
// replay window.
const packetOp = "packet"

var adapterSuites = map[string]quicadapter.Suite{
	"aes-128-gcm": quicadapter.AES128GCM, "aes-256-gcm": quicadapter.AES256GCM,
	"chacha20-poly1305": quicadapter.ChaCha20Poly1305, "aes-128-ccm": quicadapter.AES128CCM,
}

var packetID = []byte("8 bytes.")

// packetCell compares quicadapter in bursts with the libraries one packet at a time.
func packetCell(suite load.Suite, n, burst int, e *entrant.Entrant) (*contest.Contest, error) {
	c := &contest.Contest{Bytes: float64(n)}
	c.Row = table.Row{Table: "pne", Op: packetOp, Alg: suite.Name, Bytes: n, Burst: burst, Keys: 1}
	single, err := newSinglePackets(suite, n)
	if err != nil {
		return nil, err
	}
	base := c.Add(pair.Contestant{Name: load.Library, Items: 1, Run: single.run})
	a, err := newAdapterPackets(suite, n, burst, e)
	if err != nil {
		return nil, err
	}
	c.Finally(a.close)
	c.Compare(c.Add(pair.Contestant{Name: e.Name, Items: burst, Run: a.run}), base, load.Library)
	return c, nil
}

// adapterPackets goes through quicadapter, to a peer and back to the payload.
type adapterPackets struct {
	from, to *quicadapter.Conn
	out      *quicadapter.Outbound
	in       *quicadapter.Inbound
	packets  []quicadapter.Packet
	wire     []record.Datagram
	off, n   int
}

func newAdapterPackets(suite load.Suite, n, burst int, e *entrant.Entrant) (*adapterPackets, error) {
	a := &adapterPackets{off: quicadapter.MaxShortOverhead, n: n}
	secret := make([]byte, 48)
	if suite.Alg != ciphers.AES256GCM {
		secret = secret[:32]
	}
	for side, place := range map[quicadapter.Side]**quicadapter.Conn{quicadapter.Client: &a.from, quicadapter.Server: &a.to} {
		conn, err := quicadapter.NewConn(quicadapter.ConnConfig{Engine: e.Engine, Version: quicadapter.Version1, Side: side})
		if err != nil {
			return nil, err
		}
		for _, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
			if err := conn.Install(quicadapter.OneRTT, d, adapterSuites[suite.Name], secret); err != nil {
				return nil, err
			}
		}
		conn.Confirm()
		*place = conn
	}
	table, err := quicadapter.NewTable(len(packetID))
	if err != nil {
		return nil, err
	}
	if err := table.Add(packetID, a.to); err != nil {
		return nil, err
	}
	a.out, a.in = quicadapter.NewOutbound(e.Engine), quicadapter.NewInbound(e.Engine, table)
	a.packets, a.wire = make([]quicadapter.Packet, burst), make([]record.Datagram, burst)
	for i := range a.packets {
		a.packets[i] = quicadapter.Packet{
			Datagram: record.Datagram{Buf: make([]byte, a.off+n+quicadapter.MinTailroom)}, Conn: a.from,
			Header: quicadapter.Header{Type: quicadapter.OneRTT, Destination: packetID},
		}
	}
	return a, nil
}

func (a *adapterPackets) close() {
	a.from.Close()
	a.to.Close()
}

var errPacket = errors.New("a packet did not arrive")

func (a *adapterPackets) run(n int) error {
	for range n {
		for i := range a.packets {
			a.packets[i].Off, a.packets[i].Len = a.off, a.n
		}
		if a.out.Seal(a.packets) != len(a.packets) {
			return fmt.Errorf("%w: %v", errPacket, a.packets[0].Drop)
		}
		for i := range a.packets {
			a.wire[i] = a.packets[i].Datagram
		}
		if opened, ok := a.in.Open(a.wire); ok != len(a.packets) || opened[0].Len != a.n {
			return fmt.Errorf("%w: %v", errPacket, opened[0].Drop)
		}
		if err := a.from.Acknowledged(quicadapter.OneRTT, a.packets[len(a.packets)-1].Number); err != nil {
			return err
		}
		if a.from.UpdateDue() {
			if err := a.from.Update(); err != nil {
				return err
			}
		}
	}
	return nil
}

// singlePackets does the same with the libraries' calls, one packet at a time, without
// looking up a connection and without a replay window.
type singlePackets struct {
	aead   cipher.AEAD
	mask   func(sample []byte) []byte
	buf    []byte
	n      int
	number uint32
	nonce  [12]byte
}

func newSinglePackets(suite load.Suite, n int) (*singlePackets, error) {
	s := &singlePackets{n: n, buf: make([]byte, 128+n)}
	key := make([]byte, suite.Alg.KeySize())
	if suite.Alg == ciphers.ChaCha20Poly1305 {
		s.mask = chachaHeaderMask(key)
		var err error
		s.aead, err = chacha20poly1305.New(key)
		return s, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	mask := make([]byte, aes.BlockSize)
	s.mask = func(sample []byte) []byte {
		block.Encrypt(mask, sample)
		return mask
	}
	if suite.Alg == ciphers.AES128CCM {
		s.aead, err = ccm.NewCCM(block, 16, 12)
	} else {
		s.aead, err = cipher.NewGCM(block)
	}
	return s, err
}

func chachaHeaderMask(key []byte) func(sample []byte) []byte {
	mask := make([]byte, 5)
	return func(sample []byte) []byte {
		stream, err := chacha20.NewUnauthenticatedCipher(key, sample[4:])
		if err != nil {
			panic(err) // key and nonce have the right sizes
		}
		stream.SetCounter(binary.LittleEndian.Uint32(sample))
		clear(mask)
		stream.XORKeyStream(mask, mask)
		return mask
	}
}

// A short header with an ID of 8 and a number of 2 bytes.
const (
	singleNumberOff = 1 + 8
	singleHeader    = singleNumberOff + 2
	singleSample    = singleNumberOff + 4
)

func (s *singlePackets) run(n int) error {
	for range n {
		s.number++
		header := s.buf[:singleHeader]
		header[0] = 0x41
		copy(header[1:], packetID)
		binary.BigEndian.PutUint16(header[singleNumberOff:], uint16(s.number))
		binary.BigEndian.PutUint32(s.nonce[8:], s.number)
		payload := s.buf[singleHeader:][:s.n]
		s.aead.Seal(payload[:0], s.nonce[:], payload, header)
		s.apply()
		s.apply() // the receiver's
		sealed := s.buf[singleHeader:][:s.n+16]
		if _, err := s.aead.Open(sealed[:0], s.nonce[:], sealed, header); err != nil {
			return err
		}
	}
	return nil
}

func (s *singlePackets) apply() {
	mask := s.mask(s.buf[singleSample:][:16])
	s.buf[0] ^= mask[0] & 0x1f
	s.buf[singleNumberOff] ^= mask[1]
	s.buf[singleNumberOff+1] ^= mask[2]
}
