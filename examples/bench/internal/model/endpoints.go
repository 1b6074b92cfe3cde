package model

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	stdelliptic "crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/pion/dtls/v2/pkg/crypto/elliptic"
	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
)

// Kind is a kind of handshake: the server's certificate is ECDSA's on P-256 or
// RSA's of 2048 bits, and the client trusts it.
type Kind struct {
	Name           string
	client, server *dtls.Config
}

const serverName = "server.invalid"

// Kinds are all that are measured: an elliptic-curve exchange under either kind of
// certificate, and a pre-shared key.
func Kinds() ([]*Kind, error) {
	kinds := []*Kind{presharedKind()}
	for _, certificate := range []string{"ECDSA", "RSA"} {
		cert, pool, err := certify(certificate)
		if err != nil {
			return nil, err
		}
		for _, curve := range []elliptic.Curve{elliptic.X25519, elliptic.P256, elliptic.P384} {
			kinds = append(kinds, certifiedKind(certificate, cert, pool, curve))
		}
	}
	return kinds, nil
}

func presharedKind() *Kind {
	c := dtls.Config{
		CipherSuites:    []dtls.CipherSuiteID{dtls.TLS_PSK_WITH_AES_128_GCM_SHA256},
		PSK:             func([]byte) ([]byte, error) { return make([]byte, 32), nil },
		PSKIdentityHint: []byte("client"),
	}
	client, server := c, c
	return &Kind{"PSK", &client, &server}
}

func certifiedKind(name string, cert tls.Certificate, pool *x509.CertPool, curve elliptic.Curve) *Kind {
	suite := dtls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
	if name == "RSA" {
		suite = dtls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
	}
	c := dtls.Config{
		CipherSuites: []dtls.CipherSuiteID{suite}, EllipticCurves: []elliptic.Curve{curve},
		ExtendedMasterSecret: dtls.RequireExtendedMasterSecret,
	}
	client, server := c, c
	client.RootCAs, client.ServerName = pool, serverName
	server.Certificates = []tls.Certificate{cert}
	return &Kind{"ECDHE " + curve.String() + " " + name, &client, &server}
}

// certify makes a certificate that signs itself.
func certify(kind string) (tls.Certificate, *x509.CertPool, error) {
	var key crypto.Signer
	var err error
	if kind == "RSA" {
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	} else {
		key, err = ecdsa.GenerateKey(stdelliptic.P256(), rand.Reader)
	}
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: serverName}, DNSNames: []string{serverName},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool, nil
}

// connection is both sides of one.
type connection struct{ client, server *dtlsadapter.Conn }

// connect runs a handshake over memory.
func (k *Kind) connect(e *engine.Engine) (*connection, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	near, far := net.Pipe()
	c := &connection{}
	failed := make(chan error, 1)
	go func() {
		var err error
		c.server, err = dtlsadapter.Server(ctx, far, k.server, e)
		failed <- err
	}()
	var err error
	c.client, err = dtlsadapter.Client(ctx, near, k.client, e)
	if err = errors.Join(err, <-failed); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// close ends both sides.
func (c *connection) close() {
	for _, side := range []*dtlsadapter.Conn{c.client, c.server} {
		if side != nil {
			_ = side.Close() // nobody is left to tell
		}
	}
}
