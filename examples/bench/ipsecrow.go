package main

import "github.com/sealburst/sealburst/examples/bench/internal/lan"

// protection is a line of the table: what IPsec does to each packet. The names are those
// of @CHIP-RTOS's table.
type protection struct {
	AH     string `json:"ah"`
	Auth   string `json:"esp_auth"`
	Cipher string `json:"esp_cipher"`
	ah     string // the transforms, as ipsecadapter names them
	esp    string
}

const (
	none    = "none"
	noIPsec = "no_ipsec"
)

// protections are @CHIP-RTOS's combinations, Blowfish in them, which the table's source
// recommends without a figure, and what is used today. The first is what the others are compared with.
func protections() []protection {
	all := []protection{{AH: noIPsec, Auth: noIPsec, Cipher: noIPsec}}
	for _, cipher := range []struct{ name, esp string }{{"3DES", "3des-sha1"}, {"DES", "des-sha1"}, {"Blowfish", "blowfish128-sha1"}} {
		for _, ah := range []struct{ name, ah string }{{"SHA1", "sha1"}, {"MD5", "md5"}, {none, ""}} {
			all = append(all, protection{ah.name, "SHA1", cipher.name, ah.ah, cipher.esp})
		}
	}
	return append(all,
		protection{none, "SHA1", "AES-128-CBC", "", "aes128-sha1"},
		protection{none, "SHA256", "AES-128-CBC", "", "aes128-sha256"},
		protection{none, none, "AES-128-CCM", "", "aes128ccm16"},
		protection{none, none, "ChaCha20-Poly1305", "", "chacha20poly1305"},
		protection{none, none, "AES-128-GCM", "", "aes128gcm16"},
		protection{none, none, "AES-256-GCM", "", "aes256gcm16"},
	)
}

// chip is a figure of @CHIP-RTOS on a SC143 beside a PC, transport mode, a LAN
// of 100 Mbit/s; TCP tests of 10 MB, UDP echo of 1400-byte datagrams for 6 s. Another
// machine and another year: fractions compare, rates do not.
type chip struct {
	trial            lan.Trial
	ah, auth, cipher string
	rate             float64 // kByte/s
}

var chips = [...]chip{
	{lan.TCPReceive, "SHA1", "SHA1", "3DES", 25.5}, {lan.TCPReceive, "MD5", "SHA1", "3DES", 27.4}, {lan.TCPReceive, none, "SHA1", "3DES", 30.8},
	{lan.TCPReceive, "SHA1", "SHA1", "DES", 41.1}, {lan.TCPReceive, "MD5", "SHA1", "DES", 45.4}, {lan.TCPReceive, none, "SHA1", "DES", 55.1},
	{lan.TCPReceive, noIPsec, noIPsec, noIPsec, 1377.9},
	{lan.TCPSend, "SHA1", "SHA1", "3DES", 25.6}, {lan.TCPSend, "MD5", "SHA1", "3DES", 27.4}, {lan.TCPSend, none, "SHA1", "3DES", 30.8},
	{lan.TCPSend, "SHA1", "SHA1", "DES", 41.1}, {lan.TCPSend, "MD5", "SHA1", "DES", 45.5}, {lan.TCPSend, none, "SHA1", "DES", 55.6},
	{lan.TCPSend, noIPsec, noIPsec, noIPsec, 968.5},
	{lan.TCPEcho, "SHA1", "SHA1", "3DES", 13.0}, {lan.TCPEcho, "MD5", "SHA1", "3DES", 13.9}, {lan.TCPEcho, none, "SHA1", "3DES", 15.6},
	{lan.TCPEcho, "SHA1", "SHA1", "DES", 21.0}, {lan.TCPEcho, "MD5", "SHA1", "DES", 23.2}, {lan.TCPEcho, none, "SHA1", "DES", 28.4},
	{lan.TCPEcho, noIPsec, noIPsec, noIPsec, 661.0},
	{lan.UDPEcho, "SHA1", "SHA1", "3DES", 13.5}, {lan.UDPEcho, "MD5", "SHA1", "3DES", 14.4}, {lan.UDPEcho, none, "SHA1", "3DES", 16.1},
	{lan.UDPEcho, "SHA1", "SHA1", "DES", 22.1}, {lan.UDPEcho, "MD5", "SHA1", "DES", 24.7}, {lan.UDPEcho, none, "SHA1", "DES", 30.2},
	{lan.UDPEcho, noIPsec, noIPsec, noIPsec, 922.1},
}

// chipOf finds @CHIP-RTOS's figure for a test; false where it has none.
func chipOf(t lan.Trial, p *protection) (rate float64, ok bool) {
	for _, c := range chips {
		if c.trial == t && c.ah == p.AH && c.auth == p.Auth && c.cipher == p.Cipher {
			return c.rate, true
		}
	}
	return 0, false
}

// ipsecRow is a figure of the table.
type ipsecRow struct {
	Table string    `json:"table"`
	Test  lan.Trial `json:"test"`
	protection
	Rate         float64  `json:"kbyte_per_s"` // 1000 bytes a second, median of the rounds
	Fraction     float64  `json:"fraction"`    // of the same test without IPsec beside it, median likewise
	ChipRate     *float64 `json:"chip_rtos_kbyte_per_s,omitempty"`
	ChipFraction *float64 `json:"chip_rtos_fraction,omitempty"`
}

// newRow puts a rate and what it is of the clear one beside @CHIP-RTOS's.
func newRow(t lan.Trial, p *protection, rate, ours float64) ipsecRow {
	r := ipsecRow{Table: "ipsec", Test: t, protection: *p, Rate: rate / 1000, Fraction: ours}
	figure, ok := chipOf(t, p)
	if !ok {
		return r
	}
	whole, _ := chipOf(t, &protection{AH: noIPsec, Auth: noIPsec, Cipher: noIPsec})
	fraction := figure / whole
	r.ChipRate, r.ChipFraction = &figure, &fraction
	return r
}
