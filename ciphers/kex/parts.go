package kex

import "github.com/sealburst/sealburst/ciphers"

// Lanes is the work space of an implementation that does some entries side by side. Its
// methods set the status of each entry and return how many succeeded.
type Lanes interface {
	Generate(b ciphers.ExchangeBatch) (ok int)
	Encapsulate(b ciphers.ExchangeBatch) (ok int)
	Decapsulate(b ciphers.ExchangeBatch) (ok int) // derives, where op is OpDerive
}

// InParts does a batch of any length in parts of at most that many entries, and returns
// how many succeeded.
func InParts(l Lanes, most int, op ciphers.Operation, b ciphers.ExchangeBatch) (ok int) {
	for len(b.Index) > 0 {
		part := b
		part.Index = b.Index[:min(most, len(b.Index))]
		b.Index = b.Index[len(part.Index):]
		switch op {
		case ciphers.OpGenerate:
			ok += l.Generate(part)
		case ciphers.OpEncapsulate:
			ok += l.Encapsulate(part)
		default:
			ok += l.Decapsulate(part)
		}
	}
	return ok
}
