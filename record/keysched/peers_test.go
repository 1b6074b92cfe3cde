package keysched

import (
	"bytes"
	"crypto"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"testing"

	pion "github.com/pion/dtls/v2/pkg/crypto/prf"
	"pgregory.net/rapid"
)

var suites = []struct {
	hash crypto.Hash
	peer pion.HashFunc
}{
	{crypto.SHA256, sha256.New},
	{crypto.SHA384, sha512.New384},
}

func drawBytes(t *rapid.T, name string, least, most int) []byte {
	return rapid.SliceOfN(rapid.Byte(), least, most).Draw(t, name)
}

func equal(t *rapid.T, what string, got, want []byte, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%s = %x, want %x", what, got, want)
	}
}

func TestTLS12AgainstPion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		suite := rapid.SampledFrom(suites).Draw(t, "suite")
		secret := drawBytes(t, "secret", 1, 150)
		client, server := drawBytes(t, "client", RandomSize, RandomSize), drawBytes(t, "server", RandomSize, RandomSize)

		master := make([]byte, MasterSecretSize)
		want, err := pion.MasterSecret(secret, client, server, suite.peer)
		mustRapid(t, err)
		equal(t, "MasterSecret", master, want, MasterSecret(master, suite.hash, secret, client, server))

		want, err = pion.ExtendedMasterSecret(secret, server, suite.peer)
		mustRapid(t, err)
		equal(t, "ExtendedMasterSecret", master, want, ExtendedMasterSecret(master, suite.hash, secret, server))

		comparePRF(t, suite.hash, suite.peer, secret)
		compareKeyBlock(t, suite.hash, suite.peer, master, client, server)
		compareFinished(t, suite.hash, suite.peer, master, secret)
	})
}

func mustRapid(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func comparePRF(t *rapid.T, h crypto.Hash, peer pion.HashFunc, secret []byte) {
	label, seed := string(drawBytes(t, "label", 0, 30)), drawBytes(t, "seed", 0, 100)
	got := make([]byte, rapid.IntRange(0, 300).Draw(t, "length"))
	want, err := pion.PHash(secret, append([]byte(label), seed...), len(got), peer)
	mustRapid(t, err)
	equal(t, "PRF", got, want, PRF(got, h, secret, label, seed[:len(seed)/2], seed[len(seed)/2:]))
}

func compareKeyBlock(t *rapid.T, h crypto.Hash, peer pion.HashFunc, master, client, server []byte) {
	keySize := rapid.SampledFrom([]int{16, 24, 32}).Draw(t, "key size")
	ivSize := rapid.SampledFrom([]int{4, 12}).Draw(t, "iv size")
	want, err := pion.GenerateEncryptionKeys(master, client, server, 0, keySize, ivSize, peer)
	mustRapid(t, err)
	block := KeyBlock{ClientKey: make([]byte, keySize), ServerKey: make([]byte, keySize),
		ClientIV: make([]byte, ivSize), ServerIV: make([]byte, ivSize)}
	err = block.Derive(h, master, client, server)
	equal(t, "ClientKey", block.ClientKey, want.ClientWriteKey, err)
	equal(t, "ServerKey", block.ServerKey, want.ServerWriteKey, err)
	equal(t, "ClientIV", block.ClientIV, want.ClientWriteIV, err)
	equal(t, "ServerIV", block.ServerIV, want.ServerWriteIV, err)
}

func compareFinished(t *rapid.T, h crypto.Hash, peer pion.HashFunc, master, transcript []byte) {
	want, err := pion.VerifyDataClient(master, transcript, peer)
	mustRapid(t, err)
	digest := peer()
	digest.Write(transcript)
	got := make([]byte, 12)
	equal(t, "verify_data", got, want, PRF(got, h, master, "client finished", digest.Sum(nil)))
}

// TestPRFPlusAgainstHKDF rests on prf+ with HMAC being the expansion of HKDF (RFC 5869 section 2.3).
func TestPRFPlusAgainstHKDF(t *testing.T) {
	hashes := map[crypto.Hash]func() hash.Hash{crypto.SHA256: sha256.New, crypto.SHA384: sha512.New384, crypto.SHA512: sha512.New}
	for h, newHash := range hashes {
		key := bytes.Repeat([]byte{7}, 200) // longer than a block
		for _, length := range []int{1, h.Size(), h.Size() + 1, 255 * h.Size()} {
			want, err := hkdf.Expand(newHash, key, "one, two", length)
			must(t, err)
			got := make([]byte, length)
			must(t, PRFPlus(got, h, key, []byte("one,"), nil, []byte(" two")))
			if !bytes.Equal(got, want) {
				t.Errorf("%v: %d bytes differ", h, length)
			}
		}
	}
}
