package model

import (
	"bytes"
	"fmt"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/bench/internal/load"
	"github.com/sealburst/sealburst/examples/bench/internal/pair"
)

// The steps of a packet through two gateways back to back.
const (
	StepPort     = "port"       // the copy into a buffer, and to the other side
	StepLookup   = "look-up"    // of the session, at both sides
	StepNumber   = "record out" // header, number, nonce
	StepSeal     = "seal"
	StepAccept   = "record in" // header, replay window
	StepOpen     = "open"
	StepTogether = "together"
)

// stepSessions is how many sessions the look-up finds one in.
const stepSessions = 1000

// suites are DTLS's, with the same AEAD by its name in other tables.
var suites = []struct {
	name string
	id   dtls.CipherSuiteID
	key  int
	iv   int
}{
	{"aes-128-gcm", dtls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, 16, 4},
	{"aes-256-gcm", dtls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, 32, 4},
	{"aes-128-ccm", dtls.TLS_ECDHE_ECDSA_WITH_AES_128_CCM, 16, 4},
	{"chacha20-poly1305", dtlsadapter.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, 32, 12},
}

// Suites are the names of those that Steps measures.
func Suites() (names []string) {
	for _, s := range suites {
		names = append(names, s.name)
	}
	return names
}

// Steps measures what each step costs a packet of one suite and size, in bursts
// of 32. What can run alone does, in turns with the rest; the records' own part
// is what the adapter takes more than the engine.
func Steps(suite string, size int, effort Effort) ([]Row, error) {
	e, err := engine.New(engine.Config{})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	s := &stepper{size: size}
	if err := s.enter(e, suite); err != nil {
		s.close()
		return nil, err
	}
	defer s.close()
	scores, err := effort.playAlone(s.contestants[:])
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, step := range s.split(scores) {
		rows = append(rows, Row{Kind: KindStep, Name: step.name, Suite: suite, Bytes: size, NS: max(0, step.ns)})
	}
	return rows, nil
}

// The contestants that the steps are told apart by.
const (
	loads = iota
	loadsAndCarries
	protects
	crosses
	looksUp
	seals
	opens
	contestants
)

type stepper struct {
	size        int
	wire        *wire
	contestants [contestants]pair.Contestant
	closers     []func()
}

func (s *stepper) close() {
	for _, f := range s.closers {
		f()
	}
}

func (s *stepper) enter(e *engine.Engine, suite string) error {
	if err := s.enterWire(e, suite); err != nil {
		return err
	}
	s.contestants[looksUp] = lookup(stepSessions)
	for at, op := range map[int]load.Op{seals: load.Seal, opens: load.Open} {
		found, err := load.FindSuites(suite)
		if err != nil {
			return err
		}
		sizes := make([]int, burst)
		for i := range sizes {
			sizes[i] = s.size
		}
		l, err := load.New(load.Work{Suite: found[0], Op: op, Sizes: sizes, Burst: burst, Keys: 1})
		if err != nil {
			return err
		}
		b, err := l.Engine(string(op), e)
		if err != nil {
			return err
		}
		s.closers = append(s.closers, b.Close)
		s.contestants[at] = b.Contestant()
	}
	return nil
}

// enterWire makes the adapter's halves and what runs over them.
func (s *stepper) enterWire(e *engine.Engine, suite string) (err error) {
	k, err := keysOf(suite)
	if err != nil {
		return err
	}
	w := newWire(s.size)
	s.wire = w
	if w.outbound, err = dtlsadapter.NewOutbound(e, k); err != nil {
		return err
	}
	s.closers = append(s.closers, w.outbound.Close)
	if w.inbound, err = dtlsadapter.NewInbound(e, k, 0); err != nil {
		return err
	}
	s.closers = append(s.closers, w.inbound.Close)
	s.contestants[loads] = each("load", func() error { w.load(burst); return nil })
	s.contestants[loadsAndCarries] = each("carry", func() error { w.load(burst); w.carry(burst); return nil })
	s.contestants[protects] = each("protect", func() error {
		w.load(burst)
		if ok := w.outbound.Protect(w.out[:]); ok != burst {
			return fmt.Errorf("model: %d of %d packets were sealed", ok, burst)
		}
		return nil
	})
	s.contestants[crosses] = each("cross", func() error { return w.cross(burst) })
	return nil
}

func keysOf(suite string) (dtlsadapter.Keys, error) {
	for _, s := range suites {
		if s.name == suite {
			return dtlsadapter.Keys{Suite: s.id, Epoch: 1, Key: bytes.Repeat([]byte{3}, s.key), IV: bytes.Repeat([]byte{4}, s.iv)}, nil
		}
	}
	return dtlsadapter.Keys{}, fmt.Errorf("model: no DTLS suite with %s", suite)
}

// each is a contestant whose unit is a burst.
func each(name string, do func() error) pair.Contestant {
	return pair.Contestant{Name: name, Items: burst, Run: func(n int) error {
		for range n {
			if err := do(); err != nil {
				return err
			}
		}
		return nil
	}}
}

// step is one of a packet's.
type step struct {
	name string
	ns   float64
}

// split tells the steps apart by the medians of the rounds' differences.
func (s *stepper) split(scores pair.Scores) []step {
	protect := scores.Delta(protects, loads)
	unprotect := scores.Delta(crosses, protects) - scores.Delta(loadsAndCarries, loads)
	seal, open := scores.NS(seals), scores.NS(opens)
	return []step{
		{StepPort, scores.NS(loadsAndCarries)},
		{StepLookup, 2 * scores.NS(looksUp)},
		{StepNumber, protect - seal},
		{StepSeal, seal},
		{StepAccept, unprotect - open},
		{StepOpen, open},
		{StepTogether, scores.NS(crosses) + 2*scores.NS(looksUp)},
	}
}
