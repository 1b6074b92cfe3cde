//go:build !purego

package aesgcm

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

//go:generate env GOWORK=off go run -C _asm . -part vaes512

// RequiresVAES512 is every feature that the VAES512 tiers use.
const RequiresVAES512 = cpu.AESNI | cpu.PCLMULQDQ | cpu.VAES | cpu.VPCLMULQDQ | cpu.BMI2 | cpu.AVX2 |
	cpu.AVX512F | cpu.AVX512BW | cpu.AVX512DQ | cpu.AVX512VL | cpu.ZMM

// AES128VAES512 seals and opens with AES-128-GCM on 512-bit registers. Bursts of
// any mixture of keys and sizes are taken in order of size, and each packet is
// hashed while the next one is encrypted. Packets of up to 320 bytes that are
// alike in key and lengths cost least: four of them are processed in step. Eight
// packets and more of 513 to 4032 bytes under one key, of any such lengths, share what
// is made for the key, of which nothing is kept behind the call. It needs
// RequiresVAES512.
func AES128VAES512() ciphers.MaskSealer { return aes128On512 }

// AES256VAES512 is AES128VAES512 for AES-256-GCM.
func AES256VAES512() ciphers.MaskSealer { return aes256On512 }

//go:noescape
func sealAES128VAES512(packets *ciphers.Packet, order *uint8, count, slot int, folded *foldedBurst, oneShape int) (taken, ok int)

//go:noescape
func sealAES256VAES512(packets *ciphers.Packet, order *uint8, count, slot int, folded *foldedBurst, oneShape int) (taken, ok int)

//go:noescape
func openAES128VAES512(packets *ciphers.Packet, order *uint8, count, slot int, folded *foldedBurst, oneShape int) (taken, ok int)

//go:noescape
func openAES256VAES512(packets *ciphers.Packet, order *uint8, count, slot int, folded *foldedBurst, oneShape int) (taken, ok int)
