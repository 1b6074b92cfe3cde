package engine

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// exchangeBackend is one group under a spy that counts the entries it was handed.
func exchangeBackend(t *testing.T, name string, priority, lone int, group Algorithm) (*ciphers.Backend, *exchangeSpy) {
	s := &exchangeSpy{Exchanger: std(t).Exchanges[group]}
	return &ciphers.Backend{
		Name: name, Priority: priority, Lone: map[Algorithm]int{group: lone},
		Exchanges: map[Algorithm]ciphers.Exchanger{group: s},
	}, s
}

type exchangeSpy struct {
	ciphers.Exchanger
	entries []int
	wrong   bool
}

func (s *exchangeSpy) Exchange(op ciphers.Operation, b ciphers.ExchangeBatch) int {
	s.entries = append(s.entries, len(b.Index))
	ok := s.Exchanger.Exchange(op, b)
	if s.wrong {
		b.Entries[b.Index[0]].Secret[0] ^= 1
	}
	return ok
}

// shares makes key pairs of the groups, in order.
func shares(t *testing.T, e *Engine, groups ...Algorithm) []Exchange {
	t.Helper()
	batch := make([]Exchange, len(groups))
	for i, g := range groups {
		batch[i] = Exchange{
			Group: g, Operation: ciphers.OpGenerate,
			Private: make([]byte, g.PrivateSize()), Public: make([]byte, g.PublicSize()),
			Ciphertext: make([]byte, g.CiphertextSize()), Secret: make([]byte, g.SecretSize()),
		}
	}
	if ok := e.Exchange(batch); ok != len(batch) {
		t.Fatalf("%d of %d key pairs", ok, len(batch))
	}
	return batch
}

func setOperation(batch []Exchange, op ciphers.Operation) {
	for i := range batch {
		batch[i].Operation = op
	}
}

// TestHandshakesOfAllGroupsInOneBatch plays clients and servers of every group,
// mixed, and compares their secrets.
func TestHandshakesOfAllGroupsInOneBatch(t *testing.T) {
	e := mustNew(t, Config{IgnoreEnvironment: true})
	groups := slices.DeleteFunc(ciphers.Algorithms(), func(a Algorithm) bool { return !a.IsExchange() })
	batch := shares(t, e, append(groups, groups...)...)
	server := slices.Clone(batch)
	for i := range server {
		server[i].Secret = make([]byte, len(batch[i].Secret))
	}
	setOperation(server, ciphers.OpEncapsulate)
	setOperation(batch, ciphers.OpDecapsulate)
	if ok := e.Exchange(server); ok != len(server) {
		t.Errorf("servers: %d of %d", ok, len(server))
	}
	if ok := e.Exchange(batch); ok != len(batch) {
		t.Errorf("clients: %d of %d", ok, len(batch))
	}
	for i := range batch {
		if !bytes.Equal(batch[i].Secret, server[i].Secret) || zero(batch[i].Secret) {
			t.Errorf("%v: client and server disagree", batch[i].Group)
		}
	}
	if st := e.Stats(); st.Exchange != (Counts{3, uint64(3 * len(batch)), uint64(3 * len(batch))}) {
		t.Errorf("counted %+v", st.Exchange)
	}
}

// TestExchangeMistakesFailAlone hands in every mistake of a caller's or a peer's
// between two good entries.
func TestExchangeMistakesFailAlone(t *testing.T) {
	e := portable(t)
	for want, spoil := range map[Status]func(x *Exchange){
		ciphers.StatusGroup:      func(x *Exchange) { x.Group = ciphers.AES128GCM },
		ciphers.StatusOperation:  func(x *Exchange) { x.Operation = 0 },
		ciphers.StatusPrivate:    func(x *Exchange) { x.Private = x.Private[1:] },
		ciphers.StatusPublic:     func(x *Exchange) { x.Public = nil },
		ciphers.StatusSecret:     func(x *Exchange) { x.Secret = append(x.Secret, 0) },
		ciphers.StatusShare:      func(x *Exchange) { clear(x.Public) },
		ciphers.StatusCiphertext: func(x *Exchange) { x.Operation, x.Ciphertext = ciphers.OpEncapsulate, nil },
		ciphers.StatusSeed:       func(x *Exchange) { x.Operation, x.Seed = ciphers.OpEncapsulate, []byte{1} },
	} {
		batch := shares(t, e, ciphers.X25519, ciphers.X25519, ciphers.X25519)
		setOperation(batch, ciphers.OpDerive)
		spoil(&batch[1])
		if ok := e.Exchange(batch); ok != 2 || batch[0].Status != ciphers.StatusOK || batch[2].Status != ciphers.StatusOK {
			t.Errorf("%v: %d succeeded, neighbours %v and %v", want, ok, batch[0].Status, batch[2].Status)
		}
		if batch[1].Status != want {
			t.Errorf("%v, want %v", batch[1].Status, want)
		}
		if e.Stats().Causes[want.String()] == 0 {
			t.Errorf("%v is not counted", want)
		}
	}
}

func TestKEMHasNoDerive(t *testing.T) {
	e := portable(t)
	batch := shares(t, e, ciphers.MLKEM768)
	setOperation(batch, ciphers.OpDerive)
	if ok := e.Exchange(batch); ok != 0 || batch[0].Status != ciphers.StatusOperation {
		t.Errorf("%d, %v", ok, batch[0].Status)
	}
}

