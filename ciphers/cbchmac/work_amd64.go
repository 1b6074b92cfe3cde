//go:build amd64 && !purego

package cbchmac

import (
	"sync"

	"github.com/sealburst/sealburst/ciphers"
)

// job is a burst to seal or to open.
type job struct {
	ciphers.Burst
	hash    macHash
	rounds  int // of AES, to encrypt with; 0 when opening, and without encryption
	opening bool
}

// ciphertext is the length of a packet's, in bytes.
func (j *job) ciphertext(p *ciphers.Packet) int {
	if j.opening {
		return int(p.Len) - p.Key.TagSize()
	}
	return int(p.Len)
}

// work is what one burst is computed in.
type work struct {
	group group
	cbc   cbcQueue
	mac   macLanes
	used  bool      // cbc or mac is not zero
	keys  *laneKeys // apart, since what has pointers starts no cache line
}

var works = sync.Pool{New: func() any { return &work{keys: new(laneKeys)} }}

// run sets the Status of the job's packets, encrypts what is to be encrypted and
// returns how many packets are OK. The packets in front that are alike go in
// groups, and from the first that is not, packet by packet into free lanes.
func (w *work) run(j job) (ok int) {
	for len(j.Index) > 0 && w.group.take(&j) {
		if j.rounds != 0 {
			w.group.encrypt(&j, w.keys)
		}
		ok += w.group.authenticate(&j)
		j.Index = j.Index[w.group.n:]
	}
	if len(j.Index) == 0 {
		return ok
	}
	w.used = true
	if j.rounds != 0 {
		w.cbc.encrypt(&j, w.keys)
	}
	return ok + w.mac.authenticate(&j)
}

// done zeroes the work, which holds keys, and gives it back.
func (w *work) done() {
	w.wipe()
	works.Put(w)
}

func (w *work) wipe() {
	if w.group.n != 0 {
		w.group = group{}
	}
	w.keys.wipe()
	if w.used {
		w.cbc, w.mac, w.used = cbcQueue{}, macLanes{}, false
	}
}
