//go:build openssl

package model

import "testing"

// TestLibrary wants every handshake of OpenSSL, and modular exchange dearer than
// elliptic-curve exchange.
func TestLibrary(t *testing.T) {
	rows, err := Library(tiny)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 6 || rows[0].Name != modular || rows[1].Name != elliptic256 {
		t.Fatalf("%+v", rows)
	}
	if found := rows[5]; found.Kind != KindFinding || found.Value < 1 || found.Paper != paperModular {
		t.Errorf("%+v", found)
	}
}
