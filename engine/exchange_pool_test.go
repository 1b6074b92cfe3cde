package engine

import (
	"crypto/ecdh"
	"errors"
	"sync"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

func newPairs(t *testing.T, e *Engine, c KeyPairsConfig) *KeyPairs {
	t.Helper()
	p, err := e.NewKeyPairs(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// TestPairsAreHandedOutOnce takes many more pairs than the pool holds, on many
// goroutines, and checks each by the library.
func TestPairsAreHandedOutOnce(t *testing.T) {
	p := newPairs(t, mustNew(t, Config{IgnoreEnvironment: true}), KeyPairsConfig{Group: ciphers.X25519, Size: 10})
	var seen sync.Map
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				x := keyPair()
				if err := p.Take(x); err != nil {
					t.Error(err)
				}
				if _, again := seen.LoadOrStore(string(x.Private), true); again {
					t.Error("a pair was handed out twice")
				}
				k, err := ecdh.X25519().NewPrivateKey(x.Private)
				if err != nil || string(k.PublicKey().Bytes()) != string(x.Public) {
					t.Errorf("the halves do not belong together: %v", err)
				}
			}
		})
	}
	wg.Wait()
}

func TestPairsAreMadeInFullBatches(t *testing.T) {
	b, spy := exchangeBackend(t, "spied", 1, 0, ciphers.X25519)
	e := only(t, b)
	e.Supports(ciphers.X25519) // runs the self-test
	spy.entries = nil
	p := newPairs(t, e, KeyPairsConfig{Group: ciphers.X25519, Size: 16})
	p.made.Wait()
	for range 9 {
		if err := p.Take(keyPair()); err != nil {
			t.Fatal(err)
		}
	}
	p.made.Wait()
	if len(spy.entries) != 2 || spy.entries[0] != 16 || spy.entries[1] != 9 {
		t.Errorf("batches of %v, want 16 and 9", spy.entries)
	}
}

func TestPairsAreZeroWhenSpentAndClosed(t *testing.T) {
	p := newPairs(t, portable(t), KeyPairsConfig{Group: ciphers.MLKEM768, Size: 4})
	p.made.Wait()
	held := append([]Exchange(nil), p.ready...)
	x := &Exchange{Group: ciphers.MLKEM768, Operation: ciphers.OpGenerate,
		Private: make([]byte, ciphers.MLKEM768PrivateSize), Public: make([]byte, ciphers.MLKEM768PublicSize)}
	if err := p.Take(x); err != nil || x.Prepared == nil || zero(x.Private) {
		t.Errorf("%v, or nothing taken", err)
	}
	p.Close()
	for i := range held {
		if !zero(held[i].Private) {
			t.Errorf("pair %d is not zero", i)
		}
	}
	if err := p.Take(x); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	p.Close()
}

func TestPairsRefuse(t *testing.T) {
	e := portable(t)
	for name, c := range map[string]KeyPairsConfig{"Group": {Group: ciphers.AES128GCM}, "Size": {Group: ciphers.X25519, Size: 257}} {
		var f *ciphers.FieldError
		if _, err := e.NewKeyPairs(c); !errors.As(err, &f) || f.Field != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	b, _ := exchangeBackend(t, "x", 1, 0, ciphers.X25519)
	if _, err := only(t, b).NewKeyPairs(KeyPairsConfig{Group: ciphers.P256}); !errors.Is(err, ErrNoBackend) {
		t.Errorf("a group that nothing serves: %v", err)
	}
	p := newPairs(t, e, KeyPairsConfig{Group: ciphers.X25519})
	var f *ciphers.FieldError
	if err := p.Take(nil); !errors.As(err, &f) || f.Field != "x" {
		t.Errorf("nil: %v", err)
	}
	for want, spoil := range map[Status]func(*Exchange){
		ciphers.StatusPublic:    func(x *Exchange) { x.Public = nil },
		ciphers.StatusOperation: func(x *Exchange) { x.Operation = ciphers.OpDerive },
	} {
		x := keyPair()
		if spoil(x); p.Take(x) == nil || x.Status != want {
			t.Errorf("%v, want %v", x.Status, want)
		}
	}
}
