package dtlsadapter

import (
	"encoding/binary"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/record/keysched"
)

const (
	messageClientHello = 1
	messageServerHello = 2
	messageFinished    = 20

	messageHeaderSize = 12                      // of a handshake message (RFC 6347 section 4.2.2)
	randomEnd         = 2 + keysched.RandomSize // version and random start both hellos
	helloPrefix       = randomEnd + 1 + 32 + 2  // as far as the suite of a ServerHello with a session ID
	maxCandidates     = 16                      // hellos of each side that are kept
)

// random is what a hello contributes to the keys.
type random [keysched.RandomSize]byte

// hello is the part of a ClientHello or ServerHello that the keys depend on.
type hello struct {
	random random
	server bool
	suite  dtls.CipherSuiteID // of a ServerHello
}

// parseHello reads a hello from the body of a handshake record (RFC 5246 sections
// 7.4.1.2 and 7.4.1.3). Of a fragmented message the first fragment must reach as
// far as the suite.
func parseHello(body []byte) (h hello, ok bool) {
	if len(body) < messageHeaderSize+randomEnd {
		return hello{}, false
	}
	kind := body[0]
	offset := uint24(body[6:])
	message := body[messageHeaderSize:]
	if kind != messageClientHello && kind != messageServerHello || offset != 0 {
		return hello{}, false
	}
	if fragment := uint24(body[9:]); fragment < len(message) {
		message = message[:fragment]
	}
	if len(message) < randomEnd {
		return hello{}, false
	}
	copy(h.random[:], message[2:])
	if kind == messageClientHello {
		return h, true
	}
	h.server = true
	return h, h.parseSuite(message[randomEnd:])
}

// parseSuite reads what follows the random of a ServerHello: a session ID and the suite.
func (h *hello) parseSuite(b []byte) bool {
	if len(b) < 1 || len(b) < 1+int(b[0])+2 {
		return false
	}
	h.suite = dtls.CipherSuiteID(binary.BigEndian.Uint16(b[1+int(b[0]):]))
	return true
}

func uint24(b []byte) int { return int(b[0])<<16 | int(b[1])<<8 | int(b[2]) }

// hellos are the last few distinct ones that were seen of one side.
type hellos struct {
	list []hello
}

// note keeps a hello, and lets go of the oldest when there are too many: what a
// stranger injects costs no memory.
func (s *hellos) note(h hello) {
	for i := range s.list {
		if s.list[i] == h {
			return
		}
	}
	if len(s.list) == maxCandidates {
		s.list = append(s.list[:0], s.list[1:]...)
	}
	s.list = append(s.list, h)
}

// noteRecord keeps the hello in a record of epoch 0, if there is one of the side
// that is wanted.
func (s *hellos) noteRecord(rec []byte, server bool) {
	h := parseHeader(rec)
	if h.kind != typeHandshake || h.epoch() != 0 {
		return
	}
	if found, ok := parseHello(rec[headerSize:]); ok && found.server == server {
		s.note(found)
	}
}
