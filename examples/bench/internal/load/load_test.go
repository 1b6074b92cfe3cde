package load

import (
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/builtin"
	"github.com/sealburst/sealburst/engine"
)

func stdEngine(t *testing.T, c engine.Config) *engine.Engine {
	t.Helper()
	c.IgnoreEnvironment = true
	if c.Available == nil {
		c.Backend = "std"
	}
	e, err := engine.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func works() (all []Work) {
	for _, s := range Suites() {
		for _, op := range []Op{Seal, Open, SealMask, Mask} {
			if s.Mask == 0 && (op == SealMask || op == Mask) {
				continue
			}
			all = append(all,
				Work{Suite: s, Op: op, Sizes: []int{64, 64}, Burst: 1, Keys: 1},
				Work{Suite: s, Op: op, Sizes: []int{16, 1400, 64, 576}, Burst: 2, Keys: 3, Align: 21})
		}
		all = append(all, Work{Suite: s, Op: Seal, Sizes: []int{64, 100}, Burst: 2, Keys: 5, Draw: []uint32{4, 0, 3}})
	}
	return all
}

// TestEngineDoesWhatTheLibrariesDo runs both over the same memory, in turns, and
// checks before and after.
func TestEngineDoesWhatTheLibrariesDo(t *testing.T) {
	e := stdEngine(t, engine.Config{})
	for _, w := range works() {
		l, err := New(w)
		if err != nil {
			t.Fatal(err)
		}
		library, err := l.Library()
		if err != nil {
			t.Fatal(err)
		}
		b, err := l.Engine("std", e)
		if err != nil {
			t.Fatalf("%+v: %v", w, err)
		}
		for range 3 {
			if err := library.Run(5); err != nil {
				t.Errorf("%s %s: %v", w.Op, w.Suite.Name, err)
			}
			if err := b.Contestant().Run(5); err != nil {
				t.Errorf("%s %s: %v", w.Op, w.Suite.Name, err)
			}
		}
		if err := b.Check(); err != nil {
			t.Error(err)
		}
		b.Close()
	}
}

// cheat passes the engine's self-test and then stops working.
type cheat struct {
	ciphers.AEAD
	on bool
}

func (c *cheat) Seal(b ciphers.Burst) int {
	if !c.on {
		return c.AEAD.Seal(b)
	}
	return done(b)
}

func (c *cheat) Open(b ciphers.Burst) int {
	if !c.on {
		return c.AEAD.Open(b)
	}
	return done(b)
}

func done(b ciphers.Burst) int {
	for _, i := range b.Index {
		b.Packets[i].Status = ciphers.StatusOK
	}
	return len(b.Index)
}

func TestWhoDoesNotWorkCannotWin(t *testing.T) {
	all := builtin.Backends()
	real := all[len(all)-1]
	for _, b := range all {
		if b.Name == "std" {
			real = b
		}
	}
	c := &cheat{AEAD: real.AEADs[ciphers.AES128GCM]}
	e := stdEngine(t, engine.Config{Available: []*ciphers.Backend{{
		Name: "cheat", AEADs: map[ciphers.Algorithm]ciphers.AEAD{ciphers.AES128GCM: c}, Masks: real.Masks,
	}}})
	for op, want := range map[Op]string{Seal: "wrong ciphertext", Open: "wrong plaintext", SealMask: "wrong ciphertext"} {
		c.on = false
		l, err := New(Work{Suite: Suites()[0], Op: op, Sizes: []int{64}, Burst: 1, Keys: 1})
		if err != nil {
			t.Fatal(err)
		}
		b, err := l.Engine("cheat", e)
		if err != nil {
			t.Fatal(err)
		}
		c.on = true
		if err := b.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", op, err, want)
		}
	}
}

func TestUnknownSuiteNamesTheKnown(t *testing.T) {
	if _, err := FindSuites("rot13"); err == nil || !strings.Contains(err.Error(), "chacha20-poly1305") {
		t.Errorf("error %v", err)
	}
	if one, err := FindSuites("aes-128-ccm-8"); err != nil || len(one) != 1 || one[0].Tag != 8 {
		t.Errorf("%v, %v", one, err)
	}
}

func TestWorkOfHalfABurstIsRefused(t *testing.T) {
	if _, err := New(Work{Suite: Suites()[0], Op: Seal, Sizes: make([]int, 3), Burst: 2, Keys: 1}); err == nil {
		t.Error("accepted")
	}
}
