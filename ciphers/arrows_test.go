package ciphers_test

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/sealburst/sealburst/"

// arrows says, for each part of the house, which other parts it may import:
// examples → adapters → record → engine → ciphers. The longest prefix that fits
// a package's path is its part. A part may import itself and what lies below it.
var arrows = map[string][]string{
	"ciphers":                   {"ciphers/cpu"},
	"ciphers/cpu":               {},
	"ciphers/aesgcm":            {"ciphers", "ciphers/cpu", "ciphers/hpmask", "ciphers/internal/aeskey"},
	"ciphers/aesccm":            {"ciphers", "ciphers/cpu"},
	"ciphers/cbchmac":           {"ciphers", "ciphers/cpu", "ciphers/internal/aeskey"},
	"ciphers/chachapoly":        {"ciphers", "ciphers/cpu"},
	"ciphers/hpmask":            {"ciphers", "ciphers/cpu", "ciphers/internal/aeskey"},
	"ciphers/kex":               {"ciphers", "ciphers/cpu"},
	"ciphers/internal":          {"ciphers", "ciphers/cpu"},
	"ciphers/internal/tiertest": {"ciphers", "ciphers/cpu", "ciphers/cipherstest"},
	"ciphers/ipsecmb":           {"ciphers", "ciphers/cpu", "ciphers/internal/staging"},
	"ciphers/openssl":           {"ciphers", "ciphers/cpu", "ciphers/internal/staging"},
	"ciphers/cryptodev":         {"ciphers", "ciphers/cryptodev/eal"},
	"ciphers/cryptodev/eal":     {},
	"ciphers/cipherstest":       {"ciphers", "ciphers/cpu"},
	"ciphers/builtin":           {"ciphers"},
	"engine":                    {"ciphers"},
	"record":                    {"ciphers", "engine", "record"},
	"record/replay":             {},
	"record/pnum":               {},
	"record/keysched":           {},
	"dtlsadapter":               {"ciphers", "engine", "record"},
	"ipsecadapter":              {"ciphers", "engine", "record"},
	"quicadapter":               {"ciphers", "engine", "record"},
	"examples":                  {"ciphers", "engine", "record", "dtlsadapter", "ipsecadapter", "quicadapter"},
}

// below are the targets whose sub-packages an importer may use as well.
var below = map[string][]string{
	"ciphers/builtin": {"ciphers"},
	"engine":          {"ciphers"},
	"record":          {"ciphers", "record"},
	"dtlsadapter":     {"ciphers", "record"},
	"ipsecadapter":    {"ciphers", "record"},
	"quicadapter":     {"ciphers", "record"},
	"examples":        {"ciphers", "record"},
}

// cgoFolders are the only ones that may use cgo, and only behind a build tag.
var cgoFolders = []string{"ciphers/ipsecmb", "ciphers/openssl", "ciphers/cryptodev", "examples/gateway/internal/port/dpdk"}

func TestImportsRunOneWay(t *testing.T) {
	files := 0
	eachFile(t, func(folder, file string, f *ast.File) {
		files++
		from := part(folder)
		if from == "" {
			t.Errorf("%s: %s is no part of the house", file, folder)
		}
		for _, spec := range f.Imports {
			target, _ := strconv.Unquote(spec.Path.Value)
			if target == "C" {
				checkCgo(t, folder, file, f)
			}
			to, ours := strings.CutPrefix(target, module)
			if ours && !allowed(from, to) {
				t.Errorf("%s: %s may not import %s", file, from, to)
			}
		}
	})
	if files < 20 {
		t.Fatalf("saw only %d files", files)
	}
}

func TestArrowsRefuse(t *testing.T) {
	for from, to := range map[string]string{
		"ciphers": "engine", "engine": "record", "record": "dtlsadapter", "record/replay": "ciphers",
		"dtlsadapter": "quicadapter", "ciphers/hpmask": "ciphers/aesgcm", "engine/x": "examples/bench",
	} {
		if allowed(part(from), to) {
			t.Errorf("%s may import %s", from, to)
		}
	}
}

func eachFile(t *testing.T, visit func(folder, file string, f *ast.File)) {
	t.Helper()
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), "_") || strings.HasPrefix(d.Name(), ".") && name != ".." || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		visit(filepath.ToSlash(strings.TrimPrefix(filepath.Dir(name), ".."+string(filepath.Separator))), name, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func part(folder string) string {
	for p := folder; p != "."; p = path.Dir(p) {
		if _, ok := arrows[p]; ok {
			return p
		}
	}
	return ""
}

func allowed(from, to string) bool {
	if to == from || strings.HasPrefix(to, from+"/") && arrows[to] == nil {
		return true
	}
	for _, target := range arrows[from] {
		if to == target {
			return true
		}
	}
	for _, root := range below[from] {
		if strings.HasPrefix(to, root+"/") {
			return true
		}
	}
	return false
}

func checkCgo(t *testing.T, folder, file string, f *ast.File) {
	t.Helper()
	inPlace := false
	for _, c := range cgoFolders {
		inPlace = inPlace || folder == c || strings.HasPrefix(folder, c+"/")
	}
	if !inPlace {
		t.Errorf("%s: cgo outside %v", file, cgoFolders)
	}
	for _, group := range f.Comments {
		for _, line := range group.List {
			if constraint.IsGoBuild(line.Text) {
				return
			}
		}
	}
	t.Errorf("%s: cgo without a build tag", file)
}
