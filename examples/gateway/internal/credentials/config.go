// Package credentials turns what an operator names, certificates or pre-shared
// keys, into configurations of DTLS, and makes such credentials.
package credentials

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/dtlsadapter"
)

// Files are the credentials of one gateway: either a certificate with its key and
// the authority that signs the peers', or pre-shared keys.
type Files struct {
	Cert, Key, CA string // PEM files
	PSK           string // a file that LoadPSKs reads
	Identity      string // a client's, in the PSK file; the first one there if empty
	ServerName    string // what the server's certificate must be for
}

// ErrFiles says that the credentials named do not fit together.
var ErrFiles = errors.New("name either a certificate, its key and the authority, or a file of pre-shared keys")

// Server makes a server's configuration, which admits no client that does not prove who it is.
func (f *Files) Server(suites []dtls.CipherSuiteID) (*dtls.Config, error) {
	c, err := f.common(suites)
	if err != nil || f.PSK == "" {
		return c, err
	}
	keys, err := LoadPSKs(f.PSK)
	if err != nil {
		return nil, err
	}
	c.PSK = func(identity []byte) ([]byte, error) { return keys.Key(string(identity)) }
	c.PSKIdentityHint = []byte("sealburst")
	return c, nil
}

// Client makes a client's configuration.
func (f *Files) Client(suites []dtls.CipherSuiteID) (*dtls.Config, error) {
	c, err := f.common(suites)
	if err != nil || f.PSK == "" {
		return c, err
	}
	keys, err := LoadPSKs(f.PSK)
	if err != nil {
		return nil, err
	}
	identity := f.Identity
	if identity == "" {
		identity = keys.first
	}
	key, err := keys.Key(identity)
	if err != nil {
		return nil, fmt.Errorf("%s: %w %q", f.PSK, err, identity)
	}
	c.PSK = func([]byte) ([]byte, error) { return key, nil }
	c.PSKIdentityHint = []byte(identity)
	return c, nil
}

func (f *Files) common(suites []dtls.CipherSuiteID) (*dtls.Config, error) {
	c := &dtls.Config{CipherSuites: suites, ExtendedMasterSecret: dtls.RequireExtendedMasterSecret}
	byCert := f.Cert != "" && f.Key != "" && f.CA != ""
	anyCert := f.Cert != "" || f.Key != "" || f.CA != ""
	switch {
	case f.PSK != "" && !anyCert:
		return c, nil
	case f.PSK != "" || !byCert:
		return nil, ErrFiles
	}
	cert, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return nil, err
	}
	pool, err := loadPool(f.CA)
	if err != nil {
		return nil, err
	}
	withCertificate(c, cert, pool, f.ServerName)
	return c, nil
}

func withCertificate(c *dtls.Config, cert tls.Certificate, pool *x509.CertPool, serverName string) {
	c.Certificates = []tls.Certificate{cert}
	c.RootCAs, c.ClientCAs = pool, pool
	c.ClientAuth = dtls.RequireAndVerifyClientCert
	c.ServerName = serverName
}

func loadPool(path string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s: no certificate", path)
	}
	return pool, nil
}

// Suites finds cipher suites by IANA's names. No name means all that are carried.
func Suites(names []string) ([]dtls.CipherSuiteID, error) {
	var ids []dtls.CipherSuiteID
	for _, name := range names {
		id, err := suite(name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func suite(name string) (dtls.CipherSuiteID, error) {
	for _, id := range dtlsadapter.Suites() {
		if dtlsadapter.SuiteName(id) == name {
			return id, nil
		}
	}
	return 0, fmt.Errorf("unknown cipher suite %q", name)
}
