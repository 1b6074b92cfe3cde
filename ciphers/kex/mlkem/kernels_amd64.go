//go:build amd64 && !purego

package mlkem

// The kernels work on polynomials whose coefficients lie within so many q of zero,
// and on factors; both start at multiples of 64 bytes. How they do it stands in
// ../_asm/mlkem.

// sample appends to dst, which has n coefficients, those below q of the 12-bit
// numbers in steps times 24 bytes, and returns how many it has then (FIPS 203
// algorithm 7). It writes up to 32 bytes behind them, and reads up to 40 behind src.
//
//go:noescape
func sample(dst *poly, src *byte, n, steps int) (total int)

// noise samples a polynomial within 2 of zero from 128 bytes (algorithm 8).
//
//go:noescape
func noise(dst *poly, src *byte)

// transform is NTT of a polynomial within 3q, in place; the result is reduced,
// within q/2 + 4 (algorithm 9).
//
//go:noescape
func transform(p *poly)

// inverse is the inverse NTT, times 2^16, of a polynomial within 0.81q, in place;
// the result is within 0.71q (algorithm 10).
//
//go:noescape
func inverse(p *poly)

// dual makes a factor of products of a reduced polynomial.
//
//go:noescape
func dual(dst *factor, p *poly)

// dot is the sum of three products, over 2^16, within 0.81q: of polynomials within
// q, stride bytes apart, and factors (algorithm 11).
//
//go:noescape
func dot(dst, a *poly, duals *[rank]factor, stride int)

// addKey sets t, which comes from dot, to 2^16·t + e, reduced, of e within 3q.
//
//go:noescape
func addKey(t, e *poly)

// addMessage adds the polynomial of a message of 32 bytes (algorithm 14, step 20).
//
//go:noescape
func addMessage(p *poly, message *byte)

// recoverMessage writes the 32 bytes of the message that v - w carries, of v and w
// within 3q.
//
//go:noescape
func recoverMessage(message *byte, v, w *poly)

// encode12 writes the 384 bytes of a polynomial within q, modulo q (algorithm 5).
//
//go:noescape
func encode12(dst *byte, p *poly)

// decode12 reads a polynomial of 384 bytes, and returns not zero if a coefficient
// is q or more (algorithm 6).
//
//go:noescape
func decode12(dst *poly, src *byte) (large int)

// compress10 writes the 320 bytes of p + r, within q, compressed to 10 bits.
//
//go:noescape
func compress10(dst *byte, p, r *poly)

// compress4 writes the 128 bytes of p + r, from -q to 1.5q, compressed to 4 bits.
//
//go:noescape
func compress4(dst *byte, p, r *poly)

// decompress10 reads a polynomial of 320 bytes compressed to 10 bits, from 0 to q.
//
//go:noescape
func decompress10(dst *poly, src *byte)

// decompress4 reads a polynomial of 128 bytes compressed to 4 bits, from 0 to q.
//
//go:noescape
func decompress4(dst *poly, src *byte)
