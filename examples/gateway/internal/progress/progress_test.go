package progress

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestLinesWhenPiped(t *testing.T) {
	var out bytes.Buffer
	p := New(&out)
	for i, doing := range []string{"first", "first", "second", "third"} {
		p.Step("sealing", doing, float64(i)/10)
	}
	p.Step("opening", "first", 0.5)
	p.Done()
	if want := "  0% sealing\n 50% opening\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestBarOnATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		b := &bar{to: &out}
		b.Step("sealing", "first", 0.5)
		b.Step("sealing", "first", 0.51) // too soon to draw again
		time.Sleep(time.Second)
		b.Step("sealing", "first", 1)
		b.Done()
		if n := strings.Count(out.String(), "["+strings.Repeat("=", width/2)+strings.Repeat(" ", width/2)+"]"); n != 1 {
			t.Errorf("half a bar was drawn %d times: %q", n, out.String())
		}
		if !strings.Contains(out.String(), "["+strings.Repeat("=", width)+"] 100% sealing: first") || strings.Contains(out.String(), "\n") {
			t.Errorf("%q", out.String())
		}
	})
}
