package probe

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
	"github.com/sealburst/sealburst/examples/quicping/frame"
	"github.com/sealburst/sealburst/quicadapter"
	"github.com/sealburst/sealburst/record"
)

// evil is a server that completes a handshake and then says what it was told to say.
type evil struct {
	t      *testing.T
	udp    *net.UDPConn
	tls    *tls.Config
	engine *quicadapter.Outbound
	say    map[quicadapter.Type][]byte // payloads sent once the handshake is complete, or before
	params func(*evilConn) []byte
	mute   bool // says nothing once the handshake is complete
}

// evilConn is its one connection.
type evilConn struct {
	conn             *quicadapter.Conn
	tls              *quicadapter.TLS
	in               *quicadapter.Inbound
	original, theirs []byte
	heard            map[quicadapter.Type]uint64 // CRYPTO bytes: what comes again is not taken twice
	said             bool
}

var evilID = []byte("evil-srv")

// parameter is one transport parameter.
func parameter(id byte, value []byte) []byte { return append([]byte{id, byte(len(value))}, value...) }

// honest are the parameters that the client wants to see.
func honest(c *evilConn) []byte {
	return append(parameter(0, c.original), parameter(0x0f, evilID)...)
}

func (e *evil) serve() string {
	e.udp = listen(e.t)
	go func() {
		buf := make([]byte, 2048)
		var c *evilConn
		for {
			n, from, err := e.udp.ReadFrom(buf)
			if err != nil {
				return
			}
			if c == nil {
				if c = e.accept(buf[:n]); c == nil {
					return
				}
			}
			e.handle(c, bytes.Clone(buf[:n]), from)
		}
	}()
	return e.udp.LocalAddr().String()
}

func (e *evil) accept(first []byte) *evilConn {
	var h quicadapter.Header
	if h.Parse(first, 8) != record.DropNone {
		return nil
	}
	eng := newEngine(e.t)
	e.engine = quicadapter.NewOutbound(eng)
	c := &evilConn{
		original: bytes.Clone(h.Destination), theirs: bytes.Clone(h.Source), heard: map[quicadapter.Type]uint64{},
	}
	var err error
	if c.conn, err = quicadapter.NewConn(quicadapter.ConnConfig{Engine: eng, Version: h.Version, Side: quicadapter.Server}); err != nil {
		return nil
	}
	table, _ := quicadapter.NewTable(8)
	c.in = quicadapter.NewInbound(eng, table)
	if e.params == nil {
		e.params = honest
	}
	c.tls, err = quicadapter.NewTLS(quicadapter.TLSConfig{Conn: c.conn, TLS: e.tls, Parameters: e.params(c)})
	if err != nil || table.Add(c.original, c.conn) != nil || table.Add(evilID, c.conn) != nil ||
		c.conn.InstallInitial(c.original) != nil || c.tls.Start(context.Background()) != nil {
		return nil
	}
	return c
}

func (e *evil) handle(c *evilConn, wire []byte, from net.Addr) {
	packets, _ := c.in.Open([]record.Datagram{{Buf: wire, Len: len(wire)}})
	for i := range packets {
		p := &packets[i]
		if p.Drop != record.DropNone || !p.Type.HasKeys() {
			continue
		}
		ack := frame.AppendAck(nil, 0, []frame.Range{{Low: p.Number, High: p.Number}})
		for rest := p.Content(); len(rest) > 0; {
			f, next, err := frame.Read(rest)
			if err != nil {
				return
			}
			if f.Type == frame.Crypto && f.Offset == c.heard[p.Type] {
				_ = c.tls.Receive(p.Type, f.Data)
				c.heard[p.Type] += uint64(len(f.Data))
			}
			rest = next
		}
		if !c.tls.Complete() || !e.mute {
			e.send(c, p.Type, ack, from)
		}
	}
	for _, t := range []quicadapter.Type{quicadapter.Initial, quicadapter.Handshake} {
		if payload := e.say[t]; payload != nil && c.conn.CanSeal(t) {
			e.send(c, t, payload, from)
		}
		if data := c.tls.Take(t); len(data) > 0 {
			e.crypto(c, t, data, from)
		}
	}
	if payload := e.say[quicadapter.OneRTT]; c.tls.Complete() && !c.said {
		c.said = true
		e.send(c, quicadapter.OneRTT, append([]byte{byte(frame.HandshakeDone)}, payload...), from)
	}
}

