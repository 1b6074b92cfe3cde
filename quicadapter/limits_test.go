package quicadapter

import (
	"errors"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
	"github.com/sealburst/sealburst/record/keysched"
	"github.com/sealburst/sealburst/record/pnum"
)

func TestLimitsAreThoseOfTheSuite(t *testing.T) {
	for s, want := range map[Suite]struct{ sealed, forged uint64 }{
		AES128GCM: {1 << 23, 1 << 52}, AES256GCM: {1 << 23, 1 << 52},
		ChaCha20Poly1305: {record.Unlimited, 1 << 36}, AES128CCM: {2965820, 2965820},
	} {
		l, err := s.limits()
		if err != nil || l.Sealed != want.sealed || l.Forged != want.forged {
			t.Errorf("%v: %+v, %v", s, l, err)
		}
		c := newConn(t, newEngine(t), Version1, Client)
		if err := c.Install(OneRTT, ciphers.Opening, s, secretOf(s, 1)); err != nil || c.limit != want.forged {
			t.Errorf("%v: connection's limit %d, %v", s, c.limit, err)
		}
	}
}

// shorten gives the sealing key room for n packets more.
func shorten(t *testing.T, c *Conn, n uint64) {
	t.Helper()
	limits, err := AES128GCM.limits()
	if err != nil {
		t.Fatal(err)
	}
	limits.Sealed = n
	s, err := record.NewSender(record.SenderConfig{Limits: limits, First: c.spaces[spaceApplication].next})
	if err != nil {
		t.Fatal(err)
	}
	c.seal[OneRTT].sender = s
}

func TestConfidentialityLimitNeedsAnUpdate(t *testing.T) {
	l := confirmed(t)
	shorten(t, l.client, 16)
	burst := make([]Packet, 20)
	for i := range burst {
		burst[i] = outgoing(l.client, OneRTT, make([]byte, 8))
		if i == 13 && l.client.UpdateDue() {
			t.Error("an update is due too early")
		}
	}
	if n := l.out.Seal(burst); n != 16 || burst[15].Drop != record.DropNone || burst[16].Drop != record.DropLimit {
		t.Fatalf("%d sealed", n)
	}
	if !l.client.UpdateDue() {
		t.Error("no update is due at the limit")
	}
	if err := l.client.Update(); err != nil {
		t.Fatal(err)
	}
	for i := range burst[:1] {
		burst[i] = outgoing(l.client, OneRTT, make([]byte, 8))
	}
	if n := l.out.Seal(burst[:1]); n != 1 || burst[0].Number != 16 || burst[0].Phase != 1 {
		t.Errorf("after the update: %d sealed, number %d, phase %d", n, burst[0].Number, burst[0].Phase)
	}
}

func TestIntegrityLimitCountsAcrossKeys(t *testing.T) {
	l := confirmed(t)
	l.both(ZeroRTT, AES128GCM, secretOf(AES128GCM, 5))
	l.server.limit = 10
	forge := func(n int, first byte) []record.Datagram {
		var wire []record.Datagram
		for range n {
			wire = append(wire, datagram(append([]byte{first}, make([]byte, 40)...)))
		}
		return wire
	}
	l.in.Open(forge(4, 0x40))
	if err := l.client.Update(); err != nil {
		t.Fatal(err)
	}
	l.ping(l.client)
	l.in.Open(forge(3, 0x40))
	if l.server.Failed() != 7 || l.server.Err() != nil {
		t.Fatalf("%d failed, %v", l.server.Failed(), l.server.Err())
	}
	packets, _ := l.in.Open(forge(5, 0x40))
	tried := 0
	for i := range packets {
		if packets[i].Drop == record.DropUnauthentic {
			tried++
		}
	}
	if tried != 3 || packets[4].Drop != record.DropLimit {
		t.Errorf("%d tried above the limit, last %v", tried-3, packets[4].Drop)
	}
	if err := l.server.Err(); !errors.Is(err, record.ErrIntegrityLimit) {
		t.Error(err)
	}
	l.drops(l.seal(outgoing(l.client, OneRTT, nil)), record.DropLimit)
}

