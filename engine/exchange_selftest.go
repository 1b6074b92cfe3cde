package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	"github.com/sealburst/sealburst/ciphers"
)

// selfTestExchange generates, encapsulates and decapsulates from fixed seeds, a
// bad share behind the good ones, and compares the SHA-256 digest of all that
// came out with the known one. An implementation that is wide, one of vectors,
// gets as many good ones as there are lanes, others get one, since some groups
// take milliseconds.
func selfTestExchange(group Algorithm, impl ciphers.Exchanger, wide bool) error {
	n, known := 1, knownExchanges[group].one
	if wide {
		n, known = testLanes, knownExchanges[group].eight
	}
	batch := testExchanges(group, n+1)
	index := ciphers.Identity(len(batch))
	do := func(op ciphers.Operation) {
		for i := range batch {
			batch[i].Operation = op
		}
		ciphers.ExchangeBorder(batch)
		impl.Exchange(op, ciphers.ExchangeBatch{Entries: batch, Index: index})
	}
	do(ciphers.OpGenerate)
	spoilt := &batch[len(batch)-1]
	setBadShare(group, spoilt.Public)
	for i := range batch {
		batch[i].Seed = testSeed(group.SeedSize(), i)
	}
	do(ciphers.OpEncapsulate)
	if spoilt.Status != ciphers.StatusShare || !zero(spoilt.Secret) || !zero(spoilt.Ciphertext) {
		return ErrBadShare
	}
	good := batch[:len(batch)-1]
	if digestExchanges(good) != known {
		return ErrKnownAnswer
	}
	batch, index = good, index[:len(good)]
	return decapsulated(batch, func() { do(ciphers.OpDecapsulate) })
}

// decapsulated runs the client's side and compares its secrets with the server's.
func decapsulated(batch []Exchange, run func()) error {
	var secrets [][]byte
	for i := range batch {
		secrets = append(secrets, bytes.Clone(batch[i].Secret))
		clear(batch[i].Secret)
	}
	run()
	for i := range batch {
		if batch[i].Status != ciphers.StatusOK || !bytes.Equal(batch[i].Secret, secrets[i]) {
			return ErrKnownAnswer
		}
	}
	return nil
}

// testLanes are those of the widest vector.
const testLanes = 8

// testExchanges makes n entries with seeds to generate from.
func testExchanges(group Algorithm, n int) []Exchange {
	batch := make([]Exchange, n)
	for i := range batch {
		batch[i] = Exchange{
			Group: group, Seed: testSeed(group.PrivateSize(), i),
			Private: make([]byte, group.PrivateSize()), Public: make([]byte, group.PublicSize()),
			Ciphertext: make([]byte, group.CiphertextSize()), Secret: make([]byte, group.SecretSize()),
		}
	}
	return batch
}

// testSeed is a private key of every group: its first bits are few enough for the
// shortest exponent and the lowest order.
func testSeed(size, i int) []byte {
	seed := counting(size, byte(i))
	seed[0] = byte(i % 2)
	return seed
}

// setBadShare writes a share that the group refuses: zero in Diffie-Hellman
// groups, coefficients that are not reduced for ML-KEM.
func setBadShare(group Algorithm, public []byte) {
	clear(public)
	if !group.IsDH() {
		copy(public, bytes.Repeat([]byte{0xff}, len(public)))
	}
}

func digestExchanges(batch []Exchange) string {
	h := sha256.New()
	for i := range batch {
		h.Write(batch[i].Public)
		h.Write(batch[i].Ciphertext)
		h.Write(batch[i].Secret)
	}
	return hex.EncodeToString(h.Sum(nil))
}
