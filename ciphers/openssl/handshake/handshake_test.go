//go:build openssl

package handshake

import (
	"errors"
	"testing"
)

func TestHandshakes(t *testing.T) {
	for _, k := range []Kind{
		{"ECDHE-RSA-AES128-GCM-SHA256", "X25519", true},
		{"ECDHE-RSA-AES128-GCM-SHA256", "P-384", true},
		{"ECDHE-ECDSA-AES128-GCM-SHA256", "P-256", false},
		{"DHE-RSA-AES128-GCM-SHA256", "X25519", true},
	} {
		p, err := New(k)
		if err != nil {
			t.Errorf("%+v: %v", k, err)
			continue
		}
		if err := p.Run(3); err != nil {
			t.Errorf("%+v: %v", k, err)
		}
		p.Close()
	}
}

// TestMismatch sees that a suite without its certificate does not finish, and an
// unknown one is refused.
func TestMismatch(t *testing.T) {
	p, err := New(Kind{"ECDHE-ECDSA-AES128-GCM-SHA256", "X25519", true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Run(1); !errors.Is(err, ErrHandshake) {
		t.Errorf("finished: %v", err)
	}
	if _, err := New(Kind{"NO-SUCH-SUITE", "X25519", true}); !errors.Is(err, ErrRefused) {
		t.Errorf("took an unknown suite: %v", err)
	}
}

func BenchmarkHandshake(b *testing.B) {
	for _, k := range []Kind{{"ECDHE-RSA-AES128-GCM-SHA256", "X25519", true}, {"DHE-RSA-AES128-GCM-SHA256", "X25519", true}} {
		b.Run(k.Suite, func(b *testing.B) {
			p, err := New(k)
			if err != nil {
				b.Fatal(err)
			}
			defer p.Close()
			for b.Loop() {
				if err := p.Run(1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
