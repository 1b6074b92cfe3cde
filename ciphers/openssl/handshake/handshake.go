//go:build openssl

package handshake

/*
#cgo LDFLAGS: -lssl -lcrypto
#include <stdlib.h>
#include "handshake.h"
*/
import "C"

import (
	"errors"
	"unsafe"
)

// ErrRefused says that OpenSSL made no such pair, and ErrHandshake that a
// handshake did not come to its end.
var (
	ErrRefused   = errors.New("handshake: the library refuses the suite or the groups")
	ErrHandshake = errors.New("handshake: not finished")
)

// Kind is a kind of handshake, by OpenSSL's names.
type Kind struct {
	Suite  string // of TLS 1.2, as "ECDHE-RSA-AES128-GCM-SHA256"
	Groups string // of elliptic-curve suites, as "X25519"; modular ones use 2048 bits
	RSA    bool   // the certificate is RSA's, of 2048 bits, not one of P-256
}

// Pair is a client and a server. One goroutine uses it.
type Pair struct{ c *C.struct_pair }

// New makes a pair with a fresh certificate. Close frees it.
func New(k Kind) (*Pair, error) {
	suite, groups := C.CString(k.Suite), C.CString(k.Groups)
	defer C.free(unsafe.Pointer(suite))
	defer C.free(unsafe.Pointer(groups))
	rsa := C.int(0)
	if k.RSA {
		rsa = 1
	}
	c := C.handshake_pair(suite, groups, rsa)
	if c == nil {
		return nil, ErrRefused
	}
	return &Pair{c}, nil
}

// Run runs n full handshakes one after the other.
func (p *Pair) Run(n int) error {
	for range n {
		if C.handshake_run(p.c) != 1 {
			return ErrHandshake
		}
	}
	return nil
}

// Close frees both sides.
func (p *Pair) Close() {
	C.handshake_free(p.c)
	p.c = nil
}
