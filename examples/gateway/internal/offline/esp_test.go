package offline_test

import (
	"bytes"
	"errors"
	"io"
	"net/netip"
	"testing"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
	"github.com/sealburst/sealburst/examples/gateway/internal/offline"
	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/ipsecadapter"
)

func legacyEngine(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Config{AllowLegacy: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func freshSAs(t testing.TB, p offline.SAPlan) *safile.File {
	t.Helper()
	file, err := offline.FreshSAs(p)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// convert runs a conversion of a capture in memory.
func convert(t testing.TB, file []byte, run func(*capture.Reader, *capture.Writer) (offline.Totals, error)) ([]byte, offline.Totals, error) {
	t.Helper()
	in, err := capture.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := capture.NewWriter(&out, in.Format())
	if err != nil {
		t.Fatal(err)
	}
	totals, err := run(in, w)
	if flushed := w.Flush(); flushed != nil {
		t.Fatal(flushed)
	}
	return out.Bytes(), totals, err
}

func protectESP(t testing.TB, e *engine.Engine, file []byte, sas *safile.File) ([]byte, offline.Totals, error) {
	t.Helper()
	return convert(t, file, func(in *capture.Reader, out *capture.Writer) (offline.Totals, error) {
		return offline.ProtectESP(e, sas, in, out)
	})
}

func unprotectESP(t testing.TB, e *engine.Engine, file []byte, sas *safile.File) ([]byte, offline.Totals, error) {
	t.Helper()
	return convert(t, file, func(in *capture.Reader, out *capture.Writer) (offline.Totals, error) {
		return offline.UnprotectESP(e, sas, in, out)
	})
}

// plans are every way that ESP goes into a capture.
func plans(transform ipsecadapter.Transform) []offline.SAPlan {
	return []offline.SAPlan{
		{Transform: transform}, {Transform: transform, UDP: true},
		{Transform: transform, Transport: true}, {Transform: transform, UDP: true, Transport: true},
	}
}

func TestESPThereAndBackIsTheSameFile(t *testing.T) {
	e := legacyEngine(t)
	for i, transform := range ipsecadapter.Transforms() {
		file := recorded(t)
		if i > 0 {
			file = head(t, file, 100)
		}
		for _, plan := range plans(transform) {
			sas := freshSAs(t, plan)
			tunnelled, totals, err := protectESP(t, e, file, sas)
			if err != nil || totals.Packets != totals.Frames || bytes.Equal(tunnelled, file) {
				t.Errorf("%+v: %+v, %v", plan, totals, err)
				continue
			}
			plain, totals, err := unprotectESP(t, e, tunnelled, sas)
			if err != nil || !bytes.Equal(plain, file) {
				t.Errorf("%+v: the packets that came back differ: %+v, %v", plan, totals, err)
			}
		}
	}
}

// TestESPOfAGateway opens what the other gateway's file describes: no addresses, and the
// ports that a NAT chose.
func TestESPOfAGateway(t *testing.T) {
	e := legacyEngine(t)
	file := head(t, recorded(t), 50)
	sas := freshSAs(t, offline.SAPlan{Transform: ipsecadapter.AES128GCM16, UDP: true})
	tunnelled, _, err := protectESP(t, e, file, sas)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range frames(t, tunnelled) { // the first gateway's port is one that a NAT chose
		at := bytes.Index(tunnelled, f.Data) + f.Header
		if natted := tunnelled[at+15] == 1; natted {
			copy(tunnelled[at+20:], []byte{0x9c, 0x40})
		} else {
			copy(tunnelled[at+22:], []byte{0x9c, 0x40})
		}
	}
	theirs := &safile.File{}
	for _, s := range sas.SAs {
		s = s.Swap()
		s.From, s.To = netip.AddrPort{}, netip.AddrPort{}
		theirs.SAs = append(theirs.SAs, s)
	}
	if plain, totals, err := unprotectESP(t, e, tunnelled, theirs); err != nil || !bytes.Equal(plain, file) {
		t.Errorf("%+v, %v", totals, err)
	}
}

func TestForgedESPIsDropped(t *testing.T) {
	e := legacyEngine(t)
	file := head(t, recorded(t), 90)
	for _, plan := range plans(ipsecadapter.AES256GCM16) {
		sas := freshSAs(t, plan)
		tunnelled, _, err := protectESP(t, e, file, sas)
		if err != nil {
			t.Fatal(err)
		}
		changed := uint64(0)
		for i, f := range frames(t, tunnelled) {
			if i%3 == 0 {
				tunnelled[bytes.Index(tunnelled, f.Data)+len(f.Data)-1] ^= 1
				changed++
			}
		}
		plain, totals, err := unprotectESP(t, e, tunnelled, sas)
		if err != nil || totals.Drops["unauthentic"] != changed || totals.Packets != 90-changed || len(frames(t, plain)) != int(90-changed) {
			t.Errorf("%+v: %d packets changed: %+v, %v", plan, changed, totals, err)
		}
	}
}

func TestUnprotectESPSaysWhyNothingCame(t *testing.T) {
	e := legacyEngine(t)
	file := head(t, recorded(t), 50)
	sas, others := freshSAs(t, offline.SAPlan{Transform: ipsecadapter.AES128GCM16}), freshSAs(t, offline.SAPlan{Transform: ipsecadapter.AES128GCM16})
	tunnelled, _, err := protectESP(t, e, file, sas)
	if err != nil {
		t.Fatal(err)
	}
	if _, totals, err := unprotectESP(t, e, tunnelled, others); !errors.Is(err, offline.ErrNoESPOpened) || totals.Drops["unknown-session"] != 50 {
		t.Errorf("another capture's SAs: %+v, %v", totals, err)
	}
	if _, _, err := unprotectESP(t, e, file, sas); !errors.Is(err, offline.ErrNoESP) {
		t.Errorf("a capture without ESP: %v", err)
	}
	if _, _, err := protectESP(t, e, file[:24], sas); !errors.Is(err, offline.ErrNoPackets) {
		t.Errorf("an empty capture: %v", err)
	}
}

func TestTruncatedCaptureKeepsWhatESPWasWritten(t *testing.T) {
	e := legacyEngine(t)
	file := recorded(t)
	sas := freshSAs(t, offline.SAPlan{Transform: ipsecadapter.AES128GCM16})
	tunnelled, totals, err := protectESP(t, e, file[:300_000], sas)
	if !errors.Is(err, capture.ErrTruncated) || totals.Packets < 100 {
		t.Fatalf("%+v, %v", totals, err)
	}
	plain, _, err := unprotectESP(t, e, tunnelled, sas)
	if err != nil || !bytes.HasPrefix(file, plain) || len(frames(t, plain)) != int(totals.Packets) {
		t.Errorf("%d bytes came back, %v", len(plain), err)
	}
}

// FuzzUnprotectESP reads captures that anybody may have written.
func FuzzUnprotectESP(f *testing.F) {
	sas, e := &safile.File{}, newEngine(f)
	for _, plan := range plans(ipsecadapter.AES128GCM16) {
		made := freshSAs(f, plan)
		tunnelled, _, err := protectESP(f, e, head(f, recorded(f), 5), made)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(tunnelled)
		sas.SAs = append(sas.SAs, made.SAs...)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		in, err := capture.NewReader(bytes.NewReader(file))
		if err != nil {
			return
		}
		w, err := capture.NewWriter(io.Discard, in.Format())
		if err != nil {
			t.Fatal(err)
		}
		if totals, err := offline.UnprotectESP(e, sas, in, w); err == nil && totals.Packets == 0 {
			t.Fatal("nothing came out, and no error says why")
		}
	})
}
