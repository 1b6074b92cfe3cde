package offline

import (
	"encoding/binary"

	"github.com/pion/dtls/v2"
)

const (
	recordHeader  = 13 // of DTLS 1.2 (RFC 6347 section 4.1)
	messageHeader = 12 // of a handshake message (RFC 6347 section 4.2.2)
	randomSize    = 32

	typeHandshake       = 22
	typeApplicationData = 23
	clientHello         = 1
	serverHello         = 2
)

// hello is what the keys of a session depend on.
type hello struct {
	kind   byte
	random [randomSize]byte
	suite  dtls.CipherSuiteID // of a ServerHello
}

// parseHello looks for a hello in a record (RFC 5246 sections 7.4.1.2 and 7.4.1.3).
// Of a fragmented message it wants the first fragment.
func parseHello(rec []byte) (h hello, ok bool) {
	if len(rec) < recordHeader+messageHeader+2+randomSize || rec[0] != typeHandshake || epochOf(rec) != 0 {
		return hello{}, false
	}
	message := rec[recordHeader:]
	h.kind = message[0]
	first := message[6] == 0 && message[7] == 0 && message[8] == 0 // the fragment's offset
	body := message[messageHeader:]
	copy(h.random[:], body[2:])
	switch {
	case !first:
		return hello{}, false
	case h.kind == clientHello:
		return h, true
	case h.kind == serverHello:
		h.suite, ok = serverSuite(body[2+randomSize:])
		return h, ok
	}
	return hello{}, false
}

// serverSuite reads what follows the random of a ServerHello: a session ID and the suite.
func serverSuite(b []byte) (dtls.CipherSuiteID, bool) {
	if len(b) < 1 || len(b) < 1+int(b[0])+2 {
		return 0, false
	}
	return dtls.CipherSuiteID(binary.BigEndian.Uint16(b[1+int(b[0]):])), true
}

// epochOf is the epoch of a record that has a whole header.
func epochOf(rec []byte) uint16 { return binary.BigEndian.Uint16(rec[3:]) }
