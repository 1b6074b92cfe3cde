package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
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

func TestTestpmdIsAsked(t *testing.T) {
	said := "testpmd> show port stats 1\n  RX-packets: 5 RX-missed: 0\n  TX-packets: 99         TX-errors: 0\n  TX-packets: 7\n"
	answers := bufio.NewScanner(strings.NewReader(said))
	for _, want := range []uint64{99, 7} {
		var asked strings.Builder
		if n, err := sentByTestpmd(&asked, answers); n != want || err != nil || asked.String() != "show port stats 1\n" {
			t.Errorf("%d, %v, having asked %q", n, err, asked.String())
		}
	}
	if _, err := sentByTestpmd(io.Discard, answers); err == nil {
		t.Error("no answer, and no error")
	}
}

func TestGatewayIsAsked(t *testing.T) {
	said := "# TYPE x\nsealburst_gateway_packets_total{direction=\"in\"} 3\nsealburst_gateway_packets_total{direction=\"out\"} 2.4746816e+07\n"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, said) }))
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	if n, err := sentBy(address); n != 24746816 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	said = "sealburst_gateway_packets_total 3\n"
	if _, err := sentBy(address); err == nil {
		t.Error("no answer, and no error")
	}
}

// TestImplausibleFiguresAreMeasuredAgain with the part that they are compared with, and no
// others are.
func TestImplausibleFiguresAreMeasuredAgain(t *testing.T) {
	runs := map[string]int{}
	program := func(name, part string, costs ...float64) gatewayProgram {
		return gatewayProgram{name: name, part: part, run: func(time.Duration) (float64, error) {
			runs[name]++
			return costs[min(runs[name], len(costs))-1], nil
		}}
	}
	all := []gatewayProgram{program("whole", "io", 22, 50), program("io", "", 25, 24), program("other", "io", 99), program("absent", "io", 0)}
	costs, err := (&gatewayTable{}).round(streams{io.Discard, io.Discard}, all)
	if err != nil || !slices.Equal(costs, []float64{50, 24, 99, 0}) || runs["whole"] != 2 || runs["io"] != 2 || runs["other"] != 1 {
		t.Errorf("%v, %v, %v", costs, err, runs)
	}
	clear(runs)
	_, err = (&gatewayTable{}).round(streams{io.Discard, io.Discard}, []gatewayProgram{program("whole", "io", 22), program("io", "", 25)})
	if !errors.Is(err, errImplausible) || runs["whole"] != plausibleTries {
		t.Errorf("%v, %v", err, runs)
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
