//go:build amd64 && !purego

package mlkem

// encrypt is K-PKE.Encrypt (FIPS 203 algorithm 14) of the first n lanes' messages,
// with noise from the second half of their hashes.
func (w *work) encrypt(n int, of func(lane int) encryption) {
	for i := range rank {
		w.noise(n, byte(i), func(lane int) *poly { return &w.vectors[lane].y[i] })
		w.noise(n, byte(rank+i), func(lane int) *poly { return &w.vectors[lane].e[i] })
	}
	w.noise(n, 2*rank, func(lane int) *poly { return &w.e2[lane] })
	for lane := range n {
		w.encryptOne(lane, of(lane))
	}
}

// encryption is a lane's key, t̂ and Â, and where its ciphertext goes.
type encryption struct {
	t          *vector
	a          *matrix
	ciphertext []byte
}

func (w *work) encryptOne(lane int, k encryption) {
	v := &w.vectors[lane]
	for i := range rank {
		transform(&v.y[i])
		dual(&w.duals[i], &v.y[i])
	}
	for i := range rank {
		dot(&w.sum, &k.a.at[i], &w.duals, rank*polySize) // a column is a row of the transposed matrix
		inverse(&w.sum)
		compress10(&k.ciphertext[i*uBytes], &w.sum, &v.e[i])
	}
	dot(&w.sum, &k.t[0], &w.duals, polySize)
	inverse(&w.sum)
	addMessage(&w.e2[lane], &w.message[lane][0])
	compress4(&k.ciphertext[rank*uBytes], &w.sum, &w.e2[lane])
}

// decrypt is K-PKE.Decrypt (algorithm 15).
func (w *work) decrypt(message, ciphertext []byte, s *vector) {
	for i := range rank {
		decompress10(&w.sum, &ciphertext[i*uBytes])
		transform(&w.sum)
		dual(&w.duals[i], &w.sum)
	}
	dot(&w.sum, &s[0], &w.duals, polySize)
	inverse(&w.sum)
	decompress4(&w.e2[0], &ciphertext[rank*uBytes])
	recoverMessage(&message[0], &w.e2[0], &w.sum)
}
