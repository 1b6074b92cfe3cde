package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
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

// TestShortRunsAreRepeated where the start's noise hides what they did.
func TestShortRunsAreRepeated(t *testing.T) {
	runs := 0
	cost, err := twice(4*time.Second, func(d time.Duration) (usage, error) {
		if runs++; runs <= 2 {
			return usage{7, time.Second}, nil
		}
		return usage{uint64(d.Seconds()) * 1000, d}, nil
	})
	if runs != 4 || cost != 1e6 || err != nil {
		t.Errorf("%d runs, %v, %v", runs, cost, err)
	}
	if _, err := twice(4*time.Second, func(time.Duration) (usage, error) { runs++; return usage{}, nil }); !errors.Is(err, errNoMore) || runs != 10 {
		t.Errorf("%d runs, %v", runs, err)
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
	for _, bad := range []string{`{`, `{"in":{"packets":0}}`, `{"in":{"packets":5,"drops":{"replayed":1}}}`} {
		if _, err := opened([]byte(bad)); err == nil {
			t.Errorf("%s is good", bad)
		}
	}
}
