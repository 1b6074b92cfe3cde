package dtlsadapter

import (
	"context"
	"net/netip"
	"slices"
	"time"
)

// admit starts a handshake, or sheds it when there is no room; mu is held.
func (l *Listener) admit(from netip.AddrPort, table map[netip.AddrPort]*Conn, hello random) *Conn {
	if l.closing {
		return nil
	}
	if old := table[from]; old != nil {
		l.giveUp(old)
	}
	if !l.makeRoom() {
		l.counts.shed.Add(1)
		return nil
	}
	c := newConn(l.plan, &peer{listener: l, address: from}, true, l.writers)
	c.detach = func() { l.forget(from, c) }
	c.greeting = hello
	var ctx context.Context
	ctx, c.abandon = context.WithCancel(l.ctx)
	table[from] = c
	l.handshakes = append(l.handshakes, c)
	l.serving++
	l.running.Add(1)
	go l.serve(ctx, c, from)
	return c
}

// makeRoom reports whether another handshake may begin. When as many run as may, the
// oldest whose address may be forged is given up for it: strangers that do not answer
// keep nobody out. mu is held.
func (l *Listener) makeRoom() bool {
	if l.serving == maxHandshakes+maxEnding {
		return false
	}
	if len(l.handshakes) < maxHandshakes {
		return true
	}
	i := slices.IndexFunc(l.handshakes, func(c *Conn) bool { return !c.secrets.greeted() })
	if i < 0 {
		return false
	}
	l.handshakes[i].shed = true
	l.giveUp(l.handshakes[i])
	l.counts.shed.Add(1)
	return true
}

// giveUp ends a handshake, which no longer counts; mu is held.
func (l *Listener) giveUp(c *Conn) {
	c.abandon()
	l.leave(c)
}

// leave takes a handshake off those that count; mu is held.
func (l *Listener) leave(c *Conn) {
	if i := slices.Index(l.handshakes, c); i >= 0 {
		l.handshakes = slices.Delete(l.handshakes, i, i+1)
	}
}

// served ends a handshake's goroutine.
func (l *Listener) served(c *Conn) {
	l.mu.Lock()
	l.leave(c)
	l.serving--
	l.mu.Unlock()
	c.abandon()
	l.running.Done()
}

// serve runs a handshake, which alive can end, and hands the connection to Accept.
func (l *Listener) serve(alive context.Context, c *Conn, from netip.AddrPort) {
	defer l.served(c)
	ctx, cancel := l.handshakeContext()
	defer cancel()
	defer context.AfterFunc(alive, cancel)()
	forged := time.AfterFunc(l.reply, func() {
		if !c.secrets.greeted() {
			cancel()
		}
	})
	defer forged.Stop()
	if err := c.handshake(ctx); err != nil {
		l.fail(c, err)
		return
	}
	l.settle(from, c)
	select {
	case l.accepted <- c:
	case <-l.ctx.Done():
		_ = c.Close()
	}
}

// fail counts a handshake that failed, and tells whoever wants to know. Of those that
// were shed, which are counted already, nobody is told: a flood of them is no news.
func (l *Listener) fail(c *Conn, err error) {
	l.mu.Lock()
	shed := c.shed
	l.mu.Unlock()
	if shed {
		return
	}
	l.counts.failed.Add(1)
	if f := l.onFail.Load(); f != nil {
		(*f)(c.RemoteAddr(), err)
	}
}

func (l *Listener) handshakeContext() (context.Context, func()) {
	if maker := l.plan.user.ConnectContextMaker; maker != nil {
		return maker()
	}
	return context.WithTimeout(context.Background(), handshakeTime)
}

// settle puts a connection in the place of an older one from the same address, whose
// handshake may still run when the one before it was closed meanwhile.
func (l *Listener) settle(from netip.AddrPort, c *Conn) {
	l.mu.Lock()
	old := l.peers[from]
	if l.returning[from] == c {
		delete(l.returning, from)
		l.peers[from] = c
	}
	l.mu.Unlock()
	if old != nil && old != c {
		old.abandon()
		old.stop(ErrReplaced, ErrReplaced)
	}
}

// forget takes a connection off the listener.
func (l *Listener) forget(from netip.AddrPort, c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, table := range [...]map[netip.AddrPort]*Conn{l.peers, l.returning} {
		if table[from] == c {
			delete(table, from)
		}
	}
	l.closeIdle()
}
