package probe

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/sealburst/sealburst/examples/quicping/frame"
	"github.com/sealburst/sealburst/quicadapter"
	"github.com/sealburst/sealburst/record"
)

// The packet number spaces, in the order in which their packets are coalesced.
const (
	initialSpace = iota
	handshakeSpace
	appSpace
	numSpaces
)

var spaceTypes = [numSpaces]quicadapter.Type{quicadapter.Initial, quicadapter.Handshake, quicadapter.OneRTT}

func spaceOf(t quicadapter.Type) int { return slices.Index(spaceTypes[:], t) }

// Limits of our own.
const (
	idSize     = 8 // of the connection IDs that we choose
	maxHeld    = 10
	ourIdle    = 30 * time.Second
	tick       = 200 * time.Millisecond // how soon an interrupt is seen
	streamData = 1 << 16                // what a server may send on each of its streams
	streams    = 3                      // and how many it may open: HTTP/3 wants three
)

// session is one connection attempt.
type session struct {
	cfg     *Config
	version quicadapter.Version
	first   quicadapter.Version // asked for before a Version Negotiation; or version
	sock    *socket
	conn    *quicadapter.Conn
	tls     *quicadapter.TLS
	out     *quicadapter.Outbound
	in      *quicadapter.Inbound
	tags    *quicadapter.RetryTags

	ours     []byte // our connection ID
	original []byte // the server's, as we first made it up
	retrySrc []byte
	source   []byte // the server's, from its first packet
	token    []byte
	ids      peerIDs
	heard    bool // a packet of the server's was authentic

	spaces   [numSpaces]space
	rtt      rtt
	window   int
	backoff  uint // probe timeouts in a row
	params   *frame.Parameters
	held     []record.Datagram // for keys that are not there yet
	pathData []byte            // to be answered

	started   time.Time
	complete  bool
	confirmed bool
	validated bool // the server has seen a Handshake packet of ours
	lastHeard time.Time
	quiet     bool // nothing ack-eliciting was sent since lastHeard
	phase     uint64
	phaseAt   time.Time
	pings     pings
	trial     bool   // the peer has not answered in the phase that we began
	updated   int    // key updates that we began
	bursts    [2]int // packets and bursts opened
	result    Result
}

// newSession prepares an attempt. close releases what it holds.
func newSession(cfg *Config, version, first quicadapter.Version) (*session, error) {
	s := &session{cfg: cfg, version: version, first: first, window: maxWindow}
	s.pings.init(cfg)
	s.ours, s.original = make([]byte, idSize), make([]byte, idSize)
	for _, b := range [][]byte{s.ours, s.original} {
		if _, err := rand.Read(b); err != nil {
			return nil, err
		}
	}
	s.ids.use(s.original)
	if err := s.protect(); err != nil {
		s.close()
		return nil, err
	}
	var err error
	if s.sock, err = dial(cfg.Address); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// protect makes keys and what uses them.
func (s *session) protect() (err error) {
	if s.conn, err = quicadapter.NewConn(quicadapter.ConnConfig{
		Engine: s.cfg.Engine, Version: s.version, Side: quicadapter.Client,
	}); err != nil {
		return err
	}
	if err := s.conn.InstallInitial(s.original); err != nil {
		return err
	}
	table, err := quicadapter.NewTable(idSize)
	if err != nil {
		return err
	}
	if err := table.Add(s.ours, s.conn); err != nil {
		return err
	}
	if s.tags, err = quicadapter.NewRetryTags(s.cfg.Engine); err != nil {
		return err
	}
	s.out, s.in = quicadapter.NewOutbound(s.cfg.Engine), quicadapter.NewInbound(s.cfg.Engine, table)
	s.tls, err = quicadapter.NewTLS(quicadapter.TLSConfig{Conn: s.conn, TLS: s.cfg.TLS, Parameters: s.parameters()})
	return err
}

func (s *session) parameters() []byte {
	p := frame.Parameters{
		InitialSource: s.ours, MaxIdleTimeout: ourIdle, MaxPayload: maxReceived,
		InitialMaxData: streams * streamData, MaxStreamDataUni: streamData, MaxStreamsUni: streams,
		ChosenVersion:     uint32(s.version),
		AvailableVersions: []uint32{uint32(quicadapter.Version1), uint32(quicadapter.Version2)},
	}
	return p.Append(nil)
}

func (s *session) close() {
	if s.tls != nil {
		_ = s.tls.Close() // an unfinished handshake is reported by run
	}
	if s.tags != nil {
		s.tags.Close()
	}
	if s.conn != nil {
		s.conn.Close()
	}
	if s.sock != nil {
		_ = s.sock.udp.Close() // nothing is buffered in it
	}
}

// run is the whole connection. It returns nil when every ping was answered.
func (s *session) run(ctx context.Context) error {
	s.started = time.Now()
	s.lastHeard = s.started
	err := s.tls.Start(ctx)
	for err == nil && !s.pings.done() {
		s.collect()
		if err = s.flush(); err == nil {
			err = s.receive(ctx)
		}
		if err == nil {
			err = s.onTime(time.Now())
		}
		if ctx.Err() != nil {
			break
		}
	}
	if err == nil {
		err = s.pings.verdict()
	}
	s.sayGoodbye(err)
	s.finish()
	return err
}

// finish fills in what is counted in the end.
func (s *session) finish() {
	s.result.Pings, s.result.Updates = s.pings.settled, s.conn.Phase()
	tally := s.in.Drops()
	s.result.Dropped = tally.ByName()
	if s.bursts[1] > 0 {
		s.result.Burst = float64(s.bursts[0]) / float64(s.bursts[1])
	}
}

// receive waits for a burst, no longer than the next timer, and handles it.
func (s *session) receive(ctx context.Context) error {
	deadline := s.nextTimer()
	if soon := time.Now().Add(tick); ctx.Done() != nil && deadline.After(soon) {
		deadline = soon
	}
	burst, err := s.sock.read(deadline)
	var timeout net.Error
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return nil
	case err != nil && !s.heard:
		return fmt.Errorf("%w from %s: %w", ErrNoAnswer, s.sock.udp.RemoteAddr(), errors.Unwrap(err))
	case err != nil:
		return nil // ICMP errors of later are not to be trusted
	}
	if err := s.open(burst); err != nil {
		return err
	}
	return s.openHeld()
}

