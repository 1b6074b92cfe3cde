package cipherstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"testing"

	"github.com/c2sp/wycheproof"
	"github.com/sealburst/sealburst/ciphers"
)

// counted is how many vectors of a file ran, and why the others were passed over.
type counted struct {
	name   string
	ran    int
	passed map[string]int
}

func (c *counted) log(t *testing.T) {
	t.Helper()
	if c.ran == 0 {
		t.Errorf("%s: no vector fits", c.name)
	}
	t.Logf("%s: ran %d vectors", c.name, c.ran)
	for _, why := range slices.Sorted(maps.Keys(c.passed)) {
		t.Logf("%s: passed over %d: %s", c.name, c.passed[why], why)
	}
}

func readWycheproof(t *testing.T, name string) wycheproofFile {
	t.Helper()
	raw, err := fs.ReadFile(wycheproof.TestVectors, name)
	if err != nil {
		t.Fatal(err)
	}
	var file wycheproofFile
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	return file
}

// testPairWycheproof runs Project Wycheproof's vectors of the HMAC and, under
// AES-CBC, of the cipher.
func testPairWycheproof(t *testing.T, s subject) {
	if name := macFile(s.alg.Integrity()); name != "" {
		s.runMACs(t, name)
	}
	if e := s.alg.Encryption(); e <= ciphers.AES256CBC {
		s.runCBC(t, "aes_cbc_pkcs5_test.json")
	}
}

// macFile is the file of an HMAC's vectors. HMAC-MD5 has none.
func macFile(i ciphers.Integrity) string {
	return map[ciphers.Integrity]string{
		ciphers.HMACSHA256: "hmac_sha256_test.json", ciphers.HMACSHA384: "hmac_sha384_test.json",
		ciphers.HMACSHA512: "hmac_sha512_test.json", ciphers.HMACSHA1: "hmac_sha1_test.json",
	}[i]
}

func (s subject) runMACs(t *testing.T, name string) {
	file := readWycheproof(t, name)
	count := &counted{name: name, passed: map[string]int{}}
	var valid, all []record
	for _, group := range file.TestGroups {
		for i := range group.Tests {
			r, why := s.macRecord(t, &group.Tests[i])
			if why != "" {
				count.passed[why]++
				continue
			}
			all = append(all, r)
			if !r.forged {
				valid = append(valid, r)
			}
		}
	}
	count.ran = len(all)
	count.log(t)
	for burst := range slices.Chunk(valid, 64) {
		newScene(ciphers.Sealing, burst).run(t, s.impl, Run{})
	}
	for burst := range slices.Chunk(all, 64) {
		newScene(ciphers.Opening, burst).run(t, s.impl, Run{})
	}
}

// macRecord authenticates the vector's message, or says why it cannot.
func (s subject) macRecord(t *testing.T, v *wycheproofTest) (r record, why string) {
	f := s.forms()[0]
	switch r, ok := s.authenticated(t, f, v.Key, v.Msg); {
	case len(v.Tag) < f.tag:
		return r, fmt.Sprintf("tags shorter than %d bytes", f.tag)
	case hmacKey(s.alg, v.Key) == nil:
		return r, "keys that no key of the algorithm's size stands for"
	case !ok:
		return r, "messages shorter than an IV"
	case v.Result != "valid" && bytes.Equal(r.write().sealed, v.Tag[:f.tag]):
		return r, "forgeries behind the ICV's bytes"
	default:
		r.sealed, r.forged = v.Tag[:f.tag], v.Result != "valid"
		return r, ""
	}
}

// runCBC compares ciphertexts. The vectors pad by PKCS #5, which is the caller's
// part here; those that are bad by their padding alone say nothing of CBC.
func (s subject) runCBC(t *testing.T, name string) {
	file := readWycheproof(t, name)
	count := &counted{name: name, passed: map[string]int{}}
	var records []record
	for _, group := range file.TestGroups {
		for i := range group.Tests {
			v := &group.Tests[i]
			if why := s.unfitCBC(v); why != "" {
				count.passed[why]++
				continue
			}
			r := s.cbcRecord(t, v)
			if got := r.sealed[:len(r.plain)]; !bytes.Equal(got, v.Ct) {
				t.Errorf("tcId %d: the oracle makes %x, want %x", v.TcID, got, v.Ct)
			}
			records = append(records, r)
		}
	}
	count.ran = len(records)
	count.log(t)
	for burst := range slices.Chunk(records, 64) {
		s.both(t, burst)
	}
}

func (s subject) unfitCBC(v *wycheproofTest) string {
	switch {
	case len(v.Key) != s.alg.KeySize():
		return fmt.Sprintf("keys not of %d bytes", s.alg.KeySize())
	case v.Result != "valid":
		return "bad padding"
	}
	return ""
}

func (s subject) cbcRecord(t *testing.T, v *wycheproofTest) record {
	pad := 16 - len(v.Msg)%16
	secret := append(slices.Clone([]byte(v.Key)), make([]byte, s.alg.AuthKeySize())...)
	return record{
		keys: s.keysFrom(t, s.forms()[0], secret, nil), iv: v.IV, align: -1,
		plain: append(slices.Clone([]byte(v.Msg)), bytes.Repeat([]byte{byte(pad)}, pad)...),
	}.write()
}
