package pnum

import (
	"bytes"
	"errors"
	"testing"
)

func TestPutGet(t *testing.T) {
	for length := 0; length <= 8; length++ {
		buf := bytes.Repeat([]byte{0xee}, 10)
		Put(buf[1:1+length], 0x0123456789abcdef)
		want := []byte{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}[8-length:]
		if !bytes.Equal(buf[1:1+length], want) || buf[0] != 0xee || buf[1+length] != 0xee {
			t.Errorf("Put in %d bytes: %x", length, buf)
		}
		if got, want := Get(want), uint64(0x0123456789abcdef)&(1<<(8*length)-1); got != want {
			t.Errorf("Get of %d bytes = %x, want %x", length, got, want)
		}
	}
}

// TestQUICLength has the examples of RFC 9000 appendix A.2 and the edges of each length.
func TestQUICLength(t *testing.T) {
	tests := []struct {
		number, acked uint64
		want          int
	}{
		{0x11f2e, 0x11eaa, 2},
		{0xac5c02, 0xabe8b3, 2},
		{0xace8fe, 0xabe8b3, 3},
		{0, None, 1},
		{126, None, 1}, // a distance of 127
		{127, None, 2}, // 256 is not more than twice 128
		{1, 0, 1},
		{127, 0, 1},
		{128, 0, 2},
		{1<<15 - 1, 0, 2},
		{1 << 15, 0, 3},
		{1<<23 - 1, 0, 3},
		{1 << 23, 0, 4},
		{1<<31 - 1, 0, 4},
		{MaxQUIC, MaxQUIC - 1, 1},
		{MaxQUIC, MaxQUIC - 1<<31 + 1, 4},
	}
	for _, test := range tests {
		got, err := QUICLength(test.number, test.acked)
		if err != nil || got != test.want {
			t.Errorf("QUICLength(%#x, %#x) = %d, %v, want %d", test.number, test.acked, got, err, test.want)
		}
	}
}

func TestQUICLengthRefuses(t *testing.T) {
	for _, test := range []struct{ number, acked uint64 }{
		{5, 5}, {5, 6}, {0, 0}, {MaxQUIC + 1, MaxQUIC}, {None, None}, {1 << 31, 0}, {1<<31 - 1, None}, {MaxQUIC, None},
	} {
		if got, err := QUICLength(test.number, test.acked); !errors.Is(err, ErrRange) {
			t.Errorf("QUICLength(%#x, %#x) = %d, %v, want ErrRange", test.number, test.acked, got, err)
		}
	}
}

// TestQUIC has the example of RFC 9000 appendix A.3 and both ends of the range.
func TestQUIC(t *testing.T) {
	tests := []struct {
		truncated uint64
		length    int
		highest   uint64
		want      uint64
	}{
		{0x9b32, 2, 0xa82f30ea, 0xa82f9b32},
		{0, 1, None, 0},
		{255, 1, None, 255}, // nothing below 0 to choose
		{0, 1, 0, 0},
		{255, 1, 0, 255},
		{0, 4, None, 0},
		{1<<32 - 1, 4, 0, 1<<32 - 1},
		{0xff, 1, MaxQUIC, MaxQUIC},
		{0x00, 1, MaxQUIC, MaxQUIC - 255}, // 2^62 does not exist
		{0xfe, 1, MaxQUIC - 1, MaxQUIC - 1},
		{0x00, 1, MaxQUIC - 1, MaxQUIC - 255},
		{0xffffffff, 4, MaxQUIC - 1, MaxQUIC},
		{0, 4, MaxQUIC, MaxQUIC - (1<<32 - 1)},
		{0, 2, MaxQUIC + 12345, MaxQUIC - 65535}, // a caller's mistake stays in range
	}
	for _, test := range tests {
		if got := QUIC(test.truncated, test.length, test.highest); got != test.want {
			t.Errorf("QUIC(%#x, %d, %#x) = %#x, want %#x", test.truncated, test.length, test.highest, got, test.want)
		}
	}
}

func TestDTLS13(t *testing.T) {
	tests := []struct {
		truncated uint64
		length    int
		highest   uint64
		want      uint64
	}{
		{0, 1, None, 0},
		{255, 1, None, 255},
		{0, 2, 65535, 65536},
		{65535, 2, 65536, 65535},
		{0, 1, 255, 256},
		{0x80, 1, 0xff, 0x180}, // 0x80 and 0x180 are equally close to 0x100
		{0x81, 1, 0xff, 0x81},
		{0xff, 1, MaxDTLS13, MaxDTLS13},
		{0, 2, MaxDTLS13, MaxDTLS13 - 65535},
	}
	for _, test := range tests {
		if got := DTLS13(test.truncated, test.length, test.highest); got != test.want {
			t.Errorf("DTLS13(%#x, %d, %#x) = %#x, want %#x", test.truncated, test.length, test.highest, got, test.want)
		}
	}
}

// TestESN walks the two cases of RFC 4303 appendix A2.2 and the ends of the range.
func TestESN(t *testing.T) {
	const top = ^uint64(0)
	tests := []struct {
		name    string
		low     uint32
		highest uint64
		window  uint32
		want    uint64
	}{
		{"first packet", 1, 0, 64, 1},
		{"window in one subspace, above its bottom", 937, 1000, 64, 937},
		{"window in one subspace, below its bottom", 936, 5<<32 + 1000, 64, 6<<32 + 936},
		{"window over two subspaces, in the lower", 0xfffffff0, 5<<32 + 10, 64, 4<<32 + 0xfffffff0},
		{"window over two subspaces, below its bottom", 0xffffffca, 5<<32 + 10, 64, 5<<32 + 0xffffffca},
		{"window over two subspaces, its bottom", 0xffffffcb, 5<<32 + 10, 64, 4<<32 + 0xffffffcb},
		{"low half wraps", 0, 5<<32 + 0xffffffff, 64, 6 << 32},
		{"window fills the subspace exactly", 0, 5<<32 + 63, 64, 5 << 32},
		{"nothing below zero", 0xfffffff0, 10, 64, 0xfffffff0},
		{"nothing above the highest", 0, top, 64, top &^ 0xffffffff},
		{"the highest itself", 0xffffffff, top, 64, top},
		{"window of one", 5, 9<<32 + 5, 1, 9<<32 + 5},
	}
	for _, test := range tests {
		if got := ESN(test.low, test.highest, test.window); got != test.want {
			t.Errorf("%s: ESN(%#x, %#x, %d) = %#x, want %#x", test.name, test.low, test.highest, test.window, got, test.want)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	var sum uint64
	allocs := testing.AllocsPerRun(100, func() {
		length, _ := QUICLength(sum+1, sum)
		sum += QUIC(1, length, sum&0xffff) + DTLS13(2, 2, sum&0xff) + ESN(3, 7, 64)
		sum &= 0xffff
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
