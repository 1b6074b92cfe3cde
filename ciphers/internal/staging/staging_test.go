package staging

import (
	"bytes"
	"crypto/cipher"
	"crypto/subtle"
	"math/rand/v2"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"golang.org/x/crypto/chacha20poly1305"
)

// library is a C library in Go: x/crypto over the records of an area.
type library struct {
	keys  []cipher.AEAD // a handle is an index and 1
	calls int
	fail  int // the record that the library fails on and leaves as it was, or -1
}

type released struct{ owner *library }

func (r released) Release() { r.owner.keys = nil }

func (l *library) NewKey(spec *ciphers.KeySpec) (uintptr, ciphers.Releaser, error) {
	aead, err := chacha20poly1305.New(spec.Key)
	if err != nil {
		return 0, nil, err
	}
	l.keys = append(l.keys, aead)
	return uintptr(len(l.keys)), released{l}, nil
}

// parts is what the C side sees of a record.
func (l *library) parts(a *Area, i int) (key cipher.AEAD, nonce, payload, aad []byte) {
	r := &a.records[i]
	end := r.payload + r.length + uint32(r.tagSize)
	return l.keys[r.key-1], r.nonce[:r.nonceSize], a.bytes[r.payload:end:end], a.bytes[r.aad:][:r.aadLength]
}

func (l *library) Seal(a *Area) {
	l.calls++
	for i := range int(a.count) {
		key, nonce, payload, aad := l.parts(a, i)
		key.Seal(payload[:0], nonce, payload[:a.records[i].length], aad)
		if i != l.fail {
			a.records[i].status = ciphers.StatusOK
		}
	}
}

func (l *library) Open(a *Area) {
	l.calls++
	for i := range int(a.count) {
		key, nonce, payload, aad := l.parts(a, i)
		_, err := key.Open(payload[:0], nonce, payload, aad)
		switch {
		case i == l.fail:
		case err != nil:
			a.records[i].status = ciphers.StatusAuth
		default:
			a.records[i].status = ciphers.StatusOK
		}
	}
}

func (l *library) Mask(a *Area) {
	l.calls++
	for i := range int(a.count) {
		r := &a.records[i]
		block := a.bytes[r.payload:][:ciphers.MaskSize]
		subtle.XORBytes(block, block, bytes.Repeat([]byte{byte(r.key)}, ciphers.MaskSize))
		if i == l.fail {
			r.status = ciphers.StatusBackend
		}
	}
}

func newKey(t *testing.T, alg ciphers.Algorithm, d ciphers.Direction, plan *ciphers.Plan) *ciphers.Key {
	t.Helper()
	spec := &ciphers.KeySpec{Algorithm: alg, Direction: d, Key: make([]byte, alg.KeySize())}
	if !alg.IsMask() {
		spec.Nonce, spec.IV = ciphers.NonceXOR, make([]byte, 12)
	}
	k, err := ciphers.NewKey(spec, plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// packets makes packets of those lengths, with associated data in both places.
func packets(key *ciphers.Key, lengths []int) []ciphers.Packet {
	ps := make([]ciphers.Packet, len(lengths))
	for i, n := range lengths {
		buf := make([]byte, 20+n+16)
		for j := range buf {
			buf[j] = byte(rand.Uint32())
		}
		ps[i] = ciphers.Packet{
			Buf: buf, Key: key, Prefix: []byte("prefix")[:i%7], Number: uint64(i),
			Off: 20, Len: uint32(n), AADOff: 3, AADLen: uint16(i % 18),
		}
	}
	return ps
}

func burst(ps []ciphers.Packet) ciphers.Burst {
	return ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps))}
}

// TestBurstsLargerThanAnArea seals and opens what takes one crossing, and several.
func TestBurstsLargerThanAnArea(t *testing.T) {
	for _, c := range []struct {
		name    string
		lengths []int
		calls   int
	}{
		{"small", []int{0, 1, 64, 1450}, 1},
		{"256 packets of 500 bytes", repeat(500, 256), 1},
		{"32 packets of 16 KiB", repeat(16384, 32), 4},
		{"the longest", []int{65535, 10, 65535, 65535, 0}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &library{fail: -1}
			impl := AEAD(l)
			ps := packets(newKey(t, ciphers.ChaCha20Poly1305, ciphers.Sealing, &ciphers.Plan{Bulk: impl}), c.lengths)
			plain := make([][]byte, len(ps))
			want := make([][]byte, len(ps))
			for i := range ps {
				ciphers.SealBorder(ps[i : i+1])
				plain[i] = bytes.Clone(ps[i].Plaintext())
				want[i] = l.keys[0].Seal(nil, ps[i].Nonce()[:], plain[i], ps[i].AAD(nil))
			}
			if ok := impl.Seal(burst(ps)); ok != len(ps) || l.calls != c.calls {
				t.Errorf("sealed %d of %d in %d crossings, want %d", ok, len(ps), l.calls, c.calls)
			}
			for i := range ps {
				if !bytes.Equal(ps[i].Sealed(16), want[i]) {
					t.Fatalf("packet %d is sealed otherwise", i)
				}
			}
			open(t, impl, ps, plain)
		})
	}
}

