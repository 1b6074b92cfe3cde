package vpn

import (
	"fmt"
	"testing"
	"time"
)

func TestWornSessionIsReplacedWithoutLoss(t *testing.T) {
	n := newLingeringNetwork(t, "10.99.0.1/24", long)
	h := n.joinWith("alice", habits{renewAfter: 100, keepalive: 10 * time.Millisecond, linger: long})
	sent := n.wear(h, 3)
	totals := n.server.Ledger.Totals()
	if len(totals.Out.Drops) != 0 || len(totals.In.Drops) != 0 {
		t.Errorf("%d sessions for %d packets; drops %v, %v", totals.Opened, sent, totals.Out.Drops, totals.In.Drops)
	}
}

// wear sends packets both ways, none of which may be lost, until the client had that many
// sessions. It returns how many.
func (n *network) wear(h *host, sessions uint64) (sent int) {
	n.t.Helper()
	for ; n.server.Ledger.Totals().Opened < sessions; sent++ {
		down, up := packet(world, h.address, fmt.Sprint("down ", sent)), packet(h.address, world, fmt.Sprint("up ", sent))
		send(n.t, n.inside, down)
		send(n.t, h.inside, up)
		expect(n.t, h.inside, down)
		expect(n.t, n.inside, up)
	}
	return sent
}

// TestLateRequestEndsNothing: what was asked in a session before it was replaced leaves it
// the time that it has.
func TestLateRequestEndsNothing(t *testing.T) {
	n := newLingeringNetwork(t, "10.99.0.1/24", long)
	h := n.joinWith("alice", habits{renewAfter: 10, keepalive: 10 * time.Millisecond, linger: long})
	old := h.client.current.Load()
	n.eventually("the session is replaced", func() bool { return h.client.current.Load() != old && n.routed(h) })
	for range 20 {
		keepAlive(old.conn)
		time.Sleep(5 * time.Millisecond)
	}
	up := packet(h.address, world, "late")
	if _, err := old.conn.Write(up); err != nil {
		t.Fatal(err)
	}
	expect(t, n.inside, up)
}

func TestReplacedSessionEnds(t *testing.T) {
	n := newNetwork(t, "10.99.0.1/24")
	n.joinWith("alice", habits{renewAfter: 10, keepalive: 10 * time.Millisecond, linger: 10 * time.Millisecond})
	n.eventually("a session that was replaced ends", func() bool {
		totals := n.server.Ledger.Totals()
		return totals.Opened >= 3 && uint64(totals.Sessions) < totals.Opened
	})
}

func TestLostSessionIsMadeAgain(t *testing.T) {
	n := newNetwork(t, "10.99.0.1/24")
	h := n.join("alice")
	n.server.table.find(h.address).conn.Close() // as a server that starts anew does
	n.eventually("there is a second session", func() bool {
		return n.server.Ledger.Totals().Opened == 2 && n.routed(h)
	})
	down := packet(world, h.address, "after the loss") // the plain side is the same as before
	send(t, n.inside, down)
	expect(t, h.inside, down)
}
