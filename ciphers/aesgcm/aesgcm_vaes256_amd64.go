//go:build !purego

package aesgcm

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

//go:generate env GOWORK=off go run -C _asm . -part vaes256

// RequiresVAES256 is every feature that the VAES256 tiers use.
const RequiresVAES256 = cpu.AESNI | cpu.PCLMULQDQ | cpu.VAES | cpu.VPCLMULQDQ | cpu.AVX2

// AES128VAES256 seals and opens with AES-128-GCM on 256-bit registers, for
// processors without AVX-512. It needs RequiresVAES256.
func AES128VAES256() ciphers.MaskSealer { return aes128On256 }

// AES256VAES256 is AES128VAES256 for AES-256-GCM.
func AES256VAES256() ciphers.MaskSealer { return aes256On256 }

//go:noescape
func sealAES128VAES256(packets *ciphers.Packet, order *uint8, count, slot int, folded *foldedBurst) int

//go:noescape
func sealAES256VAES256(packets *ciphers.Packet, order *uint8, count, slot int, folded *foldedBurst) int

//go:noescape
func openAES128VAES256(packets *ciphers.Packet, order *uint8, count, slot int, folded *foldedBurst) int

//go:noescape
func openAES256VAES256(packets *ciphers.Packet, order *uint8, count, slot int, folded *foldedBurst) int
