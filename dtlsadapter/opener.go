package dtlsadapter

import (
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// openSize is the most records that are opened in one call of the engine.
const openSize = 64

// opener is the scratch of whoever reads a transport. It gathers records in runs,
// each of one connection, opens all runs in one burst of the engine, and leaves
// an outcome for each record.
//
// The order is: begin and add, as long as there is room; open; look at runs,
// arrivals and records; reset.
type opener struct {
	engine   *engine.Engine
	records  [openSize][]byte         // whole, headers included
	arrivals [openSize]record.Arrival // what becomes of each
	packets  [openSize]engine.Packet
	aads     [openSize][aadSize]byte
	runs     [openSize]run
	nRuns    int
	n        int // records
	raw      [openSaved]savedRecord
	nRaw     int
}

// Opening in place destroys a record, and pion wants handshake records as they came.
// Those of the size that a Finished has are saved, the first few of a burst.
const (
	openSaved = 4
	savedSize = 128
)

type savedRecord struct {
	of   int // which record
	size int
	data [savedSize]byte
}

// run is a stretch of the burst that belongs to one receiving half.
type run struct {
	in         *Inbound
	conn       *Conn // whose half it is, or nil
	first, end int
	delivered  int // records that were accepted
}

func newOpener(e *engine.Engine) *opener {
	o := &opener{engine: e}
	for i := range o.packets {
		o.packets[i].Prefix = o.aads[i][:]
	}
	return o
}

func (o *opener) full() bool { return o.n == openSize }

// begin starts a run; full must be false.
func (o *opener) begin(in *Inbound, conn *Conn) {
	o.runs[o.nRuns] = run{in: in, conn: conn, first: o.n, end: o.n}
	o.nRuns++
}

// add puts a record into the last run; full must be false. A record that may be
// opened is described to the engine at once, in the place that it has if all before
// it may be.
func (o *opener) add(rec []byte) {
	r := &o.runs[o.nRuns-1]
	n := o.n & (openSize - 1)
	a := &o.arrivals[n]
	o.records[n] = rec
	*a = r.in.examine(rec)
	if a.Drop == record.DropNone {
		if rec[0] == typeHandshake {
			o.save(rec)
		}
		r.in.fill(&o.packets[n], &o.aads[n], rec, a.Number)
	}
	o.n++
	r.end = o.n
}

// open authenticates and decrypts what was added, in place, and moves the replay
// windows for what proved authentic.
func (o *opener) open() {
	fresh := 0
	for i := range o.runs[:o.nRuns] {
		r := &o.runs[i]
		fresh += r.in.receiver.Look(o.arrivals[r.first:r.end])
	}
	switch {
	case fresh != o.n:
		o.openSome()
	case o.engine.Open(o.packets[:o.n]) != o.n:
		o.judge(o.packets[:o.n])
	}
	for i := range o.runs[:o.nRuns] {
		r := &o.runs[i]
		r.delivered = r.in.receiver.Settle(o.arrivals[r.first:r.end])
		r.in.count(o.records[r.first:r.end], o.arrivals[r.first:r.end], r.delivered)
	}
}

// openSome opens the fresh records of a burst in which others are dropped already.
func (o *opener) openSome() {
	var index [openSize]uint8 // which record each packet is
	n := 0
	for i := range o.runs[:o.nRuns] {
		r := &o.runs[i]
		for at := r.first; at < r.end; at++ {
			if o.arrivals[at].Drop == record.DropNone {
				r.in.fill(&o.packets[n], &o.aads[n], o.records[at], o.arrivals[at].Number)
				index[n] = uint8(at)
				n++
			}
		}
	}
	if n == 0 {
		return
	}
	o.engine.Open(o.packets[:n])
	for i, at := range index[:n] {
		o.arrivals[at].Drop = record.DropOf(o.packets[i].Status)
	}
}

// judge takes over what became of a burst whose packets are its records, one by one.
func (o *opener) judge(packets []engine.Packet) {
	for i := range packets {
		o.arrivals[i].Drop = record.DropOf(packets[i].Status)
	}
}

// reset forgets the burst. The records' memory is not held on to.
func (o *opener) reset() {
	clear(o.records[:o.n])
	clear(o.runs[:o.nRuns])
	o.n, o.nRuns, o.nRaw = 0, 0, 0
}

func (o *opener) save(rec []byte) {
	if o.nRaw < openSaved && len(rec) <= savedSize {
		s := &o.raw[o.nRaw]
		s.of, s.size = o.n, copy(s.data[:], rec)
		o.nRaw++
	}
}

// saved is a record as it came, or nil if it was not saved.
func (o *opener) saved(of int) []byte {
	for i := range o.raw[:o.nRaw] {
		if s := &o.raw[i]; s.of == of {
			return s.data[:s.size]
		}
	}
	return nil
}
