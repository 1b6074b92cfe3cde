package safile

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"strings"

	"github.com/sealburst/sealburst/ipsecadapter"
)

// Wireshark is the SA as lines of Wireshark's esp_sa file, which also follow
// -o uat:esp_sa: on tshark's command line: one line, or one for each IP version where the
// SA has no address. It fails for a transform that Wireshark does not decrypt.
func (s *SA) Wireshark() (lines []string, err error) {
	names, ok := wiresharkNames(s.Transform)
	if !ok {
		return nil, fmt.Errorf("Wireshark does not decrypt %v", s.Transform)
	}
	cipherKey, authKey := s.Key[:len(s.Key)-names.authSize], s.Key[len(s.Key)-names.authSize:]
	for _, family := range s.families() {
		fields := []string{
			family, wildcard(s.From.Addr()), wildcard(s.To.Addr()), fmt.Sprintf("%#08x", s.SPI),
			names.cipher, hexOrNone(cipherKey), names.auth, hexOrNone(authKey),
		}
		lines = append(lines, `"`+strings.Join(fields, `","`)+`"`)
	}
	return lines, nil
}

// families are the IP versions that the SA's packets may have.
func (s *SA) families() []string {
	switch {
	case s.From.Addr().Is4() || s.To.Addr().Is4():
		return []string{"IPv4"}
	case s.From.Addr().Is6() || s.To.Addr().Is6():
		return []string{"IPv6"}
	}
	return []string{"IPv4", "IPv6"}
}

// named is what Wireshark calls a transform's two algorithms. Both keys stand in the key
// material, that of the integrity algorithm last (RFC 7296 section 2.17).
type named struct {
	cipher, auth string
	authSize     int
}

func wiresharkNames(t ipsecadapter.Transform) (n named, ok bool) {
	cipher, auth, paired := strings.Cut(t.String(), "-")
	if !paired {
		return wiresharkAEAD(t)
	}
	switch {
	case strings.HasSuffix(cipher, "ctr"):
		n.cipher = "AES-CTR [RFC3686]"
	case strings.HasPrefix(cipher, "aes"):
		n.cipher = "AES-CBC [RFC3602]"
	case cipher == "null":
		n.cipher = "NULL"
	case cipher == "3des":
		n.cipher = "TripleDES-CBC [RFC2451]"
	case cipher == "des":
		n.cipher = "DES-CBC [RFC2405]"
	case strings.HasPrefix(cipher, "blowfish"):
		n.cipher = "BLOWFISH-CBC [RFC2451]"
	}
	n.auth, n.authSize = wiresharkHMAC(auth)
	return n, n.cipher != "" && n.auth != ""
}

func wiresharkAEAD(t ipsecadapter.Transform) (named, bool) {
	switch t {
	case ipsecadapter.AES128GCM8, ipsecadapter.AES192GCM8, ipsecadapter.AES256GCM8:
		return named{"AES-GCM with 8 octet ICV [RFC4106]", "NULL", 0}, true
	case ipsecadapter.AES128GCM12, ipsecadapter.AES192GCM12, ipsecadapter.AES256GCM12:
		return named{"AES-GCM with 12 octet ICV [RFC4106]", "NULL", 0}, true
	case ipsecadapter.AES128GCM16, ipsecadapter.AES192GCM16, ipsecadapter.AES256GCM16:
		return named{"AES-GCM with 16 octet ICV [RFC4106]", "NULL", 0}, true
	}
	return named{}, false
}

// wiresharkHMAC is the name and the length of the key.
func wiresharkHMAC(auth string) (string, int) {
	switch auth {
	case "sha256":
		return "HMAC-SHA-256-128 [RFC4868]", 32
	case "sha384":
		return "HMAC-SHA-384-192 [RFC4868]", 48
	case "sha512":
		return "HMAC-SHA-512-256 [RFC4868]", 64
	case "sha1":
		return "HMAC-SHA-1-96 [RFC2404]", 20
	case "md5":
		return "HMAC-MD5-96 [RFC2403]", 16
	}
	return "", 0
}

func wildcard(addr netip.Addr) string {
	if !addr.IsValid() {
		return "*"
	}
	return addr.String()
}

func hexOrNone(key []byte) string {
	if len(key) == 0 {
		return ""
	}
	return "0x" + hex.EncodeToString(key)
}
