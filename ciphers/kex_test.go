package ciphers_test

import (
	"errors"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// entry is one that the border accepts.
func entry(g ciphers.Algorithm, op ciphers.Operation) ciphers.Exchange {
	return ciphers.Exchange{
		Group: g, Operation: op, Private: make([]byte, g.PrivateSize()), Public: make([]byte, g.PublicSize()),
		Ciphertext: make([]byte, g.CiphertextSize()), Secret: make([]byte, g.SecretSize()),
	}
}

func groups() (all []ciphers.Algorithm) {
	for _, a := range ciphers.Algorithms() {
		if a.IsExchange() {
			all = append(all, a)
		}
	}
	return all
}

func TestGroupsAreNoCiphers(t *testing.T) {
	for _, g := range groups() {
		if g.IsMask() || g.KeySize() != 0 || g.PublicSize() == 0 || g.SeedSize() == 0 {
			t.Errorf("%v: a mask, with a key, or without a size", g)
		}
		spec := ciphers.KeySpec{Algorithm: g}
		var f *ciphers.FieldError
		if err := spec.Check(); !errors.As(err, &f) || f.Field != "Algorithm" {
			t.Errorf("%v: a packet key: %v", g, err)
		}
	}
	if n := len(groups()); n != 13 {
		t.Errorf("%d groups", n)
	}
	if none := ciphers.Algorithm(0); none.IsExchange() || none.IsDH() || ciphers.AES128GCM.IsExchange() {
		t.Error("a cipher is a group")
	}
}

// TestBorderChecksEverySizeOfItsOperation cuts a byte off each slice in turn:
// those that the operation uses are refused by name, the others are ignored.
func TestBorderChecksEverySizeOfItsOperation(t *testing.T) {
	cut := map[ciphers.Status]func(x *ciphers.Exchange) *[]byte{
		ciphers.StatusPrivate:    func(x *ciphers.Exchange) *[]byte { return &x.Private },
		ciphers.StatusPublic:     func(x *ciphers.Exchange) *[]byte { return &x.Public },
		ciphers.StatusCiphertext: func(x *ciphers.Exchange) *[]byte { return &x.Ciphertext },
		ciphers.StatusSecret:     func(x *ciphers.Exchange) *[]byte { return &x.Secret },
	}
	used := map[ciphers.Operation][]ciphers.Status{
		ciphers.OpGenerate:    {ciphers.StatusPrivate, ciphers.StatusPublic},
		ciphers.OpDerive:      {ciphers.StatusPrivate, ciphers.StatusPublic, ciphers.StatusSecret},
		ciphers.OpEncapsulate: {ciphers.StatusPublic, ciphers.StatusCiphertext, ciphers.StatusSecret},
		ciphers.OpDecapsulate: {ciphers.StatusPrivate, ciphers.StatusCiphertext, ciphers.StatusSecret},
	}
	for _, g := range groups() {
		for op, needs := range used {
			if op == ciphers.OpDerive && !g.IsDH() {
				continue
			}
			for status, field := range cut {
				want := ciphers.StatusNone
				for _, need := range needs {
					if need == status {
						want = status
					}
				}
				x := entry(g, op)
				*field(&x) = (*field(&x))[1:]
				if got := bordered(x); got != want {
					t.Errorf("%v %v without a byte of %v: %v, want %v", g, op, status, got, want)
				}
			}
		}
	}
}

// bordered is what the border makes of one entry.
func bordered(x ciphers.Exchange) ciphers.Status {
	batch := []ciphers.Exchange{x}
	ciphers.ExchangeBorder(batch)
	return batch[0].Status
}

func TestBorderChecksSeeds(t *testing.T) {
	for _, g := range groups() {
		for op, size := range map[ciphers.Operation]int{ciphers.OpGenerate: g.PrivateSize(), ciphers.OpEncapsulate: g.SeedSize()} {
			x := entry(g, op)
			for n, want := range map[int]ciphers.Status{0: ciphers.StatusSeed, size: ciphers.StatusNone, size + 1: ciphers.StatusSeed} {
				if x.Seed = make([]byte, n); bordered(x) != want {
					t.Errorf("%v %v: seed of %d bytes: %v", g, op, n, bordered(x))
				}
			}
		}
	}
}

func TestBorderSeesWhatABatchShares(t *testing.T) {
	a, b := entry(ciphers.X25519, ciphers.OpDerive), entry(ciphers.P256, ciphers.OpDerive)
	c := entry(ciphers.X25519, ciphers.OpGenerate)
	bad := entry(ciphers.X25519, ciphers.OpDerive)
	bad.Secret = nil
	for _, test := range []struct {
		batch []ciphers.Exchange
		want  bool
	}{
		{nil, false}, {[]ciphers.Exchange{a}, true}, {[]ciphers.Exchange{a, a}, true}, {[]ciphers.Exchange{a, b}, false},
		{[]ciphers.Exchange{a, c}, false}, {[]ciphers.Exchange{a, bad}, false}, {[]ciphers.Exchange{bad}, false},
	} {
		if got := ciphers.ExchangeBorder(test.batch); got != test.want {
			t.Errorf("%d entries: %v, want %v", len(test.batch), got, test.want)
		}
	}
}

func TestFailZeroesWhatTheOperationWrites(t *testing.T) {
	for op, outputs := range map[ciphers.Operation]string{
		ciphers.OpGenerate: "PU", ciphers.OpDerive: "S", ciphers.OpEncapsulate: "CS", ciphers.OpDecapsulate: "S",
	} {
		x := entry(ciphers.X25519, op)
		written := ""
		for name, b := range map[string][]byte{"P": x.Private, "U": x.Public, "C": x.Ciphertext, "S": x.Secret} {
			b[0] = name[0]
		}
		x.Fail(ciphers.StatusShare)
		for _, b := range [][]byte{x.Private, x.Public, x.Ciphertext, x.Secret} {
			if b[0] == 0 {
				written += "x"
			}
		}
		if len(written) != len(outputs) || x.Status != ciphers.StatusShare || !errors.Is(x.Status.Err(), ciphers.ErrShare) {
			t.Errorf("%v: %d slices are zero, want %s; %v", op, len(written), outputs, x.Status)
		}
	}
}
