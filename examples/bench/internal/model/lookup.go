package model

import (
	"fmt"
	"math/rand/v2"
	"net/netip"

	"github.com/sealburst/sealburst/examples/bench/internal/pair"
)

// sessionState is about what a gateway finds by an address: a connection's halves
// and its counters.
type sessionState struct {
	packets uint64
	_       [120]byte
}

// table is the gateway's: sessions by the inner address that they serve.
type table map[netip.Addr]*sessionState

func newTable(n int) table {
	t := make(table, n)
	for i := range n {
		t[inner(i)] = &sessionState{}
	}
	return t
}

// inner is the address of client i, of the private 10/8.
func inner(i int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
}

// draws are enough addresses that those of a million do not come round in the caches.
func draws(n int) []netip.Addr {
	r := rand.New(rand.NewPCG(5, 6))
	all := make([]netip.Addr, max(1<<14, n))
	for i := range all {
		all[i] = inner(r.IntN(n))
	}
	return all
}

// lookup is the contestant that looks sessions up, drawn uniformly, and counts a packet.
func lookup(n int) pair.Contestant {
	t, order, next := newTable(n), draws(n), 0
	return pair.Contestant{Name: fmt.Sprint(n), Items: burst, Run: func(units int) error {
		for range units * burst {
			s, known := t[order[next]]
			if !known {
				return fmt.Errorf("model: no session of %v", order[next])
			}
			s.packets++
			if next++; next == len(order) {
				next = 0
			}
		}
		return nil
	}}
}

// Lookups measures the look-up of a session for a packet, as sessions grow to most.
func Lookups(most int, effort Effort) ([]Row, error) {
	var cs []pair.Contestant
	var counts []int
	for _, n := range []int{1, 100, 1000, 10_000, 100_000, 1_000_000} {
		if n <= most {
			counts = append(counts, n)
			cs = append(cs, lookup(n))
		}
	}
	scores, err := effort.playAlone(cs)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i, n := range counts {
		rows = append(rows, Row{Kind: KindLookup, Name: "session by address", Sessions: n, NS: scores.NS(i)})
	}
	return rows, nil
}
