package dtlsadapter

import (
	"bytes"
	"crypto/rand"
	"testing"
	"testing/synctest"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/record"
)

// randomKeys are write keys of no handshake.
func randomKeys(t testing.TB, id dtls.CipherSuiteID) Keys {
	t.Helper()
	s, err := suiteOf(id)
	must(t, err)
	k := Keys{Suite: id, Key: make([]byte, s.algorithm.KeySize()), IV: make([]byte, s.ivSize()), Epoch: 1}
	_, _ = rand.Read(k.Key)
	_, _ = rand.Read(k.IV)
	return k
}

func halves(t testing.TB, k Keys) (*Outbound, *Inbound) {
	t.Helper()
	e := newEngine(t)
	out, err := NewOutbound(e, k)
	must(t, err)
	in, err := NewInbound(e, k, 0)
	must(t, err)
	return out, in
}

// replaceOutbound gives a connection a sending half that starts at a number.
func replaceOutbound(t testing.TB, c *Conn, first uint64) {
	t.Helper()
	local, _, err := c.session.writeKeys(c.server)
	must(t, err)
	local.First = first
	out, err := NewOutbound(c.plan.engine, local)
	must(t, err)
	c.session.out.Close()
	c.session.out = out
}

// TestLastSequenceNumber: 2^48-1 is used, and nothing goes after it.
func TestLastSequenceNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipe()
		p.a.keep = true
		client, server := ours(t, p, gcm128)
		replaceOutbound(t, client, 1<<48-2)
		n, err := client.WriteBurst([][]byte{[]byte("second to last"), []byte("last"), []byte("none")})
		if n != 2 {
			t.Errorf("%d were sent", n)
		}
		wantErr(t, err, record.ErrNumbersExhausted)
		wantRead(t, server, "second to last")
		wantRead(t, server, "last")
		_, err = client.Write([]byte("none"))
		wantErr(t, err, record.ErrNumbersExhausted)
		must(t, client.Close())
		sent := recordsOf(p.a)
		if last := parseHeader(sent[len(sent)-1]); last.number != 1<<48|(1<<48-1) {
			t.Errorf("the last record has number %x", last.number)
		}
	})
}

// TestLastEpoch: 65535 works; it is the last that the header can name.
func TestLastEpoch(t *testing.T) {
	k := randomKeys(t, gcm128)
	k.Epoch, k.First = 65535, 1<<48-1
	out, in := halves(t, k)
	burst := []record.Datagram{room(out, []byte("last of all")), room(out, []byte("none"))}
	if out.Protect(burst) != 1 || burst[1].Drop != record.DropLimit {
		t.Fatalf("drops %v and %v", burst[0].Drop, burst[1].Drop)
	}
	wire := burst[0].Content()
	if !bytes.Equal(wire[3:11], bytes.Repeat([]byte{0xff}, 8)) || !bytes.Equal(wire[13:21], wire[3:11]) {
		t.Errorf("header %x", wire[:21])
	}
	if in.Unprotect(burst[:1]) != 1 || string(burst[0].Content()) != "last of all" {
		t.Errorf("opened %q, %v", burst[0].Content(), burst[0].Drop)
	}
}

func TestNumbersThatCannotBe(t *testing.T) {
	e := newEngine(t)
	k := randomKeys(t, gcm128)
	k.First = 1 << 48
	_, err := NewOutbound(e, k)
	wantErr(t, err, record.ErrConfig)
	k.First, k.Epoch = 0, 0
	_, err = NewOutbound(e, k)
	wantErr(t, err, ErrConfig)
	_, err = NewInbound(e, k, 0)
	wantErr(t, err, ErrConfig)
	k.Epoch, k.Key = 1, k.Key[1:]
	if _, err = NewInbound(e, k, 0); err == nil {
		t.Error("a short key was taken")
	}
	k.Suite = dtls.TLS_PSK_WITH_AES_128_CBC_SHA256
	_, err = NewInbound(e, k, 0)
	wantErr(t, err, ErrSuite)
	_, _, err = DeriveKeys(k.Suite, nil, nil, nil)
	wantErr(t, err, ErrSuite)
	if _, _, err = DeriveKeys(gcm128, make([]byte, 47), make([]byte, 32), make([]byte, 32)); err == nil {
		t.Error("a short secret was taken")
	}
}
