//go:build dpdk && cgo

package cryptodev

import (
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
)

func TestMerged(t *testing.T) {
	got := merged([]span{{30, 10}, {10, 5}, {15, 5}, {50, 1}, {40, 10}})
	if want := []span{{10, 10}, {30, 21}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestPacketBuffersAreKnown: packets in DPDK's memory need not say so. Where the
// plaintext is elsewhere, they are copied.
func TestPacketBuffersAreKnown(t *testing.T) {
	d := mustOpen(t, Config{Device: "crypto_aesni_gcm10"})
	k := mustKey(t, d, specOf(ciphers.AES128GCM, ciphers.Sealing))
	c := d.newChunk()
	defer d.free(c)
	ps := packets(k, 3, 13)
	ps[0].Buf = c.bytes[100:180:180]
	ps[1].Buf, ps[1].Plain = c.bytes[200:280:280], make([]byte, 64)
	cipherstest.Run{}.Seal(k.Plan().Bulk, ps)
	if st := d.Stats(); st.Placed != 1 || st.Copied != 2 {
		t.Errorf("%+v", st)
	}
}
