package steps

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/builtin"
	"github.com/sealburst/sealburst/engine"
)

func TestNoClockMeasuresNothing(t *testing.T) {
	var c *Clock
	if n := testing.AllocsPerRun(10, func() {
		c.Begin()
		c.Mark(OutReceive, 5)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestKernelsAreApart from the steps that call them.
func TestKernelsAreApart(t *testing.T) { synctest.Test(t, kernelsAreApart) }

func kernelsAreApart(t *testing.T) {
	c, k := NewClock(), &Kernels{}
	c.Begin()
	time.Sleep(2 * time.Millisecond)
	c.Mark(OutReceive, 10)
	time.Sleep(4 * time.Millisecond)
	c.Mark(OutNumber, 10)
	c.counts[InNumber].add(7, time.Microsecond) // kernels that took longer than the step round them
	k.seal.add(8, time.Millisecond)
	k.open.add(7, time.Second)
	got := map[string]Time{}
	for _, s := range Sum([]*Clock{c}, k) {
		got[s.Way+" "+s.Step] = s
	}
	if s := got["out receive"]; s.Packets != 10 || s.NS != 200_000 {
		t.Errorf("%+v", s)
	}
	if s := got["out seal"]; s.Packets != 8 || s.NS != 125_000 {
		t.Errorf("%+v", s)
	}
	if s := got["out number"]; s.NS != 300_000 {
		t.Errorf("%+v", s)
	}
	if s := got["in number+replay"]; s.NS != 0 {
		t.Errorf("%+v", s)
	}
	if _, ok := got["in send"]; ok {
		t.Error("a step that nothing took")
	}
	var b bytes.Buffer
	Print(&b, Sum([]*Clock{c}, k))
	if text := b.String(); strings.Count(text, "\n") != 2 || !strings.HasPrefix(text, "out receive ") || !strings.Contains(text, "ns a packet\nin ") {
		t.Errorf("%q", text)
	}
}

// TestTimedBackendsSeal as the others do, and are seen.
func TestTimedBackendsSeal(t *testing.T) {
	k := &Kernels{}
	e, err := engine.New(engine.Config{Available: k.Timed(builtin.Backends())})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	k.Reset()
	spec := engine.KeySpec{
		Algorithm: ciphers.AES128GCM, Direction: ciphers.Sealing, Key: make([]byte, 16), Nonce: ciphers.NonceXOR, IV: make([]byte, 12), TagSize: 16,
	}
	key, err := e.NewKey(spec)
	if err != nil {
		t.Fatal(err)
	}
	packets := make([]engine.Packet, 20)
	for i := range packets {
		packets[i] = engine.Packet{Key: key, Buf: make([]byte, 80), Len: 64, Number: uint64(i)}
	}
	if n := e.Seal(packets); n != 20 {
		t.Fatalf("sealed %d", n)
	}
	aead, err := e.AEAD(ciphers.AES128GCM, make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	nonce := make([]byte, 12)
	nonce[11] = 3
	if want := aead.Seal(nil, nonce, make([]byte, 64), nil); !bytes.Equal(packets[3].Buf, want) {
		t.Errorf("%x, want %x", packets[3].Buf, want)
	}
	if n := k.seal.packets.Load(); n < 20 || k.seal.nanoseconds.Load() == 0 {
		t.Errorf("saw %d packets", n)
	}
}
