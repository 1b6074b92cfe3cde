//go:build amd64 && !purego

package mlkem

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/cpu"
	"github.com/sealburst/sealburst/ciphers/kex/internal/aligned"
)

// needAVX512 is for tests that run the kernels.
func needAVX512(t testing.TB) {
	t.Helper()
	cipherstest.NeedCPU(t, RequiresAVX512)
}

func TestAVX512(t *testing.T) {
	needAVX512(t)
	cipherstest.TestExchanger(t, ciphers.MLKEM768, AVX512x768())
}

func addAVX512(all map[string]ciphers.Exchanger) {
	if cpu.Detect().Has(RequiresAVX512) {
		all["avx512"] = AVX512x768()
	}
}

func addLongAVX512(all map[string]longForm) {
	if cpu.Detect().Has(RequiresAVX512) {
		all["avx512"] = longForm{"mlkem_768_semi_expanded_decaps_test.json", avx512Long}
	}
}

// avx512Long fills in the expanded form that a seed would have led to.
func avx512Long(key, ciphertext []byte) ([]byte, bool) {
	w, k := borrow(), aligned.New[expanded]()
	defer w.giveBack()
	for i := range rank {
		decode12(&k.s[i], &key[i*polyBytes])
	}
	public := key[rank*polyBytes:][:ciphers.MLKEM768PublicSize]
	w.parse(0, public)
	w.expand(1, func(int) *matrix { return &k.a })
	rest := key[rank*polyBytes+len(public):]
	k.t, k.live, k.hash = w.vectors[0].t, true, [seedBytes]byte(rest)
	copy(k.seed[seedBytes:], rest[seedBytes:])
	x := ciphers.Exchange{Private: k.seed[:], Ciphertext: ciphertext, Secret: make([]byte, ciphers.MLKEM768SecretSize), Prepared: k}
	ok := w.Decapsulate(ciphers.ExchangeBatch{Entries: []ciphers.Exchange{x}, Index: ciphers.Identity(1)})
	return x.Secret, ok == 1
}
