package demo

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"strings"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/record"
	"golang.org/x/crypto/chacha20poly1305"
)

const (
	recordHeader = 13 // RFC 6347 section 4.1
	explicitSize = 8  // RFC 5288 section 3
	tagSize      = 16
	saltSize     = 4
	nonceSize    = 12
)

// oneByOne does what a program without the engine does: frames each record and
// calls cipher.AEAD for it. It has no replay window, which the engine's side has.
type oneByOne struct {
	aead     cipher.AEAD
	explicit int    // bytes of the nonce that travel
	mask     uint64 // what the number is changed by in the nonce
	epoch    uint64
	next     uint64
	nonce    [nonceSize]byte // of the packet at hand: kept, so that none is allocated
	aad      [recordHeader]byte
}

// newOneByOne takes the standard library's AEAD, or that of x/crypto; nil where
// neither has the suite's.
func newOneByOne(k *dtlsadapter.Keys) *oneByOne {
	o := &oneByOne{epoch: uint64(k.Epoch) << 48, aad: [recordHeader]byte{8: 23, 9: 0xfe, 10: 0xfd}}
	copy(o.nonce[:], k.IV)
	o.mask = binary.BigEndian.Uint64(o.nonce[saltSize:])
	switch k.Suite {
	case dtlsadapter.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, dtlsadapter.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
		dtlsadapter.TLS_PSK_WITH_CHACHA20_POLY1305_SHA256:
		o.aead, _ = chacha20poly1305.New(k.Key) // the length is the suite's
	default:
		if !strings.Contains(dtlsadapter.SuiteName(k.Suite), "_GCM_") {
			return nil
		}
		block, err := aes.NewCipher(k.Key)
		if err != nil {
			return nil
		}
		o.aead, _ = cipher.NewGCM(block) // a block of 16 bytes is always taken
		o.explicit = explicitSize
	}
	return o
}

// Protect seals each packet on its own.
func (o *oneByOne) Protect(burst []record.Datagram) int {
	for i := range burst {
		d := &burst[i]
		d.Grow(recordHeader+o.explicit, tagSize)
		number := o.epoch | o.next
		o.next++
		rec := d.Content()
		rec[0], rec[1], rec[2] = 23, 0xfe, 0xfd
		binary.BigEndian.PutUint64(rec[3:], number)
		binary.BigEndian.PutUint16(rec[11:], uint16(len(rec)-recordHeader))
		if o.explicit > 0 {
			binary.BigEndian.PutUint64(rec[recordHeader:], number)
		}
		plain := rec[recordHeader+o.explicit : len(rec)-tagSize]
		o.prepare(number, len(plain))
		o.aead.Seal(plain[:0], o.nonce[:], plain, o.aad[:])
	}
	return len(burst)
}

// Unprotect opens each record on its own.
func (o *oneByOne) Unprotect(burst []record.Datagram) (done int) {
	for i := range burst {
		d := &burst[i]
		number := binary.BigEndian.Uint64(d.Content()[3:])
		d.Shrink(recordHeader+o.explicit, 0)
		sealed := d.Content()
		o.prepare(number, len(sealed)-tagSize)
		if _, err := o.aead.Open(sealed[:0], o.nonce[:], sealed, o.aad[:]); err == nil {
			d.Shrink(0, tagSize)
			done++
		}
	}
	return done
}

// prepare makes the nonce, salt and number (RFC 5288 section 3) or IV and number by
// XOR (RFC 7905 section 2), and the associated data of RFC 6347 section 4.1.2.1.
func (o *oneByOne) prepare(number uint64, length int) {
	binary.BigEndian.PutUint64(o.nonce[saltSize:], o.mask^number)
	binary.BigEndian.PutUint64(o.aad[:], number)
	binary.BigEndian.PutUint16(o.aad[11:], uint16(length))
}
