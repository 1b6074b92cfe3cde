package dtlsadapter_test

import (
	"context"
	"fmt"
	"log"
	"net"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
)

// A server and a client that share a key, and send a burst of records.
func ExampleClient() {
	e, err := engine.New(engine.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	config := &dtls.Config{
		PSK:             func([]byte) ([]byte, error) { return []byte("a key of both sides"), nil },
		PSKIdentityHint: []byte("example"),
		CipherSuites:    []dtls.CipherSuiteID{dtls.TLS_PSK_WITH_AES_128_GCM_SHA256},
	}

	listener, err := dtlsadapter.Listen("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}, config, e)
	if err != nil {
		log.Fatal(err)
	}
	defer listener.Close()
	served := make(chan struct{})
	go serve(listener, served)

	socket, err := net.DialUDP("udp", nil, listener.Addr().(*net.UDPAddr))
	if err != nil {
		log.Fatal(err)
	}
	conn, err := dtlsadapter.Client(context.Background(), socket, config, e)
	if err != nil {
		log.Fatal(err)
	}
	n, err := conn.WriteBurst([][]byte{[]byte("one"), []byte("two"), []byte("three")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("sent", n, "records under", dtlsadapter.SuiteName(conn.Suite()))
	if err := conn.Close(); err != nil {
		log.Fatal(err)
	}
	<-served
	// Unordered output:
	// sent 3 records under TLS_PSK_WITH_AES_128_GCM_SHA256
	// one
	// two
	// three
}

// records is how many the client sends. A server that knows it need not wait for the
// client's close_notify, which, like any datagram, may be lost.
const records = 3

// serve prints what one client sends.
func serve(listener *dtlsadapter.Listener, served chan<- struct{}) {
	defer close(served)
	conn, err := listener.AcceptConn()
	if err != nil {
		log.Print(err)
		return
	}
	defer conn.Close()
	bufs, sizes := make([][]byte, 32), make([]int, 32)
	for i := range bufs {
		bufs[i] = make([]byte, 1500)
	}
	for got := 0; got < records; {
		n, err := conn.ReadBurst(bufs, sizes)
		if err != nil {
			return // io.EOF: the client has closed
		}
		got += n
		for i := range n {
			fmt.Printf("%s\n", bufs[i][:sizes[i]])
		}
	}
}
