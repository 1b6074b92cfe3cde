package engine_test

import (
	"fmt"
	"log"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
)

// A burst is sealed under one key and opened under its counterpart. Packets lie
// in their own buffers: a header of 13 bytes, which is associated data, the
// payload, and room for the tag.
func Example() {
	e, err := engine.New(engine.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()

	spec := engine.KeySpec{
		Algorithm: ciphers.AES128GCM,
		Direction: ciphers.Sealing,
		Key:       []byte("sixteen byte key"), // from a handshake
		Nonce:     ciphers.NonceXOR,
		IV:        []byte("twelve bytes"), // likewise
	}
	sealing, err := e.NewKey(spec)
	if err != nil {
		log.Fatal(err)
	}
	spec.Direction = ciphers.Opening
	opening, err := e.NewKey(spec)
	if err != nil {
		log.Fatal(err)
	}

	const header, tag = 13, 16
	packets := make([]engine.Packet, 32)
	for i := range packets {
		payload := fmt.Sprintf("packet number %d", i)
		buf := make([]byte, header+len(payload)+tag)
		copy(buf[header:], payload)
		packets[i] = engine.Packet{
			Buf: buf, Key: sealing, Number: uint64(i),
			Off: header, Len: uint32(len(payload)), AADLen: header,
		}
	}
	fmt.Println(e.Seal(packets), "sealed")

	packets[7].Buf[header] ^= 1 // a forgery
	for i := range packets {
		packets[i].Key = opening
		packets[i].Len += tag
	}
	fmt.Println(e.Open(packets), "opened")
	for i := 6; i < 9; i++ {
		p := &packets[i]
		fmt.Printf("%v: %q\n", p.Status, p.Opened(tag))
	}
	// Output:
	// 32 sealed
	// 31 opened
	// ok: "packet number 6"
	// auth: "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	// ok: "packet number 8"
}

// Whoever has one message at a time takes a cipher.AEAD.
func ExampleEngine_AEAD() {
	e, err := engine.New(engine.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	aead, err := e.AEAD(ciphers.ChaCha20Poly1305, make([]byte, 32))
	if err != nil {
		log.Fatal(err)
	}
	defer aead.Close()

	nonce := make([]byte, aead.NonceSize())
	sealed := aead.Seal(nil, nonce, []byte("hello"), nil)
	opened, err := aead.Open(nil, nonce, sealed, nil)
	fmt.Printf("%d bytes, %q, %v\n", len(sealed), opened, err)

	sealed[0] ^= 1
	_, err = aead.Open(nil, nonce, sealed, nil)
	fmt.Println(err)
	// Output:
	// 21 bytes, "hello", <nil>
	// ciphers: authentication failed
}

// A program pins backends; a pin that cannot be kept is an error.
func ExampleConfig() {
	e, err := engine.New(engine.Config{
		Backends:          map[engine.Algorithm]string{ciphers.AES128GCM: "std"},
		IgnoreEnvironment: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	first := e.Report().Algorithms[0]
	fmt.Println(first.Algorithm, "by", first.Backend+",", first.Why)

	_, err = engine.New(engine.Config{
		Backends:          map[engine.Algorithm]string{ciphers.AES128GCM: "fpga"},
		Available:         nil, // those of this build
		IgnoreEnvironment: true,
	})
	fmt.Println(err != nil)
	// Output:
	// aes-128-gcm by std, pinned by Config
	// true
}
