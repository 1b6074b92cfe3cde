package probe

import (
	"bytes"
	"slices"

	"github.com/sealburst/sealburst/examples/quicping/frame"
)

// maxIDs is our active_connection_id_limit, the default (RFC 9000 section 18.2), and
// maxRetiring how many retirements may wait for their acknowledgement.
const (
	maxIDs      = 2
	maxRetiring = 64
)

// peerID is a connection ID of the server's.
type peerID struct {
	sequence uint64
	id       []byte
	token    [16]byte
	hasToken bool
}

// peerIDs are the server's connection IDs. The first is in use.
type peerIDs struct {
	all      []peerID
	prior    uint64   // all below are retired
	retiring []uint64 // to be told
}

// use begins with an ID that came in a header.
func (p *peerIDs) use(id []byte) { p.all = []peerID{{id: bytes.Clone(id)}} }

// current is the ID to send to.
func (p *peerIDs) current() []byte { return p.all[0].id }

// setToken notes the token of the first ID, which comes as a transport parameter.
func (p *peerIDs) setToken(token []byte) {
	if len(token) == 16 && p.all[0].sequence == 0 {
		p.all[0].token, p.all[0].hasToken = [16]byte(token), true
	}
}

// add takes a NEW_CONNECTION_ID frame in (RFC 9000 sections 5.1.1, 5.1.2 and 19.15).
func (p *peerIDs) add(f *frame.Frame) error {
	if len(p.current()) == 0 {
		return violated(protocolViolation, f.Type, "a new connection ID beside one of no length")
	}
	p.prior = max(p.prior, f.Value)
	if known := p.find(f); known != nil {
		if !bytes.Equal(known.id, f.Data) || known.sequence != f.ID {
			return violated(protocolViolation, f.Type, "a connection ID under two sequence numbers, or two under one")
		}
	} else if f.ID < p.prior {
		p.retiring = append(p.retiring, f.ID)
	} else {
		p.all = append(p.all, peerID{f.ID, bytes.Clone(f.Data), [16]byte(f.Token), true})
	}
	if !p.retire() {
		return violated(protocolViolation, f.Type, "all connection IDs are retired")
	}
	if len(p.all) > maxIDs || len(p.retiring) > maxRetiring {
		return violated(idLimitError, f.Type, "%d connection IDs are active, %d retired", len(p.all), len(p.retiring))
	}
	return nil
}

func (p *peerIDs) find(f *frame.Frame) *peerID {
	for i := range p.all {
		if known := &p.all[i]; known.sequence == f.ID || bytes.Equal(known.id, f.Data) {
			return known
		}
	}
	return nil
}

// retire drops the IDs below prior, unless none would be left.
func (p *peerIDs) retire() bool {
	keep := func(id peerID) bool { return id.sequence >= p.prior }
	if !slices.ContainsFunc(p.all, keep) {
		return false
	}
	left := p.all[:0]
	for _, id := range p.all {
		if keep(id) {
			left = append(left, id)
		} else {
			p.retiring = append(p.retiring, id.sequence)
		}
	}
	p.all = left
	return true
}
