package metrics_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/metrics"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
	"github.com/sealburst/sealburst/examples/gateway/internal/vpn"
)

func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, resp.Status, err)
	}
	return string(body)
}

func TestTotalsAndProfilesAreServed(t *testing.T) {
	s, err := metrics.Serve("127.0.0.1:0", func() vpn.Totals {
		return vpn.Totals{
			Sessions: 3, Opened: 7, Failed: 2, Shed: 11, Overrun: 13,
			Out:   tunnel.Flow{Packets: 10, Bytes: 1000, Drops: map[string]uint64{"unknown-session": 4}},
			In:    tunnel.Flow{Packets: 20, Bytes: 2000},
			Drops: map[string]uint64{"replayed": 5}, Sealed: engine.Counts{Bursts: 2, Packets: 64}, Unsealed: engine.Counts{Bursts: 1, Packets: 9},
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	text := get(t, "http://"+s.Addr().String()+"/metrics")
	for _, want := range []string{
		"sealburst_gateway_sessions 3", "sealburst_gateway_sessions_opened_total 7", "sealburst_gateway_handshakes_failed_total 2",
		"sealburst_gateway_handshakes_shed_total 11", "sealburst_gateway_datagrams_shed_total 13",
		`sealburst_gateway_packets_total{direction="out"} 10`, `sealburst_gateway_bytes_total{direction="in"} 2000`,
		`sealburst_gateway_packets_dropped_total{cause="unknown-session",direction="out"} 4`,
		`sealburst_gateway_records_dropped_total{cause="replayed"} 5`,
		`sealburst_gateway_engine_bursts_total{operation="seal"} 2`, `sealburst_gateway_engine_packets_total{operation="open"} 9`,
		"go_goroutines",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %s", want)
		}
	}
	if profile := get(t, "http://"+s.Addr().String()+"/debug/pprof/goroutine?debug=1"); !strings.Contains(profile, "goroutine profile") {
		t.Error("no profile")
	}
}

func TestAddressThatCannotBeListenedOn(t *testing.T) {
	if _, err := metrics.Serve("192.0.2.77:1", nil); err == nil {
		t.Error("no error")
	}
}
