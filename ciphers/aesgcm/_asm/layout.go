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
	packetMaskKey   = 56
	packetPrefix    = 64
	packetPrefixLen = 72
	packetNonce     = 96
	packetLen       = 112
	packetOff       = 116
	packetAADOff    = 118
	packetAADLen    = 120
	packetSampleOff = 124
	packetStatus    = 126
	packetShift     = 7
)

// keySchedule is where a mask key keeps the address of its schedule.
const keySchedule = 64

// The statuses that kernels write.
const (
	statusOK   = 1
	statusAuth = 2
)

// A schedule, see schedule_amd64.go: the powers of H from the highest down, the
// tag, the round keys.
const (
	numPowers       = 40
	scheduleTagMask = 16 * numPowers
	scheduleTagSize = scheduleTagMask + 8
	scheduleRounds  = scheduleTagMask + 16
)

// power is where H^n stands in a schedule.
func power(n int) int { return 16 * (numPowers - n) }

// group is how many packets a kernel takes between two rounds of tags.
const group = 16

// The frame of a kernel: what the packets of a group leave behind until their
// tags are made together. Arrays have an entry a packet, or a quad of packets.
const (
	frameHash     = 0                           // reduced hashes, not yet folded, 64 bytes
	frameTagMask  = frameHash + 64*group        // encrypted first counter blocks, 16 bytes
	framePacket   = frameTagMask + 16*group     // addresses of descriptors
	frameSchedule = framePacket + 8*group       // addresses of schedules
	frameLongest  = frameSchedule + 8*group     // the longest payload of a quad, 8 bytes
	frameSrc      = frameLongest + 8*group/quad // payloads of the quad in work
	frameDst      = frameSrc + 8*quad           // their destinations
	framePower    = frameDst + 8*quad           // their addresses in the powers of H
	frameNext     = framePower + 8*quad         // the same of the next quad
	frameAAD      = frameNext + 8*quad          // likewise for their associated data
	frameLengths  = frameAAD + 8*quad           // the shape's length block
	frameOrder    = frameLengths + 16           // the indexes of this group
	frameLeft     = frameOrder + 8              // packets from this group on
	frameEnd      = frameLeft + 8               // 8 for each packet of this group
	frameFailed   = frameEnd + 8                // packets that were not authentic

	frameCounter = frameFailed + 8 // the chunk's counter, in the first word of each lane

	frameShapeLen    = frameCounter + 64    // bytes of payload
	frameShapePrefix = frameShapeLen + 8    // bytes of associated data outside the buffer
	frameShapeRange  = frameShapePrefix + 8 // bytes of associated data in the buffer
	frameShapeAAD    = frameShapeRange + 8  // bytes that the blocks of both take
	frameShapeFrom   = frameShapeAAD + 8    // where they are, if not there
	frameShapeBlocks = frameShapeFrom + 8   // bytes that the blocks of payload take
	frameSize        = frameShapeBlocks + 8
)

const quad = 4

func frame(offset int) Mem { return Mem{Base: reg.StackPointer, Disp: offset} }

// entry is the entry of a frame's array that member, 8 for each packet, names.
func entry(array, scale int, member reg.Register) Mem {
	return Mem{Base: reg.StackPointer, Index: member, Scale: uint8(scale), Disp: array}
}

func at(base reg.Register, offset int) Mem { return Mem{Base: base, Disp: offset} }
