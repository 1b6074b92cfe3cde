package cipherstest

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// answer is a known answer in hexadecimal.
type answer struct {
	alg                            ciphers.Algorithm
	name                           string
	key, nonce, aad, plain, sealed string
}

const (
	gcmKey   = "feffe9928665731c6d6a8f9467308308"
	gcmNonce = "cafebabefacedbaddecaf888"
	gcmAAD   = "feedfacedeadbeeffeedfacedeadbeefabaddad2"
	gcmPlain = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72" +
		"1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
	ccmKey = "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf"
	ccmAAD = "0001020304050607"
)

// answers are the vectors of McGrew and Viega, "The Galois/Counter Mode of
// Operation", appendix B, that have nonces of 12 bytes; of RFC 8439 and
// RFC 9001; and of RFC 3610 and SP 800-38C that have tags of 8 bytes.
var answers = []answer{
	{ciphers.AES128GCM, "McGrew-Viega 1", zeros(16), zeros(12), "", "", "58e2fccefa7e3061367f1d57a4e7455a"},
	{ciphers.AES128GCM, "McGrew-Viega 2", zeros(16), zeros(12), "", zeros(16),
		"0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf"},
	{ciphers.AES128GCM, "McGrew-Viega 3", gcmKey, gcmNonce, "", gcmPlain,
		"42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985" +
			"4d5c2af327cd64a62cf35abd2ba6fab4"},
	{ciphers.AES128GCM, "McGrew-Viega 4", gcmKey, gcmNonce, gcmAAD, gcmPlain[:120],
		"42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091" +
			"5bc94fbc3221a5db94fae95ae7121a47"},
	{ciphers.AES192GCM, "McGrew-Viega 7", zeros(24), zeros(12), "", "", "cd33b28ac773f74ba00ed1f312572435"},
	{ciphers.AES192GCM, "McGrew-Viega 8", zeros(24), zeros(12), "", zeros(16),
		"98e7247c07f0fe411c267e4384b0f6002ff58d80033927ab8ef4d4587514f0fb"},
	{ciphers.AES192GCM, "McGrew-Viega 9", gcmKey + gcmKey[:16], gcmNonce, "", gcmPlain,
		"3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710acade256" +
			"9924a7c8587336bfb118024db8674a14"},
	{ciphers.AES192GCM, "McGrew-Viega 10", gcmKey + gcmKey[:16], gcmNonce, gcmAAD, gcmPlain[:120],
		"3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710" +
			"2519498e80f1478f37ba55bd6d27618c"},
	{ciphers.AES256GCM, "McGrew-Viega 13", zeros(32), zeros(12), "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
	{ciphers.AES256GCM, "McGrew-Viega 14", zeros(32), zeros(12), "", zeros(16),
		"cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"},
	{ciphers.AES256GCM, "McGrew-Viega 15", gcmKey + gcmKey, gcmNonce, "", gcmPlain,
		"522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad" +
			"b094dac5d93471bdec1a502270e3cc6c"},
	{ciphers.AES256GCM, "McGrew-Viega 16", gcmKey + gcmKey, gcmNonce, gcmAAD, gcmPlain[:120],
		"522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662" +
			"76fc6ece0f4e1768cddf8853bb2d551b"},
	{ciphers.ChaCha20Poly1305, "RFC 8439 section 2.8.2",
		"808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f", "070000004041424344454647", "50515253c0c1c2c3c4c5c6c7",
		hex.EncodeToString([]byte("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.")),
		"d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36" +
			"92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b6116" +
			"1ae10b594f09e26a7e902ecbd0600691"},
	{ciphers.ChaCha20Poly1305, "RFC 9001 appendix A.5",
		"c6d98ff3441c3fe1b2182094f69caa2ed4b716b65488960a7a984979fb23e1c8", "e0459b3474bdd0e46d417eb0", "4200bff4", "01",
		"655e5cd55c41f69080575d7999c25a5bfb"},
	{ciphers.AES128CCM, "RFC 3610 vector 1", ccmKey, "00000003020100a0a1a2a3a4a5", ccmAAD, counting(0x08, 0x1e),
		"588c979a61c663d2f066d0c2c0f989806d5f6b61dac38417e8d12cfdf926e0"},
	{ciphers.AES128CCM, "RFC 3610 vector 2", ccmKey, "00000004030201a0a1a2a3a4a5", ccmAAD, counting(0x08, 0x1f),
		"72c91a36e135f8cf291ca894085c87e3cc15c439c9e43a3ba091d56e10400916"},
	{ciphers.AES128CCM, "RFC 3610 vector 3", ccmKey, "00000005040302a0a1a2a3a4a5", ccmAAD, counting(0x08, 0x20),
		"51b1e5f44a197d1da46b0f8e2d282ae871e838bb64da8596574adaa76fbd9fb0c5"},
	{ciphers.AES128CCM, "SP 800-38C example 3", counting(0x40, 0x4f), counting(0x10, 0x1b), counting(0x00, 0x13), counting(0x20, 0x37),
		"e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5484392fbc1b09951"},
}

// zeros are n zero bytes in hexadecimal.
func zeros(n int) string { return strings.Repeat("00", n) }

// counting are the bytes from first to last in hexadecimal.
func counting(first, last byte) string {
	var all []byte
	for b := first; b <= last; b++ {
		all = append(all, b)
	}
	return hex.EncodeToString(all)
}

func testKnownAnswers(t *testing.T, s subject) {
	w := newWriter("known answers")
	var vs []vector
	for _, a := range answers {
		if a.alg == s.alg {
			vs = append(vs, a.vector(t))
		}
	}
	for i := range vs {
		t.Run(vs[i].name, func(t *testing.T) { s.runVectors(t, w, vs[i:i+1]) })
	}
	if len(vs) == 0 {
		t.Logf("no RFC or SP has a vector of %v that fits; Wycheproof has", s.alg)
	}
}

func (a *answer) vector(t testing.TB) vector {
	return vector{
		name: a.name, key: unhex(t, a.key), nonce: unhex(t, a.nonce),
		aad: unhex(t, a.aad), plain: unhex(t, a.plain), sealed: unhex(t, a.sealed),
	}
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
