package mlkem

import (
	"crypto/mlkem"
	"crypto/mlkem/mlkemtest"

	"github.com/sealburst/sealburst/ciphers"
)

// Std768 calls crypto/mlkem once an entry.
func Std768() ciphers.Exchanger { return each{std768{}} }

// Std1024 calls crypto/mlkem once an entry.
func Std1024() ciphers.Exchanger { return each{std1024{}} }

type std768 struct{}

func (std768) newKey(seed []byte) (decapsulator, bool) {
	k, err := mlkem.NewDecapsulationKey768(seed)
	return stdKey768{k}, err == nil
}

func (std768) encapsulate(ciphertext, secret, key, m []byte) bool {
	ek, err := mlkem.NewEncapsulationKey768(key)
	if err != nil {
		return false
	}
	var s, c []byte
	if m == nil {
		s, c = ek.Encapsulate()
	} else if s, c, err = mlkemtest.Encapsulate768(ek, m); err != nil {
		return false
	}
	take(secret, s)
	copy(ciphertext, c)
	return true
}

type stdKey768 struct{ *mlkem.DecapsulationKey768 }

func (k stdKey768) public(key []byte) { copy(key, k.EncapsulationKey().Bytes()) }

func (k stdKey768) decapsulate(secret, ciphertext []byte) bool {
	s, err := k.Decapsulate(ciphertext)
	take(secret, s)
	return err == nil
}

type std1024 struct{}

func (std1024) newKey(seed []byte) (decapsulator, bool) {
	k, err := mlkem.NewDecapsulationKey1024(seed)
	return stdKey1024{k}, err == nil
}

func (std1024) encapsulate(ciphertext, secret, key, m []byte) bool {
	ek, err := mlkem.NewEncapsulationKey1024(key)
	if err != nil {
		return false
	}
	var s, c []byte
	if m == nil {
		s, c = ek.Encapsulate()
	} else if s, c, err = mlkemtest.Encapsulate1024(ek, m); err != nil {
		return false
	}
	take(secret, s)
	copy(ciphertext, c)
	return true
}

type stdKey1024 struct{ *mlkem.DecapsulationKey1024 }

func (k stdKey1024) public(key []byte) { copy(key, k.EncapsulationKey().Bytes()) }

func (k stdKey1024) decapsulate(secret, ciphertext []byte) bool {
	s, err := k.Decapsulate(ciphertext)
	take(secret, s)
	return err == nil
}

// take copies a secret that the library allocated, and zeroes the library's.
func take(secret, s []byte) {
	copy(secret, s)
	clear(s)
}
