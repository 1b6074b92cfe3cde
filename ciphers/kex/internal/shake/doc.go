// Package shake computes eight sponges of FIPS 202 at a time, one in each 64-bit
// lane of AVX-512 registers. Their inputs have the same length. On other
// processors it is empty.
package shake
