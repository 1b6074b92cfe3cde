package frame

import (
	"bytes"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// RFC 9000 appendix A.1.
func TestVarintsOfTheRFC(t *testing.T) {
	for text, want := range map[string]uint64{
		"c2197c5eff14e88c": 151288809941952652, "9d7f3e7d": 494878333, "7bbd": 15293, "25": 37, "4025": 37,
	} {
		r := Reader{Rest: unhex(t, text)}
		if got := r.Varint(); got != want || r.Bad || len(r.Rest) != 0 {
			t.Errorf("%s: %d, not %d", text, got, want)
		}
	}
	for _, v := range []uint64{0, 63, 64, 16383, 16384, 1<<30 - 1, 1 << 30, MaxVarint} {
		r := Reader{Rest: AppendVarint(nil, v)}
		if got := r.Varint(); got != v || r.Bad || len(r.Rest) != 0 {
			t.Errorf("%d became %d", v, got)
		}
	}
}

// Written by hand from the figures of RFC 9000 section 19.
func TestReadsEveryFrame(t *testing.T) {
	id := "0102030405060708"
	token := "000102030405060708090a0b0c0d0e0f"
	for text, want := range map[string]Frame{
		"000000":                        {Type: Padding, Value: 3},
		"01":                            {Type: Ping},
		"02 0a 05 00 03":                {Type: Ack, Delay: 5, Ranges: []Range{{7, 10}}},
		"03 0a 05 01 00 01 02 01 02 03": {Type: AckECN, Delay: 5, Ranges: []Range{{10, 10}, {5, 7}}},
		"04 04 07 4100":                 {Type: ResetStream, ID: 4, Code: 7, Value: 256},
		"05 04 07":                      {Type: StopSending, ID: 4, Code: 7},
		"06 10 02 aabb":                 {Type: Crypto, Offset: 16, Data: []byte{0xaa, 0xbb}},
		"07 01 cc":                      {Type: NewToken, Data: []byte{0xcc}},
		"08 04 aabb":                    {Type: 0x08, ID: 4, Data: []byte{0xaa, 0xbb}},
		"0f 04 4100 01 aa":              {Type: 0x0f, ID: 4, Offset: 256, Fin: true, Data: []byte{0xaa}},
		"10 4100":                       {Type: MaxData, Value: 256},
		"11 04 4100":                    {Type: MaxStreamData, ID: 4, Value: 256},
		"12 09":                         {Type: MaxStreamsBidi, Value: 9},
		"13 09":                         {Type: MaxStreamsUni, Value: 9},
		"14 09":                         {Type: DataBlocked, Value: 9},
		"15 04 09":                      {Type: StreamDataBlocked, ID: 4, Value: 9},
		"16 09":                         {Type: StreamsBlockedBidi, Value: 9},
		"17 09":                         {Type: StreamsBlockedUni, Value: 9},
		"18 02 01 08" + id + token:      {Type: NewConnectionID, ID: 2, Value: 1, Data: unhex(t, id), Token: unhex(t, token)},
		"19 02":                         {Type: RetireConnectionID, ID: 2},
		"1a" + id:                       {Type: PathChallenge, Data: unhex(t, id)},
		"1b" + id:                       {Type: PathResponse, Data: unhex(t, id)},
		"1c 0a 06 02 6f6b":              {Type: ConnectionClose, Code: 10, Value: 6, Data: []byte("ok")},
		"1d 0a 02 6f6b":                 {Type: ApplicationClose, Code: 10, Data: []byte("ok")},
		"1e":                            {Type: HandshakeDone},
		"30 aabb":                       {Type: Datagram, Data: []byte{0xaa, 0xbb}},
		"31 01 aa":                      {Type: Datagram + 1, Data: []byte{0xaa}},
	} {
		whole := unhex(t, text)
		got, rest, err := Read(whole)
		if err != nil || len(rest) != 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if want.Type == Padding || want.Type == Datagram || want.Type == 0x08 {
			continue // these take what there is
		}
		for cut := range whole {
			if _, _, err := Read(whole[:cut]); !errors.Is(err, ErrEncoding) {
				t.Errorf("%s cut to %d bytes: %v", text, cut, err)
			}
		}
	}
}

func TestRefusedFrames(t *testing.T) {
	for name, text := range map[string]string{
		"ack below zero":         "02 03 00 00 04",
		"ack gap below zero":     "02 0a 00 01 00 09 00",
		"more ranges than bytes": "02 0a 00 bfffffff 00",
		"data past the payload":  "06 00 7fff aa",
		"crypto past 2^62":       "06 ffffffffffffffff 01 aa",
		"stream past 2^62":       "0e 00 ffffffffffffffff 01 aa",
		"empty token":            "07 00",
		"empty connection ID":    "18 02 01 00 000102030405060708090a0b0c0d0e0f",
		"21 bytes of ID":         "18 02 01 15" + strings.Repeat("00", 37),
		"retires what comes":     "18 02 03 01 aa 000102030405060708090a0b0c0d0e0f",
		"unknown type":           "40ff",
		"no type":                "",
	} {
		if f, _, err := Read(unhex(t, text)); !errors.Is(err, ErrEncoding) {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
}

func TestWrittenFramesRead(t *testing.T) {
	ranges := []Range{{90, 100}, {80, 80}, {0, 70}}
	b := AppendAck(nil, 17, ranges)
	b = AppendCrypto(b, 1<<20, []byte("hello"))
	b = AppendClose(b, 0x10a, Crypto, "why")
	b = AppendRetire(b, 3)
	b = AppendPathResponse(b, []byte("12345678"))
	for _, want := range []Frame{
		{Type: Ack, Delay: 17, Ranges: ranges}, {Type: Crypto, Offset: 1 << 20, Data: []byte("hello")},
		{Type: ConnectionClose, Code: 0x10a, Value: 6, Data: []byte("why")}, {Type: RetireConnectionID, ID: 3},
		{Type: PathResponse, Data: []byte("12345678")},
	} {
		var f Frame
		var err error
		if f, b, err = Read(b); err != nil || !reflect.DeepEqual(f, want) {
			t.Errorf("%+v, %v", f, err)
		}
	}
}

func TestParameters(t *testing.T) {
	p, err := ReadParameters(unhex(t, "00 02 aabb 01 02 4064 02 10 000102030405060708090a0b0c0d0e0f 0a 01 05 0b 01 09 0f 00 10 01 cc 11 08 00000001 6b3343cf 7f00 01 00"))
	if err != nil {
		t.Fatal(err)
	}
	want := &Parameters{
		OriginalDestination: []byte{0xaa, 0xbb}, InitialSource: []byte{}, RetrySource: []byte{0xcc},
		ResetToken: unhex(t, "000102030405060708090a0b0c0d0e0f"), MaxIdleTimeout: 100 * time.Millisecond,
		AckDelayExponent: 5, MaxAckDelay: 9 * time.Millisecond, ChosenVersion: 1, AvailableVersions: []uint32{0x6b3343cf},
		MaxPayload: 65527,
	}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("%+v", p)
	}
	for name, text := range map[string]string{
		"twice": "0f 00 0f 00", "cut": "0f 02 aa", "exponent": "0a 01 15", "delay": "0b 04 80004000",
		"payload": "03 02 44af", "token": "02 01 00", "ID": "00 15" + strings.Repeat("00", 21),
		"limit": "0e 01 01", "rubbish": "01 02 0505", "versions": "11 03 000000", "version 0": "11 04 00000000",
	} {
		if _, err := ReadParameters(unhex(t, text)); !errors.Is(err, ErrParameters) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ours := Parameters{InitialSource: []byte("12345678"), MaxIdleTimeout: time.Second, ChosenVersion: 1, AvailableVersions: []uint32{1}}
	if got, err := ReadParameters(ours.Append(nil)); err != nil || !bytes.Equal(got.InitialSource, ours.InitialSource) || got.MaxIdleTimeout != time.Second {
		t.Errorf("%+v, %v", got, err)
	}
}

func FuzzFrames(f *testing.F) {
	f.Add(AppendAck(nil, 17, []Range{{90, 100}, {80, 80}, {0, 70}}))
	f.Add(AppendCrypto([]byte{1, 0, 0}, 5, []byte("hello")))
	f.Add([]byte{0x18, 2, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{0x02, 0x0a, 0, 0xbf, 0xff, 0xff, 0xff, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		for len(b) > 0 {
			f, rest, err := Read(b)
			if err != nil {
				return
			}
			if len(rest) >= len(b) || len(f.Data) > len(b) || len(f.Ranges) > len(b) {
				t.Fatalf("%+v of %d bytes, %d left", f, len(b), len(rest))
			}
			for i, r := range f.Ranges {
				if r.Low > r.High || i > 0 && r.High+1 >= f.Ranges[i-1].Low {
					t.Fatalf("ranges %v", f.Ranges)
				}
			}
			b = rest
		}
	})
}

func FuzzParameters(f *testing.F) {
	f.Add([]byte{0x0f, 0, 1, 2, 0x40, 0x64})
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := ReadParameters(b); err == nil && (p.AckDelayExponent > 20 || p.MaxPayload < 1200) {
			t.Fatalf("%+v", p)
		}
	})
}
