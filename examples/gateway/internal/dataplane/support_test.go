package dataplane

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/examples/gateway/internal/seqstore"
	"github.com/sealburst/sealburst/record"
)

// The networks of the tests: hosts 10.1.0.0/24 and 2001:db8:1::/64 on the plain side,
// the peer 192.0.2.2 on the protected side, and 10.2.0.0/16 behind it.
var (
	plainMAC, hostMAC     = ethernet.MAC{2, 0, 0, 0, 1, 1}, ethernet.MAC{2, 0, 0, 0, 1, 2}
	protectedMAC, peerMAC = ethernet.MAC{2, 0, 0, 0, 2, 1}, ethernet.MAC{2, 0, 0, 0, 2, 2}
	outKey, inKey         = strings.Repeat("0a", 16) + "01020304", strings.Repeat("0b", 16) + "05060708"
	gatewayAddr, peerAddr = netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	plainPrefix           = netip.MustParsePrefix("10.1.0.1/24")
	plainPrefix6          = netip.MustParsePrefix("2001:db8:1::1/64")
	saFile                = fmt.Sprintf(`
out spi=0x1001 transform=aes128gcm16 key=%s from=192.0.2.1 to=192.0.2.2 behind=10.2.0.0/16,2001:db8:2::/64
in  spi=0x1002 transform=aes128gcm16 key=%s from=192.0.2.2 to=192.0.2.1 behind=10.2.0.0/16,2001:db8:2::/64
`, outKey, inKey)
)

func newEngine(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// bench is a gateway of one worker, between two devices in memory.
type bench struct {
	*worker
	plain, protected *end
	esp              *ESP
}

func newHosts() (plain, protected *ethernet.Host) {
	plain = ethernet.NewHost(ethernet.Config{MAC: plainMAC, Addresses: []netip.Prefix{plainPrefix, plainPrefix6}})
	protected = ethernet.NewHost(ethernet.Config{
		MAC: protectedMAC, Addresses: []netip.Prefix{netip.PrefixFrom(gatewayAddr, 24)}, Peer: peerMAC,
	})
	return plain, protected
}

func parse(t testing.TB, text string) *safile.File {
	t.Helper()
	file, err := safile.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func openStore(t testing.TB) *seqstore.Store {
	t.Helper()
	return openStoreAt(t, filepath.Join(t.TempDir(), "numbers"))
}

func openStoreAt(t testing.TB, path string) *seqstore.Store {
	t.Helper()
	store, err := seqstore.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func newESP(t testing.TB, text string, host *ethernet.Host, mtu int) *ESP {
	t.Helper()
	esp, err := NewESP(ESPConfig{Engine: newEngine(t), File: parse(t, text), Store: openStore(t), Host: host, MTU: mtu})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := esp.Close(); err != nil {
			t.Error(err)
		}
	})
	return esp
}

func newBench(t *testing.T) *bench {
	t.Helper()
	memory := newMemory(t, 256)
	b := &bench{plain: memory.end(), protected: memory.end()}
	plain, protected := newHosts()
	b.esp = newESP(t, saFile, protected, 1500)
	g := New(Config{
		Plain:     Side{plain, []ethernet.Queue{b.plain}, 1500},
		Protected: Side{protected, []ethernet.Queue{b.protected}, 1500},
		Protocol:  b.esp.Worker,
	})
	b.worker = g.workers[0]
	b.complaints = 64
	return b
}

// ipv4 is a UDP packet with a right header checksum.
func ipv4(from, to string, ttl byte, length int) []byte {
	p := make([]byte, length)
	p[0], p[6], p[8], p[9] = 0x45, 0x40, ttl, 17
	binary.BigEndian.PutUint16(p[2:], uint16(length))
	copy(p[12:], netip.MustParseAddr(from).AsSlice())
	copy(p[16:], netip.MustParseAddr(to).AsSlice())
	binary.BigEndian.PutUint16(p[10:], checksum(p[:20]))
	for i := 20; i < length; i++ {
		p[i] = byte(i)
	}
	return p
}

func ipv6(from, to string, limit byte, length int) []byte {
	p := make([]byte, length)
	p[0], p[6], p[7] = 0x60, 17, limit
	binary.BigEndian.PutUint16(p[4:], uint16(length-40))
	copy(p[8:], netip.MustParseAddr(from).AsSlice())
	copy(p[24:], netip.MustParseAddr(to).AsSlice())
	return p
}

// checksum is RFC 1071's, word by word.
func checksum(b []byte) uint16 {
	var s uint32
	for i := 0; i < len(b); i += 2 {
		s += uint32(b[i])<<8 | uint32(b[i+1])
	}
	for s>>16 != 0 {
		s = s&0xffff + s>>16
	}
	return ^uint16(s)
}

func framed(to, from ethernet.MAC, packet []byte) []byte {
	ether := []byte{0x08, 0x00}
	if packet[0]>>4 == 6 {
		ether = []byte{0x86, 0xdd}
	}
	f := append(append(append(to[:6:6], from[:]...), ether...), packet...)
	for len(f) < ethernet.MinFrame {
		f = append(f, 0xee) // padding that is no part of the packet
	}
	return f
}

func gcm(t testing.TB, key string) (cipher.AEAD, []byte) {
	t.Helper()
	material, err := hex.DecodeString(key)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(material[:16])
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	return aead, material[16:]
}

// unseal opens an ESP packet in an IPv4 packet as RFC 4106 says, with Go's own AES-GCM.
func unseal(t testing.TB, key string, packet []byte) []byte {
	t.Helper()
	aead, salt := gcm(t, key)
	esp := packet[20:]
	plain, err := aead.Open(nil, append(salt[:4:4], esp[8:16]...), esp[16:], esp[:8])
	if err != nil {
		t.Fatal(err)
	}
	return plain[:len(plain)-2-int(plain[len(plain)-2])]
}

// seal makes an ESP packet of the peer's with Go's own AES-GCM.
func seal(t testing.TB, key string, spi, number uint32, inner []byte) []byte {
	t.Helper()
	aead, salt := gcm(t, key)
	esp := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, spi), number)
	iv := binary.BigEndian.AppendUint64(nil, uint64(number)+1000)
	next := byte(4)
	if inner[0]>>4 == 6 {
		next = 41
	}
	body := append([]byte(nil), inner...)
	pad := byte(0)
	for ; (len(body)+2)%4 != 0; pad++ {
		body = append(body, pad+1)
	}
	esp = aead.Seal(append(esp, iv...), append(salt[:4:4], iv...), append(body, pad, next), esp[:8:8])
	outer := ipv4("192.0.2.2", "192.0.2.1", 64, 20+len(esp))
	outer[9] = 50
	outer[10], outer[11] = 0, 0
	binary.BigEndian.PutUint16(outer[10:], checksum(outer[:20]))
	copy(outer[20:], esp)
	return outer
}

