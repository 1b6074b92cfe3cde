package dtlsadapter_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log"
	"math/big"
	"net"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
)

// A server and a client that show each other certificates. Each signs its own here, and
// the other trusts exactly that; with an authority, both pools hold the authority's.
func ExampleServer() {
	e, err := engine.New(engine.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	vpn, vpns := selfSigned("vpn.example.org")
	alice, alices := selfSigned("alice")

	near, far := net.Pipe() // a *net.UDPConn to the other side, elsewhere
	served := make(chan struct{})
	go func() {
		defer close(served)
		conn, err := dtlsadapter.Server(context.Background(), far, &dtls.Config{
			Certificates: []tls.Certificate{vpn},
			ClientAuth:   dtls.RequireAndVerifyClientCert,
			ClientCAs:    alices,
		}, e)
		if err != nil {
			log.Print(err)
			return
		}
		defer conn.Close()
		client, err := x509.ParseCertificate(conn.PeerCertificates()[0])
		if err != nil {
			log.Print(err)
			return
		}
		payload := make([]byte, 1500)
		n, err := conn.Read(payload)
		if err != nil {
			log.Print(err)
			return
		}
		fmt.Printf("%s says %s\n", client.Subject.CommonName, payload[:n])
	}()

	conn, err := dtlsadapter.Client(context.Background(), near, &dtls.Config{
		ServerName:   "vpn.example.org", // what the server's certificate must be for
		RootCAs:      vpns,
		Certificates: []tls.Certificate{alice},
	}, e)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("hello")); err != nil {
		log.Fatal(err)
	}
	<-served
	// Output: alice says hello
}

// selfSigned makes a certificate for a name, and a pool that trusts it.
func selfSigned(name string) (tls.Certificate, *x509.CertPool) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		log.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{name}, IsCA: true, BasicConstraintsValid: true,
	}
	template.Subject.CommonName = name
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		log.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		log.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}
