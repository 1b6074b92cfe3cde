package record

import (
	"errors"
	"math"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

const none = Unlimited

var limitTable = []struct {
	protocol  Protocol
	algorithm ciphers.Algorithm
	tagSize   int
	want      Limits
}{
	{DTLS12, ciphers.AES128GCM, 16, Limits{1<<48 - 1, 65535, none, 23726566, 1 << 36}},
	{DTLS12, ciphers.AES256GCM, 16, Limits{1<<48 - 1, 65535, none, 23726566, 1 << 36}},
	{DTLS12, ciphers.ChaCha20Poly1305, 16, Limits{1<<48 - 1, 65535, none, none, 1 << 36}},
	{DTLS12, ciphers.AES128CCM, 16, Limits{1<<48 - 1, 65535, none, 1 << 23, 11863283}},
	{DTLS12, ciphers.AES128CCM, 8, Limits{1<<48 - 1, 65535, none, 1 << 23, 11863283}},
	{DTLS12, ciphers.AES256CCM, 8, Limits{1<<48 - 1, 65535, none, 1 << 23, 11863283}},
	{DTLS13, ciphers.AES128GCM, 16, Limits{1<<48 - 1, 1<<48 - 1, 23726566, none, 1 << 36}},
	{DTLS13, ciphers.AES256GCM, 16, Limits{1<<48 - 1, 1<<48 - 1, 23726566, none, 1 << 36}},
	{DTLS13, ciphers.ChaCha20Poly1305, 16, Limits{1<<48 - 1, 1<<48 - 1, none, none, 1 << 36}},
	{DTLS13, ciphers.AES128CCM, 16, Limits{1<<48 - 1, 1<<48 - 1, 1 << 23, none, 11863283}},
	{QUIC, ciphers.AES128GCM, 16, Limits{1<<62 - 1, none, 1 << 23, none, 1 << 52}},
	{QUIC, ciphers.AES256GCM, 16, Limits{1<<62 - 1, none, 1 << 23, none, 1 << 52}},
	{QUIC, ciphers.ChaCha20Poly1305, 16, Limits{1<<62 - 1, none, none, none, 1 << 36}},
	{QUIC, ciphers.AES128CCM, 16, Limits{1<<62 - 1, none, 2965820, none, 2965820}},
	{ESP, ciphers.AES128GCM, 16, Limits{1<<32 - 1, 0, none, none, none}},
	{ESP, ciphers.AES192GCM, 8, Limits{1<<32 - 1, 0, none, none, none}},
	{ESPESN, ciphers.AES256CCM, 12, Limits{1<<64 - 1, 0, none, none, none}},
	{ESPESN, ciphers.ChaCha20Poly1305, 16, Limits{1<<64 - 1, 0, none, none, none}},
}

func TestLimitTable(t *testing.T) {
	for _, row := range limitTable {
		got, err := LimitsFor(row.protocol, row.algorithm, row.tagSize)
		if err != nil || got != row.want {
			t.Errorf("%v, %v, %d: %+v, %v, want %+v", row.protocol, row.algorithm, row.tagSize, got, err, row.want)
		}
	}
}

func TestHalfPowersAreRoundedDown(t *testing.T) {
	for exponent, got := range map[float64]uint64{21.5: pow21and5, 23.5: pow23and5, 24.5: pow24and5} {
		if want := uint64(math.Floor(math.Exp2(exponent))); got != want {
			t.Errorf("2^%v = %d, want %d", exponent, got, want)
		}
	}
}

func TestLimitsRefused(t *testing.T) {
	for _, row := range []struct {
		protocol  Protocol
		algorithm ciphers.Algorithm
		tagSize   int
	}{
		{0, ciphers.AES128GCM, 16},
		{numProtocols, ciphers.AES128GCM, 16},
		{DTLS12, 0, 16},
		{DTLS12, ciphers.AES128GCM, 8},
		{DTLS12, ciphers.AES128CCM, 12},
		{DTLS12, ciphers.AES192GCM, 16},
		{DTLS12, ciphers.MaskAES128, 16},
		{DTLS13, ciphers.AES128CCM, 8}, // RFC 9147 section 4.5.3
		{DTLS13, ciphers.AES256CCM, 16},
		{DTLS13, ciphers.MaskChaCha20, 16},
		{QUIC, ciphers.AES128CCM, 8},
		{QUIC, ciphers.AES192GCM, 16},
		{QUIC, ciphers.AES128GCM, 12},
		{ESP, ciphers.ChaCha20Poly1305, 12},
		{ESP, ciphers.MaskAES256, 0},
		{ESPESN, 0, 16},
	} {
		if got, err := LimitsFor(row.protocol, row.algorithm, row.tagSize); !errors.Is(err, ErrNoLimits) || got != (Limits{}) {
			t.Errorf("%v, %v, %d: %+v, %v", row.protocol, row.algorithm, row.tagSize, got, err)
		}
	}
}

func TestProtocolNames(t *testing.T) {
	for protocol, want := range map[Protocol]string{0: "protocol(0)", DTLS12: "DTLS 1.2", DTLS13: "DTLS 1.3",
		QUIC: "QUIC", ESP: "ESP", ESPESN: "ESP with ESN", numProtocols: "protocol(6)"} {
		if got := protocol.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
