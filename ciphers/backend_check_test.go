package ciphers_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// wellFormed is a backend of one algorithm of each kind, none of which is called.
func wellFormed() *ciphers.Backend {
	return &ciphers.Backend{
		Name:       "card-0000:3b:00.0",
		AEADs:      map[ciphers.Algorithm]ciphers.AEAD{ciphers.AES128GCM: ciphers.Std(nil)},
		Masks:      map[ciphers.Algorithm]ciphers.Masker{ciphers.MaskAES128: struct{ ciphers.Masker }{}},
		Exchanges:  map[ciphers.Algorithm]ciphers.Exchanger{ciphers.X25519: struct{ ciphers.Exchanger }{}},
		Priorities: map[ciphers.Algorithm]int{ciphers.MaskAES128: -3},
		Lone:       map[ciphers.Algorithm]int{ciphers.AES128GCM: ciphers.MaxBurst, ciphers.X25519: 0},
	}
}

func TestBackendIsChecked(t *testing.T) {
	if err := wellFormed().Check(); err != nil {
		t.Error(err)
	}
	if err := (&ciphers.Backend{Name: "x"}).Check(); err != nil {
		t.Errorf("without tables: %v", err)
	}
	const unknown = ciphers.Algorithm(200)
	for _, c := range []struct {
		name  string
		alg   ciphers.Algorithm
		says  string
		spoil func(b *ciphers.Backend)
	}{
		{"no name", 0, "empty", func(b *ciphers.Backend) { b.Name = "" }},
		{"name of an assignment", 0, `"a=b"`, func(b *ciphers.Backend) { b.Name = "a=b" }},
		{"name of a list", 0, `"a,b"`, func(b *ciphers.Backend) { b.Name = "a,b" }},
		{"name with a space", 0, `"a b"`, func(b *ciphers.Backend) { b.Name = "a b" }},
		{"name that ends a line", 0, `"a\n"`, func(b *ciphers.Backend) { b.Name = "a\n" }},
		{"nil AEAD", ciphers.AES256GCM, "AEADs has no", func(b *ciphers.Backend) { b.AEADs[ciphers.AES256GCM] = nil }},
		{"nil mask", ciphers.MaskAES256, "Masks has no", func(b *ciphers.Backend) { b.Masks[ciphers.MaskAES256] = nil }},
		{"nil group", ciphers.P256, "Exchanges has no", func(b *ciphers.Backend) { b.Exchanges[ciphers.P256] = nil }},
		{"mask among AEADs", ciphers.MaskAES128, "AEADs holds", func(b *ciphers.Backend) { b.AEADs[ciphers.MaskAES128] = ciphers.Std(nil) }},
		{"group among AEADs", ciphers.X25519, "AEADs holds", func(b *ciphers.Backend) { b.AEADs[ciphers.X25519] = ciphers.Std(nil) }},
		{"unknown AEAD", unknown, "AEADs holds", func(b *ciphers.Backend) { b.AEADs[unknown] = ciphers.Std(nil) }},
		{"AEAD among masks", ciphers.AES128GCM, "Masks holds", func(b *ciphers.Backend) { b.Masks[ciphers.AES128GCM] = struct{ ciphers.Masker }{} }},
		{"AEAD among groups", ciphers.AES128GCM, "Exchanges holds", func(b *ciphers.Backend) { b.Exchanges[ciphers.AES128GCM] = struct{ ciphers.Exchanger }{} }},
		{"priority of what it lacks", ciphers.P256, "Priorities", func(b *ciphers.Backend) { b.Priorities[ciphers.P256] = 1 }},
		{"unknown priority", unknown, "Priorities", func(b *ciphers.Backend) { b.Priorities[unknown] = 1 }},
		{"lone masks", ciphers.MaskAES128, "Lone", func(b *ciphers.Backend) { b.Lone[ciphers.MaskAES128] = 1 }},
		{"lone packets of what it lacks", ciphers.AES256GCM, "Lone", func(b *ciphers.Backend) { b.Lone[ciphers.AES256GCM] = 1 }},
		{"negative Lone", ciphers.AES128GCM, "-1 in Lone", func(b *ciphers.Backend) { b.Lone[ciphers.AES128GCM] = -1 }},
		{"Lone beyond a burst", ciphers.AES128GCM, "257 in Lone", func(b *ciphers.Backend) { b.Lone[ciphers.AES128GCM] = 257 }},
	} {
		b := wellFormed()
		c.spoil(b)
		var wrong *ciphers.BackendError
		if err := b.Check(); !errors.As(err, &wrong) || wrong.Backend != b.Name || wrong.Algorithm != c.alg || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
