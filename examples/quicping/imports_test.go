package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// The program brings its own QUIC: only its tests know other stacks.
func TestImportsNoQUICStack(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			if strings.Contains(i.Path.Value, "quic-go") || strings.Contains(i.Path.Value, "x/net/quic") {
				t.Errorf("%s imports %s", name, i.Path.Value)
			}
		}
		return nil
	})
	if err != nil || files < 15 {
		t.Errorf("%v, saw %d files", err, files)
	}
}
