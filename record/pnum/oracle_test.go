package pnum

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// appendixA3 is RFC 9000 appendix A.3 line by line, in numbers that cannot overflow.
func appendixA3(largest, truncated *big.Int, bits uint) *big.Int {
	expected := new(big.Int).Add(largest, big.NewInt(1))
	window := new(big.Int).Lsh(big.NewInt(1), bits)
	half := new(big.Int).Rsh(window, 1)
	candidate := new(big.Int).Sub(expected, new(big.Int).Mod(expected, window))
	candidate.Add(candidate, truncated)
	room := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 62), window)
	if candidate.Cmp(new(big.Int).Sub(expected, half)) <= 0 && candidate.Cmp(room) < 0 {
		return candidate.Add(candidate, window)
	}
	if candidate.Cmp(new(big.Int).Add(expected, half)) > 0 && candidate.Cmp(window) >= 0 {
		return candidate.Sub(candidate, window)
	}
	return candidate
}

func big64(number uint64) *big.Int {
	if number == None {
		return big.NewInt(-1)
	}
	return new(big.Int).SetUint64(number)
}

// closest tries every candidate in a range of three windows round want.
func closest(truncated uint64, bits uint, want, limit uint64) uint64 {
	window := int64(1) << bits
	best, bestDistance := int64(-1), int64(-1)
	base := int64(want) &^ (window - 1)
	for k := int64(-2); k <= 2; k++ {
		candidate := base + k*window + int64(truncated)
		if candidate < 0 || candidate > int64(limit) {
			continue
		}
		distance := max(candidate-int64(want), int64(want)-candidate)
		if bestDistance < 0 || distance <= bestDistance { // candidates rise: a tie goes to the higher
			best, bestDistance = candidate, distance
		}
	}
	return uint64(best)
}

func drawHighest(t *rapid.T, limit uint64) uint64 {
	near := rapid.Uint64Range(0, min(1<<34, limit))
	return rapid.OneOf(
		rapid.Just(None),
		rapid.Uint64Range(0, limit),
		near,
		rapid.Map(near, func(n uint64) uint64 { return limit - n }),
		rapid.Map(rapid.Uint64Range(0, 600), func(n uint64) uint64 { return limit - n }),
	).Draw(t, "highest")
}

func TestQUICAgainstAppendixA3(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.IntRange(1, MaxQUICLength).Draw(t, "length")
		highest := drawHighest(t, MaxQUIC)
		truncated := rapid.Uint64Range(0, 1<<(8*length)-1).Draw(t, "truncated")
		got := QUIC(truncated, length, highest)
		if highest == MaxQUIC { // the appendix would expect 2^62, which does not exist
			highest--
		}
		want := appendixA3(big64(highest), big64(truncated), uint(8*length))
		if big64(got).Cmp(want) != 0 {
			t.Fatalf("QUIC(%#x, %d, %#x) = %#x, want %#x", truncated, length, highest, got, want)
		}
	})
}

// TestQUICSentIsRecovered sends as RFC 9000 section 17.1 allows and receives with
// anything between the acknowledged number and the one before.
func TestQUICSentIsRecovered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		acked := drawHighest(t, MaxQUIC-1)
		room := min(MaxQUIC-(acked+1), 1<<31-2)
		number := acked + 1 + rapid.OneOf(rapid.Uint64Range(0, room), rapid.Uint64Range(0, min(room, 1<<16))).Draw(t, "ahead")
		length, err := QUICLength(number, acked)
		if err != nil {
			t.Fatal(err)
		}
		highest := acked + rapid.Uint64Range(0, number-acked-1).Draw(t, "received")
		wire := make([]byte, length)
		Put(wire, number)
		if got := QUIC(Get(wire), length, highest); got != number {
			t.Fatalf("%#x after %#x in %d bytes: received as %#x by a peer at %#x", number, acked, length, got, highest)
		}
	})
}

// TestQUICLengthIsShortest compares with the rule of section 17.1 in numbers that cannot overflow.
func TestQUICLengthIsShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		acked := drawHighest(t, MaxQUIC-1)
		number := rapid.OneOf(rapid.Uint64Range(acked+1, MaxQUIC),
			rapid.Uint64Range(acked+1, min(MaxQUIC, acked+1+1<<33))).Draw(t, "number")
		twice := new(big.Int).Sub(big64(number), big64(acked))
		twice.Lsh(twice, 1)
		want := 1
		for new(big.Int).Lsh(big.NewInt(1), uint(8*want)).Cmp(twice) <= 0 {
			want++
		}
		got, err := QUICLength(number, acked)
		if (err != nil) != (want > MaxQUICLength) || err == nil && got != want {
			t.Fatalf("QUICLength(%#x, %#x) = %d, %v, want %d", number, acked, got, err, want)
		}
	})
}

