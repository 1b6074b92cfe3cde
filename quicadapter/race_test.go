package quicadapter

import (
	"sync"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// In every round bursts are sealed and a key update is made at the same time. No number
// is given twice, and what was sealed in either phase opens.
func TestManyGoroutinesOneConnection(t *testing.T) {
	l := confirmed(t)
	const rounds, workers, size = 30, 4, 16
	seen := map[uint64]bool{}
	outs := make([]*Outbound, workers)
	for i := range outs {
		outs[i] = NewOutbound(l.engine)
	}
	for range rounds {
		var wg sync.WaitGroup
		bursts := make([][]record.Datagram, workers)
		for i, out := range outs {
			wg.Go(func() { bursts[i] = sealedBurst(out, l.client, size) })
		}
		wg.Go(func() { _ = l.client.Update() }) // too soon where the last was not seen yet
		wg.Wait()
		for _, burst := range bursts {
			openAll(t, l, burst, seen)
		}
		// One more packet of the present phase, acknowledged, allows the next update.
		openAll(t, l, sealedBurst(outs[0], l.client, 1), seen)
	}
	if l.server.Phase() != rounds || l.server.Failed() != 0 || len(seen) != rounds*(workers*size+1) {
		t.Errorf("phase %d, %d failed, %d numbers", l.server.Phase(), l.server.Failed(), len(seen))
	}
}

func openAll(t *testing.T, l *link, burst []record.Datagram, seen map[uint64]bool) {
	t.Helper()
	packets, n := l.in.Open(burst)
	if n != len(burst) {
		t.Fatalf("%d of %d opened, %v", n, len(burst), l.server.Err())
	}
	for i := range packets {
		number := packets[i].Number
		if seen[number] {
			t.Fatalf("number %d came twice", number)
		}
		seen[number] = true
		if err := l.client.Acknowledged(OneRTT, number); err != nil {
			t.Fatal(err)
		}
	}
}

func sealedBurst(out *Outbound, c *Conn, n int) (wire []record.Datagram) {
	burst := make([]Packet, n)
	for i := range burst {
		burst[i] = outgoing(c, OneRTT, make([]byte, 32))
		burst[i].NumberSize = 4
	}
	out.Seal(burst)
	for i := range burst {
		if burst[i].Drop == record.DropNone {
			wire = append(wire, burst[i].Datagram)
		}
	}
	return wire
}

// IDs come and go while bursts are split. Each packet finds the connection or none.
func TestTableChangesMeanwhile(t *testing.T) {
	l := newRow(t, rowID)
	burst := l.rowOf(8, []byte("payload"))
	l.out.Seal(burst)
	sealed := wireOf(burst)
	var workers, changes sync.WaitGroup
	done := make(chan struct{})
	changes.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				l.table.Remove(rowID)
				_ = l.table.Add(rowID, l.server)
			}
		}
	})
	for range 2 {
		in := NewInbound(l.engine, l.table)
		workers.Go(func() {
			for range 200 {
				var wire []record.Datagram
				for i := range sealed {
					wire = append(wire, datagram(sealed[i].Content()))
				}
				packets, _ := in.Open(wire)
				for i := range packets {
					if p := &packets[i]; p.Conn != l.server && p.Drop != record.DropUnknownSession {
						t.Errorf("%v", p.Drop)
					}
				}
			}
		})
	}
	workers.Wait()
	close(done)
	changes.Wait()
}
