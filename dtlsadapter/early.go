package dtlsadapter

import "github.com/sealburst/sealburst/record"

const (
	stashRecords = 64
	stashBytes   = 64 << 10
	firstBytes   = 16 << 10 // ClientHellos, with repetitions, that wait for a server's answer
)

// stash keeps application data and alerts under keys that arrived before the handshake was over.
type stash struct {
	records [][]byte
	bytes   int
}

func (s *stash) put(rec []byte) record.Drop {
	if len(s.records) == stashRecords || s.bytes+len(rec) > stashBytes {
		return record.DropQueueFull
	}
	s.records = append(s.records, append([]byte(nil), rec...))
	s.bytes += len(rec)
	return record.DropNone
}

func (s *stash) take() [][]byte {
	records := s.records
	*s = stash{}
	return records
}

// sortEarly takes a datagram apart while the handshake runs: application data are
// kept for later, alerts under keys as well, what pion is to see goes to it in one datagram, as it came. If the
// handshake is over by now, nothing is done and the receiving half returned.
func (c *Conn) sortEarly(datagram []byte) *Inbound {
	c.mu.Lock()
	defer c.mu.Unlock()
	if in := c.in.Load(); in != nil {
		return in
	}
	kept := make([]byte, 0, len(datagram))
	var tally record.Tally
	for rest := datagram; len(rest) > 0; {
		rec, behind, ok := cutRecord(rest)
		if !ok {
			tally[record.DropTruncated]++
			break
		}
		cause := c.sortRecord(rec, &kept)
		tally[cause]++
		rest = behind
	}
	if len(kept) > 0 && (len(kept) > pionDatagram || !c.lower.give(kept)) {
		tally[record.DropQueueFull]++
	}
	tally[record.DropNone] = 0
	c.early.Add(&tally)
	return nil
}

// sortRecord keeps a record for pion or for later, or says why it goes no further.
// What could only make pion give up is not shown to it.
func (c *Conn) sortRecord(rec []byte, kept *[]byte) record.Drop {
	h := parseHeader(rec)
	body := rec[headerSize:]
	switch {
	case h.version != version12 && h.version != version10:
		return record.DropMalformed
	case h.epoch() > 1:
		return record.DropEpoch
	case h.length == 0:
		return record.DropTruncated
	case h.kind == typeApplicationData && h.epoch() == 0:
		return record.DropEpoch
	case c.server && !c.secrets.greeted():
		return c.sortFirst(rec, kept)
	case h.kind == typeApplicationData:
		return c.stash.put(rec)
	case !plausible(&h, body):
		return record.DropType
	}
	c.secrets.received(rec)
	*kept = append(*kept, rec...)
	if h.kind == typeAlert && h.epoch() == 1 {
		return c.stash.put(rec) // pion may read it when the handshake is over, and tell nobody
	}
	return record.DropNone
}

// sortFirst keeps a ClientHello, or a fragment of one, for a server's pion that has not
// answered any. Whoever sent it may have forged its address, and pion gathers
// fragments, so that not much of them is shown to it.
func (c *Conn) sortFirst(rec []byte, kept *[]byte) record.Drop {
	h := parseHeader(rec)
	switch {
	case h.kind != typeHandshake || h.epoch() != 0 || rec[headerSize] != messageClientHello:
		return record.DropType
	case c.first+len(rec) > firstBytes:
		return record.DropQueueFull
	}
	c.first += len(rec)
	c.secrets.received(rec)
	*kept = append(*kept, rec...)
	return record.DropNone
}

// plausible reports whether pion can make sense of a record that is no application data.
func plausible(h *header, body []byte) bool {
	switch h.kind {
	case typeHandshake:
		return true
	case typeAlert:
		return h.epoch() > 0 || len(body) == 2
	case typeChangeCipherSpec:
		return h.epoch() == 0 && len(body) == 1 && body[0] == 1
	}
	return false
}
