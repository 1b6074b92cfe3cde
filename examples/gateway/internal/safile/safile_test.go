package safile_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/ipsecadapter"
)

const gcmKey = "000102030405060708090a0b0c0d0e0f10111213"

// everything is a file with every field.
const everything = `# two gateways
inside address=10.99.0.2/24 mtu=1380

out peer=vpn spi=0x1000 transform=aes128gcm16 key=` + gcmKey + ` mode=tunnel encap=udp from=192.0.2.2 to=192.0.2.1:4501 behind=10.99.0.0/24,fd00::1/64 esn=yes first=77
  in	spi=4097 window=1024 transform=aes128gcm16 key=` + gcmKey + ` mode=transport from=[2001:db8::1]:4500 to=2001:db8::2 esn=no
capture
`

func parse(t *testing.T, text string) *safile.File {
	t.Helper()
	file, err := safile.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestEveryField(t *testing.T) {
	key, err := hex.DecodeString(gcmKey)
	if err != nil {
		t.Fatal(err)
	}
	want := &safile.File{
		Inside: netip.MustParsePrefix("10.99.0.2/24"), MTU: 1380, Capture: true,
		SAs: []safile.SA{{
			Out: true, Peer: "vpn", SPI: 0x1000, Transform: ipsecadapter.AES128GCM16, Key: key, Mode: ipsecadapter.Tunnel, UDP: true,
			From: netip.AddrPortFrom(netip.MustParseAddr("192.0.2.2"), 0), To: netip.MustParseAddrPort("192.0.2.1:4501"),
			Behind: []netip.Prefix{netip.MustParsePrefix("10.99.0.0/24"), netip.MustParsePrefix("fd00::/64")}, ESN: true, First: 77,
		}, {
			Peer: "peer", SPI: 4097, Transform: ipsecadapter.AES128GCM16, Key: key, Mode: ipsecadapter.Transport,
			From: netip.MustParseAddrPort("[2001:db8::1]:4500"), To: netip.AddrPortFrom(netip.MustParseAddr("2001:db8::2"), 0), Window: 1024,
		}},
	}
	got := parse(t, everything)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read\n%+v, want\n%+v", got, want)
	}
	if again := parse(t, string(got.Bytes())); !reflect.DeepEqual(again, want) {
		t.Errorf("written and read again:\n%+v, want\n%+v", again, want)
	}
}

// TestBadLines names the line and the field, and never a key.
func TestBadLines(t *testing.T) {
	sa := "out spi=0x1000 transform=aes128gcm16 key=" + gcmKey
	for want, line := range map[string]string{
		"begins with none of":       "both spi=1",
		"field 1 is no NAME=VALUE":  "out spi",
		"speed: no such field":      sa + " speed=9",
		"field 4: no such field":    "out spi=0x1000 transform=aes128gcm16 key= " + gcmKey + "=",
		"spi: is there twice":       sa + " spi=0x2000",
		"spi: below 256":            "in spi=255 transform=aes128gcm16 key=" + gcmKey,
		"spi: not a value":          "in spi=0x100000000 transform=aes128gcm16 key=" + gcmKey,
		"spi: missing":              "in transform=aes128gcm16 key=" + gcmKey,
		"transform: not a value":    "in spi=4096 transform=rot13 key=" + gcmKey,
		"transform: missing":        "in spi=4096 key=" + gcmKey,
		"key: missing":              "in spi=4096 transform=aes128gcm16",
		"takes 40":                  sa + "ff",
		"key: not a value":          "in spi=4096 transform=aes128gcm16 key=zz" + gcmKey[2:],
		"mode: not a value":         sa + " mode=beet",
		"encap: not a value":        sa + " encap=tcp",
		"from: not a value":         sa + " from=somewhere",
		"to: not a value":           sa + " to=192.0.2.1:99999",
		"behind: not a value":       sa + " behind=10.0.0.0/8,10.1",
		"esn: not a value":          sa + " esn=true",
		"window: not for this":      sa + " window=64",
		"first: not for this":       "in spi=4096 transform=aes128gcm16 first=9 key=" + gcmKey,
		"first: not a value":        sa + " first=-1",
		"peer: missing":             sa + " peer=",
		"address: not a value":      "inside address=10.0.0.1",
		"mtu: not a value":          "inside mtu=big",
		"name: no such field":       "inside name=x",
		"another SA of that direct": sa + "\n" + sa,
	} {
		_, err := safile.Parse(strings.NewReader("# first line\n" + line + "\n"))
		last := 2 + strings.Count(line, "\n")
		if !errors.Is(err, safile.ErrSyntax) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "line "+string(rune('0'+last))) {
			t.Errorf("%s:\n%v; want line %d and %q", line, err, last, want)
		}
		if err != nil && strings.Contains(err.Error(), gcmKey[2:12]) {
			t.Errorf("the error tells the key: %v", err)
		}
	}
}

func TestSameKeyTwiceIsRefused(t *testing.T) {
	other := strings.Repeat("ab", 20)
	for second, want := range map[string]bool{
		"in spi=0x1000 transform=aes128gcm16 key=" + gcmKey:  true,
		"out spi=0x1001 transform=aes128gcm16 key=" + gcmKey: true,
		"in spi=0x1000 transform=aes128gcm16 key=" + other:   false,
	} {
		err := parse(t, "out spi=0x1000 transform=aes128gcm16 key="+gcmKey+"\n"+second).CheckKeys()
		if (err != nil) != want || want && !strings.Contains(err.Error(), "key: another SA has it") || want && strings.Contains(err.Error(), gcmKey[2:12]) {
			t.Errorf("%s: %v", second, err)
		}
	}
}

