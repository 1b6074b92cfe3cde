package steps

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sealburst/sealburst/ciphers"
)

// parts measures the authenticator of a combined algorithm alone. The kernel of such an
// algorithm cannot be stopped between cipher and HMAC: so the backend's HMAC runs once
// more over as many bytes as each packet of a burst has, in memory of its own. That is
// done for one burst in sampleEvery. What the cipher takes is the rest.
type parts struct {
	mac   ciphers.AEAD // the HMAC as the backend has it without a cipher
	alone ciphers.Algorithm
	seal  atomic.Uint64 // bursts that were sealed
	open  atomic.Uint64 // and opened

	mu      sync.Mutex // guards what follows; nobody waits for it
	key     *ciphers.Key
	packets [ciphers.MaxBurst]ciphers.Packet
}

const sampleEvery = 64

// partsOf finds what measures an algorithm's parts, nil if it has none or its backend
// no HMAC alone.
func partsOf(b *ciphers.Backend, algorithm ciphers.Algorithm) *parts {
	switch algorithm.Encryption() {
	case 0, ciphers.IntegrityOnly, ciphers.NullEncryption:
		return nil
	}
	alone := ciphers.EncryptThenMAC(ciphers.IntegrityOnly, algorithm.Integrity())
	mac := b.AEADs[alone]
	if mac == nil {
		return nil
	}
	return &parts{mac: mac, alone: alone}
}

// due reports whether a burst is one to be measured on: the first one is. One that
// is measured on at that moment goes before.
func (p *parts) due(bursts *atomic.Uint64) bool {
	return bursts.Add(1)%sampleEvery == 1 && p.mu.TryLock()
}

// measure says how long the HMACs of a burst take that was just sealed or opened.
func (p *parts) measure(b ciphers.Burst) (took time.Duration, ok bool) {
	if p.key == nil {
		spec := ciphers.KeySpec{Algorithm: p.alone, Direction: ciphers.Sealing, AuthKey: make([]byte, p.alone.AuthKeySize())}
		key, err := ciphers.NewKey(&spec, &ciphers.Plan{Bulk: p.mac}, nil)
		if err != nil {
			return 0, false
		}
		p.key = key
	}
	for n, i := range b.Index {
		p.fill(&p.packets[n], &b.Packets[i])
	}
	alone := ciphers.Burst{Packets: p.packets[:len(b.Index)], Index: ciphers.Identity(len(b.Index))}
	start := threadTime()
	n := p.mac.Seal(alone)
	return threadTime() - start, n == len(b.Index)
}

// fill makes a packet whose HMAC covers as much as that of another one, but none of its
// bytes: they may be plaintext, and do not change the time.
func (p *parts) fill(to, from *ciphers.Packet) {
	size := covered(from)
	if need := size + p.key.TagSize(); len(to.Buf) < need {
		to.Buf = make([]byte, 2*need)
	}
	to.Key, to.AADLen, to.Off = p.key, uint16(size), uint16(size)
}

// covered is how many bytes the HMAC of a packet of a combined algorithm covers: see
// ciphers.EncryptThenMAC.
func covered(p *ciphers.Packet) int {
	const high = 4
	size := len(p.Prefix) + int(p.AADLen) + p.Key.ExplicitSize() + int(p.Len)
	if p.Key.Direction() == ciphers.Opening {
		size -= p.Key.TagSize()
	}
	if p.Key.ESN() {
		size += high
	}
	return min(size, ciphers.MaxAAD-ciphers.MaxTag*2)
}

// combined is what sealing or opening with combined algorithms took.
type combined struct {
	both    count // all of it
	sampled count // of that, the bursts on which the authenticator was measured
	mac     count // and the authenticator alone on those
	besides count // what measuring took: it is no part of any step
}

// took divides the time between the authenticator and the cipher, if there is a burst
// on which it was measured.
func (c *combined) took() (mac, cipher uint64, ok bool) {
	both, sampled := c.both.nanoseconds.Load(), c.sampled.nanoseconds.Load()
	if sampled == 0 {
		return 0, 0, false
	}
	mac = uint64(float64(both) * min(1, float64(c.mac.nanoseconds.Load())/float64(sampled)))
	return mac, both - mac, true
}

// run seals or opens a burst, tells how long that took, and measures the authenticator
// alone if that is due.
func (c *combined) run(p *parts, bursts *atomic.Uint64, b ciphers.Burst, with func(ciphers.AEAD, ciphers.Burst) int, aead ciphers.AEAD) int {
	if p.due(bursts) {
		return c.sample(p, b, with, aead)
	}
	start := time.Now()
	n := with(aead, b)
	c.both.add(len(b.Index), time.Since(start))
	return n
}

// sample compares times of the thread, so that both are of this work alone.
func (c *combined) sample(p *parts, b ciphers.Burst, with func(ciphers.AEAD, ciphers.Burst) int, aead ciphers.AEAD) int {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer p.mu.Unlock()
	start, own := time.Now(), threadTime()
	n := with(aead, b)
	own, took := threadTime()-own, time.Since(start)
	c.both.add(len(b.Index), took)
	if mac, ok := p.measure(b); ok {
		c.sampled.add(len(b.Index), own)
		c.mac.add(len(b.Index), mac)
	}
	c.besides.add(len(b.Index), time.Since(start)-took)
	return n
}

func (c *combined) reset() {
	for _, each := range []*count{&c.both, &c.sampled, &c.mac, &c.besides} {
		each.reset()
	}
}