// aged is a packet with its hop limit counted down and its checksum made anew.
func aged(p []byte) []byte {
	p = append([]byte(nil), p...)
	if p[0]>>4 == 6 {
		p[7]--
		return p
	}
	p[8]--
	p[10], p[11] = 0, 0
	binary.BigEndian.PutUint16(p[10:], checksum(p[:int(p[0]&15)*4]))
	return p
}

// learn makes the plain side know its host, as an ARP request does.
func (b *bench) learn(t *testing.T) {
	t.Helper()
	b.plain.in = append(b.plain.in, arpRequest(hostMAC, "10.1.0.9", "10.1.0.1"))
	b.outward()
	if len(b.plain.out) != 1 {
		t.Fatal("no answer to an ARP request")
	}
	b.plain.out = nil
}

func arpRequest(from ethernet.MAC, sender, target string) []byte {
	f := append(append(append([]byte(nil), ethernet.Broadcast[:]...), from[:]...), 8, 6)
	f = append(f, 0, 1, 8, 0, 6, 4, 0, 1)
	f = append(append(f, from[:]...), netip.MustParseAddr(sender).AsSlice()...)
	return append(append(f, 0, 0, 0, 0, 0, 0), netip.MustParseAddr(target).AsSlice()...)
}

func drops(t *testing.T, got map[string]uint64, want map[record.Drop]uint64) {
	t.Helper()
	for cause, n := range want {
		if got[cause.String()] != n {
			t.Errorf("%v: %d, want %d", cause, got[cause.String()], n)
		}
		delete(got, cause.String())
	}
	if len(got) != 0 {
		t.Errorf("also dropped: %v", got)
	}
}
