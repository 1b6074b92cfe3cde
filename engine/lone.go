package engine

import (
	"encoding/binary"
	"slices"

	"github.com/sealburst/sealburst/ciphers"
)

// lonePacket begins to fill the shard's packet. High and Number under an IV of
// zeros make any nonce.
func (s *shard) lonePacket(k *Key, nonce, additionalData []byte) *Packet {
	p := &s.lone[0]
	p.Key, p.Prefix = k, additionalData
	p.High = binary.BigEndian.Uint32(nonce)
	p.Number = binary.BigEndian.Uint64(nonce[4:])
	return p
}

// runLone seals or opens the shard's packet, lets go of it and gives the shard
// back. A closed engine has closed the key.
func (s *shard) runLone(op int) Status {
	var shared *ciphers.Plan
	packets := s.lone[:]
	if op == opSeal {
		shared, _ = ciphers.SealBorder(packets)
	} else {
		shared, _ = ciphers.OpenBorder(packets)
	}
	ok := s.route(op, packets, shared, false)
	status := packets[0].Status
	s.countBurst(op, 1, ok)
	if ok == 0 {
		s.countCauses(packets)
	}
	packets[0] = Packet{}
	s.leave()
	return status
}

func checkNonce(nonce []byte) {
	if len(nonce) != nonceSize {
		panic("engine: AEAD: nonce is not 12 bytes long")
	}
}

// extend grows dst by n bytes and returns it whole and what was added.
func extend(dst []byte, n int) (whole, added []byte) {
	whole = slices.Grow(dst, n)[:len(dst)+n]
	return whole, whole[len(dst):]
}
