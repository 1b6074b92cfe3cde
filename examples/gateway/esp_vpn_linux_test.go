package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// joinESP starts both gateways under ESP and waits until they are ready.
func joinESP(t *testing.T, gateway string, h hosts, server, client []string) (s, c *process) {
	t.Helper()
	s = start(t, in(h.server, append([]string{gateway, "serve", "-json", "-protocol", "esp"}, server...)...))
	s.await(`"msg":"serving"`)
	c = start(t, in(h.client, append([]string{gateway, "connect", "-json", "-protocol", "esp"}, client...)...))
	c.await(`"msg":"serving"`)
	return s, c
}

func TestVPNByESPBetweenTwoHosts(t *testing.T) {
	need(t, "ip", "ss", "ping", "iperf3")
	gateway, h, dir := buildGateway(t), newHosts(t), t.TempDir()
	command(t, gateway, "keygen", "-sa", dir, "vpn", "alice")
	server, client := joinESP(t, gateway, h, []string{"-sa", filepath.Join(dir, "vpn.sa")}, []string{"192.0.2.1", "-sa", filepath.Join(dir, "alice.sa")})
	ping(t, h, "10.99.0.1")
	up := iperf(t, h, "10.99.0.1")
	down := iperf(t, h, "10.99.0.1", "--reverse")
	ping(t, h, "10.99.0.1")

	c, s := client.interrupt(), server.interrupt()
	t.Logf("iperf3: %.2f and %.2f Gbit/s; mean burst at the client %.1f, at the server %.1f", up*4/1e9, down*4/1e9, c.MeanBurst, s.MeanBurst)
	if c.MeanBurst < 8 || s.MeanBurst < 8 {
		t.Errorf("mean burst %.1f at the client and %.1f at the server, want 8", c.MeanBurst, s.MeanBurst)
	}
	if up == 0 || down == 0 || float64(s.In.Bytes) < up || float64(c.In.Bytes) < down {
		t.Errorf("%.0f and %.0f bytes arrived, not all through the tunnel: client %+v, server %+v", up, down, c, s)
	}
	if len(c.Drops)+len(s.Drops) != 0 {
		t.Errorf("dropped: client %v, server %v", c.Drops, s.Drops)
	}
}

// TestVPNByESPInIP has ESP as an IP protocol of its own.
func TestVPNByESPInIP(t *testing.T) {
	need(t, "ip", "ping")
	gateway, h, dir := buildGateway(t), newHosts(t), t.TempDir()
	command(t, gateway, "keygen", "-sa", dir, "-transform", "aes128-sha256", "-ends", "192.0.2.1,192.0.2.2", "vpn", "alice")
	server, client := joinESP(t, gateway, h, []string{"-sa", filepath.Join(dir, "vpn.sa"), "-protected", "ip:192.0.2.1"},
		[]string{"-sa", filepath.Join(dir, "alice.sa"), "-protected", "ip:192.0.2.2"})
	ping(t, h, "10.99.0.1")
	c, s := client.interrupt(), server.interrupt()
	if c.In.Packets < 10 || s.In.Packets < 10 || len(c.Drops)+len(s.Drops) != 0 {
		t.Errorf("client %+v, server %+v", c, s)
	}
}

// TestVPNByESPOnOtherPorts puts the protected side on frames of the cable, which then has no
// address, and on a TUN device, through which the system forwards ESP.
func TestVPNByESPOnOtherPorts(t *testing.T) {
	need(t, "ip", "ping", "ethtool", "sysctl")
	gateway, h, dir := buildGateway(t), newHosts(t), t.TempDir()
	for name, ends := range map[string]string{"cable": "192.0.2.1,192.0.2.3", "tun": "198.51.100.1,192.0.2.2"} {
		command(t, gateway, "keygen", "-sa", filepath.Join(dir, name), "-ends", ends, "vpn", "alice")
	}
	file := func(elements ...string) string { return filepath.Join(append([]string{dir}, elements...)...) }
	both := func(server, client []string) {
		t.Helper()
		s, c := joinESP(t, gateway, h, server, client)
		ping(t, h, "10.99.0.1")
		if c, s := c.interrupt(), s.interrupt(); c.In.Packets < 10 || s.In.Packets < 10 {
			t.Errorf("client %+v, server %+v", c, s)
		}
	}
	// The TUN device is there once the gateway runs; routes to it come from its -route.
	command(t, in(h.server, "sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv4.conf.all.rp_filter=0", "net.ipv4.conf.default.rp_filter=0")...)
	command(t, "ip", "-n", h.client, "route", "add", "198.51.100.1", "via", "192.0.2.1")
	both([]string{"-sa", file("tun", "vpn.sa"), "-protected", "tun:esp", "-protected-route", "198.51.100.1/32"},
		[]string{"-sa", file("tun", "alice.sa"), "-protected", "ip:192.0.2.2"})

	command(t, "ip", "-n", h.client, "address", "flush", "dev", "wan")
	for _, name := range []string{h.server, h.client} {
		command(t, in(name, "ethtool", "-K", "wan", "tx", "off", "gro", "off")...)
	}
	mac := strings.Fields(command(t, "ip", "-n", h.client, "-o", "-brief", "link", "show", "dev", "wan"))[2]
	command(t, "ip", "-n", h.server, "neighbour", "replace", "192.0.2.3", "lladdr", mac, "dev", "wan")
	both([]string{"-sa", file("cable", "vpn.sa"), "-protected", "ip:192.0.2.1"}, []string{"-sa", file("cable", "alice.sa"), "-protected", "afpacket:wan"})
}

// TestVPNByESPGoesOnAfterARestart restarts the client, whose key must not see a sequence
// number twice: the server's replay window would drop what began at 1 again.
func TestVPNByESPGoesOnAfterARestart(t *testing.T) {
	need(t, "ip", "ping")
	gateway, h, dir := buildGateway(t), newHosts(t), t.TempDir()
	command(t, gateway, "keygen", "-sa", dir, "-transform", "chacha20poly1305", "vpn", "alice", "bob")
	flags := []string{"192.0.2.1", "-sa", filepath.Join(dir, "bob.sa")}
	server, client := joinESP(t, gateway, h, []string{"-sa", filepath.Join(dir, "vpn.sa")}, flags)
	ping(t, h, "10.99.0.1")
	again := func() {
		client = start(t, in(h.client, append([]string{gateway, "connect", "-json", "-protocol", "esp"}, flags...)...))
		client.await(`"msg":"serving"`)
		ping(t, h, "10.99.0.1")
	}
	client.interrupt()
	again()
	if err := client.cmd.Process.Kill(); err != nil { // without time to write anything down
		t.Fatal(err)
	}
	_ = client.ended(t)
	again()
	if s := server.interrupt(); len(s.Drops) != 0 {
		t.Errorf("dropped: %v", s.Drops)
	}
	if n := strings.Count(server.log(), "peer found"); n != 3 {
		t.Errorf("the server found its peer %d times, want 3", n)
	}
}
