package ciphers

// Operation is what an entry of a batch of key exchanges asks for. The zero
// value is invalid.
//
// A handshake over any group, Diffie-Hellman or KEM, takes three calls: the
// client generates, the server encapsulates against the client's public share,
// the client decapsulates what the server answered. The field notes of Exchange
// say what each call reads and writes.
type Operation uint8

// The operations.
const (
	// OpGenerate makes a key pair.
	OpGenerate Operation = iota + 1
	// OpDerive agrees with a peer's public share. KEMs and hybrids have no such operation.
	OpDerive
	// OpEncapsulate makes the answer to a peer's public share, and the secret. In a
	// Diffie-Hellman group the answer is the public share of a fresh key pair,
	// whose private half is gone after the call.
	OpEncapsulate
	// OpDecapsulate takes the secret out of a peer's answer. In a Diffie-Hellman
	// group it is OpDerive with that answer.
	OpDecapsulate
	numOperations
)

// NumOperations bounds the operations, for tables.
const NumOperations = int(numOperations)

var operationNames = [numOperations]string{
	OpGenerate: "generate", OpDerive: "derive", OpEncapsulate: "encapsulate", OpDecapsulate: "decapsulate",
}

// String is the name for tables: "generate", "derive", "encapsulate" or "decapsulate".
func (o Operation) String() string {
	if o == 0 || o >= numOperations {
		return "none"
	}
	return operationNames[o]
}

// Exchange is one entry of a batch of key exchanges. Its slices are the caller's
// and have exactly the group's sizes; those that an operation neither reads nor
// writes are ignored. Slices that a batch writes overlap no other of the batch.
//
//	OpGenerate      writes Private, Public
//	OpDerive        reads Private, Public (the peer's); writes Secret
//	OpEncapsulate   reads Public (the peer's); writes Ciphertext, Secret
//	OpDecapsulate   reads Private, Ciphertext; writes Secret
//
// Every Status but StatusOK means that nothing was written or that what was
// written is zero. An entry that fails does not touch its neighbours.
//
// Private is the form from which everything else follows: the scalar, the
// exponent, the 64-byte seed of FIPS 203 section 7.1. The caller zeroes it.
type Exchange struct {
	Group     Algorithm
	Operation Operation
	Status    Status // the outcome

	Private    []byte // PrivateSize bytes
	Public     []byte // PublicSize bytes, as the key_share of TLS 1.3 has them
	Ciphertext []byte // CiphertextSize bytes, likewise
	Secret     []byte // SecretSize bytes

	// Seed takes the place of the random source, in tests and known answers: for
	// OpGenerate PrivateSize bytes, which become Private, for OpEncapsulate
	// SeedSize bytes. Nil, as everywhere else, draws from the system's source.
	Seed []byte

	// Prepared is what a backend made of Private and wants to find again: it sets
	// it in OpGenerate, OpDerive and OpDecapsulate, so that the next operation under the same key
	// saves that work. A nil one, one of another backend's and one of another
	// private key are all harmless. See Prepared.
	Prepared Prepared
}

// Prepared is a private key in a form of a backend's own. Clear zeroes and drops
// it, as far as the backend can: a library's objects go to the garbage
// collector as they are.
type Prepared interface{ Clear() }

// ExchangeBatch is the part of a batch that one implementation serves under one
// operation: the entries that Index names. All of them passed the border. Index
// has no duplicate and belongs to the engine.
type ExchangeBatch struct {
	Entries []Exchange
	Index   []uint8
}

// Exchanger serves one group. Exchange does op for every entry of the batch,
// sets its Status and returns how many are StatusOK. It is safe for concurrent
// use on different entries. An entry fails by StatusShare when the peer's share
// is not acceptable, by StatusPrivate or StatusSeed when the caller's private
// key or seed is none, and by StatusBackend. Time and memory accesses do not
// depend on private keys, seeds and secrets.
type Exchanger interface {
	Exchange(op Operation, b ExchangeBatch) int
}
