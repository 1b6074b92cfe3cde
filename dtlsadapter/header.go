package dtlsadapter

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/record"
)

// Room in bytes that a payload needs round it to become a record in place, for
// every suite.
const (
	Headroom = headerSize + ciphers.ExplicitSize // the record header and the explicit nonce
	Tailroom = ciphers.MaxTag
)

// MaxPlaintext is the longest payload of a record in bytes (RFC 5246 section 6.2.1).
const MaxPlaintext = 1 << 14

const (
	headerSize  = 13          // type, version, epoch, sequence number, length (RFC 6347 section 4.1)
	aadSize     = 13          // epoch, sequence number, type, version, length (RFC 6347 section 4.1.2.1)
	sequences   = 1<<48 - 1   // the bits of a sequence number
	maxOverhead = 256         // what header, nonce and tag add to a record, generously
	maxDatagram = 1<<16 - 1   // of UDP
	version12   = 0xfefd      // DTLS 1.2
	version10   = 0xfeff      // DTLS 1.0, in the first ClientHello and HelloVerifyRequest
	maxCipher   = 1<<14 + 256 // no record of the suites carried is longer
)

// The content types of RFC 5246 section 6.2.1.
const (
	typeChangeCipherSpec = 20
	typeAlert            = 21
	typeHandshake        = 22
	typeApplicationData  = 23
)

// header is a record's. Its number is the epoch in 16 bits and the sequence
// number in 48, as RFC 6347 section 4.1.2.1 uses them.
type header struct {
	kind    byte
	version uint16
	number  uint64
	length  int
}

func (h *header) epoch() uint16 { return uint16(h.number >> 48) }

// parseHeader reads the header of the record that b starts with; b has headerSize bytes.
func parseHeader(b []byte) header {
	return header{
		kind:    b[0],
		version: binary.BigEndian.Uint16(b[1:]),
		number:  binary.BigEndian.Uint64(b[3:]),
		length:  int(binary.BigEndian.Uint16(b[11:])),
	}
}

// put writes the header in two words that overlap.
func (h *header) put(b []byte) {
	_ = b[headerSize-1]
	binary.BigEndian.PutUint64(b, uint64(h.kind)<<56|uint64(h.version)<<40|h.number>>24)
	binary.BigEndian.PutUint64(b[5:], h.number<<16|uint64(uint16(h.length)))
}

// putAAD writes the associated data of a record whose plaintext has that length.
func (h *header) putAAD(b *[aadSize]byte, plaintext int) {
	binary.BigEndian.PutUint64(b[5:], h.number<<40|uint64(h.kind)<<32|uint64(h.version)<<16|uint64(uint16(plaintext)))
	binary.BigEndian.PutUint64(b[:], h.number)
}

// cutRecord cuts the record that b starts with off b. It reports false for what is
// no whole record; nothing behind it can be found then.
func cutRecord(b []byte) (rec, rest []byte, ok bool) {
	if len(b) < headerSize {
		return nil, nil, false
	}
	end := headerSize + int(binary.BigEndian.Uint16(b[11:]))
	if end > len(b) {
		return nil, nil, false
	}
	return b[:end:end], b[end:], true
}

// Split appends the records of a datagram to dst, each as a Datagram of its own over
// the same memory, and returns the extended slice (RFC 6347 section 4.1.1 allows
// several records in a datagram). What is no whole record at the end becomes a
// Datagram that is dropped as truncated.
func Split(dst []record.Datagram, d record.Datagram) []record.Datagram {
	if !d.Valid() {
		d.Drop = record.DropFailed
		return append(dst, d)
	}
	for rest := d.Content(); len(rest) > 0; {
		rec, behind, ok := cutRecord(rest)
		if !ok {
			return append(dst, record.Datagram{Buf: rest, Len: len(rest), Drop: record.DropTruncated})
		}
		dst = append(dst, record.Datagram{Buf: rec, Len: len(rec)})
		rest = behind
	}
	return dst
}
