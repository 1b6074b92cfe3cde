package vpn

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"

	"github.com/sealburst/sealburst/dtlsadapter"
)

// ErrNobody says that a peer has proven no identity.
var ErrNobody = errors.New("vpn: the peer has neither certificate nor identity")

// identify names a peer after what the handshake proved: its certificate's common
// name, or the certificate's digest without one, or its pre-shared key's identity.
// The kind goes before, so that neither can pass for the other.
func identify(conn *dtlsadapter.Conn) (string, error) {
	if chain := conn.PeerCertificates(); len(chain) > 0 {
		cert, err := x509.ParseCertificate(chain[0])
		if err != nil {
			return "", err
		}
		if name := cert.Subject.CommonName; name != "" {
			return "cert:" + name, nil
		}
		digest := sha256.Sum256(chain[0])
		return "sha256:" + hex.EncodeToString(digest[:]), nil
	}
	if identity := conn.IdentityHint(); len(identity) > 0 {
		return "psk:" + string(identity), nil
	}
	return "", ErrNobody
}
