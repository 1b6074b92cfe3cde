package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// uniformRegisters are what vector registers hold. Those that the registers of
// payload leave over take what is else in memory: keys, deltas, powers.
type uniformRegisters struct {
	state  []reg.VecPhysical // of a wave
	text   []reg.VecPhysical // the ciphertext of a wave
	t      []reg.VecPhysical // scratch
	tags   reg.VecPhysical   // state of the tag masks
	mask   reg.VecPhysical   // tag masks
	key    reg.VecPhysical   // a round key that is not kept
	keys   []reg.VecPhysical // by round, or nil
	deltas []Op              // of the registers of a packet, see uniformdelta.go

	cross sum // across packets

	aad     []reg.VecPhysical // of two packets each
	sums    [2]uniformSum     // of two packets
	waiting []reg.VecPhysical // products of the second one, or nil
	hash    reg.VecPhysical   // of the first two
	powers  []reg.VecPhysical // of H, for a register of payload each
	power   reg.VecPhysical   // the powers that are not kept
	paired  reg.VecPhysical   // powers for associated data

	headers reg.VecPhysical // state of header-protection masks
	reached reg.VecPhysical // samples that reach into tags
	leading bool            // no masks are due yet
}

func (u *uniform) assign() {
	u.keys, u.deltas = make([]reg.VecPhysical, u.rounds+1), make([]Op, u.n)
	for r := range u.deltas {
		u.deltas[r] = line(r)
	}
	if u.crossed() {
		u.assignCrossed()
	} else {
		u.assignInRows()
	}
}

// taker takes registers from free.
func taker(free *[]reg.VecPhysical) func(n int) []reg.VecPhysical {
	return func(n int) (taken []reg.VecPhysical) {
		taken, *free = (*free)[:n], (*free)[n:]
		return taken
	}
}

func (u *uniform) assignCrossed() {
	free := zmm[:31]
	take := taker(&free)
	u.state, u.text, u.t = take(quad*u.n), take(u.crossTexts()), take(7)
	s := take(3)
	u.cross = sum{lo: s[0], mi: s[1], hi: s[2], t: u.t}
	u.hash = u.cross.hi
	last := take(4)
	u.tags, u.mask, u.key, u.keys[u.rounds] = last[0], last[1], last[2], last[3]
	if u.masks {
		u.headers = take(1)[0]
	}
	if u.reach {
		u.reached = take(1)[0]
	}
	for r := 0; r < u.n && len(free) > 0; r++ {
		u.deltas[r] = take(1)[0]
	}
	copy(u.keys[2:], free)
}

// assignInRows gives what is left to the last round key, the powers of H, which
// would straddle cache lines, and as many round keys as fit.
func (u *uniform) assignInRows() {
	free := zmm[:31]
	take := taker(&free)
	u.state, u.t = take(u.n), take(3)
	if u.text = take(2); !u.open {
		u.text = append(u.text, take(u.n-2)...)
	}
	s := take(6)
	u.sums = [2]uniformSum{{s[0], s[1], s[2]}, {s[3], s[4], s[5]}}
	u.aad = take(2)
	last := take(6)
	u.hash, u.tags, u.mask, u.key, u.paired, u.keys[u.rounds] = last[0], last[1], last[2], last[3], last[4], last[5]
	if u.masks {
		u.headers = take(1)[0]
	}
	if u.n > len(free) {
		u.power = take(1)[0]
	}
	u.powers = take(min(u.n, len(free)))
	if len(free) >= 2 {
		u.waiting = take(2)
	}
	copy(u.keys[2:], free)
}

// crossTexts is how many registers the ciphertexts of a quad take; of one that is
// opened, its last registers and as many for the one in work.
func (u *uniform) crossTexts() int {
	if u.open {
		return 2 * quad
	}
	return quad * u.n
}
