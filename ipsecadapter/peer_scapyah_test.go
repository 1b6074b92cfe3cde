package ipsecadapter

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// TestPeerScapyAH has scapy verify what every transform of AH protected on every way, and
// opens what scapy protected.
func TestPeerScapyAH(t *testing.T) {
	peer := newScapy(t)
	for i, transform := range AHTransforms() {
		for j, w := range ahWays([]int{0, 9, 200}[i%3]) {
			if transform != AES128GMAC && j%3 != i%3 {
				continue // scapy is slow
			}
			a := w.association(transform)
			name := fmt.Sprintf("%v, %s", transform, w.name)
			scapyVerifies(t, peer, name, a, &w)
			scapyProtects(t, peer, name, a, &w)
		}
	}
}

func scapyVerifies(t *testing.T, peer *scapy, name string, a Association, w *ahWay) {
	t.Helper()
	number := uint64(77)
	if a.ESN {
		number = 5<<32 + 77
	}
	p := newPair(t, OutboundConfig{Association: a, First: number}, InboundConfig{Association: a})
	task := scapyTaskOf(&a, number, exchanged(p.seal(t, exchanged(w.packet))[0].Content()))
	task.Op = "open"
	if got := peer.run(t, task); !bytes.Equal(got, w.packet) {
		t.Errorf("%s: scapy opened\n%x, want\n%x", name, got, w.packet)
	}
}

func scapyProtects(t *testing.T, peer *scapy, name string, a Association, w *ahWay) {
	t.Helper()
	p := pairOf(t, a)
	number := uint64(3)
	if a.ESN {
		number = moveWindow(t, p, a)
	}
	task := scapyTaskOf(&a, number, exchanged(w.packet))
	task.Op = "seal"
	d := p.open(exchanged(peer.run(t, task)))
	if d.Drop != record.DropNone || !bytes.Equal(d.Content(), w.packet) {
		t.Errorf("%s: scapy's packet gives %v:\n%x, want\n%x", name, d.Drop, d.Content(), w.packet)
	}
}

// exchanged is a packet with a routing header of one stop on the other side of that stop. Scapy
// 2.5 expects its sender to be before it.
func exchanged(packet []byte) []byte {
	b := bytes.Clone(packet)
	if b[0]>>4 != 6 {
		return b
	}
	for next, at := b[6], 40; next == 0 || next == 60 || next == 43; next, at = b[at], at+8+8*int(b[at+1]) {
		if next == 43 {
			b[at+3] ^= 1
			copy(b[24:], packet[at+8:at+24])
			copy(b[at+8:], packet[24:40])
		}
	}
	return b
}
