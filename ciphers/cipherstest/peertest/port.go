package peertest

import (
	"math/rand/v2"
	"net"
	"testing"
)

// Ports that systems do not give to sockets by themselves, nor to well-known services.
const (
	firstPort = 20000
	ports     = 12000
)

// FreePort is a UDP port of the loopback address that nobody has, for a program that is
// about to listen there. No socket that asks for any port gets it meanwhile.
func FreePort(t testing.TB) int {
	t.Helper()
	var err error
	for range 100 {
		port := firstPort + rand.IntN(ports)
		var c *net.UDPConn
		if c, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}); err == nil {
			if err = c.Close(); err == nil {
				return port
			}
		}
	}
	t.Fatalf("no free port: %v", err)
	return 0
}
