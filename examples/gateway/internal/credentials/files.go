package credentials

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The files of a folder that Generate keeps.
const (
	AuthorityName = "ca"
	certSuffix    = ".pem"
	keySuffix     = ".key"
)

// ErrExists says that a file is there already; keys are never overwritten.
var ErrExists = errors.New("exists already")

// Generate makes a certificate and a key for each name: DIR/NAME.pem and
// DIR/NAME.key, signed by the authority DIR/ca.pem, which it makes if the folder
// has none. A name that cannot be a file's is refused before anything is written. Key files are for the owner alone. It returns the files it wrote.
func Generate(dir string, names []string) (written []string, err error) {
	for _, name := range names {
		if !Nameable(name) {
			return nil, fmt.Errorf("%q cannot be a gateway's name", name)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	authority, written, err := openAuthority(dir)
	if err != nil {
		return written, err
	}
	for _, name := range names {
		cert, err := authority.Issue(name)
		if err != nil {
			return written, err
		}
		files, err := save(filepath.Join(dir, name), cert.Certificate[0], cert.PrivateKey)
		written = append(written, files...)
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// Nameable reports whether a name makes files of its own in the folder.
func Nameable(name string) bool {
	return strings.Trim(name, ". \t") != "" && name != AuthorityName && !strings.ContainsAny(name, `/\`)
}

// openAuthority loads the folder's authority, or makes it.
func openAuthority(dir string) (*Authority, []string, error) {
	stem := filepath.Join(dir, AuthorityName)
	pair, err := tls.LoadX509KeyPair(stem+certSuffix, stem+keySuffix)
	if errors.Is(err, fs.ErrNotExist) {
		a, err := NewAuthority("Sealburst gateways")
		if err != nil {
			return nil, nil, err
		}
		written, err := save(stem, a.Certificate.Raw, a.key)
		return a, written, err
	}
	if err != nil {
		return nil, nil, err
	}
	key, ok := pair.PrivateKey.(crypto.Signer)
	if !ok {
		return nil, nil, fmt.Errorf("%s: the key cannot sign", stem+keySuffix)
	}
	cert, err := x509.ParseCertificate(pair.Certificate[0])
	return &Authority{cert, key}, nil, err
}

func save(stem string, cert []byte, key crypto.PrivateKey) (written []string, err error) {
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	defer clear(secret)
	if err := create(stem+keySuffix, "PRIVATE KEY", secret, 0o600); err != nil {
		return nil, err
	}
	if err := create(stem+certSuffix, "CERTIFICATE", cert, 0o644); err != nil {
		return []string{stem + keySuffix}, err
	}
	return []string{stem + keySuffix, stem + certSuffix}, nil
}

func create(path, kind string, der []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s %w", path, ErrExists)
	}
	if err != nil {
		return err
	}
	return errors.Join(pem.Encode(f, &pem.Block{Type: kind, Bytes: der}), f.Close())
}
