package kex

import (
	"crypto/ecdh"

	"github.com/sealburst/sealburst/ciphers"
)

// ECDH is a group of crypto/ecdh.
func ECDH(curve ecdh.Curve) DH { return ecdhGroup{curve} }

type ecdhGroup struct{ curve ecdh.Curve }

// Draw fills private with as many random bits as the group's order has. Prepare
// refuses what is zero or not below the order, and then another one is drawn.
func (g ecdhGroup) Draw(private []byte) {
	Random(private)
	if len(private) == ciphers.P521PrivateSize {
		private[0] &= 1
	}
}

func (g ecdhGroup) Prepare(private []byte) (Private, ciphers.Status) {
	k, err := g.curve.NewPrivateKey(private)
	if err != nil {
		return nil, ciphers.StatusPrivate
	}
	return ecdhKey{k}, ciphers.StatusOK
}

type ecdhKey struct{ *ecdh.PrivateKey }

func (k ecdhKey) Public(public []byte) { copy(public, k.PublicKey().Bytes()) }

func (k ecdhKey) Shared(secret, peer []byte) ciphers.Status {
	p, err := k.Curve().NewPublicKey(peer)
	if err != nil {
		return ciphers.StatusShare
	}
	s, err := k.ECDH(p)
	if err != nil {
		return ciphers.StatusShare
	}
	copy(secret, s)
	clear(s)
	return ciphers.StatusOK
}
