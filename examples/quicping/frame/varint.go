package frame

import "encoding/binary"

// MaxVarint is the highest value of a variable-length integer (RFC 9000 section 16).
const MaxVarint = 1<<62 - 1

// AppendVarint appends the shortest form of v, which is at most MaxVarint.
func AppendVarint(b []byte, v uint64) []byte {
	switch {
	case v < 1<<6:
		return append(b, byte(v))
	case v < 1<<14:
		return binary.BigEndian.AppendUint16(b, 1<<14|uint16(v))
	case v < 1<<30:
		return binary.BigEndian.AppendUint32(b, 2<<30|uint32(v))
	}
	return binary.BigEndian.AppendUint64(b, 3<<62|v)
}

// Reader takes fields from the front of its bytes. After the first field that is not
// there, Bad is set and every further one is zero.
type Reader struct {
	Rest []byte
	Bad  bool
}

// Varint takes a variable-length integer.
func (r *Reader) Varint() uint64 {
	if len(r.Rest) == 0 {
		r.Bad = true
		return 0
	}
	size := 1 << (r.Rest[0] >> 6)
	b := r.Bytes(uint64(size))
	if r.Bad {
		return 0
	}
	v := uint64(b[0] & 0x3f)
	for _, next := range b[1:] {
		v = v<<8 | uint64(next)
	}
	return v
}

// Bytes takes n bytes, which stay where they are.
func (r *Reader) Bytes(n uint64) []byte {
	if r.Bad || n > uint64(len(r.Rest)) {
		r.Bad = true
		r.Rest = nil
		return nil
	}
	b := r.Rest[:n:n]
	r.Rest = r.Rest[n:]
	return b
}

// Block takes a length and as many bytes.
func (r *Reader) Block() []byte { return r.Bytes(r.Varint()) }

// Byte takes one byte.
func (r *Reader) Byte() byte {
	if b := r.Bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}