func TestSameSPIBothWaysIsFine(t *testing.T) {
	parse(t, "out spi=0x1000 transform=aes128gcm16 key="+gcmKey+"\nin spi=0x1000 transform=aes128gcm16 key="+gcmKey)
}

// TestGeneratedFilesFit makes the SAs of three gateways, and sees that what one sends
// through another receives through.
func TestGeneratedFilesFit(t *testing.T) {
	plan := safile.Plan{Names: []string{"vpn", "alice", "bob"}, Transform: ipsecadapter.AES256GCM16, Network: netip.MustParsePrefix("10.9.0.254/16"), MTU: 1400}
	files, err := safile.Generate(plan)
	if err != nil {
		t.Fatal(err)
	}
	byName, keys := map[string]safile.File{}, map[string]bool{}
	for i, name := range plan.Names {
		byName[name] = files[i]
	}
	for name, file := range byName {
		for _, s := range file.SAs {
			found := false
			for _, other := range byName[s.Peer].SAs {
				if other.SPI == s.SPI {
					found = other.Peer == name && other.Out != s.Out && bytes.Equal(other.Key, s.Key)
				}
			}
			if !found || s.SPI < 256 || !s.UDP {
				t.Errorf("%s has an SA with %s that the latter lacks: %+v", name, s.Peer, s)
			}
			keys[string(s.Key)] = true
		}
	}
	if len(keys) != 4 || files[0].Inside.String() != "10.9.0.254/16" || files[2].Inside.String() != "10.9.1.0/16" {
		t.Errorf("%d keys for 4 SAs; %v, %v, %v", len(keys), files[0].Inside, files[1].Inside, files[2].Inside)
	}
	if behind := files[0].SAs[0].Behind; len(behind) != 1 || behind[0].String() != "10.9.0.255/32" {
		t.Errorf("behind alice: %v", behind)
	}
	plan.Network = netip.MustParsePrefix("10.9.0.1/31")
	if _, err := safile.Generate(plan); err == nil {
		t.Error("three gateways in a network of two addresses")
	}
}

// TestAdapterTakesWhatIsGenerated opens every SA that keygen can make.
func TestAdapterTakesWhatIsGenerated(t *testing.T) {
	e, err := engine.New(engine.Config{AllowLegacy: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ends := []netip.Addr{netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8::2")}
	for _, transform := range ipsecadapter.Transforms() {
		for _, ends := range [][]netip.Addr{nil, ends} {
			files, err := safile.Generate(safile.Plan{Names: []string{"a", "b"}, Transform: transform, Network: netip.MustParsePrefix("fd00::1/64"), Ends: ends})
			if err != nil {
				t.Fatal(err)
			}
			socket := ends == nil
			out, err := ipsecadapter.NewOutboundSA(e, files[0].SAs[0].Outbound(socket))
			if err != nil {
				t.Fatalf("%v: %v", transform, err)
			}
			out.Close()
			in, err := ipsecadapter.NewInboundSA(e, files[1].SAs[1].Inbound(socket))
			if err != nil {
				t.Fatalf("%v: %v", transform, err)
			}
			in.Close()
		}
	}
}

func TestFilesAreForTheirOwnerAndNotOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.sa")
	file := parse(t, everything)
	if err := file.Create(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := file.Create(path); !errors.Is(err, os.ErrExist) {
		t.Errorf("overwritten: %v", err)
	}
	if again, err := safile.Read(path); err != nil || !reflect.DeepEqual(again, file) {
		t.Errorf("%v", err)
	}
	if _, err := safile.Read(path + ".not"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestWiresharkLines(t *testing.T) {
	file := parse(t, "out spi=0x1000 transform=aes128gcm16 to=192.0.2.1 key="+gcmKey+"\nin spi=0x1001 transform=aes128gcm12 key="+gcmKey)
	got, err := file.WiresharkBytes()
	want := `"IPv4","*","192.0.2.1","0x00001000","AES-GCM with 16 octet ICV [RFC4106]","0x` + gcmKey + `","NULL",""
"IPv4","*","*","0x00001001","AES-GCM with 12 octet ICV [RFC4106]","0x` + gcmKey + `","NULL",""
"IPv6","*","*","0x00001001","AES-GCM with 12 octet ICV [RFC4106]","0x` + gcmKey + `","NULL",""
`
	if err != nil || string(got) != want {
		t.Errorf("%v\n%swant\n%s", err, got, want)
	}
	file = parse(t, "in spi=0x1001 transform=chacha20poly1305 key="+strings.Repeat("ab", 36))
	if _, err := file.WiresharkBytes(); err == nil || !strings.Contains(err.Error(), "chacha20poly1305") {
		t.Errorf("%v: names no transform", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(everything)
	f.Add("in spi=4096 transform=aes128gcm16 key=" + gcmKey + "\n\n#x\ninside mtu=9")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := safile.Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		again, err := safile.Parse(bytes.NewReader(file.Bytes()))
		if err != nil || !reflect.DeepEqual(again, file) {
			t.Fatalf("%q is read as\n%+v and, written, as\n%+v: %v", text, file, again, err)
		}
	})
}
