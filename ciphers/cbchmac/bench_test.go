package cbchmac

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"hash"
	"slices"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers"
)

var benchSizes = []int{64, 256, 1440, 8192}

// benchTier is an implementation by its name.
type benchTier struct {
	name string
	impl ciphers.AEAD
}

func benchAlgorithms() []ciphers.Algorithm {
	return []ciphers.Algorithm{
		ciphers.EncryptThenMAC(ciphers.AES128CBC, ciphers.HMACSHA1), ciphers.EncryptThenMAC(ciphers.AES128CBC, ciphers.HMACSHA256),
		ciphers.EncryptThenMAC(ciphers.IntegrityOnly, ciphers.HMACSHA256),
	}
}

// benchBurst is 32 packets of ESP under one key, sealed.
func benchBurst(b *testing.B, alg ciphers.Algorithm, impl ciphers.AEAD, d ciphers.Direction, size int) []ciphers.Packet {
	b.Helper()
	keys := map[ciphers.Direction]*ciphers.Key{}
	for _, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
		k, err := ciphers.NewKey(&ciphers.KeySpec{
			Algorithm: alg, Direction: d, Key: make([]byte, alg.KeySize()), AuthKey: make([]byte, alg.AuthKeySize()), Nonce: alg.IVForm(),
		}, &ciphers.Plan{Bulk: impl}, nil)
		if err != nil {
			b.Fatal(err)
		}
		keys[d] = k
	}
	ps := make([]ciphers.Packet, 32)
	for i := range ps {
		ps[i] = ciphers.Packet{Buf: make([]byte, 24+size+16), Key: keys[ciphers.Sealing], AADLen: 8, IVOff: 8, Off: 24, Len: uint32(size)}
		if alg.Encryption() == ciphers.IntegrityOnly {
			ps[i].Len, ps[i].AADOff, ps[i].AADLen = 0, 40, uint16(size)
		}
	}
	seal(b, impl, ps)
	if d == ciphers.Opening {
		for i := range ps {
			ps[i].Key = keys[ciphers.Opening]
			ps[i].Plain = make([]byte, size)
			ps[i].Len += uint32(keys[d].TagSize())
		}
	}
	return ps
}

func seal(b *testing.B, impl ciphers.AEAD, ps []ciphers.Packet) {
	ciphers.SealBorder(ps)
	if impl.Seal(ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps))}) != len(ps) {
		b.Fatal(ps[0].Status)
	}
}

func open(b *testing.B, impl ciphers.AEAD, ps []ciphers.Packet) {
	ciphers.OpenBorder(ps)
	if impl.Open(ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps))}) != len(ps) {
		b.Fatal(ps[0].Status)
	}
}

func perPacket(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/packet")
}

func eachBench(b *testing.B, d ciphers.Direction, run func(*testing.B, ciphers.AEAD, []ciphers.Packet)) {
	for _, alg := range benchAlgorithms() {
		for _, size := range benchSizes {
			for _, t := range benchTiers(alg) {
				b.Run(fmt.Sprintf("%v/%d/%s", alg, size, t.name), func(b *testing.B) {
					ps := benchBurst(b, alg, t.impl, d, size)
					b.SetBytes(int64(len(ps) * size))
					b.ReportAllocs()
					for b.Loop() {
						run(b, t.impl, ps)
					}
					perPacket(b, len(ps))
				})
			}
		}
	}
}

// BenchmarkSeal includes the drawing of IVs.
func BenchmarkSeal(b *testing.B) { eachBench(b, ciphers.Sealing, seal) }

func BenchmarkOpen(b *testing.B) { eachBench(b, ciphers.Opening, open) }

// BenchmarkOverLibrary seals bursts and, in turn with them, the same packets one at a time
// with the standard library alone: an IV drawn for each, crypto/cipher's CBC made anew
// with it, an HMAC that is reset. It reports the median of the rounds' ratios.
func BenchmarkOverLibrary(b *testing.B) {
	for _, h := range []struct {
		integrity ciphers.Integrity
		new       func() hash.Hash
	}{{ciphers.HMACSHA1, sha1.New}, {ciphers.HMACSHA256, sha256.New}} {
		alg := ciphers.EncryptThenMAC(ciphers.AES128CBC, h.integrity)
		for _, size := range benchSizes {
			for _, t := range benchTiers(alg) {
				b.Run(fmt.Sprintf("%v/%d/%s", alg, size, t.name), func(b *testing.B) {
					ps := benchBurst(b, alg, t.impl, ciphers.Sealing, size)
					one := library(b, h.new, size)
					var ratios []float64
					for b.Loop() {
						ratios = append(ratios, spent(func() {
							for range ps {
								one()
							}
						})/spent(func() { seal(b, t.impl, ps) }))
					}
					slices.Sort(ratios)
					b.ReportMetric(ratios[len(ratios)/2], "times-as-fast")
				})
			}
		}
	}
}

func library(b *testing.B, newHash func() hash.Hash, size int) func() {
	buf, mac := make([]byte, 24+size+sha256.Size), hmac.New(newHash, make([]byte, 20))
	block, err := aes.NewCipher(make([]byte, 16))
	if err != nil {
		b.Fatal(err)
	}
	return func() {
		_, _ = rand.Read(buf[8:24]) // never fails
		cipher.NewCBCEncrypter(block, buf[8:24]).CryptBlocks(buf[24:24+size], buf[24:24+size])
		mac.Reset()
		mac.Write(buf[:24+size])
		mac.Sum(buf[:24+size])
	}
}

func spent(work func()) float64 {
	start := time.Now()
	work()
	return float64(time.Since(start))
}