func TestDTLS13IsClosest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.IntRange(1, 2).Draw(t, "length")
		highest := drawHighest(t, MaxDTLS13)
		truncated := rapid.Uint64Range(0, 1<<(8*length)-1).Draw(t, "truncated")
		want := closest(truncated, uint(8*length), min(highest+1, MaxDTLS13), MaxDTLS13)
		if got := DTLS13(truncated, length, highest); got != want {
			t.Fatalf("DTLS13(%#x, %d, %#x) = %#x, want %#x", truncated, length, highest, got, want)
		}
	})
}

// TestDTLS13EveryByte tries every byte against every highest number near the ends.
func TestDTLS13EveryByte(t *testing.T) {
	for near := range uint64(1024) {
		for _, highest := range []uint64{near - 1, MaxDTLS13 - near} { // near 0 gives None
			for truncated := range uint64(256) {
				want := closest(truncated, 8, min(highest+1, MaxDTLS13), MaxDTLS13)
				if got := DTLS13(truncated, 1, highest); got != want {
					t.Fatalf("DTLS13(%#x, 1, %#x) = %#x, want %#x", truncated, highest, got, want)
				}
			}
		}
	}
}

// esnBySearch finds the number with the low half given that lies in the 2^32
// numbers from the bottom of the window; without one, it keeps the high half.
func esnBySearch(low uint32, highest uint64, window uint32) uint64 {
	bottom := new(big.Int).Sub(big64(highest), big.NewInt(int64(window)-1))
	if highest == None { // a legal highest number here
		bottom.Add(new(big.Int).Lsh(big.NewInt(1), 64), big.NewInt(-int64(window)))
	}
	end := new(big.Int).Add(bottom, big.NewInt(1<<32))
	for step := int64(-1); step <= 1; step++ {
		number := new(big.Int).SetUint64(highest>>32<<32 | uint64(low))
		number.Add(number, big.NewInt(step<<32))
		if number.Cmp(bottom) >= 0 && number.Cmp(end) < 0 && number.Sign() >= 0 && number.IsUint64() {
			return number.Uint64()
		}
	}
	return highest>>32<<32 | uint64(low)
}

func TestESNAgainstSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		near := rapid.Uint64Range(0, 20000)
		subspace := rapid.OneOf(rapid.Uint64Range(0, 2), rapid.Uint64Range(1<<32-2, 1<<32-1), rapid.Uint64Range(0, 1<<32-1))
		highest := subspace.Draw(t, "high")<<32 + rapid.OneOf(near,
			rapid.Map(near, func(n uint64) uint64 { return 1<<32 - 1 - n }),
			rapid.Uint64Range(0, 1<<32-1)).Draw(t, "top")
		window := rapid.SampledFrom([]uint32{1, 32, 64, 1024, 8192}).Draw(t, "window")
		low := uint32(highest) + uint32(rapid.Int32Range(-20000, 20000).Draw(t, "distance"))
		if rapid.Bool().Draw(t, "anywhere") {
			low = rapid.Uint32().Draw(t, "low")
		}
		if got, want := ESN(low, highest, window), esnBySearch(low, highest, window); got != want {
			t.Fatalf("ESN(%#x, %#x, %d) = %#x, want %#x", low, highest, window, got, want)
		}
	})
}

// FuzzRecover holds all three recoveries against their oracles.
func FuzzRecover(f *testing.F) {
	f.Add(uint32(0x9b32), uint8(1), uint64(0xa82f30ea))
	f.Add(uint32(0), uint8(0), None)
	f.Add(uint32(0xffffffff), uint8(3), MaxQUIC)
	f.Add(uint32(0), uint8(1), MaxDTLS13)
	f.Fuzz(func(t *testing.T, wire uint32, choice uint8, highest uint64) {
		if got, want := ESN(wire, highest, 64), esnBySearch(wire, highest, 64); got != want {
			t.Fatalf("ESN(%#x, %#x) = %#x, want %#x", wire, highest, got, want)
		}
		length := int(choice%4) + 1
		truncated := uint64(wire) & (1<<(8*length) - 1)
		checkClosest(t, QUIC(truncated, length, highest), truncated, length, highest, MaxQUIC)
		if length <= 2 {
			checkClosest(t, DTLS13(truncated, length, highest), truncated, length, highest, MaxDTLS13)
		}
	})
}

func checkClosest(t *testing.T, got, truncated uint64, length int, highest, limit uint64) {
	t.Helper()
	want := limit
	if highest == None || highest < limit {
		want = highest + 1
	}
	if expected := closest(truncated, uint(8*length), want, limit); got != expected {
		t.Fatalf("%#x in %d bytes after %#x, limit %#x: %#x, want %#x", truncated, length, highest, limit, got, expected)
	}
}