// crypto sends data in pieces that fit a datagram.
func (e *evil) crypto(c *evilConn, t quicadapter.Type, data []byte, from net.Addr) {
	const most = 1000
	for at := 0; at < len(data); at += most {
		e.send(c, t, frame.AppendCrypto(nil, uint64(at), data[at:min(len(data), at+most)]), from)
	}
}

func (e *evil) send(c *evilConn, t quicadapter.Type, payload []byte, to net.Addr) {
	buf := make([]byte, 100+len(payload)+1300)
	copy(buf[100:], payload)
	burst := []quicadapter.Packet{{
		Datagram: record.Datagram{Buf: buf, Off: 100, Len: len(payload)}, Conn: c.conn,
		Header: quicadapter.Header{Type: t, Destination: c.theirs},
	}}
	if t != quicadapter.OneRTT {
		burst[0].Source = evilID
	}
	if e.engine.Seal(burst) == 1 {
		_, _ = e.udp.WriteTo(burst[0].Content(), to) // the client may be gone
	}
}

// hopeless is one for a handshake that will not be completed.
func hopeless(t *testing.T, address string, client *tls.Config) Config {
	cfg := quick(t, address, client)
	cfg.Handshake = 600 * time.Millisecond
	return cfg
}

func newID(sequence, prior byte, id string) []byte {
	b := append([]byte{byte(frame.NewConnectionID), sequence, prior, byte(len(id))}, id...)
	return append(b, make([]byte, 16)...)
}

func TestHonestServerIsAnswered(t *testing.T) {
	t.Parallel()
	server, client := tlsPair(t)
	e := &evil{t: t, tls: server}
	answered(t, quick(t, e.serve(), client))
}

func TestLyingServers(t *testing.T) {
	t.Parallel()
	server, client := tlsPair(t)
	initial, handshake, oneRTT := quicadapter.Initial, quicadapter.Handshake, quicadapter.OneRTT
	for name, c := range map[string]struct {
		in   quicadapter.Type
		say  []byte
		want code
	}{
		"acknowledges what was never sent": {oneRTT, frame.AppendAck(nil, 0, []frame.Range{{Low: 0, High: 1000}}), protocolViolation},
		"the same in a Handshake packet":   {handshake, frame.AppendAck(nil, 0, []frame.Range{{Low: 0, High: 9}}), protocolViolation},
		"an unknown frame":                 {oneRTT, []byte{0x21}, frameEncodingError},
		"a frame cut short":                {oneRTT, []byte{byte(frame.NewToken), 0x3f, 1}, frameEncodingError},
		"a stream in a Handshake packet":   {handshake, []byte{0x08, 3, 1}, protocolViolation},
		"HANDSHAKE_DONE in an Initial":     {initial, []byte{byte(frame.HandshakeDone)}, protocolViolation},
		"CRYPTO far ahead":                 {oneRTT, frame.AppendCrypto(nil, 1<<20, []byte{1}), cryptoBufferExceeded},
		"a stream of ours":                 {oneRTT, []byte{0x0a, 0, 1, 1}, streamStateError},
		"a bidirectional stream":           {oneRTT, []byte{0x0a, 1, 1, 1}, streamLimitError},
		"a fourth stream":                  {oneRTT, []byte{0x0a, 15, 1, 1}, streamLimitError},
		"more than we allow on a stream":   {oneRTT, []byte{0x0e, 3, 0x80, 1, 0, 0, 1, 1}, flowControlError},
		"a path response":                  {oneRTT, []byte{byte(frame.PathResponse), 1, 2, 3, 4, 5, 6, 7, 8}, protocolViolation},
		"our connection ID retired":        {oneRTT, frame.AppendRetire(nil, 0), protocolViolation},
		"a DATAGRAM":                       {oneRTT, []byte{byte(frame.Datagram), 1}, protocolViolation},
		"too many connection IDs":          {oneRTT, append(newID(1, 0, "aaaaaaaa"), newID(2, 0, "bbbbbbbb")...), idLimitError},
		"one connection ID under two":      {oneRTT, append(newID(1, 0, "aaaaaaaa"), newID(2, 1, "aaaaaaaa")...), protocolViolation},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := &evil{t: t, tls: server, say: map[quicadapter.Type][]byte{c.in: c.say}}
			_, err := Run(context.Background(), quick(t, e.serve(), client))
			if got, _, _ := closeCode(err); err == nil || got != c.want || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestLyingParameters(t *testing.T) {
	t.Parallel()
	server, client := tlsPair(t)
	for name, c := range map[string]struct {
		params func(*evilConn) []byte
		want   code
	}{
		"another original ID": {func(*evilConn) []byte { return append(parameter(0, evilID), parameter(0x0f, evilID)...) }, parameterError},
		"no original ID":      {func(*evilConn) []byte { return parameter(0x0f, evilID) }, parameterError},
		"another source ID":   {func(c *evilConn) []byte { return append(parameter(0, c.original), parameter(0x0f, c.original)...) }, parameterError},
		"a Retry's ID":        {func(c *evilConn) []byte { return append(honest(c), parameter(0x10, evilID)...) }, parameterError},
		"rubbish":             {func(c *evilConn) []byte { return append(honest(c), 0xff) }, parameterError},
		"another version":     {func(c *evilConn) []byte { return append(honest(c), parameter(0x11, []byte{0, 0, 0, 9})...) }, versionNegotiation},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := &evil{t: t, tls: server, params: c.params}
			_, err := Run(context.Background(), quick(t, e.serve(), client))
			if got, _, _ := closeCode(err); err == nil || got != c.want {
				t.Errorf("%v", err)
			}
		})
	}
}

