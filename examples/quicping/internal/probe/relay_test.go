package probe

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
)

// relay carries datagrams between a client and a server. What answer returns for one of
// the client's goes back in the server's stead.
func relay(front *net.UDPConn, server net.Addr, answer func(wire []byte) []byte) {
	back, err := net.Dial("udp", server.String())
	if err != nil {
		return
	}
	defer back.Close()
	var client atomic.Pointer[net.Addr]
	go func() {
		buf := make([]byte, 2048)
		for {
			n, err := back.Read(buf)
			if err != nil {
				return
			}
			_, _ = front.WriteTo(buf[:n], *client.Load()) // the client may be gone
		}
	}()
	buf := make([]byte, 2048)
	for {
		n, from, err := front.ReadFrom(buf)
		if err != nil {
			return
		}
		client.Store(&from)
		if reply := answer(buf[:n]); reply != nil {
			_, _ = front.WriteTo(reply, from)
			continue
		}
		_, _ = back.Write(buf[:n])
	}
}

// mostLost is how many datagrams in a row get lost at the most: more would put the next
// attempt off beyond all patience, since the time between attempts doubles.
const mostLost = 2

// unreliable loses, repeats and delays datagrams, both ways, as the random source says.
func unreliable(t *testing.T, server string, seed uint64, loss int) string {
	front := listen(t)
	back, err := net.Dial("udp", server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { back.Close() })
	client := make(chan net.Addr, 1)
	carry := func(random *rand.Rand, lost *int, wire []byte, send func([]byte)) {
		if *lost < mostLost && random.IntN(100) < loss {
			*lost++
			return
		}
		*lost = 0
		wire = append([]byte(nil), wire...)
		copies := 1 + random.IntN(8)/7
		for range copies {
			time.AfterFunc(time.Duration(random.IntN(5))*time.Millisecond, func() { send(wire) })
		}
	}
	go func() {
		random, lost := rand.New(rand.NewPCG(seed, 1)), 0
		buf := make([]byte, 2048)
		first := true
		for {
			n, from, err := front.ReadFrom(buf)
			if err != nil {
				return
			}
			if first {
				client <- from
				first = false
			}
			carry(random, &lost, buf[:n], func(b []byte) { _, _ = back.Write(b) })
		}
	}()
	go func() {
		random, lost := rand.New(rand.NewPCG(seed, 2)), 0
		buf := make([]byte, 2048)
		to := <-client
		for {
			n, err := back.Read(buf)
			if err != nil {
				return
			}
			carry(random, &lost, buf[:n], func(b []byte) { _, _ = front.WriteTo(b, to) })
		}
	}()
	return front.LocalAddr().String()
}

// A fifth of all datagrams is lost, some come twice, many out of order: the handshake
// completes all the same, and pings that are not lost are answered.
func TestUnreliableNetwork(t *testing.T) {
	t.Parallel()
	server, client := tlsPair(t)
	for _, retry := range []bool{false, true} {
		address := serveQuicGo(t, server, retry, quic.Version1)
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("retry %v, seed %d", retry, seed), func(t *testing.T) {
				t.Parallel()
				cfg := quick(t, unreliable(t, address, seed, 20), client)
				cfg.Handshake, cfg.Wait, cfg.Update = 2*time.Minute, 300*time.Millisecond, seed%2 == 1
				result, err := Run(context.Background(), cfg)
				if result.Session == nil || len(result.Pings) != cfg.Count {
					t.Errorf("%v, %d pings", err, len(result.Pings))
				}
			})
		}
	}
}
