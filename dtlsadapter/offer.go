package dtlsadapter

import (
	"crypto"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"hash"
	"sync"

	"github.com/pion/dtls/v2"
	"github.com/pion/dtls/v2/pkg/crypto/clientcertificate"
	"github.com/pion/dtls/v2/pkg/protocol/recordlayer"
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
)

// offer is a suite as pion takes a custom one. All suites are offered in this way,
// since pion puts custom suites before its own and the order would be lost. Of a
// suite that pion has, it uses its own implementation, and the offer is only a place
// in the list; of one that it lacks, this is the implementation.
//
// Nothing that Encrypt makes leaves the process: the transport below pion takes the
// plaintext out and seals it under the connection's own numbers. So Encrypt does not
// encrypt; it lays the record out and leaves the tag's place zero. That no key is
// used there means that no nonce can be used twice.
type offer struct {
	*suite
	engine  *engine.Engine
	secrets *secrets

	mu     sync.Mutex
	opener *engine.Key // of the peer's records
}

var errNotReady = errors.New("dtlsadapter: suite has no keys yet")

// ID is the suite's number.
func (o *offer) ID() dtls.CipherSuiteID { return o.id }

// CertificateType is what a certificate for the suite signs with.
func (o *offer) CertificateType() clientcertificate.Type {
	switch o.auth {
	case byECDSA:
		return clientcertificate.ECDSASign
	case byRSA:
		return clientcertificate.RSASign
	}
	return 0
}

// HashFunc is the hash of the suite's PRF.
func (o *offer) HashFunc() func() hash.Hash {
	if o.hash == crypto.SHA384 {
		return sha512.New384
	}
	return sha256.New
}

// AuthenticationType is by certificate or by pre-shared key.
func (o *offer) AuthenticationType() dtls.CipherSuiteAuthenticationType {
	if o.auth == byPSK {
		return dtls.CipherSuiteAuthenticationTypePreSharedKey
	}
	return dtls.CipherSuiteAuthenticationTypeCertificate
}

// KeyExchangeAlgorithm is ECDHE with a certificate, and none but the key with a pre-shared one.
func (o *offer) KeyExchangeAlgorithm() dtls.CipherSuiteKeyExchangeAlgorithm {
	if o.auth == byPSK {
		return dtls.CipherSuiteKeyExchangeAlgorithmPsk
	}
	return dtls.CipherSuiteKeyExchangeAlgorithmEcdhe
}

// ECC reports whether the handshake needs a curve.
func (o *offer) ECC() bool { return o.auth != byPSK }

// Init takes the secrets of the handshake.
func (o *offer) Init(master, clientRandom, serverRandom []byte, isClient bool) error {
	client, server, err := DeriveKeys(o.id, master, clientRandom, serverRandom)
	defer client.Erase()
	defer server.Erase()
	if err != nil {
		return err
	}
	peer := &client
	if isClient {
		peer = &server
	}
	key, err := o.newKey(o.engine, peer, ciphers.Opening)
	if err != nil {
		return err
	}
	o.secrets.agree(o.suite, master, clientRandom, serverRandom, key)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.opener = key
	return nil
}

// IsInitialized reports whether Init was called.
func (o *offer) IsInitialized() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.opener != nil
}

// Encrypt lays a record out with room for the tag.
func (o *offer) Encrypt(_ *recordlayer.RecordLayer, raw []byte) ([]byte, error) {
	laid := append(append([]byte(nil), raw...), make([]byte, o.overhead())...)
	h := parseHeader(raw)
	h.length += o.overhead()
	h.put(laid)
	return laid, nil
}

// Decrypt opens a record of the peer's handshake.
func (o *offer) Decrypt(rec []byte) ([]byte, error) {
	if len(rec) < headerSize {
		return nil, errNotReady
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.opener == nil {
		return nil, errNotReady
	}
	h := parseHeader(rec)
	plain, err := (&ownOpener{o.engine, o.suite, o.opener}).open(rec)
	if err != nil {
		return nil, err
	}
	h.length = len(plain)
	out := make([]byte, headerSize, headerSize+len(plain))
	h.put(out)
	return append(out, plain...), nil
}
