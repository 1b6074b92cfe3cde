package dtlsadapter

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/sealburst/sealburst/ciphers/cipherstest/race"
	"github.com/sealburst/sealburst/record"
)

// room is a payload in a buffer with just the room that its record needs.
func room(o *Outbound, payload []byte) record.Datagram {
	front := headerSize + o.explicit
	buf := make([]byte, front+len(payload)+o.tag)
	copy(buf[front:], payload)
	return record.Datagram{Buf: buf, Off: front, Len: len(payload)}
}

func payloadOf(n int) []byte {
	r := rand.New(rand.NewPCG(uint64(n), 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// TestHalvesAgainstOracle compares every suite's records with those of libraries,
// sealed and opened, at every length of a packet and at the edges.
func TestHalvesAgainstOracle(t *testing.T) {
	var lengths []int
	for n := range 1600 {
		lengths = append(lengths, n)
	}
	lengths = append(lengths, 4095, 4096, 8191, MaxPlaintext-1, MaxPlaintext)
	for i := range suites {
		s := &suites[i]
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			k := randomKeys(t, s.id)
			k.Epoch = 3
			out, in := halves(t, k)
			o := newOracle(t, s, k.Key, k.IV)
			for start := 0; start < len(lengths); start += 100 {
				part := lengths[start:min(start+100, len(lengths))]
				compareHalves(t, out, in, o, part, uint64(start))
			}
		})
	}
}

func compareHalves(t *testing.T, out *Outbound, in *Inbound, o *oracle, lengths []int, number uint64) {
	t.Helper()
	var burst, theirs []record.Datagram
	for i, n := range lengths {
		burst = append(burst, room(out, payloadOf(n)))
		wire := o.seal(typeApplicationData, 3<<48|(number+uint64(i)), nonceOf(o, 3<<48|(number+uint64(i))), payloadOf(n))
		theirs = append(theirs, record.Datagram{Buf: wire, Len: len(wire)})
	}
	if got := out.Protect(burst); got != len(lengths) {
		t.Fatalf("%d of %d protected", got, len(lengths))
	}
	for i := range burst {
		if !bytes.Equal(burst[i].Content(), theirs[i].Content()) {
			t.Fatalf("record of %d bytes differs", lengths[i])
		}
	}
	if got := in.Unprotect(theirs); got != len(lengths) {
		t.Fatalf("%d of %d unprotected", got, len(lengths))
	}
	for i, n := range lengths {
		if !bytes.Equal(theirs[i].Content(), payloadOf(n)) {
			t.Fatalf("payload of %d bytes differs", n)
		}
	}
}

func nonceOf(o *oracle, number uint64) []byte {
	b := make([]byte, 8)
	h := header{number: number}
	full := make([]byte, headerSize)
	h.put(full)
	copy(b, full[3:11])
	return b[:o.explicit]
}

// TestProtectRefuses has what cannot be sealed, among what can.
func TestProtectRefuses(t *testing.T) {
	out, in := halves(t, randomKeys(t, gcm128))
	good := func() record.Datagram { return room(out, []byte("payload")) }
	front, back, long, outside, done := good(), good(), room(out, make([]byte, MaxPlaintext+1)), good(), good()
	front.Buf, front.Off = front.Buf[1:], front.Off-1
	back.Buf = back.Buf[:len(back.Buf)-1]
	outside.Len = 1000
	done.Drop = record.DropMalformed
	burst := []record.Datagram{good(), front, back, long, outside, done, good()}
	want := []record.Drop{0, record.DropHeadroom, record.DropTailroom, record.DropTooLong, record.DropFailed, record.DropMalformed, 0}
	before := append([]record.Datagram(nil), burst...)
	if got := out.Protect(burst); got != 2 {
		t.Errorf("%d protected", got)
	}
	for i := range burst {
		if burst[i].Drop != want[i] {
			t.Errorf("datagram %d: %v, want %v", i, burst[i].Drop, want[i])
		}
		if want[i] != 0 && (burst[i].Off != before[i].Off || burst[i].Len != before[i].Len) {
			t.Errorf("datagram %d was changed", i)
		}
	}
	drops := out.Stats().Drops
	if drops.Dropped() != 4 {
		t.Errorf("drops %v", drops.ByName())
	}
	// The numbers of the good ones are consecutive: nothing was lost on the others.
	if a, b := parseHeader(burst[0].Content()), parseHeader(burst[6].Content()); b.number != a.number+1 {
		t.Errorf("numbers %x and %x", a.number, b.number)
	}
	if got := in.Unprotect(burst); got != 2 {
		t.Errorf("%d unprotected", got)
	}
}

// TestUnprotectMarks has what cannot be opened, among what can.
func TestUnprotectMarks(t *testing.T) {
	k := randomKeys(t, gcm128)
	out, in := halves(t, k)
	s, err := suiteOf(gcm128)
	must(t, err)
	o := newOracle(t, s, k.Key, k.IV)
	burst := make([]record.Datagram, 9)
	for i := range burst {
		burst[i] = room(out, fmt.Append(nil, "payload ", i))
	}
	if got := out.Protect(burst); got != len(burst) {
		t.Fatalf("%d protected", got)
	}
	burst[1].Buf[len(burst[1].Buf)-1] ^= 1
	burst[2].Len--
	burst[3] = record.Datagram{Buf: append(bytes.Clone(burst[3].Content()), 1), Len: burst[3].Len + 1}
	burst[4] = record.Datagram{Buf: bytes.Clone(burst[0].Content()), Len: burst[0].Len}
	alert := o.seal(typeAlert, 1<<48|99, make([]byte, 8), []byte{1, 0})
	burst[5] = record.Datagram{Buf: bytes.Clone(alert), Len: len(alert)}
	burst[6] = record.Datagram{}
	burst[7].Len = -1
	want := []record.Drop{0, record.DropUnauthentic, record.DropTruncated, record.DropMalformed, record.DropReplayed,
		record.DropType, record.DropTruncated, record.DropFailed, 0}
	if got := in.Unprotect(burst); got != 2 {
		t.Errorf("%d unprotected", got)
	}
	for i := range burst {
		if burst[i].Drop != want[i] {
			t.Errorf("datagram %d: %v, want %v", i, burst[i].Drop, want[i])
		}
	}
	if string(burst[8].Content()) != "payload 8" {
		t.Errorf("payload %q", burst[8].Content())
	}
	if !bytes.Equal(burst[5].Content(), alert) {
		t.Error("the alert was touched")
	}
	for _, b := range burst[1].Buf[21 : len(burst[1].Buf)-16] {
		if b != 0 {
			t.Fatal("plaintext of a forged record was left")
		}
	}
	drops := in.Stats().Drops
	if drops.Dropped() != 7 {
		t.Errorf("drops %v", drops.ByName())
	}
}

func TestSplit(t *testing.T) {
	a, b := rec(23, version12, 1, 1, 3, []byte("abc")), rec(21, version12, 1, 2, 0, nil)
	all := bytes.Join([][]byte{{9}, a, b, []byte("rest")}, nil)
	got := Split(nil, record.Datagram{Buf: all, Off: 1, Len: len(all) - 1})
	if len(got) != 3 || !bytes.Equal(got[0].Content(), a) || !bytes.Equal(got[1].Content(), b) ||
		string(got[2].Content()) != "rest" || got[2].Drop != record.DropTruncated {
		t.Errorf("split into %+v", got)
	}
	if got := Split(nil, record.Datagram{Len: 1}); len(got) != 1 || got[0].Drop != record.DropFailed {
		t.Errorf("split into %+v", got)
	}
	if got := Split(nil, record.Datagram{}); len(got) != 0 {
		t.Errorf("split into %+v", got)
	}
}

// TestHalvesConcurrently: every number is used once, and every record accepted once.
func TestHalvesConcurrently(t *testing.T) {
	out, in := halves(t, randomKeys(t, gcm128))
	var group sync.WaitGroup
	numbers := make([][]uint64, 8)
	for i := range numbers {
		group.Go(func() {
			for range 20 {
				burst := make([]record.Datagram, 10)
				for j := range burst {
					burst[j] = room(out, []byte("payload"))
				}
				if out.Protect(burst) != len(burst) {
					t.Error("not all protected")
				}
				for j := range burst {
					h := parseHeader(burst[j].Content())
					numbers[i] = append(numbers[i], h.number)
				}
				in.Unprotect(burst)
			}
		})
	}
	group.Wait()
	seen := map[uint64]bool{}
	for _, list := range numbers {
		for _, n := range list {
			if seen[n] {
				t.Fatalf("number %x came twice", n)
			}
			seen[n] = true
		}
	}
	if sent := out.Stats(); len(seen) != 1600 || sent.Records != 1600 || sent.MeanBurst() != 10 {
		t.Errorf("%d numbers, %+v", len(seen), sent)
	}
}

func TestHalvesAfterClose(t *testing.T) {
	out, in := halves(t, randomKeys(t, gcm128))
	burst := []record.Datagram{room(out, []byte("payload"))}
	out.Protect(burst)
	in.Close()
	if in.Unprotect(burst) != 0 || burst[0].Drop != record.DropClosed {
		t.Errorf("opened under a closed key: %v", burst[0].Drop)
	}
	out.Close()
	burst[0] = room(out, []byte("payload"))
	if out.Protect(burst) != 0 || burst[0].Drop != record.DropClosed {
		t.Errorf("sealed under a closed key: %v", burst[0].Drop)
	}
}

func TestHalvesAllocateNothing(t *testing.T) {
	out, in := halves(t, randomKeys(t, gcm128))
	burst := make([]record.Datagram, 32)
	for i := range burst {
		burst[i] = record.Datagram{Buf: make([]byte, Headroom+1000+Tailroom)}
	}
	n := testing.AllocsPerRun(100, func() {
		for i := range burst {
			burst[i] = record.Datagram{Buf: burst[i].Buf, Off: Headroom, Len: 1000}
		}
		if out.Protect(burst) != len(burst) || in.Unprotect(burst) != len(burst) {
			t.Fatal("not all went through")
		}
	})
	if n != 0 && !race.Uncounted {
		t.Errorf("%v allocations a burst", n)
	}
}
