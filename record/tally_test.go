package record

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
)

func TestTally(t *testing.T) {
	var tally Tally
	tally[DropNone] = 100
	tally[DropReplayed] = 2
	tally[DropFailed] = 5
	if got := tally.Dropped(); got != 7 {
		t.Errorf("Dropped() = %d, want 7", got)
	}
	if got, want := tally.ByName(), map[string]uint64{"replayed": 2, "failed": 5}; !maps.Equal(got, want) {
		t.Errorf("ByName() = %v, want %v", got, want)
	}
}

func TestTallyWithoutDrops(t *testing.T) {
	tally := Tally{DropNone: 100}
	if got := tally.ByName(); got == nil || len(got) != 0 {
		t.Errorf("ByName() = %v", got)
	}
	if got := tally.String(); got != "none" {
		t.Errorf("String() = %q", got)
	}
	if text, err := json.Marshal(tally); err != nil || string(text) != "{}" {
		t.Errorf("JSON %s, %v", text, err)
	}
}

// TestTallyAsText also where it is part of something that is printed.
func TestTallyAsText(t *testing.T) {
	tally := Tally{DropNone: 100, DropReplayed: 2, DropFailed: 5}
	if got, want := tally.String(), "replayed 2, failed 5"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
	if got, want := fmt.Sprintf("%v %+v", &tally, struct{ Drops Tally }{tally}), "replayed 2, failed 5 {Drops:replayed 2, failed 5}"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

// TestTallyAsJSON: every cause goes out under its name and comes back.
func TestTallyAsJSON(t *testing.T) {
	var tally Tally
	for cause := DropNone + 1; cause < numDrops; cause++ {
		tally[cause] = uint64(cause) << 53 // beyond what a float holds exactly
		tally[cause]++
	}
	text, err := json.Marshal(tally)
	if err != nil {
		t.Fatal(err)
	}
	var named map[string]uint64
	if err := json.Unmarshal(text, &named); err != nil || !maps.Equal(named, tally.ByName()) {
		t.Errorf("JSON %s, %v", text, err)
	}
	again := Tally{DropNone: 1}
	if err := json.Unmarshal(text, &again); err != nil || again != tally {
		t.Errorf("read back %v, %v", again, err)
	}
}

func TestTallyRefusesJSON(t *testing.T) {
	for _, text := range []string{`{"replayed":1,"stolen":1}`, `{"none":1}`, `{"replayed":-1}`, `[1,2]`, `{"replayed":"1"}`} {
		tally := Tally{DropReplayed: 9}
		if err := json.Unmarshal([]byte(text), &tally); err == nil {
			t.Errorf("%s was read as %v", text, tally)
		}
		if tally != (Tally{DropReplayed: 9}) {
			t.Errorf("%s changed the counts to %v", text, tally)
		}
	}
}
