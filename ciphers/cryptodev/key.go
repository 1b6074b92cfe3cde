//go:build dpdk

package cryptodev

/*
#include "native.h"
*/
import "C"

import (
	"fmt"
	"slices"
	"syscall"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

// aead is one algorithm of a device.
type aead struct {
	device *Device
	shape  C.struct_shape
	limits ciphers.Limits
}

// Device fulfils ciphers.Asynchronous.
func (x *aead) Device() ciphers.Device { return x.device }

// Limits fulfils ciphers.Limited.
func (x *aead) Limits() ciphers.Limits { return x.limits }

// ScheduleSize is a pointer's: the key is the device's, and the schedule says where
// it is.
func (x *aead) ScheduleSize() int { return int(unsafe.Sizeof((*C.struct_key)(nil))) }

// Expand makes the device's key.
func (x *aead) Expand(st *ciphers.State, spec *ciphers.KeySpec) error {
	shape := x.shape
	if spec.TagSize != 0 {
		shape.tag_size = C.uint32_t(spec.TagSize)
	}
	if !slices.Contains(x.limits.TagSizes, int(shape.tag_size)) {
		return &ciphers.FieldError{Field: "TagSize", Reason: fmt.Sprintf("%d bytes, %s takes %v", shape.tag_size, x.device.name, x.limits.TagSizes)}
	}
	shape.nonce_size = C.uint32_t(len(spec.IV))
	if spec.Nonce == ciphers.NonceExplicit {
		shape.nonce_size += ciphers.ExplicitSize
	}
	k := &key{impl: x}
	raw, auth := (*C.uint8_t)(unsafe.SliceData(spec.Key)), (*C.uint8_t)(unsafe.SliceData(spec.AuthKey))
	code := C.cryptodev_key(x.device.c, &shape, C.bool(spec.Direction == ciphers.Sealing), raw, auth, &k.c)
	if code == C.int(syscall.ENOMEM) {
		return ErrMemory
	}
	if code != 0 {
		return x.device.error(code)
	}
	x.device.keys.Add(1)
	*handle(st) = k.c
	st.Object = k
	return nil
}

// key is a key of a device, in memory of C.
type key struct {
	impl *aead
	c    *C.struct_key
}

// keyOf is the key of a burst's first packet.
func keyOf(b ciphers.Burst) *key {
	return b.Packets[b.Index[0]].Key.State(b.Slot).Object.(*key)
}

// Release zeroes and frees the key and its sessions.
func (k *key) Release() {
	C.cryptodev_release(k.impl.device.c, k.c)
	k.c = nil
	k.impl.device.keys.Add(-1)
}

// handle is the place of the key's address in its schedule. The schedule holds bytes:
// the collector does not see the address, which is not Go's.
func handle(st *ciphers.State) **C.struct_key {
	return (**C.struct_key)(unsafe.Pointer(unsafe.SliceData(st.Schedule())))
}

// session is the driver's part of the key's first session, or nil.
func (k *key) session() []byte {
	var size C.size_t
	at := C.cryptodev_session(k.impl.device.c, k.c, &size)
	return unsafe.Slice((*byte)(at), int(size))
}
