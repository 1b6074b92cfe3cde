package cipherstest

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/c2sp/wycheproof"
	"github.com/sealburst/sealburst/ciphers"
)

// wycheproofFile is a file of the schema aead_test_schema_v1.json.
type wycheproofFile struct {
	TestGroups []struct {
		Tests []wycheproofTest
	}
}

type wycheproofTest struct {
	TcID                       int
	Comment                    string
	Key, IV, AAD, Msg, Ct, Tag hexBytes
	Result                     string
}

type hexBytes []byte

// UnmarshalText reads hexadecimal.
func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

// testWycheproof runs every vector of Project Wycheproof whose sizes the
// algorithm allows, and logs how many it ran and why it passed over the others.
func testWycheproof(t *testing.T, s subject) {
	name := wycheproofName(s.alg)
	raw, err := fs.ReadFile(wycheproof.TestVectors, name)
	if err != nil {
		t.Fatal(err)
	}
	var file wycheproofFile
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	vs, passed := file.fit(s)
	s.runVectors(t, newWriter("wycheproof"), vs)
	logCounts(t, name, vs, passed)
}

// fit is the vectors that the subject's keys can take, and how many it passes over for
// which reason.
func (f *wycheproofFile) fit(s subject) (vs []vector, passed map[string]int) {
	passed = map[string]int{}
	for _, group := range f.TestGroups {
		for i := range group.Tests {
			v := group.Tests[i].vector()
			if why := s.unfit(&v); why != "" {
				passed[why]++
				continue
			}
			vs = append(vs, v)
		}
	}
	return vs, passed
}

func wycheproofName(alg ciphers.Algorithm) string {
	switch alg {
	case ciphers.ChaCha20Poly1305:
		return "chacha20_poly1305_test.json"
	case ciphers.AES128CCM, ciphers.AES256CCM:
		return "aes_ccm_test.json"
	}
	return "aes_gcm_test.json"
}

func (w *wycheproofTest) vector() vector {
	return vector{
		name: fmt.Sprintf("tcId %d %s", w.TcID, w.Comment),
		key:  w.Key, nonce: w.IV, aad: w.AAD, plain: w.Msg, sealed: slices.Concat(w.Ct, w.Tag),
		invalid: w.Result != "valid",
	}
}

// unfit says why no key of the subject can take a vector, or nothing.
func (s subject) unfit(v *vector) string {
	alg, tags := s.alg, s.tagSizes()
	switch {
	case len(v.key) != alg.KeySize():
		return fmt.Sprintf("keys not of %d bytes", alg.KeySize())
	case !slices.Contains(alg.NonceSizes(), len(v.nonce)):
		return fmt.Sprintf("nonces not of %v bytes", alg.NonceSizes())
	case !slices.Contains(tags, len(v.sealed)-len(v.plain)):
		return fmt.Sprintf("tags not of %v bytes", tags)
	}
	return ""
}

func logCounts(t *testing.T, name string, vs []vector, passed map[string]int) {
	t.Helper()
	invalid, over := 0, 0
	var why []string
	for _, v := range vs {
		if v.invalid {
			invalid++
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(passed)) {
		over += passed[reason]
		why = append(why, fmt.Sprintf("%d with %s", passed[reason], reason))
	}
	if len(vs) == 0 {
		t.Errorf("%s: no vector fits", name)
	}
	t.Logf("%s: ran %d vectors (%d valid, %d invalid), passed over %d: %s",
		name, len(vs), len(vs)-invalid, invalid, over, strings.Join(why, ", "))
}
