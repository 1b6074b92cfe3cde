//go:build dpdk

package cryptodev

/*
#include "native.h"
*/
import "C"

import "github.com/sealburst/sealburst/ciphers"

// combined are the algorithms that DPDK knows as AEADs.
var combined = map[ciphers.Algorithm]C.enum_cipher{
	ciphers.AES128GCM:        C.GCM,
	ciphers.AES192GCM:        C.GCM,
	ciphers.AES256GCM:        C.GCM,
	ciphers.AES128CCM:        C.CCM,
	ciphers.AES256CCM:        C.CCM,
	ciphers.ChaCha20Poly1305: C.CHACHA20_POLY1305,
}

// modes and macs are the parts of those that it chains.
var (
	modes = map[ciphers.Encryption]C.enum_cipher{
		ciphers.AES128CBC: C.CBC, ciphers.AES192CBC: C.CBC, ciphers.AES256CBC: C.CBC,
		ciphers.AES128CTR: C.CTR, ciphers.AES192CTR: C.CTR, ciphers.AES256CTR: C.CTR,
	}
	macs = map[ciphers.Integrity]C.enum_mac{
		ciphers.HMACMD5: C.MAC_MD5, ciphers.HMACSHA1: C.MAC_SHA1,
		ciphers.HMACSHA256: C.MAC_SHA256, ciphers.HMACSHA384: C.MAC_SHA384, ciphers.HMACSHA512: C.MAC_SHA512,
	}
)

// maxMessage is the most that one operation covers beside associated data of an
// AEAD. DPDK counts a buffer's bytes in 16 bits, and Intel's library those of CBC, CCM
// and HMAC.
const maxMessage = 65504

// aeads are the algorithms that the device has, with every length of nonce and the
// full tag at least.
func (d *Device) aeads(id C.int) map[ciphers.Algorithm]ciphers.AEAD {
	all := map[ciphers.Algorithm]ciphers.AEAD{}
	for _, alg := range ciphers.Algorithms() {
		s, known := shapeOf(alg)
		if !known || s.mac != C.NO_MAC && !bool(d.traits.chains) {
			continue
		}
		if limits, ok := limitsOf(id, alg, s); ok {
			all[alg] = &aead{device: d, shape: s, limits: limits}
		}
	}
	return all
}

// shapeOf is the algorithm in DPDK's terms, with the full tag.
func shapeOf(alg ciphers.Algorithm) (s C.struct_shape, known bool) {
	if alg.IsMask() || alg.IsExchange() {
		return s, false
	}
	s.nonce_size = 12
	s.key_size, s.auth_size, s.tag_size = C.uint32_t(alg.KeySize()), C.uint32_t(alg.AuthKeySize()), C.uint32_t(alg.TagSizes()[0])
	if s.cipher, known = combined[alg]; known {
		return s, true
	}
	s.cipher, known = modes[alg.Encryption()]
	s.mac = macs[alg.Integrity()]
	return s, known
}

// limitsOf is what the device takes of an algorithm, or false.
func limitsOf(id C.int, alg ciphers.Algorithm, s C.struct_shape) (ciphers.Limits, bool) {
	l := ciphers.Limits{AAD: min(int(C.cryptodev_max_aad(id, &s)), ciphers.MaxAAD), Message: maxMessage}
	for _, n := range alg.NonceSizes() {
		s.nonce_size = C.uint32_t(n)
		if !bool(C.cryptodev_takes(id, &s)) {
			return l, false
		}
	}
	for _, tag := range alg.TagSizes() {
		s.tag_size = C.uint32_t(tag)
		if bool(C.cryptodev_takes(id, &s)) {
			l.TagSizes = append(l.TagSizes, tag)
		}
	}
	return l, true
}
