//go:build amd64 && !purego

package mlkem

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/sealburst/sealburst/ciphers/kex/internal/aligned"
)

const q = 3329

func mod(x int) int { return (x%q + q) % q }

// space is what the kernels' tests work in, aligned.
type space struct {
	p, r, out poly
	triple    [rank]poly
	other     [rank]poly
	duals     [rank]factor
	bytes     [512]byte
}

// within draws coefficients from low to high, the ends more often than others.
func within(r *rand.Rand, p *poly, low, high int) {
	for i := range p {
		switch r.IntN(4) {
		case 0:
			p[i] = int16(low)
		case 1:
			p[i] = int16(high)
		default:
			p[i] = int16(low + r.IntN(high-low+1))
		}
	}
}

func setup(t *testing.T) (*rand.Rand, *space) {
	needAVX512(t)
	return rand.New(rand.NewPCG(1, 2)), aligned.New[space]()
}

// transformed is NTT by its definition (FIPS 203 section 4.3): coefficients 2i and
// 2i+1 are those of the remainder modulo X^2 - 17^(2 BitRev7(i)+1).
func transformed(p *poly) (out [degree]int) {
	for pair := range degree / 2 {
		gamma := 1
		for range 2*reverse7(pair) + 1 {
			gamma = gamma * 17 % q
		}
		for odd := range 2 { // f modulo X^2 - gamma: even and odd coefficients at gamma
			sum, power := 0, 1
			for k := range degree / 2 {
				sum += int(p[2*k+odd]) * power
				power = power * gamma % q
			}
			out[2*pair+odd] = mod(sum)
		}
	}
	return out
}

func reverse7(i int) (r int) {
	for b := range 7 {
		r |= i >> b & 1 << (6 - b)
	}
	return r
}

// TestTransform compares with the definition, remainders modulo X^2 - gamma, at the
// bounds that the kernel takes.
func TestTransform(t *testing.T) {
	r, s := setup(t)
	for range 50 {
		within(r, &s.p, -3*q, 3*q)
		want := transformed(&s.p)
		transform(&s.p)
		for i, v := range s.p {
			if mod(int(v)) != want[i] || v < -q/2-4 || v > q/2+4 {
				t.Fatalf("coefficient %d is %d, want %d modulo q", i, v, want[i])
			}
		}
	}
}

// TestInverse goes back from the transform: the result is 2^16 times the start.
func TestInverse(t *testing.T) {
	r, s := setup(t)
	const bound = 81 * q / 100
	for range 200 {
		within(r, &s.p, -bound, bound)
		before := s.p
		inverse(&s.p)
		for _, v := range s.p {
			if v < -71*q/100 || v > 71*q/100 {
				t.Fatalf("%d is out of bounds", v)
			}
		}
		after := transformed(&s.p)
		for i, v := range before {
			if after[i] != mod(int(v)<<16) {
				t.Fatalf("coefficient %d is %d, want 2^16 times %d", i, after[i], v)
			}
		}
	}
}

// TestDot compares sums of products with the standard's algorithms 11 and 12.
func TestDot(t *testing.T) {
	r, s := setup(t)
	for range 100 {
		for j := range rank {
			within(r, &s.triple[j], -q, q)
			within(r, &s.other[j], -q/2-4, q/2+4)
			dual(&s.duals[j], &s.other[j])
		}
		dot(&s.out, &s.triple[0], &s.duals, polySize)
		for i, v := range s.out {
			want := 0
			for j := range rank {
				want += product(&s.triple[j], &s.other[j], i)
			}
			if mod(int(v)<<16) != mod(want) || v < -81*q/100 || v > 81*q/100 {
				t.Fatalf("coefficient %d is %d, times 2^16 %d, want %d", i, v, mod(int(v)<<16), mod(want))
			}
		}
	}
}

// product is coefficient i of the product of two transforms.
func product(a, b *poly, i int) int {
	even := i &^ 1
	a0, a1, b0, b1 := int(a[even]), int(a[even+1]), int(b[even]), int(b[even+1])
	if i != even {
		return a0*b1 + a1*b0
	}
	gamma := 1
	for range 2*reverse7(i/2) + 1 {
		gamma = gamma * 17 % q
	}
	return a0*b0 + a1*b1%q*gamma
}

func TestAddKey(t *testing.T) {
	r, s := setup(t)
	for range 100 {
		within(r, &s.p, -q, q)
		within(r, &s.r, -3*q, 3*q)
		s.out = s.p
		addKey(&s.out, &s.r)
		for i, v := range s.out {
			if mod(int(v)) != mod(int(s.p[i])<<16+int(s.r[i])) || v < -q/2-4 || v > q/2+4 {
				t.Fatalf("coefficient %d is %d", i, v)
			}
		}
	}
}

// packed are the d lowest bits of each number, the lowest first (FIPS 203
// algorithm 5).
func packed(d int, number func(i int) int) []byte {
	out := make([]byte, degree*d/8)
	for i := range degree {
		for b := range d {
			out[(i*d+b)/8] |= byte(number(i) >> b & 1 << ((i*d + b) % 8))
		}
	}
	return out
}

// compressed is Compress (section 4.2.1): x·2^d/q, rounded, modulo 2^d.
func compressed(d, x int) int { return (mod(x)<<(d+1) + q) / (2 * q) & (1<<d - 1) }

