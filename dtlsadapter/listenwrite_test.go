package dtlsadapter

import (
	"fmt"
	"testing"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/record"
)

// TestListenerWriteBurst sends to many peers with one call of the engine.
func TestListenerWriteBurst(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256)
	cc.FlightInterval, sc.FlightInterval = long, long // nothing that comes again is counted
	l := listen(t, e, sc)
	cs, conns := clients(t, l, e, cc, 4)
	must(t, conns[3].Close())
	waitEOF(t, cs[3])
	must(t, cs[3].Close()) // after which its answer is sent
	var to []*Conn
	var payloads [][]byte
	for i := range 100 {
		to = append(to, conns[i%4])
		payloads = append(payloads, fmt.Append(nil, "payload ", i))
	}
	payloads[1] = make([]byte, MaxPlaintext+1)
	before := e.Stats().Seal
	n, err := l.WriteBurst(to, payloads)
	must(t, err)
	if n != 74 {
		t.Errorf("sent %d", n)
	}
	after := e.Stats().Seal
	if after.Bursts-before.Bursts != 2 || after.Packets-before.Packets != 74 {
		t.Errorf("%d records in %d bursts", after.Packets-before.Packets, after.Bursts-before.Bursts)
	}
	for i := range payloads {
		if i%4 != 3 && i != 1 {
			wantRead(t, cs[i%4], string(payloads[i]))
		}
	}
	drops := conns[3].Stats().Sent.Drops
	if drops[record.DropClosed] != 25 || conns[1].Stats().Sent.Drops[record.DropTooLong] != 1 {
		t.Errorf("drops %v and %v", drops, conns[1].Stats().Sent.Drops)
	}
	_, err = l.WriteBurst(to[:1], nil)
	wantErr(t, err, ErrConfig)
	_, err = l.WriteBurst(cs[:1], payloads[:1])
	wantErr(t, err, ErrConfig)
	_, err = l.WriteBurst([]*Conn{conns[0], nil}, payloads[:2])
	wantErr(t, err, ErrConfig)
}

// TestOneBurstFromManyPeers opens what comes from many in few calls of the engine.
func TestOneBurstFromManyPeers(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256)
	cc.FlightInterval, sc.FlightInterval = long, long // nothing that comes again is counted
	l := listen(t, e, sc)
	cs, conns := clients(t, l, e, cc, 5)
	o := newOpener(e)
	for i, c := range cs {
		for j := range 3 {
			wire, err := c.session.out.appendRecord(nil, typeApplicationData, fmt.Append(nil, i, j))
			must(t, err)
			conns[i].take(o, wire)
		}
	}
	before := e.Stats().Open
	o.flush()
	if after := e.Stats().Open; after.Bursts-before.Bursts != 1 || after.OK-before.OK != 15 {
		t.Errorf("%d records in %d bursts", after.OK-before.OK, after.Bursts-before.Bursts)
	}
	for i, c := range conns {
		for j := range 3 {
			wantRead(t, c, string(fmt.Append(nil, i, j)))
		}
	}
}
