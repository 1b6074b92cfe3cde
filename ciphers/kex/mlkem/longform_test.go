package mlkem

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"testing"

	"github.com/c2sp/wycheproof"
	"github.com/cloudflare/circl/kem/mlkem/mlkem1024"
	"github.com/cloudflare/circl/kem/mlkem/mlkem768"
)

// fromLongForm decapsulates with a private key in the long form of FIPS 203
// section 7.1, which has no seed, and reports whether it could.
type fromLongForm func(key, ciphertext []byte) (secret []byte, ok bool)

// TestLongForm runs Wycheproof's vectors of keys without their seeds, which the
// contract has no place for, on what lies behind it. Keys that contradict
// themselves cannot arise from a seed, and nothing here reads them.
func TestLongForm(t *testing.T) {
	for name, f := range longForms() {
		t.Run(name, func(t *testing.T) { f.run(t) })
	}
}

type longForm struct {
	file        string
	decapsulate fromLongForm
}

func longForms() map[string]longForm {
	all := map[string]longForm{
		"circl768":  {"mlkem_768_semi_expanded_decaps_test.json", circlLong768},
		"circl1024": {"mlkem_1024_semi_expanded_decaps_test.json", circlLong1024},
	}
	addLongAVX512(all)
	return all
}

func circlLong768(key, ciphertext []byte) ([]byte, bool) {
	var sk mlkem768.PrivateKey
	if sk.Unpack(key) != nil {
		return nil, false
	}
	secret := make([]byte, mlkem768.SharedKeySize)
	return secret, (&circlKey768{dk: &sk}).decapsulate(secret, ciphertext)
}

func circlLong1024(key, ciphertext []byte) ([]byte, bool) {
	var sk mlkem1024.PrivateKey
	if sk.Unpack(key) != nil {
		return nil, false
	}
	secret := make([]byte, mlkem1024.SharedKeySize)
	return secret, (&circlKey1024{dk: &sk}).decapsulate(secret, ciphertext)
}

func (f longForm) run(t *testing.T) {
	raw, err := fs.ReadFile(wycheproof.TestVectors, f.file)
	if err != nil {
		t.Fatal(err)
	}
	var content struct {
		TestGroups []struct {
			Tests []struct {
				TcID                      int
				Comment, DK, C, K, Result string
			}
		}
	}
	if err := json.Unmarshal(raw, &content); err != nil {
		t.Fatal(err)
	}
	ran, border := 0, 0
	for _, group := range content.TestGroups {
		for _, v := range group.Tests {
			if v.Result != "valid" {
				border++ // sizes and contradictions are the border's: cipherstest runs them there
				continue
			}
			ran++
			secret, ok := f.decapsulate(unhex(t, v.DK), unhex(t, v.C))
			if !ok || !bytes.Equal(secret, unhex(t, v.K)) {
				t.Errorf("tcId %d %s: %x", v.TcID, v.Comment, secret)
			}
		}
	}
	if ran == 0 {
		t.Error("no test ran")
	}
	t.Logf("ran %d; %d are refused before an implementation sees them", ran, border)
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