func TestExchangeRefusesWholeBatches(t *testing.T) {
	e := portable(t)
	long := make([]Exchange, ciphers.MaxBurst+1)
	if ok := e.Exchange(long); ok != 0 || long[ciphers.MaxBurst].Status != ciphers.StatusBurst {
		t.Errorf("too long: %d, %v", ok, long[0].Status)
	}
	if ok := e.Exchange(nil); ok != 0 {
		t.Errorf("empty: %d", ok)
	}
	batch := shares(t, e, ciphers.X25519)
	e.Close()
	if ok := e.Exchange(batch); ok != 0 || batch[0].Status != ciphers.StatusEngine {
		t.Errorf("closed: %d, %v", ok, batch[0].Status)
	}
}

func TestGroupThatNoBackendServes(t *testing.T) {
	b, _ := exchangeBackend(t, "x", 1, 0, ciphers.X25519)
	e := only(t, b)
	x := Exchange{Group: ciphers.P256, Operation: ciphers.OpGenerate, Private: make([]byte, 32), Public: make([]byte, 65)}
	batch := []Exchange{x}
	if ok := e.Exchange(batch); ok != 0 || batch[0].Status != ciphers.StatusGroup {
		t.Errorf("%d, %v", ok, batch[0].Status)
	}
	if e.Supports(ciphers.P256) || !e.Supports(ciphers.X25519) {
		t.Error("Supports is wrong")
	}
}

func TestLoneExchangesGoToTheNextBackend(t *testing.T) {
	bulk, wide := exchangeBackend(t, "wide", 2, 3, ciphers.X25519)
	next, narrow := exchangeBackend(t, "narrow", 1, 0, ciphers.X25519)
	e := only(t, next, bulk)
	e.Supports(ciphers.X25519) // runs the self-tests
	wide.entries, narrow.entries = nil, nil
	for n := 1; n <= 5; n++ {
		shares(t, e, slices.Repeat([]Algorithm{ciphers.X25519}, n)...)
	}
	if !slices.Equal(narrow.entries, []int{1, 2, 3}) || !slices.Equal(wide.entries, []int{4, 5}) {
		t.Errorf("narrow got %v, wide %v", narrow.entries, wide.entries)
	}
	r := e.Report().Algorithms[0]
	if r.Backend != "wide" || r.Lone != "narrow" || r.LoneMax != 3 || r.MeanEntry != 3 {
		t.Errorf("reported %+v", r)
	}
}

// TestGroupsAreTestedWhenFirstUsed sees that New leaves groups alone unless they
// are pinned, and that a pin that fails the self-test makes New fail.
func TestGroupsAreTestedWhenFirstUsed(t *testing.T) {
	b, spy := exchangeBackend(t, "x", 1, 0, ciphers.X25519)
	e := only(t, b)
	if len(spy.entries) != 0 {
		t.Errorf("New ran %v", spy.entries)
	}
	shares(t, e, ciphers.X25519)
	first := len(spy.entries)
	shares(t, e, ciphers.X25519)
	if first < 2 || len(spy.entries) != first+1 {
		t.Errorf("%d entries at the first use, %d with the second", first, len(spy.entries))
	}
	spy.wrong = true
	_, err := New(Config{IgnoreEnvironment: true, Available: []*ciphers.Backend{b}, Backend: "x"})
	if !errors.Is(err, ErrPin) || !errors.Is(err, ErrKnownAnswer) {
		t.Errorf("a wrong pinned group: %v", err)
	}
}

// TestWrongExchangerIsRefused sees the self-test refuse a backend that computes
// wrong secrets, and one that takes bad shares.
func TestWrongExchangerIsRefused(t *testing.T) {
	bad, spy := exchangeBackend(t, "bad", 2, 0, ciphers.X25519)
	spy.wrong = true
	blind := &ciphers.Backend{Name: "blind", Priority: 3, Exchanges: map[Algorithm]ciphers.Exchanger{ciphers.X25519: blindSpot{spy}}}
	good, _ := exchangeBackend(t, "good", 1, 0, ciphers.X25519)
	e := only(t, bad, good, blind)
	if got := serving(t, e, ciphers.X25519); got != "good" {
		t.Errorf("%s serves", got)
	}
	if why := refusedFor(e, ciphers.X25519, "bad"); why != ErrKnownAnswer.Error() {
		t.Errorf("bad: %s", why)
	}
	if why := refusedFor(e, ciphers.X25519, "blind"); why != ErrBadShare.Error() {
		t.Errorf("blind: %s", why)
	}
}

// blindSpot reports success whatever the share.
type blindSpot struct{ ciphers.Exchanger }

func (s blindSpot) Exchange(op ciphers.Operation, b ciphers.ExchangeBatch) int {
	s.Exchanger.Exchange(op, b)
	for _, i := range b.Index {
		b.Entries[i].Status = ciphers.StatusOK
	}
	return len(b.Index)
}

func TestGroupsArePinnedLikeCiphers(t *testing.T) {
	t.Setenv(EnvBackend, "x25519=std")
	e := mustNew(t, Config{})
	if got := serving(t, e, ciphers.X25519); got != "std" {
		t.Errorf("%s serves", got)
	}
	t.Setenv(EnvBackend, "p-256=circl")
	if _, err := New(Config{}); !errors.Is(err, ErrPin) || !errors.Is(err, errLacks) {
		t.Errorf("pinned what the backend lacks: %v", err)
	}
	if _, err := e.NewKey(KeySpec{Algorithm: ciphers.X25519}); err == nil {
		t.Error("made a packet key of a key-exchange group")
	}
}
