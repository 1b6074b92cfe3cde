package cipherstest

import "fmt"

// difference names the first byte of the arena that is not what it must be.
func (s *scene) difference() string {
	at := 0
	for s.arena[at] == s.want[at] {
		at++
	}
	return fmt.Sprintf("%s is %#02x, want %#02x", s.name(at), s.arena[at], s.want[at])
}

// name says what lies at an offset of the arena.
func (s *scene) name(at int) string {
	last := len(s.places) - 1
	for i := range s.places {
		if p := s.places[i]; at < p.end || i == last {
			part, from := p.part(at, len(s.packets[i].Prefix), int(s.packets[i].AADLen), s.packets[i].Key.TagSize())
			return fmt.Sprintf("%s: byte %d of %s", s.describe(i), at-from, part)
		}
	}
	return fmt.Sprintf("byte %d of an empty scene", at)
}

func (p place) part(at, prefix, aad, tag int) (name string, from int) {
	switch {
	case at < p.prefix:
		return "the gap in front", at
	case at < p.prefix+prefix:
		return "Prefix", p.prefix
	case at < p.buf:
		return "Plain", p.plain
	case at >= p.aad && at < p.aad+aad:
		return "the associated data in Buf", p.aad
	case at < p.payload:
		return "the header, explicit nonce included", p.buf
	case at < p.tag:
		return "the payload", p.payload
	case at < p.tag+tag:
		return "the tag", p.tag
	}
	return "what lies behind the packet", p.tag + tag
}
