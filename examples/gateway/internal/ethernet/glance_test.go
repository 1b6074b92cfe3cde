package ethernet

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// slowly is what a side does with a frame without a Glance: it says whether the
// frame is wanted, and leaves the packet.
func slowly(h *Host, d *record.Datagram, wanted Verdict, aging bool) bool {
	return h.Take(d) == wanted && (!aging || Age(d.Content()) == record.DropNone)
}

// oddFrames are frames that are usual, and frames that differ from those in a bit or
// two of their first 40 bytes, or in length.
func oddFrames(usual []byte, n int) (all [][]byte) {
	r := rand.New(rand.NewPCG(3, 4))
	usual = append(usual, make([]byte, max(0, MinFrame-len(usual)))...)
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
			binary.BigEndian.PutUint16(f[24:], slowSum(f[14:34]))
		}
		all = append(all, f)
	}
	return all
}

// TestGlanceTakesWhatTakeDoes takes nothing that the slow way does not, makes the same of
// it, and leaves the rest as it was.
func TestGlanceTakesWhatTakeDoes(t *testing.T) {
	host := newHost()
	esp := udp4("192.0.2.2", "192.0.2.1", 64, 100)
	esp[9] = 50
	for name, c := range map[string]struct {
		frame  []byte
		wanted Verdict
		aging  bool
	}{
		"transit":     {frameOf(own, friend, udp4("10.1.0.9", "10.2.3.4", 64, 80)), Transit, true},
		"short":       {frameOf(own, friend, udp4("10.1.0.9", "10.2.3.4", 3, 20)), Transit, true},
		"transparent": {frameOf(own, friend, udp4("10.1.0.9", "10.2.3.4", 1, 80)), Transit, false},
		"local":       {frameOf(own, friend, esp), Local, false},
		"to itself":   {frameOf(own, friend, udp4("192.0.2.9", "192.0.2.1", 64, 80)), Local, false},
	} {
		g, taken := host.Glance(c.aging), 0
		for i, frame := range oddFrames(c.frame, 20000) {
			fast, slow := []record.Datagram{*datagram(frame), *datagram(frame)}, *datagram(frame)
			sizes, n := []int{0, 0}, 0
			if c.wanted == Transit {
				n = g.Transit(fast, sizes).N
			} else {
				n = g.Local(fast)
			}
			want := slowly(host, &slow, c.wanted, c.aging)
			d := &fast[1]
			switch {
			case n != 0 && (n != 2 || !want || d.Off != slow.Off || d.Len != slow.Len || !bytes.Equal(d.Buf, slow.Buf)):
				t.Fatalf("%s: took %d of %x and made %x of it, not %x", name, n, frame, d.Buf, slow.Buf)
			case n == 0 && (i%42 == 3 && want || d.Off != room || !bytes.Equal(d.Buf, datagram(frame).Buf)):
				t.Fatalf("%s: left %x as %x", name, frame, d.Buf)
			}
			taken += n
		}
		if taken < 10000 {
			t.Errorf("%s: took %d frames", name, taken)
		}
	}
}

// TestGlanceNeedsAddresses of the host's own, and not too many: without them it takes nothing.
func TestGlanceNeedsAddresses(t *testing.T) {
	burst := []record.Datagram{*datagram(frameOf(own, friend, udp4("10.1.0.9", "10.2.3.4", 64, 80)))}
	var many []netip.Prefix
	for i := range byte(MaxOwn + 1) {
		many = append(many, netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, 2, i}), 24))
	}
	for _, c := range []struct {
		addresses []netip.Prefix
		n         int
	}{{nil, 0}, {many, 0}, {many[:MaxOwn], 1}, {[]netip.Prefix{netip.MustParsePrefix("2001:db8::1/64")}, 1}} {
		g := NewHost(Config{MAC: own, Addresses: c.addresses}).Glance(false)
		all := slices.Clone(burst)
		if n := g.Transit(all, []int{0}).N; n != c.n || g.Local(burst) != 0 {
			t.Errorf("%d addresses: took %d frames", len(c.addresses), n)
		}
	}
}

// TestOneAddress is what Transit says of bursts.
func TestOneAddress(t *testing.T) {
	g := newHost().Glance(true)
	for _, c := range []struct {
		to  []string
		one bool
	}{
		{[]string{"10.2.3.4"}, true},
		{[]string{"10.2.3.4", "10.2.3.4"}, true},
		{[]string{"10.2.3.4", "10.2.3.5"}, false},
		{[]string{"0.0.0.0", "10.2.3.5"}, false},
		{[]string{"10.2.3.5", "0.0.0.0"}, false},
		{[]string{"10.2.3.4", "10.2.3.5", "10.2.3.4"}, false},
	} {
		var burst []record.Datagram
		for _, to := range c.to {
			burst = append(burst, *datagram(frameOf(own, friend, udp4("10.1.0.9", to, 64, 80))))
		}
		p := g.Transit(burst, make([]int, len(burst)))
		if p.N != len(burst) || p.Bytes != 80*len(burst) || p.One != c.one {
			t.Errorf("%v: %+v", c.to, p)
		}
	}
}
