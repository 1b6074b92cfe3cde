package main

// rotations are by how many bits rho turns A[x, y] (FIPS 202 section 3.2.2).
var rotations = func() (r [5][5]uint64) {
	for t, x, y := uint64(0), 1, 0; t < 24; t++ {
		r[x][y] = (t + 1) * (t + 2) / 2 % 64
		x, y = y, (2*x+3*y)%5
	}
	return r
}()

// roundConstants are what iota adds (FIPS 202 section 3.2.5).
var roundConstants = func() (k [rounds]uint64) {
	lfsr := uint8(1)
	for i := range k {
		for j := range 7 {
			k[i] |= uint64(lfsr&1) << (1<<j - 1)
			carry := lfsr >> 7
			lfsr = lfsr<<1 ^ carry*0x71
		}
	}
	return k
}()
