package ipsecadapter

import (
	"crypto"

	"github.com/sealburst/sealburst/record/keysched"
)

// ChildKeys are the key material of a child SA's two directions, each Transform.KeySize
// bytes long and fit for Association.Key.
type ChildKeys struct {
	Initiator []byte // of the SA that carries what the initiator sends
	Responder []byte // of the SA that carries what the responder sends
}

// DeriveChildKeys makes the keys of a child SA with prf+ (RFC 7296 section 2.17). skd is
// SK_d of the IKE SA, as long as the hash, shared the secret of the child's own key
// exchange or nil without one, ni and nr the nonces, of 16 to 256 bytes, of the exchange that
// made the child. It fails with an ErrConfig for the transform, keysched.ErrHash for the
// hash, and keysched.ErrLength, naming the argument, for a length.
func DeriveChildKeys(t Transform, h crypto.Hash, skd, shared, ni, nr []byte) (*ChildKeys, error) {
	if !t.Valid() {
		return nil, &FieldError{"Transform", t.String()}
	}
	size := t.KeySize()
	material := make([]byte, 2*size)
	if err := keysched.KEYMAT(material, h, skd, shared, ni, nr); err != nil {
		return nil, err
	}
	return &ChildKeys{Initiator: material[:size:size], Responder: material[size:]}, nil
}

// Erase zeroes the keys. SAs that were made from them are not affected.
func (k *ChildKeys) Erase() {
	clear(k.Initiator)
	clear(k.Responder)
}
