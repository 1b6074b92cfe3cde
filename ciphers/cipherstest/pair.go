package cipherstest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"hash"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"golang.org/x/crypto/blowfish"
)

// pairTests are the parts of TestAEAD for an algorithm of two parts. What has no
// payload has none that could overlap or be told apart by a nonce.
func pairTests(alg ciphers.Algorithm) []aeadTest {
	own := []aeadTest{
		{"EncryptionKnownAnswers", testEncryptionAnswers},
		{"IntegrityKnownAnswers", testIntegrityAnswers},
		{"Wycheproof", testPairWycheproof},
		{"PartialBlocksAreRefused", testPartialBlocks},
		{"UnusedOffsetsAreIgnored", testUnusedOffsets},
		{"OffsetsDoNotWrap", testOffsetsDoNotWrap},
	}
	return append(own, slices.DeleteFunc(slices.Clone(aeadTests), func(part aeadTest) bool {
		switch part.name {
		case "KnownAnswers", "Wycheproof":
			return true
		case "OverlapIsExactOrRefused":
			return alg.Encryption() == ciphers.IntegrityOnly
		case "NumbersGiveDistinctNonces":
			return alg.IVForm() == 0
		}
		return false
	})...)
}

// pairForms are keys without and with extended sequence numbers.
func pairForms(alg ciphers.Algorithm) []form {
	f := form{nonce: alg.IVForm(), tag: alg.TagSizes()[0], block: alg.BlockSize()}
	if f.nonce == ciphers.NonceExplicit {
		f.iv = alg.NonceSizes()[0] - ciphers.ExplicitSize
	}
	if alg.Encryption() == ciphers.IntegrityOnly {
		f.block = 0
	}
	extended := f
	extended.esn = true
	return []form{f, extended}
}

// whole is n cut to whole blocks, and to nothing where no payload is allowed.
func (k *keys) whole(n int) int {
	switch {
	case k.pair == nil:
		return n
	case k.form.block == 0:
		return 0
	}
	return n - n%k.form.block
}

// secretSize is how many bytes newKeys draws: the key, and behind it that of the
// HMAC.
func secretSize(alg ciphers.Algorithm) int { return alg.KeySize() + alg.AuthKeySize() }

func pairKeysWith(t testing.TB, alg ciphers.Algorithm, f form, plan *ciphers.Plan, secret, iv []byte) *keys {
	t.Helper()
	key, auth := secret[:alg.KeySize()], secret[alg.KeySize():]
	spec := ciphers.KeySpec{
		Algorithm: alg, Key: key, AuthKey: auth, Nonce: f.nonce, IV: iv, TagSize: f.tag, ESN: f.esn,
	}
	return &keys{
		form: f, iv: slices.Clone(iv),
		pair: &pairOracle{alg, f, slices.Clone(key), slices.Clone(auth), slices.Clone(iv)},
		seal: newKey(t, spec, ciphers.Sealing, plan),
		open: newKey(t, spec, ciphers.Opening, plan),
	}
}

// pairOracle seals with the plain composition of the standard library's parts.
type pairOracle struct {
	alg             ciphers.Algorithm
	form            form
	key, auth, salt []byte
}

func (o *pairOracle) seal(r *record) []byte {
	iv := r.iv
	if o.form.nonce == ciphers.NonceExplicit {
		iv = binary.BigEndian.AppendUint64(nil, r.number)
	}
	sealed := o.encrypt(iv, r.plain)
	covered := slices.Concat(r.prefix, r.ranged, iv, sealed)
	if o.form.esn {
		covered = binary.BigEndian.AppendUint32(covered, r.high)
	}
	return append(sealed, o.mac(covered)[:o.form.tag]...)
}

func (o *pairOracle) encrypt(iv, plain []byte) []byte {
	sealed := slices.Clone(plain)
	block, err := oracleBlock(o.alg, o.key)
	switch {
	case err != nil:
		panic(err)
	case block == nil:
	case o.form.nonce == ciphers.NonceDrawn:
		cipher.NewCBCEncrypter(block, iv).CryptBlocks(sealed, sealed)
	default:
		counter := slices.Concat(o.salt, iv, []byte{0, 0, 0, 1}) // RFC 3686 section 4
		cipher.NewCTR(block, counter).XORKeyStream(sealed, sealed)
	}
	return sealed
}

func oracleBlock(alg ciphers.Algorithm, key []byte) (cipher.Block, error) {
	switch alg.Encryption() {
	case ciphers.IntegrityOnly, ciphers.NullEncryption:
		return nil, nil
	case ciphers.DESCBC:
		return des.NewCipher(key)
	case ciphers.TripleDESCBC:
		return des.NewTripleDESCipher(key)
	case ciphers.BlowfishCBC:
		return blowfish.NewCipher(key)
	}
	return aes.NewCipher(key)
}

func (o *pairOracle) mac(message []byte) []byte {
	mac := hmac.New(oracleHash(o.alg), o.auth)
	mac.Write(message)
	return mac.Sum(nil)
}

func oracleHash(alg ciphers.Algorithm) func() hash.Hash {
	switch alg.Integrity() {
	case ciphers.HMACSHA256:
		return sha256.New
	case ciphers.HMACSHA384:
		return sha512.New384
	case ciphers.HMACSHA512:
		return sha512.New
	case ciphers.HMACSHA1:
		return sha1.New
	}
	return md5.New
}

// testPartialBlocks hands over payloads that are no whole blocks, both ways.
func testPartialBlocks(t *testing.T, s subject) {
	w := newWriter("partial blocks")
	block := s.alg.BlockSize()
	for _, f := range s.forms() {
		k := s.newKeys(t, f, w.src)
		for _, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
			var records []record
			for range 2*block + 1 {
				records = append(records, w.record(k, 2*block).write())
			}
			scene := newScene(d, records)
			for n := 1; n < block; n++ {
				scene.packets[2*n].Len -= uint32(n)
				scene.refuse(2*n, ciphers.StatusBlock)
			}
			scene.run(t, s.impl, Run{})
		}
	}
}

// testUnusedOffsets has packets without associated data whose AADOff points
// outside the buffer, and IVOff too where no IV travels.
func testUnusedOffsets(t *testing.T, s subject) {
	w := newWriter("unused offsets")
	for _, f := range s.forms() {
		k := s.newKeys(t, f, w.src)
		for _, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
			var records []record
			for i := range 20 {
				r := w.record(k, 16*i)
				r.ranged, r.prefix = nil, w.bytes(i%2*9)
				records = append(records, r.write())
			}
			scene := newScene(d, records)
			for i := range scene.packets {
				scene.packets[i].AADOff = 65535
				if f.wire() == 0 {
					scene.packets[i].IVOff = 65535
				}
			}
			scene.run(t, s.impl, Run{})
		}
	}
}

// testOffsetsDoNotWrap puts so many associated data behind a payload that the sum of
// their offset and length, in 16 bits, is where the IV or the payload starts.
func testOffsetsDoNotWrap(t *testing.T, s subject) {
	w := newWriter("offsets")
	for _, f := range s.forms() {
		k := s.newKeys(t, f, w.src)
		r := w.record(k, 64)
		r.late = true
		r.ranged = w.bytes(1<<16 - (f.wire() + len(r.plain) + f.tag))
		s.both(t, []record{r.write(), w.record(k, 16).write()})
	}
}
