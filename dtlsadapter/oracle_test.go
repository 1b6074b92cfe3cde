package dtlsadapter

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"testing"

	"github.com/pion/dtls/v2"
	"github.com/pion/dtls/v2/pkg/crypto/ccm"
	"github.com/pion/dtls/v2/pkg/crypto/prf"
	"github.com/sealburst/sealburst/ciphers"
	"golang.org/x/crypto/chacha20poly1305"
)

// oracle opens and seals records with nothing of this project: the standard library's
// and pion's AEADs, pion's key derivation.
type oracle struct {
	aead     cipher.AEAD
	iv       []byte
	explicit int
}

// oracles make the ones of the client's and the server's records.
func oracles(t testing.TB, id dtls.CipherSuiteID, master, clientRandom, serverRandom []byte) (client, server *oracle) {
	t.Helper()
	keySize, ivSize, newHash := 16, 4, func() hash.Hash { return sha256.New() }
	s, err := suiteOf(id)
	must(t, err)
	switch s.algorithm {
	case ciphers.AES256GCM:
		keySize, newHash = 32, sha512.New384
	case ciphers.AES256CCM:
		keySize = 32
	case ciphers.ChaCha20Poly1305:
		keySize, ivSize = 32, 12
	}
	k, err := prf.GenerateEncryptionKeys(master, clientRandom, serverRandom, 0, keySize, ivSize, newHash)
	must(t, err)
	return newOracle(t, s, k.ClientWriteKey, k.ClientWriteIV), newOracle(t, s, k.ServerWriteKey, k.ServerWriteIV)
}

func newOracle(t testing.TB, s *suite, key, iv []byte) *oracle {
	t.Helper()
	var a cipher.AEAD
	var err error
	if s.algorithm == ciphers.ChaCha20Poly1305 {
		a, err = chacha20poly1305.New(key)
		must(t, err)
		return &oracle{a, iv, 0}
	}
	block, err := aes.NewCipher(key)
	must(t, err)
	if s.algorithm == ciphers.AES128CCM || s.algorithm == ciphers.AES256CCM {
		a, err = ccm.NewCCM(block, s.tag, 12)
	} else {
		a, err = cipher.NewGCM(block)
	}
	must(t, err)
	return &oracle{a, iv, 8}
}

func (o *oracle) nonce(number uint64, explicit []byte) []byte {
	if o.explicit > 0 {
		return append(bytes.Clone(o.iv), explicit...)
	}
	nonce := bytes.Clone(o.iv)
	binary.BigEndian.PutUint64(nonce[4:], binary.BigEndian.Uint64(nonce[4:])^number)
	return nonce
}

func (o *oracle) aad(rec []byte, plaintext int) []byte {
	aad := append(bytes.Clone(rec[3:11]), rec[0], rec[1], rec[2])
	return binary.BigEndian.AppendUint16(aad, uint16(plaintext))
}

// open gives the plaintext of a whole record.
func (o *oracle) open(rec []byte) ([]byte, error) {
	body := rec[13:]
	sealed := body[o.explicit:]
	nonce := o.nonce(binary.BigEndian.Uint64(rec[3:]), body[:o.explicit])
	return o.aead.Open(nil, nonce, sealed, o.aad(rec, len(sealed)-o.aead.Overhead()))
}

// seal makes a record with any explicit nonce.
func (o *oracle) seal(kind byte, number uint64, explicit, payload []byte) []byte {
	rec := append([]byte{kind, 0xfe, 0xfd}, binary.BigEndian.AppendUint64(nil, number)...)
	rec = binary.BigEndian.AppendUint16(rec, uint16(o.explicit+len(payload)+o.aead.Overhead()))
	rec = append(rec, explicit[:o.explicit]...)
	return o.aead.Seal(rec, o.nonce(number, explicit), payload, o.aad(rec, len(payload)))
}

// wiretap is what an outsider with a key log sees of a connection.
type wiretap struct {
	log            bytes.Buffer
	client, server *oracle
}

// listen makes the oracles from the log and the hellos that were captured.
func (w *wiretap) listen(t testing.TB, p *pipe, id dtls.CipherSuiteID) {
	t.Helper()
	fields := bytes.Fields(w.log.Bytes())
	master, err := hex.DecodeString(string(fields[2]))
	must(t, err)
	w.client, w.server = oracles(t, id, master, capturedRandom(p.a, 1), capturedRandom(p.b, 2))
}

// capturedRandom is that of a side's last hello.
func capturedRandom(e *pipeEnd, kind byte) (random []byte) {
	for _, d := range e.captured() {
		if len(d) > 59 && d[0] == 22 && d[13] == kind {
			random = d[27:59]
		}
	}
	return random
}

// recordsOf are all records that an end sent.
func recordsOf(e *pipeEnd) (all [][]byte) {
	for _, d := range e.captured() {
		for rest := d; len(rest) > 0; {
			rec, behind, ok := cutRecord(rest)
			if !ok {
				break
			}
			all, rest = append(all, rec), behind
		}
	}
	return all
}
