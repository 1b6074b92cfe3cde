package cipherstest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

// scene is a burst of records in one arena, and what the arena and the statuses
// must be when the burst is done.
type scene struct {
	direction ciphers.Direction
	arena     []byte
	want      []byte
	packets   []ciphers.Packet
	status    []ciphers.Status
	places    []place
}

// place is where the parts of a record lie in the arena.
type place struct {
	prefix, plain, buf, aad, iv, payload, tag, end int
	n                                              int // the plaintext's length
	drawn                                          int // how many bytes at iv sealing draws
}

// newScene lays the records out, as plaintext to seal or as sealed to open.
func newScene(d ciphers.Direction, records []record) *scene {
	s := &scene{direction: d}
	size := 0
	for i := range records {
		var p place
		p, size = lay(&records[i], size)
		s.places = append(s.places, p)
	}
	s.arena = canaries(size + 64)
	for i := range records {
		s.put(&records[i], s.places[i])
	}
	s.want = slices.Clone(s.arena)
	for i := range records {
		s.expect(&records[i], i)
	}
	return s
}

// lay finds room for a record from at on.
func lay(r *record, at int) (p place, end int) {
	f := r.keys.form
	p.n, p.prefix = len(r.plain), at+r.gap
	p.plain = p.prefix + len(r.prefix)
	p.buf = p.plain
	if r.apart {
		p.buf += p.n + r.spare
	}
	p.aad = p.buf
	p.iv = p.aad
	if !r.late {
		p.iv += len(r.ranged)
	}
	p.payload, p.drawn = p.iv+f.wire(), len(r.iv)
	if r.align >= 0 {
		p.payload += (r.align - p.payload) & 63
	}
	p.tag = p.payload + p.n
	p.end = p.tag + f.tag
	if r.late {
		p.aad = p.end
		p.end += len(r.ranged)
	}
	p.end += r.spare
	return p, p.end
}

// put writes a record into the arena as its packet is handed over.
func (s *scene) put(r *record, p place) {
	copy(s.arena[p.prefix:], r.prefix)
	copy(s.arena[p.aad:], r.ranged)
	packet := ciphers.Packet{
		Buf: s.arena[p.buf:p.end:p.end], Key: r.keys.seal, Number: r.number, High: r.high, Len: uint32(p.n),
		Off: uint16(p.payload - p.buf), IVOff: uint16(p.iv - p.buf),
		AADOff: uint16(p.aad - p.buf), AADLen: uint16(len(r.ranged)),
		Status: ciphers.StatusBackend,
	}
	if len(r.prefix) > 0 {
		packet.Prefix = s.arena[p.prefix:][:len(r.prefix):len(r.prefix)]
	}
	if r.apart {
		packet.Plain = s.arena[p.plain:][: p.n+r.spare : p.n+r.spare]
	}
	switch {
	case s.direction == ciphers.Opening:
		packet.Key, packet.Len = r.keys.open, uint32(len(r.sealed))
		copy(s.arena[p.payload:], r.sealed)
		s.putNonce(r, p, s.arena)
	case r.apart:
		copy(s.arena[p.plain:], r.plain)
	default:
		copy(s.arena[p.payload:], r.plain)
	}
	s.packets = append(s.packets, packet)
}

func (s *scene) putNonce(r *record, p place, arena []byte) {
	if r.keys.form.nonce == ciphers.NonceExplicit {
		binary.BigEndian.PutUint64(arena[p.iv:], r.number)
	}
	copy(arena[p.iv:], r.iv)
}

// expect writes what record i must become, after its fault is done to it.
func (s *scene) expect(r *record, i int) {
	p := s.places[i]
	status := ciphers.StatusOK
	if r.fault != nil {
		r.fault(s, i)
	}
	switch {
	case s.direction == ciphers.Sealing:
		copy(s.want[p.payload:], r.sealed)
		s.putNonce(r, p, s.want)
	case r.forged:
		status = ciphers.StatusAuth
		clear(s.opened(r, p))
	default:
		copy(s.opened(r, p), r.plain)
	}
	s.status = append(s.status, status)
}

// opened is where the plaintext of an opened record is expected.
func (s *scene) opened(r *record, p place) []byte {
	if r.apart {
		return s.want[p.plain:][:p.n]
	}
	return s.want[p.payload:][:p.n]
}

// refuse expects that record i gets that status and keeps every byte.
func (s *scene) refuse(i int, status ciphers.Status) {
	from := s.places[i].prefix
	to := s.places[i].end
	copy(s.want[from:to], s.arena[from:to])
	s.status[i] = status
}

// run hands the scene to impl and checks what comes back.
func (s *scene) run(t *testing.T, impl ciphers.AEAD, how Run) {
	t.Helper()
	s.limit(impl)
	if s.direction == ciphers.Opening {
		s.check(t, how.Open(impl, s.packets))
		return
	}
	s.check(t, s.seal(impl, how))
}

// seal does what how.Seal does, under the records' IVs where the border drew others.
func (s *scene) seal(impl ciphers.AEAD, how Run) int {
	_, alike := ciphers.SealBorder(s.packets)
	for i, p := range s.places {
		if s.packets[i].Status == ciphers.StatusNone {
			copy(s.arena[p.iv:][:p.drawn], s.want[p.iv:])
		}
	}
	return how.seal(impl, s.packets, alike)
}

func (s *scene) check(t *testing.T, n int) {
	t.Helper()
	ok := 0
	for i := range s.packets {
		if s.status[i] == ciphers.StatusOK {
			ok++
		}
		if got := s.packets[i].Status; got != s.status[i] {
			t.Errorf("%v: status %v, want %v", s.describe(i), got, s.status[i])
		}
	}
	if n != ok {
		t.Errorf("returned %d packets that succeeded, want %d", n, ok)
	}
	if !bytes.Equal(s.arena, s.want) {
		t.Error(s.difference())
	}
	if t.Failed() {
		t.FailNow()
	}
}

// canaries are n bytes, none of them zero, from the start of a cache line on.
// They repeat after a prime number of random bytes.
func canaries(n int) []byte {
	period := random(source("canaries"), 4099)
	for i := range period {
		period[i] = max(period[i], 1)
	}
	b := make([]byte, n+63)
	b = b[-uintptr(unsafe.Pointer(unsafe.SliceData(b)))&63:][:n:n]
	for at := 0; at < n; {
		at += copy(b[at:], period)
	}
	return b
}

func (s *scene) describe(i int) string {
	p := &s.packets[i]
	how := "in place"
	if p.Plain != nil {
		how = "out of place"
	}
	return fmt.Sprintf("packet %d of %d (%d bytes, %d+%d of associated data, tag %d, %s)",
		i, len(s.packets), s.places[i].n, len(p.Prefix), p.AADLen, p.Key.TagSize(), how)
}
