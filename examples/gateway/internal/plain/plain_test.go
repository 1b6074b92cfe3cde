package plain_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/plain"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
)

func TestPcapPortReadsOneFileAndWritesAnother(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.pcap")
	p, name, err := plain.Open("pcap:../../testdata/traffic.pcap,"+out, plain.Config{})
	if err != nil || !strings.HasPrefix(name, "pcap:") {
		t.Fatal(name, err)
	}
	burst := port.NewBurst(port.MaxBurst, 2000)
	total := 0
	for {
		n, err := p.Receive(burst)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		total += n
		if sent, err := p.Send(burst[:n]); sent != n || err != nil {
			t.Fatal(sent, err)
		}
	}
	if err := p.Close(); err != nil || total != 3460 {
		t.Errorf("%d packets, %v", total, err)
	}
	if info, err := os.Stat(out); err != nil || info.Size() < 1_500_000 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestUDPPort(t *testing.T) {
	p, name, err := plain.Open("udp:127.0.0.1:0,127.0.0.1:9", plain.Config{})
	if err != nil || name != "udp:127.0.0.1:0,127.0.0.1:9" {
		t.Fatal(name, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestNamesThatMakeNoSense(t *testing.T) {
	for spec, want := range map[string]string{
		"":                              "is none of",
		"tap:x":                         "is none of",
		"udp:127.0.0.1:0":               "lacks the peer",
		"udp:nowhere,127.0.0.1:9":       "nowhere",
		"pcap:x":                        "lacks the capture to write",
		"pcap:/absent,/absent/too":      "no such file",
		"afpacket:no-such-interface-at": "afpacket",
	} {
		if _, _, err := plain.Open(spec, plain.Config{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", spec, err, want)
		}
	}
}
