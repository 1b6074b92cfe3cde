//go:build openssl

package openssl

/*
#cgo CFLAGS: -I${SRCDIR}/../internal/staging
#cgo LDFLAGS: -lcrypto
#include "native.h"
*/
import "C"

import (
	"errors"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/staging"
)

// priority is below the portable backend, which is faster for packets: only a pin
// chooses this one.
const priority = -10

var errKey = errors.New("openssl: the library refuses the key")

// Backend serves AES-GCM, AES-CCM and ChaCha20-Poly1305, masks, and key exchange
// over X25519, P-256, P-384 and finite fields.
func Backend() *ciphers.Backend {
	return &ciphers.Backend{
		Name:     "openssl",
		Priority: priority,
		AEADs: map[ciphers.Algorithm]ciphers.AEAD{
			ciphers.AES128GCM:        staging.AEAD(algorithm{C.GCM}),
			ciphers.AES192GCM:        staging.AEAD(algorithm{C.GCM}),
			ciphers.AES256GCM:        staging.AEAD(algorithm{C.GCM}),
			ciphers.AES128CCM:        staging.AEAD(algorithm{C.CCM}),
			ciphers.AES256CCM:        staging.AEAD(algorithm{C.CCM}),
			ciphers.ChaCha20Poly1305: staging.AEAD(algorithm{C.CHACHA20_POLY1305}),
		},
		Masks: map[ciphers.Algorithm]ciphers.Masker{
			ciphers.MaskAES128:   staging.Masker(algorithm{C.MASK_AES}),
			ciphers.MaskAES256:   staging.Masker(algorithm{C.MASK_AES}),
			ciphers.MaskChaCha20: staging.Masker(algorithm{C.MASK_CHACHA20}),
		},
		Exchanges: exchanges(),
	}
}

// algorithm is one kind of key; its size says the rest.
type algorithm struct{ kind C.enum_kind }

func (x algorithm) NewKey(spec *ciphers.KeySpec) (uintptr, ciphers.Releaser, error) {
	sealing := C.int(1)
	if spec.Direction == ciphers.Opening {
		sealing = 0
	}
	raw := (*C.uint8_t)(unsafe.SliceData(spec.Key))
	k := C.openssl_key(x.kind, raw, C.size_t(len(spec.Key)), C.int(nonceSize(spec)), C.int(tagSize(spec)), sealing)
	if k == nil {
		return 0, nil, errKey
	}
	return uintptr(unsafe.Pointer(k)), &key{k}, nil
}

func nonceSize(spec *ciphers.KeySpec) int {
	if spec.Nonce == ciphers.NonceExplicit {
		return len(spec.IV) + ciphers.ExplicitSize
	}
	return len(spec.IV)
}

func tagSize(spec *ciphers.KeySpec) int {
	if spec.TagSize == 0 && !spec.Algorithm.IsMask() {
		return spec.Algorithm.TagSizes()[0]
	}
	return spec.TagSize
}

func (algorithm) Seal(a *staging.Area) { C.openssl_seal(area(a)) }
func (algorithm) Open(a *staging.Area) { C.openssl_open(area(a)) }
func (algorithm) Mask(a *staging.Area) { C.openssl_mask(area(a)) }

// area is what the C side takes of a burst.
func area(a *staging.Area) *C.struct_area { return (*C.struct_area)(a.Pointer()) }

// key is a key in memory of C.
type key struct{ c *C.struct_key }

// Release zeroes and frees the key and its contexts.
func (k *key) Release() {
	C.openssl_release(k.c)
	k.c = nil
}
