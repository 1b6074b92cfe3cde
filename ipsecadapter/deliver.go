package ipsecadapter

import "github.com/sealburst/sealburst/record"

// deliver makes of a datagram that is authentic the packet inside, or says why not.
func (l *located) deliver(d *record.Datagram) record.Drop {
	b := d.Content()
	at := l.esp + l.lead
	payload, next := b[at:at+l.body], b[l.esp] // of AH
	if l.protocol == ESP {
		var ok bool
		payload, next, ok = trim(payload)
		switch {
		case !ok:
			return record.DropMalformed
		case next == protoNone:
			return record.DropDummy
		}
	}
	if l.sa.mode == Tunnel {
		return l.leaveTunnel(d, payload, next)
	}
	return l.join(d, payload, next)
}

// trim takes padding and trailer off. The padding must be 1, 2, 3 … (RFC 4303 section 2.4).
func trim(body []byte) (payload []byte, next byte, ok bool) {
	end := len(body) - espTrailer
	n := int(body[end])
	if !isPadding(body[:end], n) {
		return nil, 0, false
	}
	return body[:end-n], body[end+1], true
}

// isPadding reports whether the last n bytes of b are padding.
func isPadding(b []byte, n int) bool {
	return n <= len(b) && string(b[len(b)-n:]) == longestPadding[:n]
}

// longestPadding is 1 to 255.
var longestPadding = func() string {
	var all [255]byte
	for i := range all {
		all[i] = byte(i + 1)
	}
	return string(all[:])
}()

// leaveTunnel leaves the inner packet alone. What follows it is TFC padding.
func (l *located) leaveTunnel(d *record.Datagram, payload []byte, next byte) record.Drop {
	if next != protoIPv4 && next != protoIPv6 {
		return record.DropType
	}
	var h ipHeader
	drop := h.parse(payload)
	switch {
	case drop != record.DropNone:
		return drop
	case h.v6 != (next == protoIPv6):
		return record.DropMalformed
	}
	packet := payload[:h.total]
	if !selects(l.sa.selectors, packet, &h) {
		return record.DropSelector
	}
	if l.carrier != InSocket { // whose headers nobody saw
		ecn, keep := innerECN(l.outer.tos, h.tos)
		if !keep {
			return record.DropCongestion
		}
		if ecn != h.tos&ecnBits {
			setECN(packet, h.v6, ecn)
		}
	}
	d.Off += l.esp + l.lead
	d.Len = h.total
	return record.DropNone
}

// join moves the packet's own headers back to their payload.
func (l *located) join(d *record.Datagram, payload []byte, next byte) record.Drop {
	shift := l.esp + l.lead - l.keep
	b := d.Content()
	copy(b[shift:], b[:l.keep])
	packet := b[shift : shift+l.keep+len(payload)]
	setLength(packet, l.outer.v6, len(packet), l.field, next)
	var h ipHeader
	if drop := h.parse(packet); drop != record.DropNone {
		return drop
	}
	if !selects(l.sa.selectors, packet, &h) {
		return record.DropSelector
	}
	if l.sa.originals.known {
		l.sa.originals.repair(packet, &h)
	}
	d.Off += shift
	d.Len = len(packet)
	return record.DropNone
}
