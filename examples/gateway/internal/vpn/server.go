// Package vpn is the gateway's networking: a server that joins many clients to its
// plain side and gives each an address there, and a client that keeps one tunnel up.
package vpn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
)

// Server is a gateway that clients connect to. All fields are needed; Run runs it once.
type Server struct {
	Listener *dtlsadapter.Listener
	Plain    port.Port
	Network  netip.Prefix // the server's own address inside, and the network that clients are in
	MTU      int          // the longest packet inside the tunnel
	Log      *slog.Logger
	Ledger   *Ledger
	Direct   Direct // may be nil

	linger   time.Duration // as the client's, and longer; 0 means the default
	table    *table
	sending  sync.Mutex // the plain side takes one burst at a time
	mu       sync.Mutex // guards pool
	pool     *pool
	sessions sync.WaitGroup

	closePlain func() error // closes Plain once, and says each time how that went
}

// Direct is a data path of its own that carries the packets of sessions, beside the
// server that makes and ends them. Packets that it leaves to the connections the server
// carries. Its methods are called from any goroutine.
type Direct interface {
	// Open tells of a session: packets for the address inside go into the connection.
	Open(conn *dtlsadapter.Conn, inside netip.Addr)
	// Close tells that a session is over, also one that never opened.
	Close(conn *dtlsadapter.Conn)
}

// Run serves until ctx is over or the plain side fails. It closes the listener and the
// plain side, and ends every session with a close_notify.
func (s *Server) Run(ctx context.Context) error {
	s.table, s.pool = newTable(), newPool(s.Network)
	s.linger = cmp.Or(s.linger, 2*linger)
	s.closePlain = sync.OnceValue(s.Plain.Close)
	s.Ledger.follow(s.Listener)
	s.Listener.NotifyFailed(s.unmet)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 2)
	var loops sync.WaitGroup
	loops.Go(func() { failed <- s.outward(ctx) })
	loops.Go(func() { failed <- s.accept(ctx) })
	err := <-failed
	cancel()
	_ = s.Listener.Close()
	closing := s.closePlain()
	loops.Wait()
	s.sessions.Wait()
	return errors.Join(err, closing)
}

// outward runs until ctx is over or the plain side fails.
func (s *Server) outward(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = s.closePlain() })
	defer stop()
	err := newOutward(s.Plain, s.MTU, s.table.find, &s.Ledger.count.Out).run()
	switch {
	case errors.Is(err, io.EOF): // of a capture, say: what comes in goes on
		s.Log.Info("plain side has no more packets")
		<-ctx.Done()
		return nil
	case ctx.Err() != nil:
		return nil
	}
	return fmt.Errorf("%w: %w", errPlain, err)
}

// unmet logs a handshake that failed. The listener bounds how many run, and so how many
// lines strangers can cause.
func (s *Server) unmet(peer net.Addr, err error) {
	s.Log.Warn("handshake failed", "peer", peer.String(), "reason", failure(err))
}

// accept runs until ctx is over or the listener fails.
func (s *Server) accept(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = s.Listener.Close() })
	defer stop()
	for {
		conn, err := s.Listener.AcceptConn()
		if ctx.Err() != nil && err != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("listener: %w", err)
		}
		s.sessions.Go(func() { s.serve(ctx, conn) })
	}
}

// serve runs one client's session to its end.
func (s *Server) serve(ctx context.Context, conn *dtlsadapter.Conn) {
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	one, err := s.admit(conn)
	if err != nil {
		s.Log.Warn("client refused", "peer", conn.RemoteAddr().String(), "reason", err)
		refuse(conn, err)
		return
	}
	log := s.Log.With("client", one.identity, "peer", conn.RemoteAddr().String(), "address", one.address.String())
	log.Info("session opened", "suite", dtlsadapter.SuiteName(conn.Suite()))
	s.Ledger.open(one)
	err = one.inward(&exclusive{s.Plain, &s.sending}, s.burst(), s.MTU, &s.Ledger.count.In)
	s.table.remove(one.address, one)
	if s.Direct != nil {
		s.Direct.Close(conn)
	}
	s.Ledger.close(one)
	log.Info("session ended", "reason", ending(err))
}

// burst is how many packets a session's goroutine has memory for. Beside a Direct there are
// few for it, and many sessions.
func (s *Server) burst() int {
	if s.Direct != nil {
		return 2
	}
	return port.MaxBurst
}

// refuse answers a client's requests with the reason until it goes, or has had time to.
func refuse(conn *dtlsadapter.Conn, reason error) {
	message := make([]byte, dtlsadapter.MaxPlaintext)
	answer := append([]byte{kindRefusal}, reason.Error()...)
	if err := conn.SetReadDeadline(time.Now().Add(askTimes * askEvery)); err != nil {
		return
	}
	for {
		n, err := conn.Read(message)
		if err != nil {
			return
		}
		if isRequest(message[:n]) {
			_, _ = conn.Write(answer)
		}
	}
}

// admit makes the session of a client. Packets are sent into it from its first
// request on, so that the answer, which tells the client its address, comes first.
func (s *Server) admit(conn *dtlsadapter.Conn) (*session, error) {
	identity, err := identify(conn)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	address, err := s.pool.assign(identity, func(a netip.Addr) bool { return s.table.find(a) != nil })
	if err != nil {
		return nil, err
	}
	one := &session{conn: conn, identity: identity, address: address}
	answer := appendAssignment(nil, Assignment{netip.PrefixFrom(address, s.Network.Bits()), s.MTU})
	one.control = func(message []byte) {
		if isRequest(message) {
			_, _ = conn.Write(answer) // lost, as it may be on the wire: the client asks again
			s.activate(one)
		}
	}
	return one, nil
}

// activate routes the client's address to its session. A session that the same client
// had before ends, once what is under way in it has come, a request among it perhaps; one
// that has lost its address to another client meanwhile is not taken up.
func (s *Server) activate(one *session) {
	if s.table.find(one.address) == one {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if one.replaced {
		return
	}
	if s.pool.of[one.identity] != one.address {
		time.AfterFunc(0, func() { _ = one.conn.Close() })
		return
	}
	before := s.table.set(one.address, one)
	if s.Direct != nil {
		s.Direct.Open(one.conn, one.address)
	}
	if before != nil {
		before.replaced = true
		time.AfterFunc(s.linger, func() { _ = before.conn.Close() })
	}
}
