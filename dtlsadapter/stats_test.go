package dtlsadapter

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// TestStatsAsJSON: drops by name, every key in lower case, and the way back.
func TestStatsAsJSON(t *testing.T) {
	s := Stats{Sent: Flow{Bursts: 1, Records: 2, Bytes: 3}}
	s.Received.Drops[record.DropReplayed] = 4
	s.Received.Drops[record.DropQueueFull] = 5
	text, err := json.Marshal(s)
	must(t, err)
	want := `{"sent":{"bursts":1,"records":2,"bytes":3,"drops":{}},` +
		`"received":{"bursts":0,"records":0,"bytes":0,"drops":{"queue-full":5,"replayed":4}}}`
	if string(text) != want {
		t.Errorf("%s\nwant %s", text, want)
	}
	var again Stats
	must(t, json.Unmarshal(text, &again))
	if !reflect.DeepEqual(again, s) {
		t.Errorf("read back: %+v", again)
	}
}

func TestListenerStatsAsJSON(t *testing.T) {
	s := ListenerStats{Peers: 1, Accepted: 2, Failed: 3, Shed: 4, Reads: 5, Datagrams: 6}
	s.Drops[record.DropUnknownSession] = 7
	text, err := json.Marshal(s)
	must(t, err)
	want := `{"peers":1,"accepted":2,"failed":3,"shed":4,"reads":5,"datagrams":6,"drops":{"unknown-session":7}}`
	if string(text) != want {
		t.Errorf("%s\nwant %s", text, want)
	}
}

// TestStatsForPeople name the causes too.
func TestStatsForPeople(t *testing.T) {
	var s Stats
	s.Received.Drops[record.DropReplayed] = 4
	for _, verb := range []string{"%v", "%+v"} {
		if text := fmt.Sprintf(verb, s); !strings.Contains(text, "replayed 4") || strings.Contains(text, "[") {
			t.Errorf("%s: %s", verb, text)
		}
	}
}
