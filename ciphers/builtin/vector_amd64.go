//go:build amd64 && !purego

package builtin

import (
	"maps"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/aesgcm"
	"github.com/sealburst/sealburst/ciphers/cbchmac"
	"github.com/sealburst/sealburst/ciphers/hpmask"
)

// vector lists the backends of Sealburst's own kernels.
func vector() []*ciphers.Backend {
	return []*ciphers.Backend{vaes512(), vaes256(), avx512(), avx2()}
}

func vaes512() *ciphers.Backend {
	return &ciphers.Backend{
		Name:     "vaes512",
		Priority: 40,
		Requires: aesgcm.RequiresVAES512 | hpmask.RequiresVAES512 | cbchmac.RequiresVAES512,
		AEADs: with(cbchmac.VAES512(), map[ciphers.Algorithm]ciphers.AEAD{
			ciphers.AES128GCM: aesgcm.AES128VAES512(),
			ciphers.AES256GCM: aesgcm.AES256VAES512(),
		}),
		Lone: cbchmac.LoneVAES512(),
		Masks: map[ciphers.Algorithm]ciphers.Masker{
			ciphers.MaskAES128: hpmask.AES128VAES512(),
			ciphers.MaskAES256: hpmask.AES256VAES512(),
		},
	}
}

// with is the union of two sets.
func with(aeads, more map[ciphers.Algorithm]ciphers.AEAD) map[ciphers.Algorithm]ciphers.AEAD {
	maps.Copy(aeads, more)
	return aeads
}

func vaes256() *ciphers.Backend {
	return &ciphers.Backend{
		Name:     "vaes256",
		Priority: 30,
		Requires: aesgcm.RequiresVAES256 | hpmask.RequiresVAES256,
		AEADs: map[ciphers.Algorithm]ciphers.AEAD{
			ciphers.AES128GCM: aesgcm.AES128VAES256(),
			ciphers.AES256GCM: aesgcm.AES256VAES256(),
		},
		Masks: map[ciphers.Algorithm]ciphers.Masker{
			ciphers.MaskAES128: hpmask.AES128VAES256(),
			ciphers.MaskAES256: hpmask.AES256VAES256(),
		},
	}
}

// avx512 and avx2 have what needs no AES instructions.
func avx512() *ciphers.Backend {
	return &ciphers.Backend{
		Name:     "avx512",
		Priority: 40,
		Requires: hpmask.RequiresAVX512,
		Masks:    map[ciphers.Algorithm]ciphers.Masker{ciphers.MaskChaCha20: hpmask.ChaCha20AVX512()},
	}
}

func avx2() *ciphers.Backend {
	return &ciphers.Backend{
		Name:     "avx2",
		Priority: 30,
		Requires: hpmask.RequiresAVX2,
		Masks:    map[ciphers.Algorithm]ciphers.Masker{ciphers.MaskChaCha20: hpmask.ChaCha20AVX2()},
	}
}
