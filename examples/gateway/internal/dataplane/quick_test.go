package dataplane

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/record"
)

// slowly is what a side does with a frame without the quick way: it says whether the
// frame is wanted, and leaves the packet.
func slowly(h *ethernet.Host, d *record.Datagram, wanted ethernet.Verdict, aging bool) bool {
	return h.Take(d) == wanted && (!aging || age(d.Content()) == record.DropNone)
}

// quickFrames are frames that are usual, and frames that differ from those in a bit or
// two of their first 40 bytes, or in length.
func quickFrames(usual []byte, n int) (all [][]byte) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		f := bytes.Clone(usual)
		for range i % 3 {
			f[r.IntN(40)] ^= 1 << r.IntN(8)
		}
		if i%7 == 0 {
			f = f[:r.IntN(len(f)+1)]
		}
		if i%2 == 0 && len(f) >= 34 { // a right checksum over what is wrong
			f[24], f[25] = 0, 0
			binary.BigEndian.PutUint16(f[24:], checksum(f[14:34]))
		}
		all = append(all, f)
	}
	return all
}

// TestQuickWayIsTheSlowOne takes nothing that the slow way does not, makes the same of
// it, and leaves the rest as it was.
func TestQuickWayIsTheSlowOne(t *testing.T) {
	plain, protected := newHosts()
	esp := ipv4("192.0.2.2", "192.0.2.1", 64, 100)
	esp[9] = 50
	for name, c := range map[string]struct {
		host   *ethernet.Host
		frame  []byte
		wanted ethernet.Verdict
		aging  bool
	}{
		"transit":     {plain, framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.2.3.4", 64, 80)), ethernet.Transit, true},
		"short":       {plain, framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.2.3.4", 3, 20)), ethernet.Transit, true},
		"transparent": {plain, framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.2.3.4", 1, 80)), ethernet.Transit, false},
		"local":       {protected, framed(protectedMAC, peerMAC, esp), ethernet.Local, false},
		"to itself":   {plain, framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.1.0.1", 64, 80)), ethernet.Local, false},
	} {
		q, taken := newQuick(c.host), 0
		for i, frame := range quickFrames(c.frame, 20000) {
			fast, slow := []record.Datagram{aside(frame), aside(frame)}, aside(frame)
			sizes, n := []int{0, 0}, 0
			if c.wanted == ethernet.Transit {
				n = q.transit(fast, sizes, c.aging).n
			} else {
				n = q.local(fast)
			}
			want := slowly(c.host, &slow, c.wanted, c.aging)
			d := &fast[1]
			switch {
			case n != 0 && (n != 2 || !want || d.Off != slow.Off || d.Len != slow.Len || !bytes.Equal(d.Buf, slow.Buf)):
				t.Fatalf("%s: took %d of %x and made %x of it, not %x", name, n, frame, d.Buf, slow.Buf)
			case n == 0 && (i%42 == 3 && want || d.Off != asideAt || !bytes.Equal(d.Buf, aside(frame).Buf)):
				t.Fatalf("%s: left %x as %x", name, frame, d.Buf)
			}
			taken += n
		}
		if taken < 10000 {
			t.Errorf("%s: took %d frames", name, taken)
		}
	}
}

// TestQuickWayNeedsAddresses of the host's own: without them it takes everything.
func TestQuickWayNeedsAddresses(t *testing.T) {
	q := newQuick(ethernet.NewHost(ethernet.Config{MAC: plainMAC}))
	burst := []record.Datagram{aside(framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.2.3.4", 64, 80)))}
	if q.transit(burst, []int{0}, true).n != 0 || q.local(burst) != 0 {
		t.Error("took a frame")
	}
}

const asideAt = 64

func aside(frame []byte) record.Datagram {
	buf := make([]byte, asideAt+len(frame)+asideAt)
	copy(buf[asideAt:], frame)
	return record.Datagram{Buf: buf, Off: asideAt, Len: len(frame)}
}
