package staging

import "github.com/sealburst/sealburst/ciphers"

// MaskLibrary makes masks with a C library.
type MaskLibrary interface {
	Library
	// Mask crosses over: it turns the sample of each record of a, 16 bytes at its
	// payload, into the mask, or sets another status than ciphers.StatusOK.
	Mask(a *Area)
}

// Masker makes a library's masks an implementation of package ciphers. Where the
// library fails, the mask is zero.
func Masker(l MaskLibrary) ciphers.Masker { return masker{implementation{l}, l} }

type masker struct {
	implementation
	lib MaskLibrary
}

func (x masker) Mask(dst []byte, b ciphers.Burst) {
	a := areas.Get().(*Area)
	a.count = uint32(len(b.Index))
	for n, i := range b.Index {
		p, r := &b.Packets[i], &a.records[n]
		r.key, r.status = uint64(*handle(p.MaskKey.State(b.Slot))), ciphers.StatusOK
		r.payload = uint32(n * ciphers.MaskSize)
		copy(a.bytes[r.payload:], p.Sample())
	}
	x.lib.Mask(a)
	for n, i := range b.Index {
		mask := dst[int(i)*ciphers.MaskSize:][:ciphers.MaskSize]
		if r := &a.records[n]; r.status == ciphers.StatusOK {
			copy(mask, a.bytes[r.payload:])
		} else {
			clear(mask)
		}
	}
	areas.Put(a)
}