// What a server may do is not held against it.
func TestStrangeButAllowed(t *testing.T) {
	t.Parallel()
	server, client := tlsPair(t)
	for name, say := range map[string][]byte{
		"new connection IDs":  append(newID(1, 0, "aaaaaaaa"), newID(1, 0, "aaaaaaaa")...),
		"a path challenge":    {byte(frame.PathChallenge), 1, 2, 3, 4, 5, 6, 7, 8},
		"streams":             {0x0a, 3, 1, 1, 0x0a, 7, 1, 1, 0x0b, 11, 1, 1},
		"limits":              {byte(frame.MaxData), 9, byte(frame.MaxStreamsBidi), 3, byte(frame.DataBlocked), 3},
		"a token":             {byte(frame.NewToken), 2, 1, 2},
		"CRYPTO out of order": frame.AppendCrypto(nil, 100, []byte{1}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := &evil{t: t, tls: server, say: map[quicadapter.Type][]byte{quicadapter.OneRTT: say}}
			answered(t, quick(t, e.serve(), client))
		})
	}
}

func TestServerThatCloses(t *testing.T) {
	t.Parallel()
	server, client := tlsPair(t)
	e := &evil{t: t, tls: server, say: map[quicadapter.Type][]byte{
		quicadapter.OneRTT: frame.AppendClose(nil, uint64(internalError), 0, "going\nhome"),
	}}
	_, err := Run(context.Background(), quick(t, e.serve(), client))
	var refusal *RefusalError
	if !errors.As(err, &refusal) || refusal.Code != 1 || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

func TestServerThatStops(t *testing.T) {
	t.Parallel()
	server, client := tlsPair(t)
	e := &evil{t: t, tls: server, mute: true}
	cfg := quick(t, e.serve(), client)
	cfg.Wait = 300 * time.Millisecond
	result, err := Run(context.Background(), cfg)
	if !errors.Is(err, ErrLost) || len(result.Pings) != 5 {
		t.Errorf("%v, %d pings", err, len(result.Pings))
	}
}

func TestServerThatNeverAnswers(t *testing.T) {
	t.Parallel()
	_, client := tlsPair(t)
	_, err := Run(context.Background(), hopeless(t, listen(t).LocalAddr().String(), client))
	if !errors.Is(err, ErrNoAnswer) {
		t.Errorf("%v", err)
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	_, client := tlsPair(t)
	cfg := quick(t, fmt.Sprintf("127.0.0.1:%d", peertest.FreePort(t)), client)
	begin := time.Now()
	if _, err := Run(context.Background(), cfg); !errors.Is(err, ErrNoAnswer) || time.Since(begin) > cfg.Handshake/2 {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
}

// floods answers every datagram with so many that make returns.
func floods(t *testing.T, n int, make func(first []byte, i int) []byte) string {
	udp := listen(t)
	go func() {
		buf := [2048]byte{}
		for {
			size, from, err := udp.ReadFrom(buf[:])
			if err != nil {
				return
			}
			for i := range n {
				_, _ = udp.WriteTo(make(buf[:size], i), from) // the client may be gone
			}
		}
	}()
	return udp.LocalAddr().String()
}

func TestServersThatFlood(t *testing.T) {
	t.Parallel()
	_, client := tlsPair(t)
	for name, reply := range map[string]func(first []byte, i int) []byte{
		"garbage": func(_ []byte, i int) []byte { return bytes.Repeat([]byte{byte(i), 0x40}, 1+i%600) },
		"echo":    func(first []byte, _ int) []byte { return first },
		"nothing": func([]byte, int) []byte { return nil },
		"version negotiation for another": func([]byte, int) []byte {
			b, _ := quicadapter.AppendVersionNegotiation(nil, 0, evilID, evilID, quicadapter.Version2)
			return b
		},
		"our own version": func(first []byte, _ int) []byte {
			return negotiation(first, quicadapter.Version1, quicadapter.Version2)
		},
		"Retry without a tag": func(first []byte, _ int) []byte {
			b := append([]byte{0xf0, 0, 0, 0, 1, 8}, first[15:23]...)
			return append(append(append(b, 8), evilID...), make([]byte, 40)...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Run(context.Background(), hopeless(t, floods(t, 500, reply), client))
			if !errors.Is(err, ErrNoAnswer) {
				t.Errorf("%v", err)
			}
		})
	}
}

// negotiation answers an Initial with a list of versions.
func negotiation(first []byte, versions ...quicadapter.Version) []byte {
	var h quicadapter.Header
	h.Parse(first, 8)
	b, _ := quicadapter.AppendVersionNegotiation(nil, 0, h.Source, h.Destination, versions...)
	return b
}

func TestNoCommonVersion(t *testing.T) {
	t.Parallel()
	_, client := tlsPair(t)
	for _, versions := range [][]quicadapter.Version{{0x1a2a3a4a}, {0x1a2a3a4a, 0xff00001d}, {quicadapter.Version2}} {
		address := floods(t, 1, func(first []byte, _ int) []byte {
			if v := versions[0]; v == quicadapter.Version2 && bytes.Contains(first[:5], []byte{0x6b, 0x33, 0x43, 0xcf}) {
				return negotiation(first, quicadapter.Version1) // each time the other
			}
			return negotiation(first, versions...)
		})
		if _, err := Run(context.Background(), quick(t, address, client)); !errors.Is(err, ErrVersions) {
			t.Errorf("%v", err)
		}
	}
}

// An attacker's list makes the client ask for version 2; the server's parameters show
// that it speaks version 1.
func TestVersionDowngradeIsSeen(t *testing.T) {
	t.Parallel()
	server, client := tlsPair(t)
	e := &evil{t: t, tls: server, params: func(c *evilConn) []byte {
		return append(honest(c), parameter(0x11, []byte{0x6b, 0x33, 0x43, 0xcf, 0, 0, 0, 1, 0x6b, 0x33, 0x43, 0xcf})...)
	}}
	e.serve()
	attacker := listen(t)
	go relay(attacker, e.udp.LocalAddr(), func(wire []byte) []byte {
		if wire[0]&0x80 != 0 && bytes.Equal(wire[1:5], []byte{0, 0, 0, 1}) {
			return negotiation(wire, quicadapter.Version2)
		}
		return nil
	})
	_, err := Run(context.Background(), quick(t, attacker.LocalAddr().String(), client))
	if c, _, _ := closeCode(err); err == nil || c != versionNegotiation {
		t.Errorf("%v", err)
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	server, client := tlsPair(t)
	e := &evil{t: t, tls: server}
	cfg := quick(t, e.serve(), client)
	cfg.Interval = time.Hour
	ctx, cancel := context.WithCancel(context.Background())
	cfg.Reply = func(Ping) { cancel() }
	begin := time.Now()
	if result, err := Run(ctx, cfg); err != nil || len(result.Pings) != 1 || time.Since(begin) > cfg.Wait {
		t.Errorf("%v, %d pings", err, len(result.Pings))
	}
}
