package record_test

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// A protocol of one's own: a record is its number in 8 bytes, which are authenticated, the
// payload sealed by ChaCha20-Poly1305, and the tag.
const (
	header = 8
	tag    = 16
)

// limits are what the algorithm bears, with numbers of 8 bytes and a new key after a million
// records. Rekey and Sealed would be record.Unlimited for none.
var limits = record.Limits{MaxNumber: 1<<64 - 1, Sealed: 1 << 32, Rekey: 1 << 20, Forged: 1 << 36}

func newKey(e *engine.Engine, d ciphers.Direction) *engine.Key {
	k, err := e.NewKey(engine.KeySpec{
		Algorithm: ciphers.ChaCha20Poly1305, Direction: d, Nonce: ciphers.NonceXOR,
		Key: make([]byte, 32), IV: make([]byte, 12), // from the key exchange
	})
	if err != nil {
		panic(err)
	}
	return k
}

// seal makes records of payloads. Those that the limits leave no number for are not made.
func seal(e *engine.Engine, k *engine.Key, s *record.Sender, payloads ...string) [][]byte {
	first, granted, err := s.Reserve(len(payloads))
	if errors.Is(err, record.ErrUsageLimit) {
		fmt.Println("a new key is needed")
	}
	packets, wires := make([]engine.Packet, granted), make([][]byte, granted)
	for i := range packets {
		number := first + uint64(i)
		wires[i] = make([]byte, header+len(payloads[i])+tag)
		binary.BigEndian.PutUint64(wires[i], number)
		copy(wires[i][header:], payloads[i])
		packets[i] = engine.Packet{
			Key: k, Buf: wires[i], Number: number, AADLen: header, Off: header, Len: uint32(len(payloads[i])),
		}
	}
	if e.Seal(packets) != granted {
		panic("not sealed")
	}
	return wires
}

// open reads the numbers, looks for replays, opens what is left, and settles.
func open(e *engine.Engine, k *engine.Key, r *record.Receiver, wires ...[]byte) {
	arrivals := make([]record.Arrival, len(wires))
	for i, wire := range wires {
		if len(wire) < header+tag {
			arrivals[i].Drop = record.DropTruncated
			continue
		}
		arrivals[i].Number = binary.BigEndian.Uint64(wire)
	}
	r.Look(arrivals)
	var packets []engine.Packet
	for i, wire := range wires {
		if arrivals[i].Drop == record.DropNone {
			packets = append(packets, engine.Packet{
				Key: k, Buf: wire, Number: arrivals[i].Number, AADLen: header, Off: header, Len: uint32(len(wire) - header),
			})
		}
	}
	e.Open(packets)
	r.SettlePackets(arrivals, packets)
	for i, wire := range wires {
		if arrivals[i].Drop != record.DropNone {
			fmt.Printf("number %d: %v\n", arrivals[i].Number, arrivals[i].Drop)
			continue
		}
		fmt.Printf("number %d: %s\n", arrivals[i].Number, wire[header:len(wire)-tag])
	}
}

// A burst arrives in which one record is forged and one comes twice, and after it one of it
// again. Neither moves the replay window.
func Example() {
	e, err := engine.New(engine.Config{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	sender, err := record.NewSender(record.SenderConfig{Limits: limits})
	if err != nil {
		panic(err)
	}
	receiver, err := record.NewReceiver(record.ReceiverConfig{Limits: limits, Window: 128})
	if err != nil {
		panic(err)
	}
	sealing, opening := newKey(e, ciphers.Sealing), newKey(e, ciphers.Opening)
	wires := seal(e, sealing, sender, "one", "two", "three")
	forged := append([]byte{0, 0, 0, 0, 0, 0, 1, 0}, wires[0][header:]...)
	again, late := append([]byte{}, wires[0]...), append([]byte{}, wires[2]...)

	open(e, opening, receiver, wires[0], forged, again, wires[2])
	open(e, opening, receiver, late, wires[1])
	highest, _ := receiver.Highest()
	fmt.Printf("highest %d, forged %d, new key due: %v\n", highest, receiver.Failed(), sender.RekeySoon())
	// Output:
	// number 0: one
	// number 256: unauthentic
	// number 0: replayed
	// number 2: three
	// number 2: replayed
	// number 1: two
	// highest 2, forged 1, new key due: false
}