// Failures under one suite count towards the lower limit of another that comes later.
func TestIntegrityLimitOfALaterSuite(t *testing.T) {
	l := newLink(t, Version1)
	l.initial(clientChoice)
	l.add(l.server, "")
	limits, err := AES128CCM.limits()
	if err != nil {
		t.Fatal(err)
	}
	l.server.failed = limits.Forged + 1
	l.opens(l.seal(outgoing(l.client, Initial, []byte("good"))), 0, []byte("good"))
	again := l.seal(outgoing(l.client, Initial, []byte("good")))
	if err := l.server.Install(OneRTT, ciphers.Opening, AES128CCM, secretOf(AES128CCM, 3)); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(l.server.Err(), record.ErrIntegrityLimit) {
		t.Errorf("%v, want ErrIntegrityLimit", l.server.Err())
	}
	l.drops(again, record.DropLimit)
}

func TestInstallRefuses(t *testing.T) {
	c := newConn(t, newEngine(t), Version1, Server)
	secret := secretOf(AES128GCM, 1)
	for name, x := range map[string]struct {
		err  error
		want error
	}{
		"suite":     {c.Install(OneRTT, ciphers.Sealing, 0x1305, secret), ErrSuite},
		"initial":   {c.Install(Initial, ciphers.Sealing, AES128GCM, secret), ErrConfig},
		"retry":     {c.Install(Retry, ciphers.Sealing, AES128GCM, secret), ErrConfig},
		"direction": {c.Install(OneRTT, 0, AES128GCM, secret), ErrConfig},
		"ack type":  {c.Acknowledged(Retry, 0), ErrConfig},
		"ack":       {c.Acknowledged(OneRTT, 0), pnum.ErrRange},
	} {
		if !errors.Is(x.err, x.want) {
			t.Errorf("%s: %v", name, x.err)
		}
	}
	for _, typ := range []Type{ZeroRTT, Handshake, OneRTT} {
		for _, secret := range [][]byte{nil, {}, {1}, make([]byte, 31), make([]byte, 33), make([]byte, 48), make([]byte, 1000)} {
			for _, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
				if err := c.Install(typ, d, AES128GCM, secret); !errors.Is(err, keysched.ErrLength) || c.CanSeal(typ) || c.CanOpen(typ) {
					t.Errorf("%v with a secret of %d bytes: %v", typ, len(secret), err)
				}
			}
		}
	}
	if err := c.Install(OneRTT, ciphers.Sealing, AES256GCM, make([]byte, 32)); !errors.Is(err, keysched.ErrLength) {
		t.Errorf("AES-256 with a secret of 32 bytes: %v", err)
	}
	if err := c.InstallInitial(make([]byte, 21)); err == nil {
		t.Error("an ID of 21 bytes made keys")
	}
	if c.CanSeal(OneRTT) || c.CanOpen(Initial) || c.CanSeal(Retry) {
		t.Error("a refused secret made keys")
	}
	if err := c.Install(OneRTT, ciphers.Sealing, AES128GCM, secret); err != nil || !c.CanSeal(OneRTT) {
		t.Error(err)
	}
	if err := c.Install(OneRTT, ciphers.Sealing, AES128GCM, secret); !errors.Is(err, ErrInstalled) {
		t.Error(err)
	}
	c.Discard(Handshake)
	if err := c.Install(Handshake, ciphers.Opening, AES128GCM, secret); !errors.Is(err, ErrInstalled) {
		t.Error(err)
	}
	c.Close()
	if err := c.Install(ZeroRTT, ciphers.Opening, AES128GCM, secret); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestConfigurationsRefused(t *testing.T) {
	e := newEngine(t)
	for name, c := range map[string]ConnConfig{
		"Engine":  {Version: Version1, Side: Client},
		"Version": {Engine: e, Version: 3, Side: Client},
		"Side":    {Engine: e, Version: Version1},
		"Window":  {Engine: e, Version: Version1, Side: Client, Window: 8193},
	} {
		if _, err := NewConn(c); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewConn(ConnConfig{Engine: e, Version: Version1, Side: Client, Window: -1}); err == nil ||
		err.Error() != "quicadapter: bad configuration: Window -1 is not 0 to 8192" {
		t.Errorf("window of -1: %v", err)
	}
	if tags, err := NewRetryTags(nil); tags != nil || !errors.Is(err, ErrConfig) {
		t.Errorf("tags of no engine: %v", err)
	}
	for _, size := range []int{-1, 21} {
		if _, err := NewTable(size); !errors.Is(err, ErrConfig) {
			t.Errorf("table of %d: %v", size, err)
		}
	}
	table, _ := NewTable(0)
	conn := newConn(t, e, Version1, Client)
	if table.Add(make([]byte, 21), conn) == nil || table.Add(nil, nil) == nil {
		t.Error("the table took what it cannot hold")
	}
	if table.Add(nil, conn) != nil || table.Add(nil, conn) == nil {
		t.Error("an ID was given twice")
	}
}

// After a Retry the keys are new and the numbers go on (RFC 9000 section 17.2.5.3).
func TestInitialKeysAfterRetry(t *testing.T) {
	l := newLink(t, Version1)
	l.initial(clientChoice)
	l.seal(outgoing(l.client, Initial, []byte("first")))
	if err := l.client.InstallInitial(unhex(t, serverChoice)); err != nil {
		t.Fatal(err)
	}
	server := newConn(t, l.engine, Version1, Server)
	if err := server.InstallInitial(unhex(t, serverChoice)); err != nil {
		t.Fatal(err)
	}
	if err := l.table.Add(nil, server); err != nil {
		t.Fatal(err)
	}
	l.opens(l.seal(outgoing(l.client, Initial, []byte("second"))), 1, []byte("second"))
}

// 0-RTT and 1-RTT share their numbers, and 1-RTT keys end 0-RTT sealing.
func TestZeroRTT(t *testing.T) {
	l := newLink(t, Version2)
	l.both(ZeroRTT, ChaCha20Poly1305, secretOf(ChaCha20Poly1305, 1))
	l.add(l.server, "")
	l.opens(l.seal(outgoing(l.client, ZeroRTT, []byte("early"))), 0, []byte("early"))
	late := l.seal(outgoing(l.client, ZeroRTT, []byte("late!")))
	l.both(OneRTT, ChaCha20Poly1305, secretOf(ChaCha20Poly1305, 2))
	burst := []Packet{outgoing(l.client, ZeroRTT, []byte("no"))}
	if l.out.Seal(burst); burst[0].Drop != record.DropEpoch {
		t.Errorf("0-RTT beside 1-RTT: %v", burst[0].Drop)
	}
	l.opens(l.seal(outgoing(l.client, OneRTT, []byte("data"))), 2, []byte("data"))
	l.opens(late, 1, []byte("late!"))
	l.server.Discard(ZeroRTT)
	l.drops(late, record.DropEpoch)
}

func TestClosedConnection(t *testing.T) {
	l := pair(t)
	wire := l.seal(outgoing(l.client, OneRTT, make([]byte, 8)))
	l.client.Close()
	l.server.Close()
	l.drops(wire, record.DropClosed)
	burst := []Packet{outgoing(l.client, OneRTT, make([]byte, 8))}
	if l.out.Seal(burst); burst[0].Drop != record.DropClosed {
		t.Errorf("drop %v", burst[0].Drop)
	}
}

// What the engine refuses gets its borders back and can be sealed elsewhere.
func TestClosedEngine(t *testing.T) {
	e, err := engine.New(engine.Config{})
	if err != nil {
		t.Fatal(err)
	}
	l := newLinkOn(t, e, Version1, 0)
	l.both(OneRTT, AES128GCM, secretOf(AES128GCM, 3))
	payloads := []string{"kept", "k", "and padded"}
	var burst []Packet
	for _, payload := range payloads {
		burst = append(burst, outgoing(l.client, OneRTT, []byte(payload)))
	}
	burst[2].MinSize = 99
	off := burst[0].Off
	e.Close()
	late := newConn(t, e, Version1, Client)
	if err := late.InstallInitial([]byte{1}); !errors.Is(err, engine.ErrClosed) || err.Error() != "engine: closed" {
		t.Errorf("Initial keys of a closed engine: %v", err)
	}
	if err := late.Install(OneRTT, ciphers.Sealing, AES128GCM, secretOf(AES128GCM, 3)); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("keys of a closed engine: %v", err)
	}
	if n := l.out.Seal(burst); n != 0 || l.out.Drops()[record.DropClosed] != 3 {
		t.Errorf("%d sealed, drops %v", n, l.out.Drops().ByName())
	}
	for i, payload := range payloads {
		if p := &burst[i]; p.Drop != record.DropClosed || p.Off != off || string(p.Content()) != payload {
			t.Errorf("%v at %d: %q", p.Drop, p.Off, p.Content())
		}
	}
}