func repeat(n, times int) []int {
	all := make([]int, times)
	for i := range all {
		all[i] = n
	}
	return all
}

// open opens sealed packets, one of them spoilt.
func open(t *testing.T, impl ciphers.AEAD, ps []ciphers.Packet, plain [][]byte) {
	t.Helper()
	key := newKey(t, ciphers.ChaCha20Poly1305, ciphers.Opening, &ciphers.Plan{Bulk: impl})
	for i := range ps {
		ps[i].Key, ps[i].Len = key, ps[i].Len+16
	}
	ps[0].Buf[20] ^= 1
	ciphers.OpenBorder(ps)
	if ok := impl.Open(burst(ps)); ok != len(ps)-1 {
		t.Errorf("opened %d, want all but one of %d", ok, len(ps))
	}
	plain[0] = make([]byte, len(plain[0]))
	for i := range ps {
		if want := i != 0; (ps[i].Status == ciphers.StatusOK) != want || !bytes.Equal(ps[i].Opened(16), plain[i]) {
			t.Fatalf("packet %d: status %v, or wrong plaintext", i, ps[i].Status)
		}
	}
}

// TestLibraryFailure: a packet that the library fails on stays as it is, and its
// neighbours do not notice.
func TestLibraryFailure(t *testing.T) {
	l := &library{fail: 1}
	impl := AEAD(l)
	plan := &ciphers.Plan{Bulk: impl}
	for _, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
		ps := packets(newKey(t, ciphers.ChaCha20Poly1305, d, plan), []int{30, 30, 30})
		before, run, others := bytes.Clone(ps[1].Buf), impl.Seal, ciphers.StatusOK
		if ciphers.SealBorder(ps); d == ciphers.Opening {
			ciphers.OpenBorder(ps)
			run, others = impl.Open, ciphers.StatusAuth
		}
		run(burst(ps))
		if ps[1].Status != ciphers.StatusBackend || !bytes.Equal(ps[1].Buf, before) {
			t.Errorf("direction %d: status %v, or bytes have changed", d, ps[1].Status)
		}
		if ps[0].Status != others || ps[2].Status != others {
			t.Errorf("direction %d: the others are %v and %v", d, ps[0].Status, ps[2].Status)
		}
	}
}

// TestMasks: masks go where they belong, and where the library fails they are zero.
func TestMasks(t *testing.T) {
	l := &library{fail: 1}
	impl := Masker(l)
	key := newKey(t, ciphers.MaskChaCha20, 0, &ciphers.Plan{Mask: impl})
	ps := make([]ciphers.Packet, 4)
	for i := range ps {
		ps[i] = ciphers.Packet{Buf: bytes.Repeat([]byte{byte(16 * i)}, 20), MaskKey: key, SampleOff: 4}
	}
	dst := bytes.Repeat([]byte{0xee}, 4*ciphers.MaskSize)
	impl.Mask(dst, ciphers.Burst{Packets: ps, Index: []uint8{3, 2, 0}})
	for i, want := range []byte{0x01, 0xee, 0x00, 0x31} {
		if got := dst[i*ciphers.MaskSize:][:ciphers.MaskSize]; !bytes.Equal(got, bytes.Repeat([]byte{want}, ciphers.MaskSize)) {
			t.Errorf("mask %d is %x, want %#02x", i, got, want)
		}
	}
}

// TestRelease: closing a key frees the library's.
func TestRelease(t *testing.T) {
	l := &library{}
	key := newKey(t, ciphers.ChaCha20Poly1305, ciphers.Sealing, &ciphers.Plan{Bulk: AEAD(l)})
	key.Close()
	if l.keys != nil || *handle(key.State(ciphers.SlotBulk)) != 0 {
		t.Error("the library's key is still there")
	}
}
