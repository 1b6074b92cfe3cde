package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// quad processes four packets.
func (u *uniform) quad() {
	if !u.row {
		emitAll(u.nonces())
	}
	u.startTags()
	for wave, fill := range u.fill() {
		u.startWave(wave)
		states := u.state
		if wave == 0 {
			states = append(states[:len(states):len(states)], u.tags)
		}
		u.middle(states, fill)
		u.byTail(func(whole bool) {
			for i := range u.inStep {
				u.finish(wave*u.inStep+i, whole)
			}
		})
	}
	if u.crossed() {
		emitAll(u.endTags())
	}
	if u.open {
		u.verifyTags()
	}
}

// fill is what goes on between the rounds of each wave.
func (u *uniform) fill() (waves [][]step) {
	tasks := u.tasks()
	for n := quad / u.inStep; len(waves) < n; {
		waves = append(waves, take(&tasks, len(waves), n))
	}
	if !u.masks || u.crossed() {
		return waves
	}
	masks := u.headerMasks(u.headers)
	for w, steps := range waves {
		waves[w] = merge(steps, masks[len(masks)*w/len(waves):len(masks)*(w+1)/len(waves)])
	}
	waves[0] = append([]step{u.samples}, waves[0]...)
	return waves
}

// tasks is what there is to do besides AES.
func (u *uniform) tasks() []task {
	switch {
	case u.crossed() && u.open:
		return inOrder(u.decode(), u.crossAssociated(), u.crossHash(u.crossReceived), u.nextNonces())
	case u.crossed():
		return inOrder(u.crossTasks())
	case u.open:
		return u.openTasks()
	}
	return u.sealTasks()
}

// crossTasks hashes the quad before and begins with what is known of the one in work.
func (u *uniform) crossTasks() []step {
	hash, rest := u.crossHash(u.crossSealed), append(append(u.decode(), u.crossAssociated()...), u.nextNonces()...)
	if u.masks {
		return u.crossMasked(hash, rest)
	}
	return append(hash, rest...)
}

// openTasks runs ahead of the waves, but not farther than to the one that used the
// register in which the next packet's last ciphertext will be kept.
func (u *uniform) openTasks() []task {
	return []task{
		{u.decode(), 0, 0},
		{u.hashOf(0), 0, 0},
		{u.hashOf(1), 0, 1},
		{append(u.pairAssociated(0), u.pair(0)...), 0, 3},
		{u.hashOf(2), 1, 2},
		{u.hashOf(3), 2, 3},
		{append(u.pairAssociated(1), u.pair(1)...), 2, 3},
		{append(u.endTags(), append(u.fold(), u.nextNonces()...)...), 3, 3},
	}
}

// sealTasks hashes each packet in the wave after its own, before the next one's
// ciphertext takes its registers. What is left of the quad before is done in the first
// waves; where its tags' places are forgotten when those of the quad in work are found,
// in the very first.
func (u *uniform) sealTasks() []task {
	before := []task{{u.hashOf(3), 0, 0}, {append(u.pair(1), u.fold()...), 0, 0}}
	if u.row {
		before[1].by = 1
		before = append([]task{{u.decode(), 0, 0}}, before...)
	} else {
		before = append(before, task{u.decode(), 0, 0})
	}
	return append(before,
		task{u.endTags(), 1, 1},
		task{u.hashOf(0), 1, 1},
		task{u.hashOf(1), 2, 2},
		task{append(u.pairAssociated(0), u.pair(0)...), 2, 3},
		task{u.hashOf(2), 3, 3},
		task{append(u.pairAssociated(1), u.nextNonces()...), 3, 3},
	)
}

// drain is what is left to do of the last quad that is sealed.
func (u *uniform) drain() []step {
	switch {
	case u.crossed() && u.masks:
		return u.crossDrain(u.crossHash(u.crossSealed))
	case u.crossed():
		return u.crossHash(u.crossSealed)
	}
	steps := append(u.hashOf(3), append(u.pair(1), u.fold()...)...)
	if u.masks {
		steps = append([]step{u.samples}, merge(steps, u.headerMasks(u.headers))...)
	}
	return steps
}

// middle emits the rounds between the first, of which startWave did what is left of
// it, and the last.
func (u *uniform) middle(x []reg.VecPhysical, fill []step) {
	for r := 2; r < u.rounds; r++ {
		k := u.keys[r]
		if k == nil {
			k = u.key
			VBROADCASTI32X4(key(uniformKeys, r), k)
		}
		for _, state := range x {
			VAESENC(k, state, state)
		}
		fill = spread(fill, u.rounds-r)
	}
	emitAll(fill)
}

// states and texts are the registers of packet i in its wave.
func (u *uniform) states(i int) []reg.VecPhysical {
	return u.state[i%u.inStep*u.n:][:u.n]
}

func (u *uniform) texts(i int) []reg.VecPhysical {
	return u.text[i%u.inStep*u.n:][:u.n]
}

// byTail does what depends on whether payloads end with a whole register. Those that
// do need no opmasks, each of which costs as much as an addition; only in a row is it
// worth its while to tell them.
func (u *uniform) byTail(do func(whole bool)) {
	if !u.row || u.reach {
		do(false)
		return
	}
	whole, done := u.label("uniformWhole"), u.label("uniformDone")
	CMPQ(frame(uniformWhole), Imm(0))
	JNE(LabelRef(whole))
	do(false)
	JMP(LabelRef(done))
	Label(whole)
	do(true)
	Label(done)
}

// finish ends the cipher of packet i and writes what it made.
func (u *uniform) finish(i int, whole bool) {
	wire, plain := uniformWire[i], reg.RAX
	MOVQ(u.field(i, packetPlain), plain)
	TESTQ(plain, plain)
	CMOVQEQ(wire, plain)
	for r, x := range u.states(i) {
		masked := r == u.n-1 && !whole
		if u.open {
			u.decrypt(i, r, x, plain, masked)
		} else {
			u.encrypt(i, r, x, plain, masked)
		}
	}
}

func (u *uniform) encrypt(i, r int, x reg.VecPhysical, plain reg.Register, masked bool) {
	t, last, sealed, to := u.key, u.keys[u.rounds], u.texts(i)[r], at(uniformWire[i], 64*r)
	if !masked {
		VPXORQ(at(plain, 64*r), last, t)
		VAESENCLAST(t, x, sealed)
		VMOVDQU64(sealed, to)
		return
	}
	VMOVDQU8_Z(at(plain, 64*r), tail, t)
	VPXORQ(t, last, t)
	VAESENCLAST(t, x, sealed)
	VMOVDQU8(sealed, tail, to)
}

// decrypt takes the last register of ciphertext, which may be masked, from where it is
// kept.
func (u *uniform) decrypt(i, r int, x reg.VecPhysical, plain reg.Register, masked bool) {
	t, last := u.key, u.keys[u.rounds]
	if r == u.n-1 {
		VPXORQ(u.kept(i), last, t)
	} else {
		VPXORQ(at(uniformWire[i], 64*r), last, t)
	}
	VAESENCLAST(t, x, x)
	if masked {
		VMOVDQU8(x, tail, at(plain, 64*r))
	} else {
		VMOVDQU64(x, at(plain, 64*r))
	}
}
