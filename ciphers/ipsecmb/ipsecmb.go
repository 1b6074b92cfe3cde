//go:build ipsecmb

package ipsecmb

/*
#include <string.h>

#include "native.h"
*/
import "C"

import (
	"sync"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/staging"
)

// priority is above the portable backend and below Sealburst's own kernels.
const priority = 10

// behind is below the portable backend. ChaCha20-Poly1305 is there: in bursts of 32
// a packet of 64 or 256 bytes takes 1.2 times what the portable backend takes, one of 1450
// bytes 0.9 times and one of 8192 bytes 0.7 times, so that a common mixture
// gains nothing.
const behind = -1

// lone is the burst for which the crossing costs more than it gains: one packet of
// 64 bytes takes 1.3 to 2.1 times what the portable backend takes, one of 1450
// bytes 0.7 times.
const lone = 1

// Backend serves AES-GCM, ChaCha20-Poly1305 and AES-CCM. The library has no call
// for masks.
func Backend() *ciphers.Backend {
	queues := &sync.Pool{New: func() any { return newManager() }}
	return &ciphers.Backend{
		Name:       "ipsecmb",
		Priority:   priority,
		Priorities: map[ciphers.Algorithm]int{ciphers.ChaCha20Poly1305: behind},
		Probe:      probe,
		AEADs: map[ciphers.Algorithm]ciphers.AEAD{
			ciphers.AES128GCM:        staging.AEAD(gcm{16}),
			ciphers.AES192GCM:        staging.AEAD(gcm{24}),
			ciphers.AES256GCM:        staging.AEAD(gcm{32}),
			ciphers.AES128CCM:        staging.AEAD(ccm{16, queues}),
			ciphers.AES256CCM:        staging.AEAD(ccm{32, queues}),
			ciphers.ChaCha20Poly1305: staging.AEAD(chachapoly{queues}),
		},
		Lone: map[ciphers.Algorithm]int{
			ciphers.AES128GCM: lone, ciphers.AES192GCM: lone, ciphers.AES256GCM: lone,
			ciphers.AES128CCM: lone, ciphers.AES256CCM: lone, ciphers.ChaCha20Poly1305: lone,
		},
	}
}

// gcm is AES-GCM with keys of size bytes.
type gcm struct{ size C.size_t }

func (g gcm) NewKey(spec *ciphers.KeySpec) (uintptr, ciphers.Releaser, error) {
	k, err := newKey(C.sizeof_struct_gcm_key_data)
	if err != nil {
		return 0, nil, err
	}
	C.ipsecmb_gcm_expand(direct().c, bytes(spec.Key), g.size, (*C.struct_gcm_key_data)(k.at))
	return uintptr(k.at), k, nil
}

func (g gcm) Seal(a *staging.Area) { C.ipsecmb_gcm_seal(direct().c, area(a), g.size) }
func (g gcm) Open(a *staging.Area) { C.ipsecmb_gcm_open(direct().c, area(a), g.size) }

// chachapoly is ChaCha20-Poly1305. Its jobs, like those of ccm, queue up in a
// manager that one crossing has for itself.
type chachapoly struct{ queues *sync.Pool }

func (chachapoly) NewKey(spec *ciphers.KeySpec) (uintptr, ciphers.Releaser, error) {
	k, err := newKey(C.size_t(len(spec.Key)))
	if err != nil {
		return 0, nil, err
	}
	C.memcpy(k.at, unsafe.Pointer(unsafe.SliceData(spec.Key)), k.size)
	return uintptr(k.at), k, nil
}

func (x chachapoly) Seal(a *staging.Area) {
	m := x.queues.Get().(*manager)
	if m.c != nil {
		C.ipsecmb_chacha_seal(m.c, area(a))
	}
	x.queues.Put(m)
}

func (x chachapoly) Open(a *staging.Area) {
	m := x.queues.Get().(*manager)
	if m.c != nil {
		C.ipsecmb_chacha_open(m.c, area(a))
	}
	x.queues.Put(m)
}

// ccm is AES-CCM with keys of size bytes.
type ccm struct {
	size   C.size_t
	queues *sync.Pool
}

func (c ccm) NewKey(spec *ciphers.KeySpec) (uintptr, ciphers.Releaser, error) {
	k, err := newKey(C.sizeof_struct_aes_key)
	if err != nil {
		return 0, nil, err
	}
	C.ipsecmb_ccm_expand(direct().c, bytes(spec.Key), c.size, (*C.struct_aes_key)(k.at))
	return uintptr(k.at), k, nil
}

func (c ccm) Seal(a *staging.Area) {
	m := c.queues.Get().(*manager)
	if m.c != nil {
		C.ipsecmb_ccm_seal(m.c, area(a), c.size)
	}
	c.queues.Put(m)
}

func (c ccm) Open(a *staging.Area) {
	m := c.queues.Get().(*manager)
	if m.c != nil {
		C.ipsecmb_ccm_open(m.c, area(a), c.size)
	}
	c.queues.Put(m)
}
