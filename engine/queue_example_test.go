package engine_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
)

// Two bursts on worker goroutines. They come back in order, whichever is done first.
func ExampleQueue() {
	e, err := engine.New(engine.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	key, err := e.NewKey(engine.KeySpec{
		Algorithm: ciphers.AES128GCM, Direction: ciphers.Sealing,
		Key: bytes.Repeat([]byte{1}, 16), Nonce: ciphers.NonceXOR, IV: bytes.Repeat([]byte{2}, 12),
	})
	if err != nil {
		log.Fatal(err)
	}
	q, err := e.NewQueue(engine.QueueConfig{Depth: 8})
	if err != nil {
		log.Fatal(err)
	}
	defer q.Close()
	for n := range 2 {
		burst := make([]engine.Packet, 32)
		for i := range burst {
			burst[i] = engine.Packet{Buf: make([]byte, 64+16), Key: key, Number: uint64(32*n + i), Len: 64}
		}
		if err := q.Submit(engine.Work{Op: engine.OpSeal, Packets: burst, Tag: n}); err != nil {
			log.Fatal(err) // engine.ErrQueueFull: try again after a Poll
		}
	}
	var done [8]engine.Work
	for back := 0; back < 2; {
		<-q.Ready()
		n := q.Poll(done[:])
		for _, w := range done[:n] {
			fmt.Println("burst", w.Tag, "of", len(w.Packets), w.Packets[0].Status)
		}
		back += n
	}
	// Output:
	// burst 0 of 32 ok
	// burst 1 of 32 ok
}
