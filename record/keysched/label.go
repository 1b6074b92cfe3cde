package keysched

import (
	"crypto"
	"crypto/hkdf"
	"encoding/binary"
	"fmt"
)

// Prefix is what a protocol puts before its labels, six bytes long.
type Prefix string

// The prefixes. QUIC uses that of TLS 1.3.
const (
	TLS13  Prefix = "tls13 " // RFC 8446 section 7.1
	DTLS13 Prefix = "dtls13" // RFC 9147 section 5.9
)

// ExpandLabel fills dst with HKDF-Expand-Label(secret, label, context, len(dst)) of
// RFC 8446 section 7.1. The secret is as long as the hash, as all secrets of that
// section are; the label has 1 to 249 bytes, the context up to 255, dst up to 255 times
// the hash.
func (p Prefix) ExpandLabel(dst []byte, h crypto.Hash, secret []byte, label string, context []byte) error {
	if p != TLS13 && p != DTLS13 {
		return fmt.Errorf("%w: %q", ErrPrefix, string(p))
	}
	newHash, err := newSHA2(h)
	if err != nil {
		return err
	}
	if err := checkHashed("secret", h, secret); err != nil {
		return err
	}
	if label == "" || len(p)+len(label) > 255 {
		return fmt.Errorf("%w: %d bytes, not 1 to 249", ErrLabel, len(label))
	}
	if err := checkLength("context", len(context), 0, 255); err != nil {
		return err
	}
	if err := checkLength("dst", len(dst), 0, 255*h.Size()); err != nil {
		return err
	}
	out, err := hkdf.Expand(newHash, secret, p.info(len(dst), label, context), len(dst))
	if err != nil {
		return fmt.Errorf("keysched: %w", err)
	}
	copy(dst, out)
	clear(out)
	return nil
}

// checkHashed is for secrets that are as long as the hash, which it checks first.
func checkHashed(field string, h crypto.Hash, secret []byte) error {
	if _, err := newSHA2(h); err != nil {
		return err
	}
	return checkLength(field, len(secret), h.Size(), h.Size())
}

// info is the HkdfLabel structure.
func (p Prefix) info(length int, label string, context []byte) string {
	info := binary.BigEndian.AppendUint16(nil, uint16(length))
	info = append(info, byte(len(p)+len(label)))
	info = append(info, p...)
	info = append(info, label...)
	info = append(info, byte(len(context)))
	return string(append(info, context...))
}

// TrafficKeys are the keys of one direction under one traffic secret. The caller
// sizes the slices; one of no length is not derived, as the mask key at a key
// update of QUIC, which keeps the old one.
type TrafficKeys struct {
	Key  []byte // of the AEAD
	IV   []byte // 12 bytes
	Mask []byte // of header protection, or of DTLS 1.3's record number encryption
}

// DTLS13 fills the keys from a traffic secret, as long as the hash (RFC 8446 section
// 7.3, RFC 9147 section 4.2.3).
func (k *TrafficKeys) DTLS13(h crypto.Hash, secret []byte) error {
	return k.expand(DTLS13, h, secret, [3]string{"key", "iv", "sn"})
}

func (k *TrafficKeys) expand(p Prefix, h crypto.Hash, secret []byte, labels [3]string) error {
	if err := checkHashed("secret", h, secret); err != nil {
		return err
	}
	stream := make([]byte, total(k.Key, k.IV, k.Mask))
	defer clear(stream)
	rest := stream
	for i, size := range [3]int{len(k.Key), len(k.IV), len(k.Mask)} {
		if size == 0 {
			continue
		}
		if err := p.ExpandLabel(rest[:size], h, secret, labels[i], nil); err != nil {
			return err
		}
		rest = rest[size:]
	}
	carve(stream, k.Key, k.IV, k.Mask)
	return nil
}

// NextDTLS13 fills next, as long as the hash, with the traffic secret that follows
// current at a key update (RFC 8446 section 7.2). The two may be the same slice.
func NextDTLS13(next []byte, h crypto.Hash, current []byte) error {
	return nextSecret(DTLS13, next, h, current, "traffic upd")
}

func nextSecret(p Prefix, next []byte, h crypto.Hash, current []byte, label string) error {
	if err := checkHashed("current", h, current); err != nil {
		return err
	}
	if err := checkLength("next", len(next), h.Size(), h.Size()); err != nil {
		return err
	}
	return p.ExpandLabel(next, h, current, label, nil)
}
