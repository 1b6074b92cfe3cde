package cipherstest

import "github.com/sealburst/sealburst/ciphers"

// fault spoils one packet of a scene before it is handed over.
type fault func(s *scene, i int)

// flip changes one bit of a byte in the arena.
func (s *scene) flip(at int, bit uint) {
	s.arena[at] ^= 1 << (bit & 7)
	s.want[at] = s.arena[at]
}

func flipTag(byteOfTag int) fault {
	return func(s *scene, i int) { s.flip(s.places[i].tag+byteOfTag, uint(byteOfTag)) }
}

func flipFirst(s *scene, i int) { s.flip(s.places[i].payload, 0) }

func flipLast(s *scene, i int) { s.flip(s.places[i].tag-1, 7) }

func flipPrefix(s *scene, i int) { s.flip(s.places[i].prefix, 3) }

func flipAAD(s *scene, i int) {
	s.flip(s.places[i].aad+int(s.packets[i].AADLen)-1, 4)
}

// changeNonce gives the packet another nonce: in the packet where it travels
// there, by its number where not.
func changeNonce(s *scene, i int) {
	if s.packets[i].Key.ExplicitSize() != 0 {
		s.flip(s.places[i].iv+ciphers.ExplicitSize-1, 0)
		return
	}
	s.packets[i].Number ^= 1
}

func changeHigh(s *scene, i int) {
	p := &s.packets[i]
	if p.Key.NonceSize() == 11 { // with room for 24 bits
		p.High ^= 1 << 23
		return
	}
	p.High ^= 1 << 31
}

// faults lists everything that can be wrong with a record like r, one at a time.
func faults(r record) []fault {
	var all []fault
	if r.keys.form.nonce != 0 {
		all = append(all, changeNonce)
	}
	for b := range r.keys.form.tag {
		all = append(all, flipTag(b))
	}
	if len(r.plain) > 0 {
		all = append(all, flipFirst, flipLast)
	}
	if len(r.prefix) > 0 {
		all = append(all, flipPrefix)
	}
	if len(r.ranged) > 0 {
		all = append(all, flipAAD)
	}
	if r.keys.form.nonce == ciphers.NonceXOR || r.keys.form.esn {
		all = append(all, changeHigh)
	}
	return all
}
