package keysched

import (
	"crypto"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
)

// QUICVersion is a version of QUIC as its long header carries it.
type QUICVersion uint32

// The versions that have a key schedule here.
const (
	QUIC1 QUICVersion = 0x00000001 // RFC 9001
	QUIC2 QUICVersion = 0x6b3343cf // RFC 9369
)

// InitialSecretSize is the length in bytes of a secret of Initial packets, whose
// hash is SHA-256 in every version.
const InitialSecretSize = sha256.Size

// maxConnectionID is the longest connection ID in bytes (RFC 9000 section 17.2).
const maxConnectionID = 20

type quicSchedule struct {
	salt   string    // of Initial packets
	keys   [3]string // labels of key, IV and header protection
	update string    // label of a key update
}

// RFC 9001 sections 5.1, 5.2 and 6.1; RFC 9369 sections 3.3.1 and 3.3.2.
func (v QUICVersion) schedule() (quicSchedule, error) {
	switch v {
	case QUIC1:
		return quicSchedule{
			salt:   "\x38\x76\x2c\xf7\xf5\x59\x34\xb3\x4d\x17\x9a\xe6\xa4\xc8\x0c\xad\xcc\xbb\x7f\x0a",
			keys:   [3]string{"quic key", "quic iv", "quic hp"},
			update: "quic ku",
		}, nil
	case QUIC2:
		return quicSchedule{
			salt:   "\x0d\xed\xe3\xde\xf7\x00\xa6\xdb\x81\x93\x81\xbe\x6e\x26\x9d\xcb\xf9\xbd\x2e\xd9",
			keys:   [3]string{"quicv2 key", "quicv2 iv", "quicv2 hp"},
			update: "quicv2 ku",
		}, nil
	}
	return quicSchedule{}, fmt.Errorf("%w: %#08x", ErrVersion, uint32(v))
}

// InitialSecrets fills client and server, InitialSecretSize bytes each, from the
// destination connection ID of the client's first packet (RFC 9001 section 5.2).
func (v QUICVersion) InitialSecrets(client, server, connectionID []byte) error {
	schedule, err := v.schedule()
	if err != nil {
		return err
	}
	for _, check := range []error{
		checkLength("client", len(client), InitialSecretSize, InitialSecretSize),
		checkLength("server", len(server), InitialSecretSize, InitialSecretSize),
		checkLength("connectionID", len(connectionID), 0, maxConnectionID),
	} {
		if check != nil {
			return check
		}
	}
	initial, err := hkdf.Extract(sha256.New, connectionID, []byte(schedule.salt))
	if err != nil {
		return fmt.Errorf("keysched: %w", err)
	}
	defer clear(initial)
	if err := TLS13.ExpandLabel(client, crypto.SHA256, initial, "client in", nil); err != nil {
		return err
	}
	return TLS13.ExpandLabel(server, crypto.SHA256, initial, "server in", nil)
}

// QUIC fills the keys from a secret of that version, as long as the hash (RFC 9001
// section 5.1).
func (k *TrafficKeys) QUIC(v QUICVersion, h crypto.Hash, secret []byte) error {
	schedule, err := v.schedule()
	if err != nil {
		return err
	}
	return k.expand(TLS13, h, secret, schedule.keys)
}

// Next fills next, as long as the hash, with the secret that follows current at a
// key update (RFC 9001 section 6.1). The two may be the same slice.
func (v QUICVersion) Next(next []byte, h crypto.Hash, current []byte) error {
	schedule, err := v.schedule()
	if err != nil {
		return err
	}
	return nextSecret(TLS13, next, h, current, schedule.update)
}