// nextTimer is when onTime has something to do.
func (s *session) nextTimer() time.Time {
	next := s.idleAt()
	for _, t := range [...]time.Time{s.lossTimer(), s.pings.next(s.ready() && !s.trial), s.handshakeTimer()} {
		if !t.IsZero() && t.Before(next) {
			next = t
		}
	}
	return next
}

func (s *session) handshakeTimer() time.Time {
	if s.ready() {
		return time.Time{}
	}
	return s.started.Add(s.cfg.Handshake)
}

// ready reports that pings may be sent. Once the handshake is confirmed, the server has
// the keys for them for certain (RFC 9001 section 5.7).
func (s *session) ready() bool { return s.complete && s.confirmed }

// idleAt is when the connection is silently over (RFC 9000 section 10.1).
func (s *session) idleAt() time.Time {
	idle := ourIdle
	if s.params != nil && s.params.MaxIdleTimeout != 0 {
		idle = min(idle, s.params.MaxIdleTimeout)
	}
	return s.lastHeard.Add(max(idle, 3*s.rtt.timeout()))
}

// onTime does what is due.
func (s *session) onTime(now time.Time) error {
	if at := s.handshakeTimer(); !at.IsZero() && !at.After(now) {
		return s.tooLate()
	}
	if !s.idleAt().After(now) {
		return ErrIdle
	}
	s.onLossTimer(now)
	s.onPhase(now)
	if s.ready() {
		s.pings.expire(now, s.cfg)
	}
	return s.conn.Err()
}

func (s *session) tooLate() error {
	what := "%w from %s within %v"
	if s.heard {
		what = "%w that completes the handshake from %s within %v"
	}
	return fmt.Errorf(what, ErrNoAnswer, s.sock.udp.RemoteAddr(), s.cfg.Handshake)
}

// onPhase forgets the keys of the phase before, three probe timeouts after the change
// (RFC 9001 section 6.5).
func (s *session) onPhase(now time.Time) {
	switch phase := s.conn.Phase(); {
	case phase != s.phase:
		s.phase, s.phaseAt = phase, now
	case !s.phaseAt.IsZero() && now.Sub(s.phaseAt) > 3*s.rtt.timeout():
		s.conn.ForgetPrevious()
		s.phaseAt = time.Time{}
	}
}
