package ciphers

import "fmt"

// Memory is a kind of memory that a packet's bytes lie in.
type Memory uint8

const (
	// MemoryGo is any memory. A device gets a copy.
	MemoryGo Memory = iota
	// MemoryPinned stays where it is while the packet is under way: memory of C, a
	// mapping, or Go memory that a runtime.Pinner holds.
	MemoryPinned
	// MemoryDevice is what hardware reads and writes by itself, such as DPDK's
	// packet buffers.
	MemoryDevice
	numMemories
)

var memories = [numMemories]string{MemoryGo: "go", MemoryPinned: "pinned", MemoryDevice: "device"}

// String is "go", "pinned" or "device".
func (m Memory) String() string {
	if m >= numMemories {
		return fmt.Sprintf("memory(%d)", uint8(m))
	}
	return memories[m]
}

// Asynchronous is an AEAD that a device serves. Seal and Open wait for the
// device; over a Lane of the device the caller does something else meanwhile.
type Asynchronous interface {
	AEAD
	// Device is the device, the same for every algorithm that it serves. It can be
	// compared.
	Device() Device
}

// Device takes bursts and gives them back later: hardware, or a library with
// queues of its own.
type Device interface {
	Traits() DeviceTraits
	Stats() DeviceStats
	// OpenLane makes a way into the device for one caller at a time. It fails when
	// the device has no more of them.
	OpenLane() (Lane, error)
}

// DeviceTraits is what a device says of itself.
type DeviceTraits struct {
	Name     string   `json:"name"`
	Burst    int      `json:"burst"`     // packets a burst at which it does best
	InFlight int      `json:"in_flight"` // bursts that a lane holds at once
	Lanes    int      `json:"lanes"`     // lanes that can be open at once
	InPlace  []Memory `json:"in_place"`  // the kinds that it works on; the rest is copied in and out
}

// DeviceStats are a device's counters since it was opened.
type DeviceStats struct {
	Placed      uint64 `json:"placed"`          // packets worked on where they lay
	Copied      uint64 `json:"copied"`          // packets copied in and out
	CopiedBytes uint64 `json:"copied_bytes"`    // of payloads, one way
	Failed      uint64 `json:"failed"`          // packets that got StatusBackend
	Fault       string `json:"fault,omitempty"` // what failed last
	Down        bool   `json:"down,omitempty"`  // the device answers no more
}

// Lane is one way into a device. Its methods belong to one caller at a time and
// never wait for the device.
//
// A burst that Submit took belongs to the lane until Poll gives back its token:
// the packets, their buffers and the burst's Index. What Memory says of a packet
// lies there until then. Poll gives back every burst, in any order, also when the
// device fails: packets that it did not do have StatusBackend then. The other
// outcomes are those of AEAD.
type Lane interface {
	// Submit takes a burst whose packets share a plan, all to be sealed or all to
	// be opened, or reports false when the lane is full.
	Submit(b Burst, d Direction, token uint64) bool
	// Poll fills done with the tokens of bursts that are over and returns how many.
	Poll(done []uint64) int
	// Close is called when every burst was given back.
	Close()
}
