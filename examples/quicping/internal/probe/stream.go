package probe

import "github.com/sealburst/sealburst/examples/quicping/frame"

// Bounds of CRYPTO data that came out of order. RFC 9000 section 7.5 asks for at least
// 4096 bytes.
const (
	maxPending       = 64
	maxPendingBehind = 1 << 16
)

// inbox puts CRYPTO data in order.
type inbox struct {
	delivered uint64 // bytes
	pending   []piece
}

type piece struct {
	offset uint64
	data   []byte
}

// take takes a frame's data in, and hands out what is in order now.
func (b *inbox) take(offset uint64, data []byte) (ready []byte, err error) {
	end := offset + uint64(len(data))
	if end > b.delivered+maxPendingBehind || offset > b.delivered && len(b.pending) == maxPending {
		return nil, violated(cryptoBufferExceeded, frame.Crypto, "CRYPTO data far ahead of their turn")
	}
	if offset > b.delivered {
		b.pending = append(b.pending, piece{offset, append([]byte(nil), data...)})
		return nil, nil
	}
	for ok := true; ok; offset, data, ok = b.next() {
		if skip := b.delivered - offset; skip < uint64(len(data)) {
			ready = append(ready, data[skip:]...)
			b.delivered += uint64(len(data)) - skip
		}
	}
	return ready, nil
}

// next removes a pending piece whose turn has come.
func (b *inbox) next() (offset uint64, data []byte, ok bool) {
	for i, p := range b.pending {
		if p.offset <= b.delivered {
			b.pending = append(b.pending[:i], b.pending[i+1:]...)
			return p.offset, p.data, true
		}
	}
	return 0, nil, false
}

// span is a part of the CRYPTO data that we send.
type span struct{ from, to int }

// outbox holds CRYPTO data that may have to be sent again.
type outbox struct {
	data  []byte
	queue []span // not sent, or lost
}

// write appends data to be sent.
func (b *outbox) write(data []byte) {
	if len(data) > 0 {
		b.queue = append(b.queue, span{len(b.data), len(b.data) + len(data)})
		b.data = append(b.data, data...)
	}
}

// append appends one CRYPTO frame to a payload that may grow by room bytes, and says
// which part of the data it carries.
func (b *outbox) append(payload []byte, room int) ([]byte, span) {
	s := b.queue[0]
	s.to = min(s.to, s.from+room-frame.MaxCryptoOverhead)
	if b.queue[0].from = s.to; b.queue[0].from == b.queue[0].to {
		b.queue = b.queue[1:]
	}
	return frame.AppendCrypto(payload, uint64(s.from), b.data[s.from:s.to]), s
}

// again queues what was lost.
func (b *outbox) again(lost []span) { b.queue = append(b.queue, lost...) }
