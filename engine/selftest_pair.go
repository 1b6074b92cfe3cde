package engine

import "github.com/sealburst/sealburst/ciphers"

// pairSpec completes the spec of a self-test's key of two parts. Its ICVs cover
// the high half of the sequence number.
func pairSpec(spec *KeySpec, d ciphers.Direction) {
	alg := spec.Algorithm
	spec.Direction, spec.Nonce, spec.ESN = d, alg.IVForm(), true
	spec.AuthKey = counting(alg.AuthKeySize(), 0x40)
	if spec.Nonce == ciphers.NonceExplicit {
		spec.IV = counting(alg.NonceSizes()[0]-ciphers.ExplicitSize, 0x80)
	}
}

// testSize is the plaintext length of packet i: whole blocks, and nothing where
// no payload is allowed.
func testSize(alg Algorithm, i int) int {
	if alg.Encryption() == ciphers.IntegrityOnly {
		return 0
	}
	return testSizes[i] - testSizes[i]%alg.BlockSize()
}

// pairPacket puts an IV between associated data and payload, in every other
// packet with a byte between, so that what the ICV covers lies in one piece and
// in two. What takes no payload has its data behind the ICV, as AH has.
func pairPacket(p *Packet, i int) {
	alg := p.Key.Algorithm()
	p.High, p.Len = uint32(i)<<24|0x010203, uint32(testSize(alg, i))
	p.IVOff = uint16(testHeader - p.Key.ExplicitSize())
	p.AADLen = p.IVOff - uint16(i&1)
	if alg.Encryption() == ciphers.IntegrityOnly {
		p.AADOff, p.AADLen = uint16(testHeader+p.Key.TagSize()), uint16(testSizes[i])
	}
}

// fixIVs puts known bytes in the place of IVs that were drawn.
func fixIVs(packets []Packet) {
	for i := range packets {
		if p := &packets[i]; p.Key.Algorithm().IVForm() == ciphers.NonceDrawn {
			copy(p.IV(), counting(len(p.IV()), byte(0xa0+i)))
		}
	}
}

// knownAnswer is the digest that the self-test of an algorithm expects.
func knownAnswer(alg Algorithm) string {
	if alg.Integrity() != 0 {
		return pairAnswers[alg.String()]
	}
	return knownAnswers[alg]
}
