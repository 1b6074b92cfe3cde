package quicadapter

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// crowd is connections of every suite and both versions, their peers, and an Inbound.
type crowd struct {
	*link
	*rand.Rand
	senders, receivers []*Conn
}

const crowdID = 9 // bytes

func newCrowd(t testing.TB, seed uint64) *crowd {
	c := &crowd{link: newLinkWith(t, Version1, crowdID), Rand: rand.New(rand.NewPCG(seed, 5))}
	for i, s := range suites {
		c.senders = append(c.senders, newConn(t, c.engine, versions[i%2], Client))
		c.receivers = append(c.receivers, newConn(t, c.engine, versions[i%2], Server))
		c.client, c.server = c.senders[i], c.receivers[i]
		c.both(OneRTT, s, secretOf(s, byte(i)))
		c.both(Handshake, s, secretOf(s, byte(i)+9))
		c.client.phases.confirmed = true // and the Handshake keys stay
		if err := c.table.Add(c.id(i), c.server); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func (c *crowd) id(conn int) []byte { return bytes.Repeat([]byte{byte(conn + 1)}, crowdID) }

// wire is a good datagram of one of the connections, now and then of two packets.
func (c *crowd) wire(conn int) (wire []byte) {
	types := []Type{OneRTT}
	if c.IntN(8) == 0 {
		types = []Type{Handshake, OneRTT}
	}
	for _, typ := range types {
		p := outgoing(c.senders[conn], typ, make([]byte, c.IntN(50)))
		p.Destination, p.NumberSize = c.id(conn), 4
		wire = append(wire, c.seal(p)...)
	}
	return wire
}

// spoilt is what an attacker makes of a datagram.
func (c *crowd) spoilt(wire []byte) []byte {
	switch c.IntN(5) {
	case 0:
		wire[c.IntN(len(wire))] ^= 1 << c.IntN(8)
	case 1:
		wire = wire[:c.IntN(len(wire))]
	case 2:
		wire = append(wire, wire...)
	case 3:
		wire[c.IntN(crowdID)+1]++
	default:
		for i := range wire {
			wire[i] = byte(c.Uint32())
		}
	}
	return wire
}

// burst has runs of one connection with spoilt and repeated datagrams in between, also in
// front. Before it, a connection may have updated its keys.
func (c *crowd) burst() (burst []record.Datagram) {
	conn := c.IntN(len(c.senders))
	if sender := c.senders[conn]; sender.spaces[spaceApplication].next > 0 && sender.Phase() == c.receivers[conn].Phase() {
		if err := sender.Acknowledged(OneRTT, sender.spaces[spaceApplication].next-1); err != nil {
			c.Fatal(err)
		}
		if err := sender.Update(); err != nil {
			c.Fatal(err)
		}
	}
	for range 20 + c.IntN(300) {
		if c.IntN(4) == 0 {
			conn = c.IntN(len(c.senders))
		}
		wire := c.wire(conn)
		if c.IntN(4) == 0 {
			burst = append(burst, datagram(c.spoilt(bytes.Clone(wire))))
		}
		burst = append(burst, datagram(wire))
		if c.IntN(9) == 0 {
			burst = append(burst, datagram(wire))
		}
	}
	return burst
}

// Bursts of many connections, in which any datagram may be forged, cut or repeated, are
// opened as if each datagram came alone.
func TestMixedBurstsAreOpenedLikeLoneDatagrams(t *testing.T) {
	for seed := range uint64(20) {
		row, lone := newCrowd(t, seed), newCrowd(t, seed)
		for range 5 {
			burst := row.burst()
			compareOpened(t, "mixed", row.link, lone.link, burst)
		}
		for i := range row.receivers {
			a, b := row.receivers[i], lone.receivers[i]
			if a.Failed() != b.Failed() || a.Err() != b.Err() || a.Phase() != b.Phase() || a.opening != 0 {
				t.Errorf("connection %d: %d and %d failed, %v and %v, phases %d and %d", i, a.Failed(), b.Failed(), a.Err(), b.Err(), a.Phase(), b.Phase())
			}
		}
	}
}
