package mlkem

import (
	"fmt"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// implementations are those of ML-KEM-768 that can run here, by name.
func implementations() map[string]ciphers.Exchanger {
	all := map[string]ciphers.Exchanger{"std": Std768(), "circl": Circl768()}
	addAVX512(all)
	return all
}

// batch has entries with key pairs and ciphertexts, made by the standard library.
func batch(n int) ciphers.ExchangeBatch {
	b := ciphers.ExchangeBatch{Entries: make([]ciphers.Exchange, n), Index: ciphers.Identity(n)}
	for i := range b.Entries {
		b.Entries[i] = ciphers.Exchange{
			Group:   ciphers.MLKEM768,
			Private: make([]byte, ciphers.MLKEM768PrivateSize), Public: make([]byte, ciphers.MLKEM768PublicSize),
			Ciphertext: make([]byte, ciphers.MLKEM768CiphertextSize), Secret: make([]byte, ciphers.MLKEM768SecretSize),
		}
	}
	Std768().Exchange(ciphers.OpGenerate, b)
	Std768().Exchange(ciphers.OpEncapsulate, b)
	for i := range b.Entries {
		b.Entries[i].Prepared = nil
	}
	return b
}

// BenchmarkExchange gives ns an exchange.
func BenchmarkExchange(b *testing.B) {
	for name, impl := range implementations() {
		for _, op := range []ciphers.Operation{ciphers.OpGenerate, ciphers.OpEncapsulate, ciphers.OpDecapsulate} {
			for _, n := range []int{1, 2, 8, 64} {
				b.Run(fmt.Sprintf("%s/%v/%d", name, op, n), func(b *testing.B) {
					in := batch(n)
					for b.Loop() {
						impl.Exchange(op, in)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/exchange")
				})
			}
		}
	}
}
