package dtlsadapter

import (
	"crypto/x509"
	"net"

	"github.com/pion/dtls/v2"
)

// pion sends no IP address as a name, as RFC 6066 section 3 has it, and then checks the
// certificate for none. A client that names its server by address wants that address in
// the certificate all the same (RFC 6125 section 1.7.2), and one that names nothing would
// take the certificate of whoever has one.

// needName refuses a client's Config under which nobody checks whose certificate it is.
func needName(c *dtls.Config) error {
	certificates := c.PSK == nil || len(c.Certificates) > 0 // as pion offers suites
	if certificates && c.ServerName == "" && !c.InsecureSkipVerify && c.VerifyPeerCertificate == nil {
		return &FieldError{"ServerName", "missing, and nothing else says whose certificate is wanted"}
	}
	return nil
}

// checkAddress has a client's Config check the certificate for the address that is its
// ServerName.
func checkAddress(c *dtls.Config) {
	name, further := c.ServerName, c.VerifyPeerCertificate
	if c.InsecureSkipVerify || net.ParseIP(name) == nil {
		return
	}
	c.VerifyPeerCertificate = func(raw [][]byte, chains [][]*x509.Certificate) error {
		if len(chains) == 0 { // pion verifies first, and asks only where there are certificates
			return x509.HostnameError{Certificate: &x509.Certificate{}, Host: name}
		}
		if err := chains[0][0].VerifyHostname(name); err != nil {
			return err
		}
		if further != nil {
			return further(raw, chains)
		}
		return nil
	}
}
