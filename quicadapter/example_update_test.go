package quicadapter_test

import (
	"fmt"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/quicadapter"
)

// A key update: the next packet goes out in the next phase, and what the peer seals so
// comes back in it.
func ExampleConn_Update() {
	e, err := engine.New(engine.Config{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	client, err := quicadapter.NewConn(quicadapter.ConnConfig{Engine: e, Version: quicadapter.Version1, Side: quicadapter.Client})
	if err != nil {
		panic(err)
	}
	for _, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
		if err := client.Install(quicadapter.OneRTT, d, quicadapter.ChaCha20Poly1305, make([]byte, 32)); err != nil {
			panic(err)
		}
	}
	fmt.Println(client.Update())
	client.Confirm()
	fmt.Println(client.Update(), client.Phase())
	// Output:
	// quicadapter: key update before the last one is complete: the handshake is not confirmed
	// <nil> 1
}
