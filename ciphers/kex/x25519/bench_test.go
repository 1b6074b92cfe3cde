package x25519

import (
	"crypto/ecdh"
	"crypto/rand"
	"fmt"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// implementations are those that can run here, by name.
func implementations() map[string]ciphers.Exchanger {
	all := map[string]ciphers.Exchanger{"std": Std(), "circl": Circl()}
	addIFMA(all)
	return all
}

func batch(op ciphers.Operation, n int) ciphers.ExchangeBatch {
	arena := make([]byte, 128*n)
	_, _ = rand.Read(arena)
	entries := make([]ciphers.Exchange, n)
	for i := range entries {
		slot := arena[128*i:]
		entries[i] = ciphers.Exchange{
			Group: ciphers.X25519, Operation: op,
			Private: slot[:32:32], Public: slot[32:64:64], Ciphertext: slot[64:96:96], Secret: slot[96:128:128],
		}
	}
	return ciphers.ExchangeBatch{Entries: entries, Index: ciphers.Identity(n)}
}

// BenchmarkExchange gives ns an exchange.
func BenchmarkExchange(b *testing.B) {
	for name, impl := range implementations() {
		for _, op := range []ciphers.Operation{ciphers.OpGenerate, ciphers.OpDerive, ciphers.OpEncapsulate} {
			for _, n := range []int{1, 8, 64} {
				b.Run(fmt.Sprintf("%s/%v/%d", name, op, n), func(b *testing.B) {
					in := batch(op, n)
					for b.Loop() {
						impl.Exchange(op, in)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/exchange")
				})
			}
		}
	}
}

// BenchmarkLibrary is crypto/ecdh alone, its objects made beforehand.
func BenchmarkLibrary(b *testing.B) {
	k, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("derive", func(b *testing.B) {
		for b.Loop() {
			if _, err := k.ECDH(k.PublicKey()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("generate", func(b *testing.B) {
		for b.Loop() {
			if _, err := ecdh.X25519().GenerateKey(rand.Reader); err != nil {
				b.Fatal(err)
			}
		}
	})
}
