package quicadapter

import (
	"bytes"
	"errors"
	"testing"

	"github.com/sealburst/sealburst/record"
	"github.com/sealburst/sealburst/record/pnum"
)

// What HeaderSize says beforehand is what Seal writes.
func TestHeaderSizeFillsDatagrams(t *testing.T) {
	l := newLink(t, Version1)
	l.initial(clientChoice)
	l.both(OneRTT, AES128GCM, secretOf(AES128GCM, 3))
	l.both(Handshake, AES128GCM, secretOf(AES128GCM, 4))
	for _, typ := range []Type{Initial, Handshake, OneRTT} {
		for i, number := range []uint64{0, 200, 70000, 1 << 25} {
			s := &l.client.spaces[typ.space()]
			s.next, s.acked = number, pnum.None
			l.client.seal[typ].sender, _ = l.client.newSender(AES128GCM, typ)
			p := outgoing(l.client, typ, nil)
			p.Destination, p.NumberSize = bytes.Repeat([]byte{1}, 5*i), i%2
			if typ == Initial {
				p.Token = make([]byte, 20*i)
			}
			header, drop := p.HeaderSize()
			const full = 1200
			p.Buf, p.Off, p.Len = make([]byte, header+full), header, full-header-TagSize
			if wire := l.seal(p); drop != record.DropNone || len(wire) != full {
				t.Errorf("%v, number %d: %v, %d bytes", typ, number, drop, len(wire))
			}
		}
	}
}

func TestHeaderSizeSaysWhatSealWouldDrop(t *testing.T) {
	l := pair(t)
	closed := newConn(t, l.engine, Version1, Client)
	closed.Close()
	for name, c := range map[string]struct {
		packet Packet
		want   record.Drop
	}{
		"no connection": {outgoing(nil, OneRTT, nil), record.DropUnknownSession},
		"no keys":       {outgoing(l.client, Handshake, nil), record.DropEpoch},
		"closed":        {outgoing(closed, OneRTT, nil), record.DropClosed},
		"Retry":         {outgoing(l.client, Retry, nil), record.DropType},
		"ID": {Packet{Datagram: record.Datagram{}, Conn: l.client,
			Header: Header{Type: OneRTT, Destination: make([]byte, 21)}}, record.DropFailed},
	} {
		if size, drop := c.packet.HeaderSize(); drop != c.want || size != 0 {
			t.Errorf("%s: %d bytes, %v", name, size, drop)
		}
	}
	setNext(l.client, 1<<40, 0)
	p := outgoing(l.client, OneRTT, nil)
	if _, drop := p.HeaderSize(); drop != record.DropLimit {
		t.Errorf("far from the acknowledged: %v", drop)
	}
}

func TestSkippedNumbersAreNeverSealed(t *testing.T) {
	l := pair(t)
	l.opens(l.seal(outgoing(l.client, OneRTT, []byte("zero"))), 0, []byte("zero"))
	if number, err := l.client.Skip(OneRTT); err != nil || number != 1 {
		t.Fatalf("skipped %d, %v", number, err)
	}
	l.opens(l.seal(outgoing(l.client, OneRTT, []byte("two!"))), 2, []byte("two!"))
	shorten(t, l.client, 1)
	if number, err := l.client.Skip(OneRTT); err != nil || number != 3 {
		t.Errorf("skipped %d, %v", number, err)
	}
	if _, err := l.client.Skip(OneRTT); !errors.Is(err, record.ErrUsageLimit) {
		t.Errorf("beyond the limit: %v", err)
	}
	if _, err := l.client.Skip(Handshake); !errors.Is(err, ErrNoKeys) {
		t.Errorf("without keys: %v", err)
	}
	if _, err := l.client.Skip(Retry); !errors.Is(err, ErrConfig) {
		t.Errorf("Retry: %v", err)
	}
}
