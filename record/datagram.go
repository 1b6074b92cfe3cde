package record

// Datagram is one datagram in a buffer with room round it, so that adapters add
// and strip headers and trailers in place. Its content is Buf[Off:Off+Len].
//
// What arrives from a port may use all of Buf; what is to be sealed needs the
// adapter's headroom in front and its tailroom behind.
type Datagram struct {
	Buf  []byte
	Off  int
	Len  int
	Drop Drop // why it goes no further
}

// Valid reports whether the content lies inside Buf. Whoever accepts a Datagram
// from a caller asks this first; the other methods need it to hold.
func (d *Datagram) Valid() bool {
	return d.Off >= 0 && d.Len >= 0 && d.Off <= len(d.Buf) && d.Len <= len(d.Buf)-d.Off
}

// Content is the datagram's bytes, with no capacity beyond them.
func (d *Datagram) Content() []byte { return d.Buf[d.Off : d.Off+d.Len : d.Off+d.Len] }

// Headroom is the number of bytes before the content.
func (d *Datagram) Headroom() int { return d.Off }

// Tailroom is the number of bytes behind the content.
func (d *Datagram) Tailroom() int { return len(d.Buf) - d.Off - d.Len }

// Grow moves the content's borders outwards, front bytes before and back bytes
// behind, neither of them negative. Without the room it changes nothing but Drop,
// and reports false.
func (d *Datagram) Grow(front, back int) bool {
	switch {
	case front > d.Headroom():
		d.Drop = DropHeadroom
		return false
	case back > d.Tailroom():
		d.Drop = DropTailroom
		return false
	}
	d.Off -= front
	d.Len += front + back
	return true
}

// Shrink moves the content's borders inwards, front bytes before and back bytes
// behind, neither of them negative. A content too short for that is left, Drop says
// truncated, and it reports false.
func (d *Datagram) Shrink(front, back int) bool {
	if front > d.Len || back > d.Len-front {
		d.Drop = DropTruncated
		return false
	}
	d.Off += front
	d.Len -= front + back
	return true
}
