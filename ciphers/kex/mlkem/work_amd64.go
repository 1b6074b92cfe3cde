//go:build amd64 && !purego

package mlkem

import (
	"sync"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/kex/internal/aligned"
	"github.com/sealburst/sealburst/ciphers/kex/internal/shake"
)

// The parameters of ML-KEM-768 (FIPS 203 section 8) and the sizes that follow.
const (
	rank       = 3
	degree     = 256
	polyBytes  = 384 // of an encoded polynomial
	uBytes     = 320 // of one compressed to 10 bits
	vBytes     = 128 // of one compressed to 4 bits
	noiseBytes = 128 // for eta = 2
	seedBytes  = 32
	lanes      = shake.Lanes
)

// poly is a polynomial in kernels' order of coefficients, which is the standard's.
type poly [degree]int16

const polySize = 2 * degree

// factor is a polynomial of the transformed domain as a factor of products.
type factor [2]poly

type vector [rank]poly

// matrix is Â of the standard row by row. Sampling writes a little behind it.
type matrix struct {
	at [rank * rank]poly
	_  poly
}

// work is the space for eight operations at a time, 64-byte aligned.
type work struct {
	sponge  shake.Eight
	sum     poly
	duals   [rank]factor
	vectors [lanes]struct{ y, e, t vector }
	e2      [lanes]poly
	a       [lanes]matrix

	blocks    [lanes][sampleBytes + 64]byte           // the kernel reads whole registers
	input     [lanes][ciphers.MLKEM768PublicSize]byte // the longest that is hashed
	hashes    [lanes][2 * seedBytes]byte              // a hash, or two values of which the second seeds the noise
	rho       [lanes][seedBytes + 2]byte
	message   [lanes][seedBytes]byte
	rejection [lanes][seedBytes]byte
	share     [lanes][ciphers.MLKEM768PublicSize]byte // a key made, or a ciphertext made again
}

var works = sync.Pool{New: func() any { return aligned.New[work]() }}

func borrow() *work { return works.Get().(*work) }

// giveBack zeroes all secrets.
func (w *work) giveBack() {
	*w = work{}
	works.Put(w)
}

// hash runs the sponges from n bytes of each lane's input into its hashes, size bytes.
func (w *work) hash(f shake.Function, n, size int) {
	var in, out [lanes][]byte
	for lane := range lanes {
		in[lane], out[lane] = w.input[lane][:n], w.hashes[lane][:size]
	}
	w.sponge.Absorb(f, &in)
	w.sponge.Squeeze(f, &out)
}

// sampleBytes are three blocks, which nearly always give 256 coefficients, and
// sampleStep is what the kernel takes at once.
const (
	sampleBytes = 3 * 168
	sampleStep  = 24
)

// expand samples the first n lanes' matrices from rho (FIPS 203 algorithm 13,
// steps 3 to 7).
func (w *work) expand(n int, to func(lane int) *matrix) {
	var in, out [lanes][]byte
	for lane := range lanes {
		in[lane], out[lane] = w.rho[lane][:], w.blocks[lane][:sampleBytes]
	}
	for k := range rank * rank {
		for lane := range lanes {
			w.rho[lane][seedBytes], w.rho[lane][seedBytes+1] = byte(k%rank), byte(k/rank)
		}
		w.sponge.Absorb(shake.SHAKE128, &in)
		w.sponge.Squeeze(shake.SHAKE128, &out)
		w.sample(n, func(lane int) *poly { return &to(lane).at[k] })
	}
}

// sample takes a polynomial of the first n lanes out of the blocks, and squeezes
// more until every lane has enough.
func (w *work) sample(n int, to func(lane int) *poly) {
	var have [lanes]int
	steps := sampleBytes / sampleStep
	for {
		missing := false
		for lane := range n {
			if have[lane] < degree {
				have[lane] = sample(to(lane), &w.blocks[lane][0], have[lane], steps)
				missing = missing || have[lane] < degree
			}
		}
		if !missing {
			return
		}
		w.moreBlocks()
		steps = shake.SHAKE128.Rate / sampleStep
	}
}

func (w *work) moreBlocks() {
	var out [lanes][]byte
	for lane := range lanes {
		out[lane] = w.blocks[lane][:shake.SHAKE128.Rate]
	}
	w.sponge.Squeeze(shake.SHAKE128, &out)
}

// noise samples into to(lane) from PRF of the second half of each lane's hashes
// and number (FIPS 203 section 4.1).
func (w *work) noise(n int, number byte, to func(lane int) *poly) {
	var in, out [lanes][]byte
	for lane := range lanes {
		input := w.input[lane][:seedBytes+1]
		copy(input, w.hashes[lane][seedBytes:])
		input[seedBytes] = number
		in[lane], out[lane] = input, w.blocks[lane][:noiseBytes]
	}
	w.sponge.Absorb(shake.SHAKE256, &in)
	w.sponge.Squeeze(shake.SHAKE256, &out)
	for lane := range n {
		noise(to(lane), &w.blocks[lane][0])
	}
}
