package cipherstest

import (
	"bytes"
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

// kexFile has the fields of Wycheproof's schemas for XDH, ECDH and ML-KEM.
type kexFile struct {
	TestGroups []struct {
		Tests []kexTest
	}
}

type kexTest struct {
	TcID                  int
	Comment               string
	Flags                 []string
	Public, Shared        hexBytes
	Private               oddHex
	Seed, EK, DK, C, M, K hexBytes
	Result                string
}

// oddHex is a number in hexadecimal, of any length.
type oddHex string

// file is one of Wycheproof's files and how to run a test of it. run says why it
// passes a test over, or nothing.
type file struct {
	name string
	run  func(t *testing.T, s kexSubject, v *kexTest) (passedOver string)
}

func kexFiles(group ciphers.Algorithm) []file {
	curve := func(name string) []file {
		return []file{{name + "_test.json", runECDH}, {name + "_ecpoint_test.json", runECDH}}
	}
	kem := func(name string) []file {
		return []file{{name + "_test.json", runDecapsulation}, {name + "_encaps_test.json", runEncapsulation},
			{name + "_keygen_seed_test.json", runKeyGeneration}, {name + "_semi_expanded_decaps_test.json", runExpanded}}
	}
	switch group {
	case ciphers.X25519:
		return []file{{"x25519_test.json", runXDH}}
	case ciphers.X448:
		return []file{{"x448_test.json", runXDH}}
	case ciphers.P256:
		return curve("ecdh_secp256r1")
	case ciphers.P384:
		return curve("ecdh_secp384r1")
	case ciphers.P521:
		return curve("ecdh_secp521r1")
	case ciphers.MLKEM768:
		return kem("mlkem_768")
	case ciphers.MLKEM1024:
		return kem("mlkem_1024")
	}
	return nil
}

// testKexWycheproof runs every file of the group's, and logs how many tests it
// ran and why it passed over the others.
func testKexWycheproof(t *testing.T, s kexSubject) {
	files := kexFiles(s.group)
	if len(files) == 0 {
		t.Logf("Wycheproof has no file for %v", s.group)
	}
	for _, f := range files {
		t.Run(f.name, func(t *testing.T) { f.test(t, s) })
	}
}

func (f file) test(t *testing.T, s kexSubject) {
	raw, err := fs.ReadFile(wycheproof.TestVectors, f.name)
	if err != nil {
		t.Fatal(err)
	}
	var content kexFile
	if err := json.Unmarshal(raw, &content); err != nil {
		t.Fatal(err)
	}
	ran, over := map[string]int{}, map[string]int{}
	for _, group := range content.TestGroups {
		for i := range group.Tests {
			v := &group.Tests[i]
			if why := f.run(t, s, v); why != "" {
				over[why]++
			} else {
				ran[v.Result]++
			}
		}
	}
	if len(ran) == 0 {
		t.Error("no test fits")
	}
	t.Logf("ran %s; passed over %s", counts(ran), counts(over))
}

func counts(n map[string]int) string {
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(n)) {
		parts = append(parts, fmt.Sprintf("%d %s", n[what], what))
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// runXDH derives. Every share of the right size is taken but for those that give
// an all-zero secret.
func runXDH(t *testing.T, s kexSubject, v *kexTest) string {
	private := unhex(t, string(v.Private))
	if len(private) != s.group.PrivateSize() {
		return fmt.Sprintf("private key of %d bytes", len(private))
	}
	want := "valid"
	if allZero(v.Shared) {
		want = "invalid"
	}
	return s.derive(t, v, private, v.Public, want)
}

// derive runs OpDerive and expects the test's secret, a refusal of the share, or
// where want is "acceptable" one of the two.
func (s kexSubject) derive(t *testing.T, v *kexTest, private, public []byte, want string) string {
	x := s.room()
	x.Private, x.Public = private, public
	st := s.one(ciphers.OpDerive, x)
	agreed := st == ciphers.StatusOK && bytes.Equal(x.Secret, v.Shared)
	refused := st == ciphers.StatusShare && allZero(x.Secret)
	if len(public) != s.group.PublicSize() {
		refused = st == ciphers.StatusPublic
	}
	if fits := agreed && want != "invalid" || refused && want != "valid"; !fits {
		t.Errorf("tcId %d %s: %v, secret %x, want %s", v.TcID, v.Comment, st, x.Secret, want)
	}
	return ""
}
