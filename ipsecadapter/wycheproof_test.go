package ipsecadapter

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"testing"

	"github.com/c2sp/wycheproof"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
)

// macVector is a test of Project Wycheproof's MACs, hexadecimal.
type macVector struct {
	TcID              int
	Key, IV, Msg, Tag string
	Result            string
}

func macVectors(t *testing.T, name string) (all []macVector) {
	t.Helper()
	raw, err := fs.ReadFile(wycheproof.TestVectors, name)
	must(t, err)
	var file struct{ TestGroups []struct{ Tests []macVector } }
	must(t, json.Unmarshal(raw, &file))
	for _, group := range file.TestGroups {
		all = append(all, group.Tests...)
	}
	return all
}

// TestWycheproofGMAC runs aes_gmac with the keys that ESP and AH make for GMAC. The message is
// associated data, as it is there.
func TestWycheproofGMAC(t *testing.T) {
	const name = "aes_gmac_test.json"
	byKey := map[int]Transform{16: AES128GMAC, 24: AES192GMAC, 32: AES256GMAC}
	ran, passed := 0, map[string]int{}
	for _, v := range macVectors(t, name) {
		key, iv, msg, tag := unhex(t, v.Key), unhex(t, v.IV), unhex(t, v.Msg), unhex(t, v.Tag)
		switch {
		case len(iv) != 12:
			passed[fmt.Sprintf("IVs of %d bytes", len(iv))]++
			continue
		case len(tag) != 16:
			passed[fmt.Sprintf("tags of %d bytes", len(tag))]++
			continue
		}
		ran++
		runGMAC(t, byKey[len(key)], v, append(key, iv[:4]...), iv[4:], msg, tag)
	}
	logVectors(t, name, ran, passed)
}

func runGMAC(t *testing.T, transform Transform, v macVector, material, iv, msg, tag []byte) {
	t.Helper()
	s := transform.traits()
	number := uint64(0)
	for _, b := range iv {
		number = number<<8 | uint64(b)
	}
	for _, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
		key, err := s.newKey(newEngine(t), material, d, false)
		must(t, err)
		packets := []engine.Packet{{Key: key, Buf: make([]byte, 16), Prefix: msg, Number: number}}
		if d == ciphers.Opening {
			copy(packets[0].Buf, tag)
			packets[0].Len = 16
			if ok := newEngine(t).Open(packets) == 1; ok != (v.Result == "valid") {
				t.Errorf("tcId %d, %s: opened %v", v.TcID, v.Result, ok)
			}
		} else if n := newEngine(t).Seal(packets); n != 1 || (string(packets[0].Buf) == string(tag)) != (v.Result == "valid") {
			t.Errorf("tcId %d, %s: sealed to %x, tag %x", v.TcID, v.Result, packets[0].Buf, tag)
		}
		key.Close()
	}
}

// TestWycheproofHMAC runs the HMAC sets with the keys that AH makes. A vector's key that is
// shorter is one with zeros behind (RFC 2104 section 2).
func TestWycheproofHMAC(t *testing.T) {
	for name, i := range map[string]ciphers.Integrity{
		"hmac_sha1_test.json": ciphers.HMACSHA1, "hmac_sha256_test.json": ciphers.HMACSHA256,
		"hmac_sha384_test.json": ciphers.HMACSHA384, "hmac_sha512_test.json": ciphers.HMACSHA512,
	} {
		transform := EncryptThenMAC(ciphers.IntegrityOnly, i)
		ran, passed := 0, map[string]int{}
		for _, v := range macVectors(t, name) {
			key, msg, tag := unhex(t, v.Key), unhex(t, v.Msg), unhex(t, v.Tag)
			switch icv := transform.ICVSize(); {
			case len(key) > transform.KeySize():
				passed[fmt.Sprintf("keys of %d bytes", len(key))]++
				continue
			case len(tag) < icv:
				passed[fmt.Sprintf("tags of %d bytes", len(tag))]++
				continue
			default:
				ran++
				runHMAC(t, transform, v, append(key, make([]byte, transform.KeySize()-len(key))...), msg, tag, icv)
			}
		}
		logVectors(t, name, ran, passed)
	}
}

// runHMAC compares what is sent of the tag. A forgery may lie behind that.
func runHMAC(t *testing.T, transform Transform, v macVector, material, msg, tag []byte, icv int) {
	t.Helper()
	s := transform.traits()
	sender, err := s.newKey(newEngine(t), material, ciphers.Sealing, false)
	must(t, err)
	receiver, err := s.newKey(newEngine(t), material, ciphers.Opening, false)
	must(t, err)
	defer sender.Close()
	defer receiver.Close()
	sealed := []engine.Packet{{Key: sender, Buf: make([]byte, icv), Prefix: msg}}
	opened := []engine.Packet{{Key: receiver, Buf: tag[:icv:icv], Len: uint32(icv), Prefix: msg}}
	if newEngine(t).Seal(sealed) != 1 {
		t.Fatalf("tcId %d: %v", v.TcID, sealed[0].Status)
	}
	same := string(sealed[0].Buf) == string(tag[:icv])
	if ok := newEngine(t).Open(opened) == 1; ok != same || v.Result == "valid" && !ok || v.Result != "valid" && ok && len(tag) == icv {
		t.Errorf("tcId %d, %s: sealed to %x, tag %x, opened %v", v.TcID, v.Result, sealed[0].Buf, tag, ok)
	}
}

func logVectors(t *testing.T, name string, ran int, passed map[string]int) {
	t.Helper()
	if ran == 0 {
		t.Errorf("%s: no vector fits", name)
	}
	t.Logf("%s: ran %d vectors", name, ran)
	for _, why := range slices.Sorted(maps.Keys(passed)) {
		t.Logf("%s: passed over %d with %s", name, passed[why], why)
	}
}
