package keysched

import (
	"crypto"
	"slices"
)

// PRFPlus fills dst with prf+(key, seeds) of RFC 7296 section 2.13, where the seeds
// are concatenated and prf is HMAC with SHA-1, SHA-256, SHA-384 or SHA-512. It
// gives at most 255 times the hash. The key material of a child SA is
// PRFPlus(dst, h, SK_d, [g^ir,] Ni, Nr) (section 2.17).
func PRFPlus(dst []byte, h crypto.Hash, key []byte, seeds ...[]byte) error {
	newHash, err := newIKE(h)
	if err != nil {
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

// SKEYSEED fills dst, as long as the hash, with prf(Ni | Nr, g^ir) of RFC 7296
// section 2.14.
func SKEYSEED(dst []byte, h crypto.Hash, shared, ni, nr []byte) error {
	key := slices.Concat(ni, nr)
	return prf(dst, h, key, shared)
}

// RekeySKEYSEED fills dst, as long as the hash, with prf(SK_d, g^ir | Ni | Nr) of
// RFC 7296 section 2.18, under the hash and SK_d of the IKE SA that is replaced.
func RekeySKEYSEED(dst []byte, h crypto.Hash, skd, shared, ni, nr []byte) error {
	return prf(dst, h, skd, shared, ni, nr)
}

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

// Derive fills the slices with prf+(SKEYSEED, Ni | Nr | SPIi | SPIr). The SPIs have
// 8 bytes each.
func (k *IKEKeys) Derive(h crypto.Hash, skeyseed, ni, nr, spiI, spiR []byte) error {
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
