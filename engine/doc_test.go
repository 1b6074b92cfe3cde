package engine

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// TestDocumentationListsEveryName reads the names out of the package's comment, of
// which those that end in a hyphen are put before those that begin with hmac.
func TestDocumentationListsEveryName(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "name of its String method:")
	section, _, _ = strings.Cut(section, "SEALBURST_CPU")
	var got, before, behind []string
	for line := range strings.Lines(section) {
		words, listed := strings.CutPrefix(line, "//\t")
		for _, name := range strings.Fields(words) {
			switch {
			case !listed:
			case strings.HasSuffix(name, "-"):
				before = append(before, name)
			case strings.HasPrefix(name, "hmac-"):
				behind = append(behind, name)
			default:
				got = append(got, name)
			}
		}
	}
	for _, hmac := range behind {
		for _, cipher := range append(before, "") {
			got = append(got, cipher+hmac)
		}
	}
	var want []string
	for _, alg := range ciphers.Algorithms() {
		want = append(want, alg.String())
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("documented\n%v\nwant\n%v", got, want)
	}
}
