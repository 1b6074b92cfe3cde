package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ipsecadapter"
)

// proposals are the transforms that strongSwan has a name for, which is ours.
func proposals() (all []string) {
	for _, transform := range ipsecadapter.Transforms() {
		if name := transform.String(); !strings.HasSuffix(name, "iiv") {
			all = append(all, name)
		}
	}
	return all
}

// charonMust are those that strongSwan 5.9 is known to have in user space. It has no
// GMAC there.
var charonMust = []string{
	"aes128gcm8", "aes128gcm12", "aes128gcm16", "aes192gcm16", "aes256gcm16", "chacha20poly1305", "aes128ccm16", "aes256ccm8",
	"aes128-sha256", "aes192-sha384", "aes256-sha512", "aes128-sha1", "aes128ctr-sha256", "3des-sha1", "null-sha1", "blowfish128-sha1", "des-md5",
}

// connections is swanctl's configuration of one end, with a child for each proposal: the
// host 10.SIDE.CHILD.1 stands behind that end.
func connections(own, other, ownSide, otherSide int, proposals []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `connections { c {
  version = 2
  local_addrs = 192.0.2.%[1]d
  remote_addrs = 192.0.2.%[2]d
  proposals = aes128-sha256-modp2048
  encap = yes
  local { auth = psk
    id = 192.0.2.%[1]d }
  remote { auth = psk
    id = 192.0.2.%[2]d }
  children {
`, own, other)
	for k, proposal := range proposals {
		fmt.Fprintf(&b, `    k%[1]d { esp_proposals = %[2]s
      local_ts = 10.%[3]d.%[1]d.0/24
      remote_ts = 10.%[4]d.%[1]d.0/24
      rekey_time = 0 }
`, k, proposal, ownSide, otherSide)
	}
	fmt.Fprintf(&b, "} } }\nsecrets { ike-1 { secret = \"sealburst\"\n id-a = 192.0.2.%d\n id-b = 192.0.2.%d } }\n", own, other)
	return b.String()
}

// pings is how many packets go each way and are answered.
const pings = 3

// pingFrom sends packets from one inner host to another. It does not wait for the answers.
func pingFrom(t *testing.T, namespace, from, to string) *process {
	t.Helper()
	return start(t, in(namespace, "ping", "-c", fmt.Sprint(pings), "-i", "0.01", "-s", "1000", "-W", "2", "-I", from, to))
}

// pingBothWays pings through the tunnels of some proposals at once.
func pingBothWays(t *testing.T, h hosts, proposals []string, up []int) {
	t.Helper()
	var outward, inward []*process
	for _, k := range up {
		here, there := fmt.Sprintf("10.2.%d.1", k), fmt.Sprintf("10.1.%d.1", k)
		outward, inward = append(outward, pingFrom(t, h.client, here, there)), append(inward, pingFrom(t, h.server, there, here))
	}
	for i, k := range up {
		if outward[i].ended(t) != nil {
			t.Errorf("%s: packets from the gateway to the daemon and back do not arrive", proposals[k])
		}
		if inward[i].ended(t) != nil {
			t.Errorf("%s: packets from the daemon to the gateway and back do not arrive", proposals[k])
		}
	}
}

// takeOver is an SA file that has the child SAs of a daemon. Numbers that the daemon may
// have used are left out.
func takeOver(t *testing.T, children map[string]*childSA, proposals []string, up []int) string {
	t.Helper()
	b := []byte("inside address=10.2.255.1/32 mtu=1400\n")
	for _, k := range up {
		c := children[fmt.Sprintf("k%d", k)]
		if c == nil {
			t.Fatalf("%s: the daemon's log does not have it", proposals[k])
		}
		b = fmt.Appendf(b, "out peer=k%[1]d spi=%[2]s transform=%[3]s key=%[4]x encap=udp to=192.0.2.1 behind=10.1.%[1]d.0/24 first=1000\n",
			k, c.out.spi, proposals[k], c.out.key)
		b = fmt.Appendf(b, "in peer=k%[1]d spi=%[2]s transform=%[3]s key=%[4]x encap=udp behind=10.1.%[1]d.0/24\n",
			k, c.in.spi, proposals[k], c.in.key)
	}
	path := filepath.Join(t.TempDir(), "charon.sa")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPeerCharonGoesOnWithTheGateway lets two daemons agree on a child SA for each
// transform, stops one of them, and gives its address, its port and its keys to the
// gateway. Packets must then go both ways between the gateway and the other daemon.
func TestPeerCharonGoesOnWithTheGateway(t *testing.T) {
	needCharon(t)
	if testing.Short() {
		t.Skip("takes 20 seconds")
	}
	gateway, h, all := buildGateway(t), newHosts(t), proposals()
	for k := range all { // inner hosts: a daemon takes no traffic selector that it has no address in
		command(t, "ip", "-n", h.server, "address", "add", fmt.Sprintf("10.1.%d.1/32", k), "dev", "lo")
		command(t, "ip", "-n", h.client, "address", "add", fmt.Sprintf("10.2.%d.1/32", k), "dev", "lo")
	}
	startCharon(t, h.server, connections(1, 2, 1, 2, all))
	leaves := startCharon(t, h.client, connections(2, 1, 2, 1, all))
	var up []int
	var without []string
	for k, proposal := range all {
		if leaves.initiate(fmt.Sprintf("k%d", k)) {
			up = append(up, k)
		} else {
			without = append(without, proposal)
		}
	}
	t.Logf("%d proposals; the daemons refuse %v", len(up), without)
	for _, must := range charonMust {
		if strings.Contains(" "+strings.Join(without, " ")+" ", " "+must+" ") {
			t.Errorf("the daemons refuse %s", must)
		}
	}
	if pingFrom(t, h.client, "10.2.0.1", "10.1.0.1").ended(t) != nil {
		t.Fatal("the two daemons do not carry packets")
	}
	file := takeOver(t, leaves.children(), all, up)
	leaves.stop()

	ours := start(t, in(h.client, gateway, "serve", "-json", "-protocol", "esp", "-allow-legacy", "-listen", "192.0.2.2:4500",
		"-sa", file, "-plain", "tun:inner", "-route", "10.1.0.0/16"))
	ours.await(`"msg":"serving"`)
	for some := range slices.Chunk(up, 10) {
		pingBothWays(t, h, all, some)
	}
	sum := ours.interrupt()
	if want := uint64(2 * pings * len(up)); sum.In.Packets < want || sum.Out.Packets < want {
		t.Errorf("%d packets in and %d out, want %d", sum.In.Packets, sum.Out.Packets, want)
	}
	for _, cause := range []string{"unauthentic", "malformed", "unknown-session", "refused-type", "not-selected", "truncated"} {
		if n := sum.Drops[cause]; n != 0 {
			t.Errorf("%d packets dropped: %s", n, cause)
		}
	}
}
