package credentials

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"strings"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/dtlsadapter"
)

// ErrMixedSuites says that cipher suites were named that authenticate in different ways.
var ErrMixedSuites = errors.New("name cipher suites of one kind: ECDSA, RSA or PSK")

const (
	throwawayClient = "client.invalid"
	throwawayServer = "server.invalid"
	rsaBits         = 2048
)

// Throwaway makes the configurations of two gateways with fresh credentials that live
// as long as the process, of the kind that the suites need: ECDSA without any.
func Throwaway(suites []dtls.CipherSuiteID) (client, server *dtls.Config, err error) {
	kind, err := kindOf(suites)
	if err != nil {
		return nil, nil, err
	}
	base := dtls.Config{CipherSuites: suites, ExtendedMasterSecret: dtls.RequireExtendedMasterSecret}
	c, s := base, base
	if kind == "PSK" {
		err = sharePSK(&c, &s)
	} else {
		err = certifyBoth(&c, &s, kind)
	}
	return &c, &s, err
}

// kindOf is how suites authenticate.
func kindOf(suites []dtls.CipherSuiteID) (kind string, err error) {
	for _, id := range suites {
		name, one := dtlsadapter.SuiteName(id), "ECDSA"
		switch {
		case strings.Contains(name, "_PSK_"):
			one = "PSK"
		case strings.Contains(name, "_RSA_"):
			one = "RSA"
		}
		if kind != "" && kind != one {
			return "", ErrMixedSuites
		}
		kind = one
	}
	return kind, nil
}

func sharePSK(client, server *dtls.Config) error {
	key := make([]byte, newPSK)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	for _, c := range []*dtls.Config{client, server} {
		c.PSK = func([]byte) ([]byte, error) { return key, nil }
		c.PSKIdentityHint = []byte(throwawayClient)
	}
	return nil
}

func certifyBoth(client, server *dtls.Config, kind string) error {
	root, err := newKey(kind)
	if err != nil {
		return err
	}
	// Of the same kind as the certificates: pion/dtls v2 asks for that of RSA.
	authority, err := newAuthority("throwaway", root)
	if err != nil {
		return err
	}
	for name, c := range map[string]*dtls.Config{throwawayClient: client, throwawayServer: server} {
		key, err := newKey(kind)
		if err != nil {
			return err
		}
		cert, err := authority.certify(name, key)
		if err != nil {
			return err
		}
		withCertificate(c, cert, authority.Pool(), throwawayServer)
	}
	return nil
}

func newKey(kind string) (crypto.Signer, error) {
	if kind == "RSA" {
		return rsa.GenerateKey(rand.Reader, rsaBits)
	}
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}
