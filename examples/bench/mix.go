package main

import (
	"math/rand/v2"
	"slices"
)

// mix is lengths of packets in bytes, and how often each comes.
type mix struct {
	name  string
	sizes []int
	parts []int
}

// imix is the simple Internet mix, 7 : 4 : 1.
var imix = mix{"imix", []int{64, 576, 1400}, []int{7, 4, 1}}

func fixed(n int) mix { return mix{"", []int{n}, []int{1}} }

// packets are the lengths of a whole number of bursts, in which every length has
// its exact part, shuffled. Small bursts are many, so that they do not find the
// same packet in the nearest cache again and again.
func (m mix) packets(burst int) []int {
	const atLeast = 32
	once := 0
	for _, p := range m.parts {
		once += p
	}
	total := burst
	for total < atLeast || total%once != 0 {
		total += burst
	}
	all := make([]int, 0, total)
	for i, p := range m.parts {
		all = append(all, slices.Repeat([]int{m.sizes[i]}, p*total/once)...)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(total, func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// sortBursts sorts the lengths within each burst.
func sortBursts(sizes []int, burst int) []int {
	sorted := slices.Clone(sizes)
	for b := range slices.Chunk(sorted, burst) {
		slices.Sort(b)
	}
	return sorted
}
