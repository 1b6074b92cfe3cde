package main

import (
	"github.com/mmcloughlin/avo/reg"
)

// zmm are the 512-bit registers by number.
var zmm = [32]reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

// What general registers hold in a kernel. AX, CX, DX and R14 are for the moment.
var (
	packet   = reg.R8
	schedule = reg.R9
	src      = reg.RSI
	dst      = reg.RDI
	length   = reg.R10 // bytes of payload to go
	powers   = reg.R11 // power(n) here is H^(n+m), for m blocks to go
	order    = reg.R13 // the index of the packet
)

// What is left of a packet whose ciphertext is not yet hashed.
var (
	pending       = reg.RBX // its registers, chunk and those of its tail, pendingDouble, or 0
	pendingPowers = reg.R12
	tagPlace      = reg.R15 // where its tag goes; when opening, where the tag is
)

// What vector registers hold. The rest depends on the phase.
var (
	roundKey = reg.Z24
	base     = reg.Z25 // nonce and counter 0, less the first round key
	now      = reg.Z26 // base at the chunk's counter
	carry    = reg.Z27 // the hash of the chunks before
	tagState = reg.Z30 // the first counter block, in the first step
	reverse  = reg.Z31
)

// What opmasks hold.
var (
	tail       = reg.K1 // the bytes of a packet's last register
	aadBytes   = reg.K2 // the bytes of associated data
	nonceWords = reg.K5 // the first three words of each lane
	fourth     = reg.K7 // the last lane, by words
)
