package ciphers

import "testing"

func TestMemoryNames(t *testing.T) {
	for m, want := range map[Memory]string{MemoryGo: "go", MemoryPinned: "pinned", MemoryDevice: "device", 99: "memory(99)"} {
		if got := m.String(); got != want {
			t.Errorf("%d is %s, want %s", m, got, want)
		}
	}
}

func TestLimitsRefuse(t *testing.T) {
	l := Limits{AAD: 20, Message: 100}
	for _, c := range []struct {
		pair               bool
		aad, head, payload int
		want               Status
	}{
		{false, 20, 20, 100, StatusNone},
		{false, 21, 21, 0, StatusAAD},
		{false, 0, 0, 101, StatusTooLong},
		{true, 10, 26, 74, StatusNone},
		{true, 10, 26, 75, StatusTooLong},
		{true, 21, 37, 200, StatusAAD},
	} {
		if got := l.Refuses(c.pair, c.aad, c.head, c.payload); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
