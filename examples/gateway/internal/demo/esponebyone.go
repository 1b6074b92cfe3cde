package demo

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"

	"github.com/sealburst/sealburst/ipsecadapter"
	"github.com/sealburst/sealburst/record"
	"golang.org/x/crypto/chacha20poly1305"
)

const (
	outerSize  = 20 // of an IPv4 header
	espHeader  = 8  // RFC 4303 section 2
	espIV      = 8  // RFC 4106 section 3.1
	espTrailer = 2
	espAlign   = 4
)

// espOneByOne does what a program without the engine does: frames each packet for a
// tunnel over IPv4 and calls cipher.AEAD for it. It has neither replay window nor
// lifetimes nor the ECN rules of tunnels, which the engine's side has.
type espOneByOne struct {
	aead  cipher.AEAD
	outer [outerSize]byte
	spi   uint32
	next  uint32
	nonce [nonceSize]byte // of the packet at hand: kept, so that none is allocated
}

// newESPOneByOne takes the standard library's AEAD, or that of x/crypto; nil for a
// transform that neither has.
func newESPOneByOne(a *ipsecadapter.Association) *espOneByOne {
	o := &espOneByOne{spi: a.SPI, next: 1}
	key := a.Key[:len(a.Key)-saltSize]
	switch a.Transform {
	case ipsecadapter.AES128GCM16, ipsecadapter.AES192GCM16, ipsecadapter.AES256GCM16:
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil
		}
		o.aead, _ = cipher.NewGCM(block) // a block of 16 bytes is always taken
	case ipsecadapter.ChaCha20Poly1305:
		o.aead, _ = chacha20poly1305.New(key) // the length is the transform's
	default:
		return nil
	}
	copy(o.nonce[:], a.Key[len(key):])
	from, to := a.Source.As4(), a.Destination.As4()
	o.outer = [outerSize]byte{0: 0x45, 8: 64, 9: 50}
	copy(o.outer[12:], from[:])
	copy(o.outer[16:], to[:])
	return o
}

// Protect seals each packet on its own.
func (o *espOneByOne) Protect(burst []record.Datagram) int {
	for i := range burst {
		d := &burst[i]
		inner := d.Content()
		pad := -(len(inner) + espTrailer) & (espAlign - 1)
		body := len(inner) + pad + espTrailer
		version, tos, df := inner[0]>>4, inner[1], inner[6]&0x40
		d.Grow(outerSize+espHeader+espIV, pad+espTrailer+tagSize)
		packet := d.Content()
		o.putOuter(packet, tos, df)
		esp := packet[outerSize:]
		binary.BigEndian.PutUint32(esp, o.spi)
		binary.BigEndian.PutUint32(esp[4:], o.next)
		binary.BigEndian.PutUint64(esp[espHeader:], uint64(o.next))
		plain := esp[espHeader+espIV:][:body]
		putTrailer(plain[len(plain)-espTrailer-pad:], pad, version)
		o.aead.Seal(plain[:0], o.prepare(esp), plain, esp[:espHeader])
		o.next++
	}
	return len(burst)
}

func putTrailer(b []byte, pad int, version byte) {
	for i := range pad {
		b[i] = byte(i + 1)
	}
	b[pad], b[pad+1] = byte(pad), 4
	if version == 6 {
		b[pad+1] = 41
	}
}

// putOuter writes the header, with an identification where the packet may be fragmented.
func (o *espOneByOne) putOuter(packet []byte, tos, df byte) {
	copy(packet, o.outer[:])
	packet[1] = tos
	binary.BigEndian.PutUint16(packet[2:], uint16(len(packet)))
	packet[6] = df
	if df == 0 {
		binary.BigEndian.PutUint16(packet[4:], uint16(o.next))
	}
	var sum uint32
	for i := 0; i < outerSize; i += 2 {
		sum += uint32(binary.BigEndian.Uint16(packet[i:]))
	}
	sum = sum>>16 + sum&0xffff
	binary.BigEndian.PutUint16(packet[10:], ^uint16(sum>>16+sum))
}

// prepare makes the nonce, salt and IV (RFC 4106 section 4, RFC 7634 section 2).
func (o *espOneByOne) prepare(esp []byte) []byte {
	copy(o.nonce[saltSize:], esp[espHeader:espHeader+espIV])
	return o.nonce[:]
}

// Unprotect opens each packet on its own.
func (o *espOneByOne) Unprotect(burst []record.Datagram) (done int) {
	for i := range burst {
		d := &burst[i]
		esp := d.Content()[outerSize:]
		sealed := esp[espHeader+espIV:]
		plain, err := o.aead.Open(sealed[:0], o.prepare(esp), sealed, esp[:espHeader])
		if err != nil {
			continue
		}
		pad := int(plain[len(plain)-espTrailer])
		d.Shrink(outerSize+espHeader+espIV, pad+espTrailer+tagSize)
		done++
	}
	return done
}
