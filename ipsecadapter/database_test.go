package ipsecadapter

import (
	"bytes"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// withSPI is an inbound SA with little behind it.
func withSPI(t testing.TB, spi uint32) *InboundSA {
	t.Helper()
	a := association4(AES128GCM16)
	a.SPI = spi
	sa, err := NewInboundSA(newEngine(t), InboundConfig{Association: a})
	must(t, err)
	t.Cleanup(sa.Close)
	return sa
}

func TestDatabase(t *testing.T) {
	const n = 10000
	db := NewDatabase()
	sas := make([]*InboundSA, n)
	for i := range sas {
		sas[i] = withSPI(t, uint32(256+i*0x10001))
		must(t, db.Add(sas[i]))
	}
	for i, sa := range sas {
		if db.Lookup(sa.SPI()) != sa {
			t.Fatalf("SA %d of %d is not found", i, n)
		}
	}
	if db.Len() != n || db.Lookup(257) != nil {
		t.Errorf("%d SAs, SPI 257 is %v", db.Len(), db.Lookup(257))
	}
	for i := 0; i < n; i += 2 {
		if !db.Remove(sas[i]) || db.Remove(sas[i]) {
			t.Fatalf("SA %d is not removed once", i)
		}
	}
	for i, sa := range sas {
		if found := db.Lookup(sa.SPI()); (found == sa) != (i%2 == 1) {
			t.Fatalf("SA %d: %v", i, found)
		}
	}
	if db.Len() != n/2 {
		t.Errorf("%d SAs", db.Len())
	}
}

func TestDatabaseRefuses(t *testing.T) {
	db := NewDatabase()
	first, second := withSPI(t, 300), withSPI(t, 300)
	must(t, db.Add(first))
	if err := db.Add(first); !errors.Is(err, ErrExists) {
		t.Errorf("the same again: %v", err)
	}
	if err := db.Add(second); !errors.Is(err, ErrExists) {
		t.Errorf("the same SPI: %v", err)
	}
	if db.Remove(second) {
		t.Error("removed what was not there")
	}
	db.Remove(first)
	wantField(t, db.Add(first), "SA")
	must(t, db.Add(second))
	if db.Lookup(300) != second {
		t.Error("the second is not found")
	}
}

// TestDatabaseChurn has many SAs come and go while many stay: what is removed must not fill
// the table, or a search would not end.
func TestDatabaseChurn(t *testing.T) {
	db := NewDatabase()
	for i := range 250 {
		must(t, db.Add(withSPI(t, uint32(1000+i))))
	}
	for i := range 1500 {
		sa := withSPI(t, uint32(10000+i))
		must(t, db.Add(sa))
		if !db.Remove(sa) {
			t.Fatal("not removed")
		}
		if db.Lookup(999) != nil {
			t.Fatal("found what is not there")
		}
	}
	used := 0
	slots := *db.table.Load()
	for i := range slots {
		if slots[i].Load() != nil {
			used++
		}
	}
	if used > len(slots)/2 || db.Len() != 250 {
		t.Errorf("%d of %d slots are used by %d SAs", used, len(slots), db.Len())
	}
}

// TestDatabaseByAddress keeps SAs of one SPI apart, and prefers what asks for more.
func TestDatabaseByAddress(t *testing.T) {
	db := NewDatabase()
	e := newEngine(t)
	add := func(match Match, from, to netip.Addr) *InboundSA {
		a := association4(AES128GCM16)
		a.Source, a.Destination = from, to
		sa, err := NewInboundSA(e, InboundConfig{Association: a, Match: match})
		must(t, err)
		must(t, db.Add(sa))
		return sa
	}
	both := add(ByAddresses, gateway4[0], gateway4[1])
	destination := add(ByAddress, gateway4[0], gateway4[1])
	spiOnly := add(BySPI, gateway4[0], gateway4[1])
	v6 := add(ByAddress, gateway6[0], gateway6[1])
	in := NewInbound(e, db, InboundOptions{})
	out := NewOutbound(e)
	var all []record.Datagram
	var want []*InboundSA
	for _, c := range []struct {
		name     string
		from, to netip.Addr
		want     *InboundSA
	}{
		{"both addresses", gateway4[0], gateway4[1], both},
		{"another source", host4[0], gateway4[1], destination},
		{"another destination", gateway4[0], host4[0], spiOnly},
		{"IPv6", gateway6[0], gateway6[1], v6},
		{"another IPv6", gateway6[1], gateway6[0], spiOnly},
	} {
		a := association4(AES128GCM16)
		a.Source, a.Destination = c.from, c.to
		sender, err := NewOutboundSA(e, OutboundConfig{Association: a})
		must(t, err)
		p := &pair{out: out, sender: sender}
		burst := p.seal(t, udpPacket(host4[0], host4[1], nil), udpPacket(host4[0], host4[1], nil))
		by := make([]*InboundSA, 1)
		if in.Unprotect(burst[:1], by); by[0] != c.want {
			t.Errorf("%s: another SA", c.name)
		}
		all, want = append(all, burst[1]), append(want, c.want)
	}
	by := make([]*InboundSA, len(all))
	if in.Unprotect(all, by); !slices.Equal(by, want) {
		t.Error("in one burst: other SAs")
	}
	if db.Lookup(spiOnly.SPI()) != spiOnly {
		t.Error("by SPI alone: another SA")
	}
}

// TestDatabaseConcurrently looks up what stays while others come and go.
func TestDatabaseConcurrently(t *testing.T) {
	db := NewDatabase()
	var stay []*InboundSA
	for i := range 50 {
		stay = append(stay, withSPI(t, uint32(1000+i)))
		must(t, db.Add(stay[i]))
	}
	var passing [][]*InboundSA
	for g := range 2 {
		var own []*InboundSA
		for i := range 200 {
			own = append(own, withSPI(t, uint32(5000+1000*g+i)))
		}
		passing = append(passing, own)
	}
	var wg sync.WaitGroup
	for _, own := range passing {
		wg.Go(func() {
			for _, sa := range own {
				if err := db.Add(sa); err != nil {
					t.Error(err)
				}
			}
			for _, sa := range own {
				if !db.Remove(sa) {
					t.Errorf("SPI %d was not there", sa.SPI())
				}
			}
		})
	}
	for range 2 {
		wg.Go(func() {
			for range 200 {
				for _, sa := range stay {
					if db.Lookup(sa.SPI()) != sa {
						t.Errorf("SPI %d is not found", sa.SPI())
					}
				}
			}
		})
	}
	wg.Wait()
	if db.Len() != len(stay) {
		t.Errorf("%d SAs stay", db.Len())
	}
}

// TestManySAsInABurst mixes SAs of every transform, good and bad packets, over several
// pieces, and opens them in another order.
func TestManySAsInABurst(t *testing.T) {
	e := newEngine(t)
	db := NewDatabase()
	var senders []*OutboundSA
	for i, transform := range Transforms() {
		for esn := range 2 {
			a := association4(transform)
			a.SPI, a.ESN = uint32(0x1000*(i+1)+esn), esn == 1
			if i%3 == 0 {
				a.Mode = Transport
			}
			sender, err := NewOutboundSA(e, OutboundConfig{Association: a})
			must(t, err)
			receiver, err := NewInboundSA(e, InboundConfig{Association: a})
			must(t, err)
			must(t, db.Add(receiver))
			senders = append(senders, sender)
		}
	}
	var burst []record.Datagram
	var by []*OutboundSA
	var want [][]byte
	for i := range 300 {
		packet := udpPacket(host4[0], host4[1], pattern(i*7%1200))
		want = append(want, packet)
		by = append(by, senders[(i*i+i/5)%len(senders)])
		burst = append(burst, datagram(packet, 60, 60))
	}
	if n := NewOutbound(e).Protect(burst, by); n != len(burst) {
		t.Fatalf("%d sealed", n)
	}
	checkNumbers(t, burst, by)
	for i := 0; i < len(burst); i += 11 {
		burst[i].Content()[burst[i].Len-1] ^= 1
	}
	found := make([]*InboundSA, len(burst))
	NewInbound(e, db, InboundOptions{}).Unprotect(burst, found)
	for i := range burst {
		if found[i] == nil || found[i].SPI() != by[i].SPI() {
			t.Fatalf("packet %d: another SA", i)
		}
		if i%11 == 0 {
			if burst[i].Drop != record.DropUnauthentic {
				t.Fatalf("packet %d: %v", i, burst[i].Drop)
			}
		} else if burst[i].Drop != record.DropNone || !bytes.Equal(burst[i].Content(), want[i]) {
			t.Fatalf("packet %d: %v, %x", i, burst[i].Drop, burst[i].Content())
		}
	}
}

// checkNumbers wants each SA's numbers from 1, in the order of the burst.
func checkNumbers(t *testing.T, burst []record.Datagram, by []*OutboundSA) {
	t.Helper()
	last := map[*OutboundSA]byte{}
	for i := range burst {
		last[by[i]]++
		if esp := burst[i].Content()[20:]; esp[7] != last[by[i]] {
			t.Fatalf("packet %d has number %d, want %d", i, esp[7], last[by[i]])
		}
	}
}

// TestConcurrentBursts seals and opens with one SA from several goroutines: no number comes
// twice, and each packet is accepted once.
func TestConcurrentBursts(t *testing.T) {
	p := pairOf(t, association4(AES128GCM16))
	const goroutines, rounds, size = 4, 20, 40
	var mu sync.Mutex
	var all [][]byte
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range rounds {
				var packets [][]byte
				for range size {
					packets = append(packets, udpPacket(host4[0], host4[1], pattern(20)))
				}
				burst, by := p.burst(packets...)
				p.out.Protect(burst, by)
				mu.Lock()
				for i := range burst {
					all = append(all, burst[i].Content())
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, packet := range all {
		seen[string(packet[24:28])] = true
	}
	if len(seen) != goroutines*rounds*size {
		t.Errorf("%d numbers for %d packets", len(seen), len(all))
	}
	if f := p.out.Stats(); f.Packets != uint64(len(all)) || f.Bytes != uint64(len(all)*48) || f.MeanBurst() != size {
		t.Errorf("counted %+v", f)
	}
}
