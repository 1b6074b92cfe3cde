package keysched

import (
	"crypto"
	"slices"
)

// PRFPlus fills dst with prf+(key, seeds) of RFC 7296 section 2.13, where the seeds
// are concatenated and prf is HMAC with SHA-1, SHA-256, SHA-384 or SHA-512. It
// gives at most 255 times the hash. The key must not be empty.
func PRFPlus(dst []byte, h crypto.Hash, key []byte, seeds ...[]byte) error {
	newHash, err := newIKE(h)
	if err != nil {
		return err
	}
	if err := checkSecret("key", key); err != nil {
		return err
	}
	if err := checkLength("dst", len(dst), 0, 255*h.Size()); err != nil {
		return err
	}
	mac, block := newMAC(newHash, key)
	defer clear(block)
	counter := []byte{1}
	parts := slices.Concat([][]byte{nil}, seeds, [][]byte{counter})
	for len(dst) > 0 {
		sum(mac, block, parts...)
		dst = dst[copy(dst, block):]
		parts[0] = block
		counter[0]++
	}
	return nil
}

// KEYMAT fills dst with the key material of a child SA, prf+(SK_d, [g^ir |] Ni | Nr)
// of RFC 7296 section 2.17, under the hash of the IKE SA. shared is g^ir of the
// child's own key exchange, and nil without one; SK_d is as long as the hash, the nonces
// have the 16 to 256 bytes of section 2.10.
func KEYMAT(dst []byte, h crypto.Hash, skd, shared, ni, nr []byte) error {
	if err := checkSKd(h, skd); err != nil {
		return err
	}
	if err := checkNonces(ni, nr, minNonce); err != nil {
		return err
	}
	return PRFPlus(dst, h, skd, shared, ni, nr)
}

// SKEYSEED fills dst, as long as the hash, with prf(Ni | Nr, g^ir) of RFC 7296
// section 2.14. The secret g^ir must not be empty. Nonces of fewer bytes than the 16
// of section 2.10, which NIST's test vectors have, are taken, but not empty ones.
func SKEYSEED(dst []byte, h crypto.Hash, shared, ni, nr []byte) error {
	if err := checkExchange(shared, ni, nr); err != nil {
		return err
	}
	return prf(dst, h, slices.Concat(ni, nr), shared)
}

// RekeySKEYSEED fills dst, as long as the hash, with prf(SK_d, g^ir | Ni | Nr) of
// RFC 7296 section 2.18, under the hash and SK_d, of the same length, of the IKE SA that
// is replaced. The other arguments are as SKEYSEED has them.
func RekeySKEYSEED(dst []byte, h crypto.Hash, skd, shared, ni, nr []byte) error {
	if err := checkSKd(h, skd); err != nil {
		return err
	}
	if err := checkExchange(shared, ni, nr); err != nil {
		return err
	}
	return prf(dst, h, skd, shared, ni, nr)
}

// Lengths of a nonce in bytes (RFC 7296 sections 2.10 and 3.9).
const (
	minNonce = 16
	maxNonce = 256
)

func checkNonces(ni, nr []byte, least int) error {
	if err := checkLength("ni", len(ni), least, maxNonce); err != nil {
		return err
	}
	return checkLength("nr", len(nr), least, maxNonce)
}

func checkExchange(shared, ni, nr []byte) error {
	if err := checkSecret("shared", shared); err != nil {
		return err
	}
	return checkNonces(ni, nr, 1)
}

// checkSKd wants an SK_d that has the preferred length of the prf's key (RFC 7296
// section 2.14), with HMAC that of the hash.
func checkSKd(h crypto.Hash, skd []byte) error {
	if _, err := newIKE(h); err != nil {
		return err
	}
	return checkLength("skd", len(skd), h.Size(), h.Size())
}

// prf computes prf(key, parts) under a key that was checked.
func prf(dst []byte, h crypto.Hash, key []byte, parts ...[]byte) error {
	newHash, err := newIKE(h)
	if err != nil {
		return err
	}
	if err := checkLength("dst", len(dst), h.Size(), h.Size()); err != nil {
		return err
	}
	mac, _ := newMAC(newHash, key)
	sum(mac, dst, parts...)
	return nil
}

// IKEKeys are the secrets of an IKE SA (RFC 7296 section 2.14). The caller sizes
// the slices: D, PI and PR as long as the hash, AI and AR empty with an AEAD, EI and
// ER with its salt (RFC 5282 section 7.1).
type IKEKeys struct {
	D      []byte // SK_d, which child SAs are derived from
	AI, AR []byte // SK_ai, SK_ar: integrity
	EI, ER []byte // SK_ei, SK_er: encryption
	PI, PR []byte // SK_pi, SK_pr: the AUTH payloads
}

// Derive fills the slices with prf+(SKEYSEED, Ni | Nr | SPIi | SPIr). SKEYSEED is as
// long as the hash, the SPIs have 8 bytes each; the nonces are as SKEYSEED has them.
func (k *IKEKeys) Derive(h crypto.Hash, skeyseed, ni, nr, spiI, spiR []byte) error {
	if _, err := newIKE(h); err != nil {
		return err
	}
	if err := checkLength("skeyseed", len(skeyseed), h.Size(), h.Size()); err != nil {
		return err
	}
	if err := checkNonces(ni, nr, 1); err != nil {
		return err
	}
	if err := checkLength("spiI", len(spiI), 8, 8); err != nil {
		return err
	}
	if err := checkLength("spiR", len(spiR), 8, 8); err != nil {
		return err
	}
	stream := make([]byte, total(k.D, k.AI, k.AR, k.EI, k.ER, k.PI, k.PR))
	defer clear(stream)
	if err := PRFPlus(stream, h, skeyseed, ni, nr, spiI, spiR); err != nil {
		return err
	}
	carve(stream, k.D, k.AI, k.AR, k.EI, k.ER, k.PI, k.PR)
	return nil
}
