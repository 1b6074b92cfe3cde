package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCapturedPacketsAreWhole(t *testing.T) {
	for _, size := range gatewaySizes {
		file := capturedPackets(size)[24:]
		n := 0
		for ; len(file) > 0; n++ {
			length := int(binary.LittleEndian.Uint32(file[8:]))
			packet := file[16+14 : 16+length]
			if len(packet) != size || int(binary.BigEndian.Uint16(packet[2:])) != size || ipChecksum(packet[:20]) != 0 {
				t.Fatalf("packet %d of %d bytes: %x", n, size, packet[:20])
			}
			file = file[16+length:]
		}
		if n != captured {
			t.Errorf("%d packets", n)
		}
	}
}

func TestMarginalCost(t *testing.T) {
	cost, err := marginal(usage{1000, time.Second}, usage{2001000, 2 * time.Second})
	if err != nil || cost != 500 {
		t.Errorf("%v, %v", cost, err)
	}
	if _, err := marginal(usage{1000, time.Second}, usage{1000, 2 * time.Second}); err == nil {
		t.Error("a run that did nothing more has a cost")
	}
}

// TestShortRunsAreRepeated for longer where the start's noise hides what they did.
func TestShortRunsAreRepeated(t *testing.T) {
	var runs []time.Duration
	cost, err := twice(4*time.Second, func(d time.Duration) (usage, error) {
		if runs = append(runs, d); len(runs) <= 2 {
			return usage{7, time.Second}, nil
		}
		return usage{uint64(d.Seconds()) * 1000, d}, nil
	})
	if want := []time.Duration{time.Second, 4 * time.Second, 2 * time.Second, 8 * time.Second}; !slices.Equal(runs, want) || cost != 1e6 || err != nil {
		t.Errorf("%v, %v, %v", runs, cost, err)
	}
	runs = nil
	never := func(d time.Duration) (usage, error) { runs = append(runs, d); return usage{}, nil }
	if _, err := twice(4*time.Second, never); !errors.Is(err, errNoMore) || len(runs) != 8 {
		t.Errorf("%v, %v", runs, err)
	}
}

// TestPromptIsSeen in what is copied as os/exec does it, which prefers ReadFrom.
func TestPromptIsSeen(t *testing.T) {
	out := &prompted{ready: make(chan struct{})}
	if _, err := io.Copy(out, struct{ io.Reader }{strings.NewReader("Press enter to exit\n")}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-out.ready:
	default:
		t.Error("nobody saw it")
	}
}

// TestShortRunThatDidMore on a busy machine is the longer one.
func TestShortRunThatDidMore(t *testing.T) {
	did := []usage{{3000, 4 * time.Millisecond}, {1000, 2 * time.Millisecond}}
	cost, err := between(time.Second, func(time.Duration) (usage, error) {
		u := did[0]
		did = did[1:]
		return u, nil
	})
	if cost != 1000 || err != nil {
		t.Errorf("%v, %v", cost, err)
	}
}

// TestGatewayIsComparedWithTheFastestPeer round by round.
func TestGatewayIsComparedWithTheFastestPeer(t *testing.T) {
	programs := []gatewayProgram{{name: "ours"}, {name: "slow", peer: true}, {name: "fast", peer: true}, {name: "io"}}
	costs := [][]float64{{10, 20, 30}, {90, 90, 90}, {30, 40, 60}, {1, 1, 1}}
	rows := []gatewayRow{{Program: "ours"}}
	compareGateway(rows, programs, costs)
	if rows[0].Ratio != 2 || rows[0].To != "fast" {
		t.Errorf("%+v", rows[0])
	}
	rows = []gatewayRow{{Program: "ours"}}
	compareGateway(rows, programs[:1], costs[:1])
	if rows[0].To != "" {
		t.Errorf("compared with nobody: %+v", rows[0])
	}
}

// TestWhoIsInTheTable: a short one has the older form of ipsec-secgw alone, and only if
// there is one.
func TestWhoIsInTheTable(t *testing.T) {
	for _, c := range []struct {
		quick        bool
		secgw        string
		peers, names int
	}{{true, "", 0, 5}, {true, "/secgw", 1, 6}, {false, "", 2, 9}, {false, "/secgw", 2, 9}} {
		peers := 0
		all := (&gatewayCell{}).programs(&gatewayTable{Quick: c.quick, Secgw: c.secgw})
		for _, p := range all {
			if p.peer {
				peers++
			}
		}
		if peers != c.peers || len(all) != c.names || all[0].name != "gateway, ESP" {
			t.Errorf("%+v: %d peers of %d", c, peers, len(all))
		}
	}
}

func TestGatewayRows(t *testing.T) {
	row := gatewayRow{Bytes: 64, Program: "gateway", NS: 50, Mpps: 20, Gbps: 10.24, Ratio: 2, To: "peer"}
	var b bytes.Buffer
	for _, asJSON := range []bool{true, false} {
		p := newGatewayPrinter(&b, asJSON)
		if err := p.print([]gatewayRow{row}); err != nil {
			t.Fatal(err)
		}
		if err := p.close(); err != nil {
			t.Fatal(err)
		}
	}
	first, rest, _ := strings.Cut(b.String(), "\n")
	var back gatewayRow
	if err := json.Unmarshal([]byte(first), &back); err != nil || back != row {
		t.Errorf("%+v, %v", back, err)
	}
	if !strings.Contains(rest, "2.00 times peer") {
		t.Errorf("%q", rest)
	}
}

func TestTestpmdOutputIsRead(t *testing.T) {
	text := "  RX-packets: 5 TX-packets: 6\n+++++ Accumulated forward statistics for all ports+++++\n  RX-packets: 104 RX-dropped: 0\n  TX-packets: 99         TX-dropped: 0\n"
	if found := testpmdSent.FindStringSubmatch(text); found == nil || found[1] != "99" {
		t.Errorf("%q", found)
	}
}

func TestOpenedPacketsAreAll(t *testing.T) {
	if n, err := opened([]byte(`{"in":{"packets":5,"bytes":9}}`)); n != 5 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	for _, bad := range []string{`{`, `{"in":{"packets":0}}`, `{"in":{"packets":0,"drops":{"replayed":1}}}`, `{"in":{"packets":5,"drops":{"replayed":1}}}`} {
		if _, err := opened([]byte(bad)); err == nil || errors.Is(err, errNoMore) != (bad == `{"in":{"packets":0}}`) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
