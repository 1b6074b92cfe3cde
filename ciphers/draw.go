package ciphers

import "crypto/rand"

// maxIV is the longest IV that is drawn, in bytes.
const maxIV = 16

// drawAtOnce is for how many packets the system's random source is asked at a
// time. More gains nothing.
const drawAtOnce = 64

// drawIVs writes an IV into every packet that wants one.
func drawIVs(ps []Packet) {
	var drawn [drawAtOnce * maxIV]byte
	for len(ps) > 0 {
		n := min(len(ps), drawAtOnce)
		random := drawn[:n*maxIV]
		rand.Read(random) // never fails: it ends the program when the system has none
		placeIVs(ps[:n], random)
		ps = ps[n:]
	}
}

// placeIVs gives each packet that wants an IV bytes of its own from random, which
// has maxIV for each packet.
func placeIVs(ps []Packet, random []byte) {
	for i := range ps {
		p := &ps[i]
		if !p.wantsIV() {
			continue
		}
		iv, fresh := p.IV(), random[i*maxIV:][:maxIV]
		if len(iv) == maxIV {
			*(*[maxIV]byte)(iv) = [maxIV]byte(fresh) // in one instruction, where copy is a call
		} else {
			copy(iv, fresh)
		}
	}
}

// wantsIV reports that the packet passed and that its IV is to be drawn.
func (p *Packet) wantsIV() bool { return p.Status == StatusNone && p.Key.spec.form == NonceDrawn }
