package cipherstest

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// exchangeTests are the parts of TestExchanger, named after the rule that each proves.
var exchangeTests = []struct {
	name string
	run  func(*testing.T, kexSubject)
}{
	{"KnownAnswers", testKexKnownAnswers},
	{"Wycheproof", testKexWycheproof},
	{"OracleAndEveryBatchSize", testKexBatchSizes},
	{"BadSharesAmongGoodOnes", testKexBadShares},
	{"BadPrivateKeysAmongGoodOnes", testKexBadPrivate},
	{"RandomIsFresh", testKexFresh},
	{"Handshake", testKexHandshake},
	{"StalePreparedIsHarmless", testKexStale},
}

// TestExchanger runs the kit over impl as an implementation of the group.
func TestExchanger(t *testing.T, group ciphers.Algorithm, impl ciphers.Exchanger) {
	for _, part := range exchangeTests {
		t.Run(part.name, func(t *testing.T) { part.run(t, kexSubject{group, impl}) })
	}
}

// kexSubject is the implementation under test and the group that it serves.
type kexSubject struct {
	group ciphers.Algorithm
	impl  ciphers.Exchanger
}

// do runs a batch of one operation over the border, as the engine does, and
// returns what the implementation returned.
func (s kexSubject) do(op ciphers.Operation, batch []ciphers.Exchange) int {
	for i := range batch {
		batch[i].Group, batch[i].Operation = s.group, op
	}
	ciphers.ExchangeBorder(batch)
	index := make([]uint8, 0, ciphers.MaxBurst)
	for i := range batch {
		if batch[i].Status == ciphers.StatusNone {
			index = append(index, uint8(i))
		}
	}
	return s.impl.Exchange(op, ciphers.ExchangeBatch{Entries: batch, Index: index})
}

// one runs a single exchange.
func (s kexSubject) one(op ciphers.Operation, x *ciphers.Exchange) ciphers.Status {
	batch := []ciphers.Exchange{*x}
	s.do(op, batch)
	*x = batch[0]
	return x.Status
}

// operations lists those that the group has.
func (s kexSubject) operations() []ciphers.Operation {
	ops := []ciphers.Operation{ciphers.OpGenerate, ciphers.OpEncapsulate, ciphers.OpDecapsulate}
	if s.group.IsDH() {
		ops = append(ops, ciphers.OpDerive)
	}
	return ops
}

// room is an entry with fresh slices of all sizes, full of junk.
func (s kexSubject) room() *ciphers.Exchange {
	return &ciphers.Exchange{
		Private: junk(s.group.PrivateSize()), Public: junk(s.group.PublicSize()),
		Ciphertext: junk(s.group.CiphertextSize()), Secret: junk(s.group.SecretSize()),
	}
}

func junk(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = 0xa5
	}
	return b
}
