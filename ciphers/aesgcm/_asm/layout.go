package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Where kernels find the fields of ciphers.Packet.
const (
	packetBuf       = 0
	packetPlain     = 24
	packetKey       = 48
	packetPrefix    = 64
	packetPrefixLen = 72
	packetNonce     = 96
	packetLen       = 112
	packetOff       = 116
	packetAADOff    = 118
	packetAADLen    = 120
	packetStatus    = 126
	packetShift     = 7
)

// keyTag is where a ciphers.Key has the length of its tags.
const keyTag = 27

// The statuses that kernels write.
const (
	statusOK   = 1
	statusAuth = 2
)

// A schedule, see schedule_amd64.go: the powers of H from the highest down, the
// round keys.
const (
	numPowers      = 41
	scheduleRounds = 16 * numPowers
)

// power is where H^n stands in a schedule.
func power(n int) int { return 16 * (numPowers - n) }

// The frame of a kernel.
const (
	frameLeft    = 0                // packets from the one in work on
	frameTaken   = frameLeft + 8    // packets, of all
	frameFailed  = frameTaken + 8   // packets that were not authentic
	frameSettled = frameFailed + 8  // not 0 when no other shape may come
	frameChunks  = frameSettled + 8 // whole chunks of the packet to go
	frameTagSize = frameChunks + 8  // of the packet that is pending
	frameTagMask = frameTagSize + 8
	frameLengths = frameTagMask + 16 // the shape's length block

	frameShapeLen    = frameLengths + 16    // bytes of payload
	frameShapePrefix = frameShapeLen + 8    // bytes of associated data outside the buffer
	frameShapeRange  = frameShapePrefix + 8 // bytes of associated data in the buffer
	frameShapeAAD    = frameShapeRange + 8  // bytes that the blocks of both take
	frameShapeFrom   = frameShapeAAD + 8    // where they are, if not there
	frameShapeBlocks = frameShapeFrom + 8   // bytes that the blocks of payload take
	frameCounter     = frameShapeBlocks + 8 // where later finds what it adds
	frameSize        = frameCounter + 8
)

const quad = 4 // packets that kernels for short ones take at once

func frame(offset int) Mem { return Mem{Base: reg.StackPointer, Disp: offset} }

func at(base reg.Register, offset int) Mem { return Mem{Base: base, Disp: offset} }
