package ciphers

// Plaintext is what a valid packet seals.
func (p *Packet) Plaintext() []byte {
	if p.Plain != nil {
		return p.Plain[:p.Len:p.Len]
	}
	return p.Buf[p.Off : uint32(p.Off)+p.Len]
}

// Sealed is the part of Buf that a valid packet's sealing writes: as many bytes
// as the plaintext and then tag bytes.
func (p *Packet) Sealed(tag int) []byte {
	end := int(p.Off) + int(p.Len) + tag
	return p.Buf[p.Off:end:end]
}

// Received is the ciphertext and tag that a valid packet opens.
func (p *Packet) Received() []byte {
	end := int(p.Off) + int(p.Len)
	return p.Buf[p.Off:end:end]
}

// Opened is where a valid packet's plaintext goes, Len less tag bytes.
func (p *Packet) Opened(tag int) []byte {
	n := int(p.Len) - tag
	if p.Plain != nil {
		return p.Plain[:n:n]
	}
	return p.Buf[p.Off : int(p.Off)+n : int(p.Off)+n]
}

// Nonce is the nonce that the border derived: of 13 bytes the last 12, as
// Key.Lead has the first, and of 11 bytes all, with any byte behind them.
func (p *Packet) Nonce() *[12]byte { return &p.nonce }

// IV is the explicit part of a valid packet's nonce, as it travels in Buf; empty
// under a key that has none.
func (p *Packet) IV() []byte {
	if p.Key.explicit == 0 {
		return nil
	}
	end := int(p.IVOff) + int(p.Key.explicit)
	return p.Buf[p.IVOff:end:end]
}

// Sample is the 16 bytes that a valid packet's mask is made from.
func (p *Packet) Sample() []byte { return p.Buf[p.SampleOff : int(p.SampleOff)+MaskSize] }

// AAD is the associated data in one piece. They are copied to scratch, which
// should have room for them, only when both Prefix and a range in Buf are given.
func (p *Packet) AAD(scratch []byte) []byte {
	if p.AADLen == 0 {
		return p.Prefix
	}
	tail := p.Buf[p.AADOff : int(p.AADOff)+int(p.AADLen)]
	if len(p.Prefix) == 0 {
		return tail
	}
	return append(append(scratch[:0], p.Prefix...), tail...)
}
