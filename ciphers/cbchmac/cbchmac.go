// Package cbchmac implements the algorithms of ciphers.EncryptThenMAC for bursts,
// one file a tier: CBC and CTR with an HMAC as ESP joins them (RFC 4303 section
// 3.3.2, RFC 3602, RFC 3686, RFC 4868), HMAC alone as AH has it (RFC 4302), and
// the legacy ciphers and hashes of RFC 2403 to 2405, 2410 and 2451.
//
// The ICV covers, in this order, the associated data, the IV as it travels, the
// ciphertext and, under a key for extended sequence numbers, their high half.
// Opening compares it, in constant time, before it decrypts anything.
package cbchmac

import "github.com/sealburst/sealburst/ciphers"

// ranged is the associated data in the packet's buffer. Without any, AADOff may
// point anywhere.
func ranged(p *ciphers.Packet) []byte {
	if p.AADLen == 0 {
		return nil
	}
	return p.Buf[p.AADOff:][:p.AADLen]
}
