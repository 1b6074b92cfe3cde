package ciphers

// ExchangeBorder checks every entry of a batch and sets its Status: StatusNone
// where an implementation may see it, else why not. shared reports whether all
// of them are valid and have the group and the operation of the first.
func ExchangeBorder(batch []Exchange) (shared bool) {
	shared = len(batch) > 0
	for i := range batch {
		x := &batch[i]
		x.Status = x.check()
		shared = shared && x.Status == StatusNone && x.Group == batch[0].Group && x.Operation == batch[0].Operation
	}
	return shared
}

func (x *Exchange) check() Status {
	s := x.Group.sizes()
	if s.private == 0 {
		return StatusGroup
	}
	switch x.Operation {
	case OpGenerate:
		return x.checkGenerate(s)
	case OpDerive:
		return x.checkDerive(s)
	case OpEncapsulate:
		return x.checkEncapsulate(s)
	case OpDecapsulate:
		return x.checkDecapsulate(s)
	}
	return StatusOperation
}

func (x *Exchange) checkGenerate(s *exchangeSizes) Status {
	switch {
	case len(x.Private) != s.private:
		return StatusPrivate
	case len(x.Public) != s.public:
		return StatusPublic
	case x.Seed != nil && len(x.Seed) != s.private:
		return StatusSeed
	}
	return StatusNone
}

func (x *Exchange) checkDerive(s *exchangeSizes) Status {
	switch {
	case !s.dh:
		return StatusOperation
	case len(x.Private) != s.private:
		return StatusPrivate
	case len(x.Public) != s.public:
		return StatusPublic
	case len(x.Secret) != s.secret:
		return StatusSecret
	}
	return StatusNone
}

func (x *Exchange) checkEncapsulate(s *exchangeSizes) Status {
	switch {
	case len(x.Public) != s.public:
		return StatusPublic
	case len(x.Ciphertext) != s.ciphertext:
		return StatusCiphertext
	case len(x.Secret) != s.secret:
		return StatusSecret
	case x.Seed != nil && len(x.Seed) != s.seed:
		return StatusSeed
	}
	return StatusNone
}

func (x *Exchange) checkDecapsulate(s *exchangeSizes) Status {
	switch {
	case len(x.Private) != s.private:
		return StatusPrivate
	case len(x.Ciphertext) != s.ciphertext:
		return StatusCiphertext
	case len(x.Secret) != s.secret:
		return StatusSecret
	}
	return StatusNone
}

// PeerShare is what x reads of the peer: its answer in OpDecapsulate,
// else its public share.
func (x *Exchange) PeerShare() []byte {
	if x.Operation == OpDecapsulate {
		return x.Ciphertext
	}
	return x.Public
}

// Fail sets the outcome of an entry that an implementation could not serve, and
// zeroes what the operation writes.
func (x *Exchange) Fail(why Status) {
	x.Status = why
	if x.Operation == OpGenerate {
		clear(x.Private)
		clear(x.Public)
		return
	}
	clear(x.Secret)
	if x.Operation == OpEncapsulate {
		clear(x.Ciphertext)
	}
}
