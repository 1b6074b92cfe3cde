package demo

import (
	"bytes"
	"context"
	"testing"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/ipsecadapter"
)

func TestDemonstrationOfESP(t *testing.T) {
	e, err := engine.New(engine.Config{AllowLegacy: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, name := range []string{"aes128gcm16", "chacha20poly1305", "aes256ccm8", "aes128-sha256", "aes256ctr-sha512", "null-md5"} {
		transform, err := ipsecadapter.ParseTransform(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), Config{Engine: e, Capture: recorded(t), ESP: transform, Rounds: 1, Progress: &steps{}})
		if err != nil || !r.Good() || r.Sealed < 8 || r.Opened <= 1 || len(r.Drops) != 0 {
			t.Errorf("%v: %+v, %v", transform, r.Verdict, err)
		}
	}
}

// TestBothContendersMakeTheSameESP compares the framing and the cipher of the one-by-one
// side with the engine's: they differ in nothing but how they do it.
func TestBothContendersMakeTheSameESP(t *testing.T) {
	for _, transform := range []ipsecadapter.Transform{
		ipsecadapter.AES128GCM16, ipsecadapter.AES192GCM16, ipsecadapter.AES256GCM16, ipsecadapter.ChaCha20Poly1305,
	} {
		ours, description, err := newESPBatched(newEngine(t), transform)
		if err != nil {
			t.Fatal(err)
		}
		std := newESPOneByOne(description)
		a, b := port.NewBurst(port.MaxBurst, 2000), port.NewBurst(port.MaxBurst, 2000)
		for i := range a {
			packet := numbered(20+20*i+i%4, i)
			packet[1], packet[6] = byte(i), byte(i&1)<<6 // DSCP and ECN, and DF
			port.Put(&a[i], packet)
			port.Put(&b[i], packet)
		}
		if n, m := ours.Protect(a), std.Protect(b); n != len(a) || m != len(b) {
			t.Fatalf("%d and %d packets", n, m)
		}
		for i := range a {
			if !bytes.Equal(a[i].Content(), b[i].Content()) {
				t.Fatalf("%v: packet %d differs:\n% x\n% x", transform, i, a[i].Content(), b[i].Content())
			}
		}
		if n, m := ours.Unprotect(b), std.Unprotect(a); n != len(b) || m != len(a) {
			t.Errorf("%d and %d of the other's packets opened", n, m)
		}
		ours.close()
	}
}

func TestStdIsLeftOutWhereTheLibraryHasNoAEAD(t *testing.T) {
	small := traffic{packets: [][]byte{numbered(64, 1)}}
	e := newEngine(t)
	c, err := compare(func() (*contenders, error) { return espContenders(e, ipsecadapter.AES128CCM16) }, &small, 3)
	if err != nil || c.Std != nil || c.Engine.Seal <= 0 {
		t.Errorf("%+v, %v", c, err)
	}
}