// TestCompress runs every number from -q to q through both compressions, and for
// 4 bits those up to 1.5q.
func TestCompress(t *testing.T) {
	_, s := setup(t)
	for first := -q + 1; first < 3*q/2; first += degree {
		for i := range s.p {
			s.p[i], s.r[i] = int16(min(first+i, 3*q/2)-7), 7
		}
		sum := func(i int) int { return int(s.p[i] + s.r[i]) }
		compress4(&s.bytes[0], &s.p, &s.r)
		if want := packed(4, func(i int) int { return compressed(4, sum(i)) }); !bytes.Equal(s.bytes[:vBytes], want) {
			t.Errorf("to 4 bits from %d: wrong", first)
		}
		if first+degree > q {
			continue
		}
		compress10(&s.bytes[0], &s.p, &s.r)
		if want := packed(10, func(i int) int { return compressed(10, sum(i)) }); !bytes.Equal(s.bytes[:uBytes], want) {
			t.Errorf("to 10 bits from %d: wrong", first)
		}
		if s.bytes[uBytes] != 0 {
			t.Error("compress10 wrote too much")
		}
	}
	for i := range s.p { // the last of them
		s.p[i], s.r[i] = int16(q-1-i%7), 0
	}
	compress10(&s.bytes[0], &s.p, &s.r)
	if want := packed(10, func(i int) int { return compressed(10, int(s.p[i])) }); !bytes.Equal(s.bytes[:uBytes], want) {
		t.Error("to 10 bits: the highest numbers are wrong")
	}
}

// TestDecompress runs every compressed number through both.
func TestDecompress(t *testing.T) {
	_, s := setup(t)
	for first := 0; first < 1<<10; first += degree {
		for d, kernel := range map[int]func(*poly, *byte){10: decompress10, 4: decompress4} {
			copy(s.bytes[:], packed(d, func(i int) int { return first + i }))
			kernel(&s.p, &s.bytes[0])
			for i, v := range s.p {
				y := (first + i) & (1<<d - 1)
				if want := (y*q*2 + 1<<d) >> (d + 1); int(v) != want {
					t.Fatalf("%d of %d bits gives %d, want %d", y, d, v, want)
				}
			}
		}
	}
}

// TestEncode goes both ways, and sees coefficients of q and above counted in every place.
func TestEncode(t *testing.T) {
	r, s := setup(t)
	for range 20 {
		within(r, &s.p, -q+1, q-1)
		encode12(&s.bytes[0], &s.p)
		if !bytes.Equal(s.bytes[:polyBytes], packed(12, func(i int) int { return mod(int(s.p[i])) })) {
			t.Fatal("encode12 is wrong")
		}
		if large := decode12(&s.out, &s.bytes[0]); large != 0 {
			t.Fatal("decode12 refuses reduced coefficients")
		}
		for i, v := range s.out {
			if int(v) != mod(int(s.p[i])) {
				t.Fatalf("coefficient %d is %d", i, v)
			}
		}
	}
	for _, bad := range []int{q, q + 1, 4095} {
		for at := range degree {
			copy(s.bytes[:], packed(12, func(i int) int {
				if i == at {
					return bad
				}
				return q - 1
			}))
			if decode12(&s.out, &s.bytes[0]) == 0 {
				t.Fatalf("%d at %d was taken", bad, at)
			}
		}
	}
}

func TestNoise(t *testing.T) {
	r, s := setup(t)
	for i := range noiseBytes {
		s.bytes[i] = byte(r.Uint32())
	}
	noise(&s.p, &s.bytes[0])
	for i, v := range s.p {
		n := s.bytes[i/2] >> (4 * (i % 2))
		if want := int16(n&1+n>>1&1) - int16(n>>2&1+n>>3&1); v != want {
			t.Errorf("coefficient %d is %d, want %d", i, v, want)
		}
	}
}

// TestMessage puts a message in and takes it out, with all the noise that is
// forgiven.
func TestMessage(t *testing.T) {
	r, s := setup(t)
	for range 50 {
		want := make([]byte, seedBytes)
		for i := range want {
			want[i] = byte(r.Uint32())
		}
		within(r, &s.r, 0, q)
		within(r, &s.p, -q/4, q/4)
		for i := range s.p {
			if s.p[i] == q/4 && want[i/8]>>(i%8)&1 == 1 {
				s.p[i]-- // (q+1)/2 is half a step high
			}
			s.p[i] += s.r[i]
		}
		addMessage(&s.p, &want[0])
		recoverMessage(&s.bytes[0], &s.p, &s.r)
		if !bytes.Equal(s.bytes[:seedBytes], want) {
			t.Fatalf("%x, want %x", s.bytes[:seedBytes], want)
		}
	}
}

// TestSample compares with the definition (algorithm 7), of bytes that accept all,
// none or some.
func TestSample(t *testing.T) {
	r, s := setup(t)
	src := make([]byte, 4*sampleStep+64)
	for round := range 200 {
		for i := range src {
			switch round % 4 {
			case 0:
				src[i] = byte(r.Uint32())
			case 1:
				src[i] = 0xff
			case 2:
				src[i] = []byte{0, 0x01, 0x0d, 0x1d, 0xd0}[r.IntN(5)] // q is 0xd01
			default:
				src[i] = 0
			}
		}
		const already = 5
		var want []int16
		for i := 0; i < 4*sampleStep; i += 3 {
			for _, d := range []int{int(src[i]) + int(src[i+1])&15<<8, int(src[i+1])>>4 + int(src[i+2])<<4} {
				if d < q {
					want = append(want, int16(d))
				}
			}
		}
		if n := sample(&s.out, &src[0], already, 4); n != already+len(want) {
			t.Fatalf("%d coefficients, want %d", n-already, len(want))
		}
		for i, v := range want {
			if s.out[already+i] != v {
				t.Fatalf("coefficient %d is %d, want %d", i, s.out[already+i], v)
			}
		}
	}
}
