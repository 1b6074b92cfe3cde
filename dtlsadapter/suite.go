package dtlsadapter

import (
	"crypto"
	"errors"
	"fmt"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/ciphers"
)

// The suites of RFC 7905, which pion/dtls v2 lacks. They go into a Config's
// CipherSuites like pion's own.
const (
	TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256   dtls.CipherSuiteID = 0xcca8 //nolint:revive // IANA's name
	TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 dtls.CipherSuiteID = 0xcca9 //nolint:revive // IANA's name
	TLS_PSK_WITH_CHACHA20_POLY1305_SHA256         dtls.CipherSuiteID = 0xccab //nolint:revive // IANA's name
)

// ErrSuite says that a cipher suite is not carried.
var ErrSuite = errors.New("dtlsadapter: cipher suite is not carried")

// SuiteError names the suite that is not carried. It is an ErrSuite.
type SuiteError struct{ Suite dtls.CipherSuiteID }

// Error names the suite.
func (e *SuiteError) Error() string { return ErrSuite.Error() + ": " + SuiteName(e.Suite) }

// Is makes the error an ErrSuite.
func (e *SuiteError) Is(target error) bool { return target == ErrSuite }

// auth is what a suite's handshake authenticates with.
type auth uint8

const (
	byECDSA auth = iota + 1
	byRSA
	byPSK
)

// suite is what the record layer must know of a cipher suite.
type suite struct {
	id        dtls.CipherSuiteID
	name      string
	algorithm ciphers.Algorithm
	tag       int
	nonce     ciphers.NonceForm
	hash      crypto.Hash // of the PRF
	auth      auth
}

const (
	explicit = ciphers.NonceExplicit // RFC 5288 section 3, RFC 6655 section 3
	implicit = ciphers.NonceXOR      // RFC 7905 section 2
)

// suites are those carried, in order of preference: full tags before short ones.
var suites = [...]suite{
	{dtls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", ciphers.AES128GCM, 16, explicit, crypto.SHA256, byECDSA},
	{dtls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", ciphers.AES128GCM, 16, explicit, crypto.SHA256, byRSA},
	{dtls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", ciphers.AES256GCM, 16, explicit, crypto.SHA384, byECDSA},
	{dtls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", ciphers.AES256GCM, 16, explicit, crypto.SHA384, byRSA},
	{TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", ciphers.ChaCha20Poly1305, 16, implicit, crypto.SHA256, byECDSA},
	{TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", ciphers.ChaCha20Poly1305, 16, implicit, crypto.SHA256, byRSA},
	{dtls.TLS_ECDHE_ECDSA_WITH_AES_128_CCM, "TLS_ECDHE_ECDSA_WITH_AES_128_CCM", ciphers.AES128CCM, 16, explicit, crypto.SHA256, byECDSA},
	{dtls.TLS_PSK_WITH_AES_128_GCM_SHA256, "TLS_PSK_WITH_AES_128_GCM_SHA256", ciphers.AES128GCM, 16, explicit, crypto.SHA256, byPSK},
	{TLS_PSK_WITH_CHACHA20_POLY1305_SHA256, "TLS_PSK_WITH_CHACHA20_POLY1305_SHA256", ciphers.ChaCha20Poly1305, 16, implicit, crypto.SHA256, byPSK},
	{dtls.TLS_PSK_WITH_AES_128_CCM, "TLS_PSK_WITH_AES_128_CCM", ciphers.AES128CCM, 16, explicit, crypto.SHA256, byPSK},
	{dtls.TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8, "TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8", ciphers.AES128CCM, 8, explicit, crypto.SHA256, byECDSA},
	{dtls.TLS_PSK_WITH_AES_128_CCM_8, "TLS_PSK_WITH_AES_128_CCM_8", ciphers.AES128CCM, 8, explicit, crypto.SHA256, byPSK},
	{dtls.TLS_PSK_WITH_AES_256_CCM_8, "TLS_PSK_WITH_AES_256_CCM_8", ciphers.AES256CCM, 8, explicit, crypto.SHA256, byPSK},
}

// Suites lists the cipher suites that are carried, the preferred ones first. A
// Config without CipherSuites offers all of them that its certificates and
// pre-shared key allow.
func Suites() []dtls.CipherSuiteID {
	ids := make([]dtls.CipherSuiteID, len(suites))
	for i := range suites {
		ids[i] = suites[i].id
	}
	return ids
}

// SuiteName is IANA's name of a suite, as far as this package or pion knows it.
func SuiteName(id dtls.CipherSuiteID) string {
	if s, err := suiteOf(id); err == nil {
		return s.name
	}
	return dtls.CipherSuiteName(id)
}

func suiteOf(id dtls.CipherSuiteID) (*suite, error) {
	for i := range suites {
		if suites[i].id == id {
			return &suites[i], nil
		}
	}
	return nil, &SuiteError{id}
}

// own reports whether the suite is one that pion lacks.
func (s *suite) own() bool { return s.algorithm == ciphers.ChaCha20Poly1305 }

// ivSize is the length of the fixed part of the nonce in bytes.
func (s *suite) ivSize() int {
	if s.nonce == implicit {
		return 12
	}
	return 4
}

// explicitSize is how many bytes of the nonce a record carries.
func (s *suite) explicitSize() int {
	if s.nonce == implicit {
		return 0
	}
	return ciphers.ExplicitSize
}

// overhead is what a record is longer than its header and plaintext.
func (s *suite) overhead() int { return s.explicitSize() + s.tag }

func (s *suite) String() string { return fmt.Sprintf("%s (0x%04x)", s.name, uint16(s.id)) }
