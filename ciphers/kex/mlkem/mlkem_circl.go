package mlkem

import (
	"github.com/cloudflare/circl/kem/mlkem/mlkem1024"
	"github.com/cloudflare/circl/kem/mlkem/mlkem768"
	"github.com/sealburst/sealburst/ciphers"
)

// Circl768 calls circl once an entry.
func Circl768() ciphers.Exchanger { return each{circl768{}} }

// Circl1024 calls circl once an entry.
func Circl1024() ciphers.Exchanger { return each{circl1024{}} }

type circl768 struct{}

func (circl768) newKey(seed []byte) (decapsulator, bool) {
	pk, sk := mlkem768.NewKeyFromSeed(seed)
	return &circlKey768{pk, sk}, true
}

func (circl768) encapsulate(ciphertext, secret, key, m []byte) bool {
	var pk mlkem768.PublicKey
	if pk.Unpack(key) != nil {
		return false
	}
	pk.EncapsulateTo(ciphertext, secret, m)
	return true
}

type circlKey768 struct {
	ek *mlkem768.PublicKey
	dk *mlkem768.PrivateKey
}

func (k *circlKey768) public(key []byte) { k.ek.Pack(key) }

func (k *circlKey768) decapsulate(secret, ciphertext []byte) bool {
	k.dk.DecapsulateTo(secret, ciphertext)
	return true
}

type circl1024 struct{}

func (circl1024) newKey(seed []byte) (decapsulator, bool) {
	pk, sk := mlkem1024.NewKeyFromSeed(seed)
	return &circlKey1024{pk, sk}, true
}

func (circl1024) encapsulate(ciphertext, secret, key, m []byte) bool {
	var pk mlkem1024.PublicKey
	if pk.Unpack(key) != nil {
		return false
	}
	pk.EncapsulateTo(ciphertext, secret, m)
	return true
}

type circlKey1024 struct {
	ek *mlkem1024.PublicKey
	dk *mlkem1024.PrivateKey
}

func (k *circlKey1024) public(key []byte) { k.ek.Pack(key) }

func (k *circlKey1024) decapsulate(secret, ciphertext []byte) bool {
	k.dk.DecapsulateTo(secret, ciphertext)
	return true
}
