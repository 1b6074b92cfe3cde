package dtlsadapter

import (
	"bytes"
	"testing"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// fixedKeys are always the same, so that seeds stay valid.
func fixedKeys() Keys {
	return Keys{Suite: gcm128, Key: bytes.Repeat([]byte{1}, 16), IV: bytes.Repeat([]byte{2}, 4), Epoch: 1}
}

func fixedOracle(f *testing.F) *oracle {
	s, err := suiteOf(gcm128)
	must(f, err)
	return newOracle(f, s, fixedKeys().Key, fixedKeys().IV)
}

// FuzzSplit: records and rest are the datagram, in order, and each record is as long
// as its header says.
func FuzzSplit(f *testing.F) {
	f.Fuzz(func(t *testing.T, datagram []byte) {
		var joined []byte
		for i, d := range Split(nil, record.Datagram{Buf: bytes.Clone(datagram), Len: len(datagram)}) {
			if d.Drop == record.DropNone {
				if h := parseHeader(d.Content()); headerSize+h.length != d.Len {
					t.Errorf("record %d is %d bytes long, its header says %d", i, d.Len, h.length)
				}
			}
			joined = append(joined, d.Content()...)
		}
		if !bytes.Equal(joined, datagram) {
			t.Errorf("%x was split into %x", datagram, joined)
		}
	})
}

// FuzzUnprotect compares with a library: what opens there and is fresh opens here,
// and nothing else.
func FuzzUnprotect(f *testing.F) {
	e := newEngine(f)
	o := fixedOracle(f)
	f.Fuzz(func(t *testing.T, datagram []byte) {
		in, err := NewInbound(e, fixedKeys(), 0)
		must(t, err)
		defer in.Close()
		var want []byte
		valid := false
		if len(datagram) >= 37 && datagram[0] == 23 && datagram[1] == 0xfe && datagram[2] == 0xfd && datagram[3] == 0 && datagram[4] == 1 {
			if h := parseHeader(datagram); headerSize+h.length == len(datagram) && h.length-24 <= MaxPlaintext {
				want, err = o.open(datagram)
				valid = err == nil
			}
		}
		burst := []record.Datagram{{Buf: bytes.Clone(datagram), Len: len(datagram)}}
		got := in.Unprotect(burst)
		if (got == 1) != valid || (burst[0].Drop == record.DropNone) != valid {
			t.Fatalf("opened %d, %v; a library says %v", got, burst[0].Drop, valid)
		}
		if valid && !bytes.Equal(burst[0].Content(), want) {
			t.Errorf("payload %x, want %x", burst[0].Content(), want)
		}
	})
}

// FuzzHello: no bytes make the parser fail, and what it finds stands in them.
func FuzzHello(f *testing.F) {
	f.Fuzz(func(t *testing.T, body []byte) {
		h, ok := parseHello(body)
		if ok && !bytes.Contains(body, h.random[:]) {
			t.Errorf("random %x is not in %x", h.random, body)
		}
		if ok && h.server && !bytes.Contains(body, []byte{byte(h.suite >> 8), byte(h.suite)}) {
			t.Errorf("suite %x is not in %x", h.suite, body)
		}
		greeting(body)
	})
}

// fuzzConn is a connection without a peer, before or after its handshake.
func fuzzConn(t testing.TB, e *engine.Engine, established bool) *Conn {
	cfg, _ := configs(t, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256)
	p, err := newPlan(cfg, e)
	must(t, err)
	c := newConn(p, &batchEnd{newPipe().a}, true, newWriters())
	out, err := NewOutbound(e, fixedKeys())
	must(t, err)
	in, err := NewInbound(e, fixedKeys(), 0)
	must(t, err)
	c.session = &session{out: out, in: in}
	if established {
		c.in.Store(in)
	}
	return c
}

// FuzzTake gives a connection any datagram at any time. What it does not deliver it
// counts.
func FuzzTake(f *testing.F) {
	e := newEngine(f)
	f.Fuzz(func(t *testing.T, established bool, datagram []byte) {
		c := fuzzConn(t, e, established)
		o := newOpener(e)
		c.take(o, bytes.Clone(datagram))
		o.flush()
		c.background.Wait()
		stats := c.Stats().Received
		records := len(Split(nil, record.Datagram{Buf: datagram, Len: len(datagram)}))
		handled := int(stats.Records+stats.Drops.Dropped()) + len(c.stash.records)
		if established && handled < records {
			t.Errorf("%d records, of which %d were opened or dropped", records, handled)
		}
		for len(c.lower.queue) > 0 {
			if d := <-c.lower.queue; len(d) == 0 || len(d) > pionDatagram {
				t.Errorf("pion got %d bytes", len(d))
			}
		}
		c.session.out.Close()
		c.session.in.Close()
	})
}

// FuzzRelay gives the transport below pion any datagram, as if pion had written it.
func FuzzRelay(f *testing.F) {
	e := newEngine(f)
	f.Fuzz(func(t *testing.T, datagram []byte) {
		c := fuzzConn(t, e, false)
		s, err := suiteOf(gcm128)
		must(t, err)
		k := fixedKeys()
		c.session.own, err = newOwnOpener(e, s, &k)
		must(t, err)
		end := c.link.(*batchEnd)
		end.keep = true
		_ = c.relay(datagram)
		for _, sent := range recordsOf(end.pipeEnd) {
			if h := parseHeader(sent); h.epoch() != 0 && (h.epoch() != 1 || !bytes.Equal(sent[13:21], sent[3:11])) {
				t.Errorf("%x was sent", sent)
			}
		}
		c.session.out.Close()
		c.session.in.Close()
		c.session.own.close()
	})
}

// FuzzKeyLog gives the secrets any line.
func FuzzKeyLog(f *testing.F) {
	f.Fuzz(func(t *testing.T, line []byte) {
		var log bytes.Buffer
		s := &secrets{forward: &log}
		if n, err := s.Write(line); n != len(line) || err != nil || !bytes.Equal(log.Bytes(), line) {
			t.Errorf("wrote %d of %d bytes, %v", n, len(line), err)
		}
		if s.master != nil && len(s.master) != 48 {
			t.Errorf("secret of %d bytes", len(s.master))
		}
	})
}
