//go:build amd64 && !purego

package cbchmac

import (
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

// RequiresVAES512 is what the tier of VAES512 needs of the processor and the
// operating system.
const RequiresVAES512 = cpu.AESNI | cpu.AVX | cpu.VAES | cpu.AVX512F | cpu.AVX512BW | cpu.ZMM

// VAES512 is the tier on 512-bit registers: AES-CBC with HMAC-SHA-256 and
// HMAC-SHA-1, and these HMACs alone. Within a packet CBC and HMAC are serial, so
// that 16 packets of any lengths and keys go side by side, one in each lane; only
// decryption takes one packet after the other. Bursts of packets with the same
// offsets and lengths are served best. It needs RequiresVAES512.
func VAES512() map[ciphers.Algorithm]ciphers.AEAD {
	all := map[ciphers.Algorithm]ciphers.AEAD{}
	for e, rounds := range map[ciphers.Encryption]int{
		ciphers.AES128CBC: 10, ciphers.AES192CBC: 12, ciphers.AES256CBC: 14, ciphers.IntegrityOnly: 0,
	} {
		all[ciphers.EncryptThenMAC(e, ciphers.HMACSHA256)] = vaes512{rounds, hashSHA256}
		all[ciphers.EncryptThenMAC(e, ciphers.HMACSHA1)] = vaes512{rounds, hashSHA1}
	}
	return all
}

// Up to how many packets a burst is better left to the portable tier: a lane that
// is empty costs as much as a full one. Packets that are alike gain from 3 on with
// SHA-1 and from 4 on with SHA-256, at 64 and at 1440 bytes alike; those of several
// lengths later.
const (
	loneCBCSHA1   = 3
	loneCBCSHA256 = 4
	loneSHA1      = 4
	loneSHA256    = 7
)

// LoneVAES512 is, for each algorithm of VAES512, up to how many packets a burst is
// better served by Std.
func LoneVAES512() map[ciphers.Algorithm]int {
	lone := map[ciphers.Algorithm]int{}
	for alg := range VAES512() {
		only, sha1 := alg.Encryption() == ciphers.IntegrityOnly, alg.Integrity() == ciphers.HMACSHA1
		switch {
		case only && sha1:
			lone[alg] = loneSHA1
		case only:
			lone[alg] = loneSHA256
		case sha1:
			lone[alg] = loneCBCSHA1
		default:
			lone[alg] = loneCBCSHA256
		}
	}
	return lone
}

// vaes512 is one algorithm's tier.
type vaes512 struct {
	rounds int // of AES; 0 without encryption
	hash   macHash
}

func (vaes512) ScheduleSize() int { return int(unsafe.Sizeof(schedule{})) }

func (v vaes512) Expand(st *ciphers.State, spec *ciphers.KeySpec) error {
	s := (*schedule)(unsafe.Pointer(unsafe.SliceData(st.Schedule())))
	v.expandHMAC(s, spec.AuthKey)
	if v.rounds == 0 {
		return nil
	}
	s.expandAES(spec.Key)
	if spec.Direction == ciphers.Opening {
		s.invert(v.rounds)
	}
	return nil
}

// expandHMAC hashes the two blocks that start every HMAC under the key, which is
// no longer than a block (RFC 2104 section 2).
func (v vaes512) expandHMAC(s *schedule, key []byte) {
	w := works.Get().(*work)
	initial := [...]uint32{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0, 0, 0, 0}
	if v.hash == hashSHA256 {
		initial = [...]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}
	}
	for i, pad := range []byte{0x36, 0x5c} {
		block := w.mac.lane[i].block[:hashBlock]
		clear(block[copy(block, key):])
		for j := range block {
			block[j] ^= pad
		}
		w.mac.load(i, &initial)
		w.mac.place(i, block)
	}
	w.used = true
	w.mac.run(v.hash)
	for i := range s.inner {
		s.inner[i], s.outer[i] = w.mac.state[i][0], w.mac.state[i][1]
	}
	w.done()
}

func (v vaes512) Seal(b ciphers.Burst) int {
	w := works.Get().(*work)
	ok := w.run(job{Burst: b, hash: v.hash, rounds: v.rounds})
	w.done()
	return ok
}

func (v vaes512) Open(b ciphers.Burst) int {
	w := works.Get().(*work)
	ok := w.run(job{Burst: b, hash: v.hash, opening: true})
	w.done()
	if v.rounds == 0 {
		return ok
	}
	for _, i := range b.Index {
		if p := &b.Packets[i]; p.Status == ciphers.StatusOK {
			decryptCBC(p, b.Slot, v.rounds)
		}
	}
	return ok
}
