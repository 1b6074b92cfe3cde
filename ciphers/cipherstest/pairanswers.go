package cipherstest

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// encryptionAnswer is a known answer of a cipher part.
type encryptionAnswer struct {
	encryption                ciphers.Encryption
	name                      string
	key, salt, iv, plain, out string
}

// encryptionAnswers are vectors of RFC 3602 section 4, RFC 3686 section 6, FIPS
// 81 appendix C, Blowfish's author, and for the others of OpenSSL 3.0.
var encryptionAnswers = []encryptionAnswer{
	{ciphers.AES128CBC, "RFC 3602 case 1", "06a9214036b8a15b512e03d534120006", "", "3dafba429d9eb430b422da802c9fac41",
		text("Single block msg"), "e353779c1079aeb82708942dbe77181a"},
	{ciphers.AES128CBC, "RFC 3602 case 2", "c286696d887c9aa0611bbb3e2025a45a", "", "562e17996d093d28ddb3ba695a2e6f58",
		"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
		"d296cd94c2cccf8a3a863028b5e1dc0a7586602d253cfff91b8266bea6d61ab1"},
	{ciphers.AES128CBC, "RFC 3602 case 3", "6c3ea0477630ce21a2ce334aa746c2cd", "", "c782dc4c098c66cbd9cd27d825682c81",
		text("This is a 48-byte message (exactly 3 AES blocks)"),
		"d0a02b3836451753d493665d33f0e8862dea54cdb293abc7506939276772f8d5021c19216bad525c8579695d83ba2684"},
	{ciphers.AES128CBC, "RFC 3602 case 4", "56e47a38c5598974bc46903dba290349", "", "8ce82eefbea0da3c44699ed7db51b7d9",
		"a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
		"c30e32ffedc0774e6aff6af0869f71aa0f3af07a9a31a9c684db207eb0ef8e4e35907aa632c3ffdf868bb7b29d3d46ad83ce9f9a102ee99d49a53e87f4c3da55"},
	{ciphers.AES128CTR, "RFC 3686 vector 1", "ae6852f8121067cc4bf7a5765577f39e", "00000030", "0000000000000000",
		text("Single block msg"), "e4095d4fb7a7b3792d6175a3261311b8"},
	{ciphers.AES128CTR, "RFC 3686 vector 2", "7e24067817fae0d743d6ce1f32539163", "006cb6db", "c0543b59da48d90b",
		"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
		"5104a106168a72d9790d41ee8edad388eb2e1efc46da57c8fce630df9141be28"},
	{ciphers.AES128CTR, "RFC 3686 vector 3", "7691be035e5020a8ac6e618529f9a0dc", "00e0017b", "27777f3f4a1786f0",
		"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20212223",
		"c1cf48a89f2ffdd9cf4652e9efdb72d74540a42bde6d7836d59a5ceaaef3105325b2072f"},
	{ciphers.AES192CTR, "RFC 3686 vector 5", "7c5cb2401b3dc33c19e7340819e0f69c678c3db8e6f6a91a", "0096b03b", "020c6eadc2cb500d",
		"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
		"453243fc609b23327edfaafa7131cd9f8490701c5ad4a79cfc1fe0ff42f4fb00"},
	{ciphers.AES256CTR, "RFC 3686 vector 8", "f6d66d6bd52d59bb0796365879eff886c66dd51a5b6a99744b50590c87a23884", "00faac24", "c1585ef15a43d875",
		"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
		"f05e231b3894612c49ee000b804eb2a9b8306b508f839d6a5530831d9344af1c"},
	{ciphers.DESCBC, "FIPS 81", "0123456789abcdef", "", "1234567890abcdef",
		text("Now is the time for all "), "e5c7cdde872bf27c43e934008c389c0f683788499a7c05f6"},
	{ciphers.BlowfishCBC, "E. A. Young", "0123456789abcdeff0e1d2c3b4a59687", "", "fedcba9876543210",
		text("7654321 Now is the time for \x00\x00\x00\x00"), "6b77b4d63006dee605b156e27403979358deb9e7154616d959f1652bd5ff92cc"},
	{ciphers.AES192CBC, "OpenSSL", "0123456789abcdef23456789abcdef01456789abcdef0123", "", "562e17996d093d28ddb3ba695a2e6f58",
		"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "2255c76b6531f6e84bfcad8ecae83aadeaa77970ce1ed40511337bcceb09335b"},
	{ciphers.AES256CBC, "OpenSSL", "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "", "562e17996d093d28ddb3ba695a2e6f58",
		"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "09ba92414e05a8a401555bd35402f37eaf263d1ce215ca75cbd4586033b2d7ec"},
	{ciphers.TripleDESCBC, "OpenSSL", "0123456789abcdef23456789abcdef01456789abcdef0123", "", "1234567890abcdef",
		"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "a242ad370ee232ede85e1033962975f4eb25ac5d7d4343baabe82adeb95ad558"},
}

func text(s string) string { return hex.EncodeToString([]byte(s)) }

// testEncryptionAnswers compares ciphertexts alone; what stands behind them is
// the HMAC part's.
func testEncryptionAnswers(t *testing.T, s subject) {
	ran := 0
	for i := range encryptionAnswers {
		if a := &encryptionAnswers[i]; a.encryption == s.alg.Encryption() {
			ran++
			t.Run(a.name, func(t *testing.T) { a.run(t, s) })
		}
	}
	if ran == 0 && s.alg.IVForm() != 0 {
		t.Errorf("no known answer of %v", s.alg)
	}
}

func (a *encryptionAnswer) run(t *testing.T, s subject) {
	r := a.record(t, s)
	got := r.sealed[:len(r.plain)]
	if want := unhex(t, a.out); !bytes.Equal(got, want) {
		t.Fatalf("the oracle makes %x, want %x", got, want)
	}
	s.both(t, []record{r})
}

func (a *encryptionAnswer) record(t *testing.T, s subject) record {
	secret := append(unhex(t, a.key), make([]byte, s.alg.AuthKeySize())...)
	iv := unhex(t, a.iv)
	r := record{keys: s.keysFrom(t, s.forms()[0], secret, unhex(t, a.salt)), plain: unhex(t, a.plain), align: -1}
	if r.keys.form.nonce == ciphers.NonceDrawn {
		r.iv = iv
	} else {
		r.number = binary.BigEndian.Uint64(iv)
	}
	return r.write()
}

// integrityAnswer is a known answer of an HMAC.
type integrityAnswer struct {
	integrity    ciphers.Integrity
	name         string
	key, message []byte
	mac          string // or its beginning
}

var (
	rfc2202Case6 = []byte("Test Using Larger Than Block-Size Key - Hash Key First")
	rfc2202Case7 = []byte("Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data")
	jefe         = []byte("what do ya want for nothing?")
)

func repeat(b byte, n int) []byte { return bytes.Repeat([]byte{b}, n) }

func upTo(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i + 1)
	}
	return b
}

// integrityAnswers are vectors of RFC 2202 (HMAC with MD5 and SHA-1) and RFC 4231
// (SHA-2).
var integrityAnswers = []integrityAnswer{
	{ciphers.HMACMD5, "RFC 2202 MD5 1", repeat(0x0b, 16), []byte("Hi There"), "9294727a3638bb1c13f48ef8158bfc9d"},
	{ciphers.HMACMD5, "RFC 2202 MD5 2", []byte("Jefe"), jefe, "750c783e6ab0b503eaa86e310a5db738"},
	{ciphers.HMACMD5, "RFC 2202 MD5 3", repeat(0xaa, 16), repeat(0xdd, 50), "56be34521d144c88dbb8c733f0e8b3f6"},
	{ciphers.HMACMD5, "RFC 2202 MD5 6", repeat(0xaa, 80), rfc2202Case6, "6b1ab7fe4bd7bf8f0b62e6ce61b9d0cd"},
	{ciphers.HMACMD5, "RFC 2202 MD5 7", repeat(0xaa, 80), rfc2202Case7, "6f630fad67cda0ee1fb1f562db3aa53e"},
	{ciphers.HMACSHA1, "RFC 2202 SHA-1 1", repeat(0x0b, 20), []byte("Hi There"), "b617318655057264e28bc0b6fb378c8ef146be00"},
	{ciphers.HMACSHA1, "RFC 2202 SHA-1 2", []byte("Jefe"), jefe, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"},
	{ciphers.HMACSHA1, "RFC 2202 SHA-1 3", repeat(0xaa, 20), repeat(0xdd, 50), "125d7342b9ac11cd91a39af48aa17b4f63f175d3"},
	{ciphers.HMACSHA1, "RFC 2202 SHA-1 6", repeat(0xaa, 80), rfc2202Case6, "aa4ae5e15272d00e95705637ce8a3b55ed402112"},
	{ciphers.HMACSHA1, "RFC 2202 SHA-1 7", repeat(0xaa, 80), rfc2202Case7, "e8e99d0f45237d786d6bbaa7965c7808bbff1a91"},
	{ciphers.HMACSHA256, "RFC 4231 1", repeat(0x0b, 20), []byte("Hi There"), "b0344c61d8db38535ca8afceaf0bf12b"},
	{ciphers.HMACSHA256, "RFC 4231 2", []byte("Jefe"), jefe, "5bdcc146bf60754e6a042426089575c7"},
	{ciphers.HMACSHA256, "RFC 4231 3", repeat(0xaa, 20), repeat(0xdd, 50), "773ea91e36800e46854db8ebd09181a7"},
	{ciphers.HMACSHA256, "RFC 4231 4", upTo(25), repeat(0xcd, 50), "82558a389a443c0ea4cc819899f2083a"},
	{ciphers.HMACSHA256, "RFC 4231 6", repeat(0xaa, 131), rfc2202Case6, "60e431591ee0b67f0d8a26aacbf5b77f"},
	{ciphers.HMACSHA384, "RFC 4231 1", repeat(0x0b, 20), []byte("Hi There"), "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec6"},
	{ciphers.HMACSHA384, "RFC 4231 2", []byte("Jefe"), jefe, "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47"},
	{ciphers.HMACSHA384, "RFC 4231 3", repeat(0xaa, 20), repeat(0xdd, 50), "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9feb"},
	{ciphers.HMACSHA384, "RFC 4231 4", upTo(25), repeat(0xcd, 50), "3e8a69b7783c25851933ab6290af6ca77a9981480850009c"},
	{ciphers.HMACSHA384, "RFC 4231 6", repeat(0xaa, 131), rfc2202Case6, "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f"},
	{ciphers.HMACSHA512, "RFC 4231 1", repeat(0x0b, 20), []byte("Hi There"), "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"},
	{ciphers.HMACSHA512, "RFC 4231 2", []byte("Jefe"), jefe, "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"},
	{ciphers.HMACSHA512, "RFC 4231 3", repeat(0xaa, 20), repeat(0xdd, 50), "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"},
	{ciphers.HMACSHA512, "RFC 4231 4", upTo(25), repeat(0xcd, 50), "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"},
	{ciphers.HMACSHA512, "RFC 4231 6", repeat(0xaa, 131), rfc2202Case6, "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"},
}

// testIntegrityAnswers authenticates each message as associated data and, where
// the algorithm has them, explicit IV and high half of a sequence number, without
// a payload.
func testIntegrityAnswers(t *testing.T, s subject) {
	for i := range integrityAnswers {
		a := &integrityAnswers[i]
		if a.integrity != s.alg.Integrity() {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			for _, f := range s.forms() {
				if r, ok := s.authenticated(t, f, a.key, a.message); ok {
					r.sealed = unhex(t, a.mac)[:f.tag]
					s.both(t, []record{r})
				}
			}
		})
	}
}

// authenticated is a record whose ICV covers that message alone, or false where
// key or message do not fit the form.
func (s subject) authenticated(t *testing.T, f form, key, message []byte) (r record, ok bool) {
	auth := hmacKey(s.alg, key)
	end := len(message)
	if f.esn {
		end -= 4
	}
	if auth == nil || end < f.wire() {
		return r, false
	}
	k := s.keysFrom(t, f, append(make([]byte, s.alg.KeySize()), auth...), make([]byte, f.iv))
	r = record{keys: k, ranged: message[:end-f.wire()], align: -1}
	wire := message[end-f.wire() : end]
	if f.nonce == ciphers.NonceDrawn {
		r.iv = wire
	} else if f.nonce == ciphers.NonceExplicit {
		r.number = binary.BigEndian.Uint64(wire)
	}
	if f.esn {
		r.high = binary.BigEndian.Uint32(message[end:])
	}
	return r, true
}

// hmacKey is a key of the algorithm's size that makes the same HMACs as key, by
// RFC 2104 section 2: a shorter one gets zeros, one longer than a block is
// hashed. For what lies between there is none.
func hmacKey(alg ciphers.Algorithm, key []byte) []byte {
	h := oracleHash(alg)()
	switch {
	case len(key) <= alg.AuthKeySize():
		return append(bytes.Clone(key), make([]byte, alg.AuthKeySize()-len(key))...)
	case len(key) > h.BlockSize():
		h.Write(key)
		return h.Sum(nil)
	}
	return nil
}
