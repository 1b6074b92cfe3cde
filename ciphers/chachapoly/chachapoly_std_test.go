package chachapoly

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
)

func TestStd(t *testing.T) { cipherstest.TestAEAD(t, ciphers.ChaCha20Poly1305, Std()) }
