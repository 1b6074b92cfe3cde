package keysched

import (
	"crypto"
	"encoding/binary"
	"fmt"
	"slices"
)

// Lengths in bytes of TLS 1.2 (RFC 5246 sections 6.1 and 8.1).
const (
	MasterSecretSize = 48
	RandomSize       = 32
)

// PRF fills dst with PRF(secret, label, seeds) of RFC 5246 section 5, where the
// seeds are concatenated. The hash is SHA-256 or SHA-384, as the suite names it. The
// secret must not be empty.
func PRF(dst []byte, h crypto.Hash, secret []byte, label string, seeds ...[]byte) error {
	newHash, err := newSHA2(h)
	if err != nil {
		return err
	}
	if err := checkSecret("secret", secret); err != nil {
		return err
	}
	mac, a := newMAC(newHash, secret)
	_, block := newMAC(newHash, nil)
	defer clear(a)
	defer clear(block)
	parts := append([][]byte{a, []byte(label)}, seeds...)
	sum(mac, a, parts[1:]...) // A(1)
	for len(dst) > 0 {
		sum(mac, block, parts...)
		dst = dst[copy(dst, block):]
		sum(mac, a, a)
	}
	return nil
}

// MasterSecret fills dst, MasterSecretSize bytes, as RFC 5246 section 8.1 says. The
// premaster secret is as long as the key exchange makes it, and not empty.
func MasterSecret(dst []byte, h crypto.Hash, premaster, clientRandom, serverRandom []byte) error {
	if err := checkLength("dst", len(dst), MasterSecretSize, MasterSecretSize); err != nil {
		return err
	}
	if err := checkRandoms(clientRandom, serverRandom); err != nil {
		return err
	}
	if err := checkSecret("premaster", premaster); err != nil {
		return err
	}
	return PRF(dst, h, premaster, "master secret", clientRandom, serverRandom)
}

// ExtendedMasterSecret fills dst, MasterSecretSize bytes, as RFC 7627 section 4
// says. The session hash is that of the handshake up to ClientKeyExchange.
func ExtendedMasterSecret(dst []byte, h crypto.Hash, premaster, sessionHash []byte) error {
	if err := checkLength("dst", len(dst), MasterSecretSize, MasterSecretSize); err != nil {
		return err
	}
	if err := checkSecret("premaster", premaster); err != nil {
		return err
	}
	return PRF(dst, h, premaster, "extended master secret", sessionHash)
}

// KeyBlock is the key material of an AEAD suite of TLS 1.2 or DTLS 1.2, which has
// no MAC keys. The caller sizes the slices: the IV is 4 bytes for GCM and CCM, 12
// for ChaCha20-Poly1305.
type KeyBlock struct {
	ClientKey, ServerKey []byte
	ClientIV, ServerIV   []byte
}

// Derive fills the slices as RFC 5246 section 6.3 says.
func (b *KeyBlock) Derive(h crypto.Hash, master, clientRandom, serverRandom []byte) error {
	if err := checkLength("master", len(master), MasterSecretSize, MasterSecretSize); err != nil {
		return err
	}
	if err := checkRandoms(clientRandom, serverRandom); err != nil {
		return err
	}
	stream := make([]byte, total(b.ClientKey, b.ServerKey, b.ClientIV, b.ServerIV))
	defer clear(stream)
	if err := PRF(stream, h, master, "key expansion", serverRandom, clientRandom); err != nil {
		return err
	}
	carve(stream, b.ClientKey, b.ServerKey, b.ClientIV, b.ServerIV)
	return nil
}

// reserved are the labels of the handshake itself; an exporter must not have them
// (RFC 5705 section 4, RFC 7627 section 4).
var reserved = []string{"client finished", "server finished", "master secret", "extended master secret", "key expansion"}

// Exporter fills dst with keying material for an application, as RFC 5705 section
// 4 says. The master secret has MasterSecretSize bytes. A nil context is none; an empty
// one is a context of no bytes, which gives another result.
func Exporter(dst []byte, h crypto.Hash, master, clientRandom, serverRandom []byte, label string, context []byte) error {
	if slices.Contains(reserved, label) {
		return fmt.Errorf("%w: %q is reserved", ErrLabel, label)
	}
	if err := checkLength("master", len(master), MasterSecretSize, MasterSecretSize); err != nil {
		return err
	}
	if err := checkLength("context", len(context), 0, 1<<16-1); err != nil {
		return err
	}
	if err := checkRandoms(clientRandom, serverRandom); err != nil {
		return err
	}
	seeds := [][]byte{clientRandom, serverRandom}
	if context != nil {
		seeds = append(seeds, binary.BigEndian.AppendUint16(nil, uint16(len(context))), context)
	}
	return PRF(dst, h, master, label, seeds...)
}

func checkRandoms(client, server []byte) error {
	if err := checkLength("clientRandom", len(client), RandomSize, RandomSize); err != nil {
		return err
	}
	return checkLength("serverRandom", len(server), RandomSize, RandomSize)
}
