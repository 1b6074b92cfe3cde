package dtlsadapter

import (
	"errors"
	"io"
	"net"
	"time"
)

const (
	closeGrace = 500 * time.Millisecond // for a transport that blocks to take the last record
	pionGrace  = 50 * time.Millisecond  // for pion's goroutines to end
)

// Close sends close_notify, closes the transport and zeroes the keys. It does not
// wait for the peer. Reads and writes that block return net.ErrClosed; what was
// received and not read is lost. The second Close returns net.ErrClosed.
//
// Connections close first, the engine after them. Once the engine is closed nothing
// can be sealed: Write fails with the error of ciphers.StatusEngine, what arrives is
// dropped as record.DropClosed, and Close still frees everything but cannot send
// close_notify, so that the peer learns nothing of it.
//
// If pion is just repeating its last flight, a goroutine of its stays for at most
// the Config's FlightInterval.
func (c *Conn) Close() error {
	if c.closing.Swap(true) {
		return net.ErrClosed
	}
	c.queue.close(net.ErrClosed, true)
	_ = c.link.SetWriteDeadline(time.Unix(1, 0)) // a write that blocks lets go of sendMu
	c.sendMu.Lock()
	_ = c.link.SetWriteDeadline(time.Now().Add(closeGrace))
	if c.endSending(net.ErrClosed) || errors.Is(*c.sendEnd.Load(), ErrPeerClosed) {
		c.notifyClose()
	}
	c.sendMu.Unlock()
	return c.shut(c.closePion)
}

// shut closes everything below and waits for the goroutines.
func (c *Conn) shut(closePion func()) error {
	c.mu.Lock()
	c.shutting = true
	c.mu.Unlock()
	_ = c.lower.Close()
	c.detach()
	err := c.link.Close()
	if closePion != nil {
		closePion()
	}
	c.background.Wait()
	if c.session != nil {
		c.session.close()
	}
	c.secrets.erase()
	return err
}

func (c *Conn) closePion() {
	done := make(chan struct{})
	go func() {
		_ = c.pion.Close() // its transport is closed: nothing can come of that
		close(done)
	}()
	grace := time.NewTimer(pionGrace)
	defer grace.Stop()
	select {
	case <-done:
	case <-grace.C:
	}
}

func (s *session) close() {
	s.out.Close()
	s.in.Close()
	s.own.close()
	clear(s.master)
}

// stop ends sending and receiving for a reason that is not the user's; what was
// received before can still be read.
func (c *Conn) stop(send, receive error) {
	c.endSending(send)
	c.queue.close(receive, false)
	c.detach()
}

// endSending says why nothing more is sent, and reports whether this is the first reason.
func (c *Conn) endSending(why error) bool { return c.sendEnd.CompareAndSwap(nil, &why) }

// sendError is why nothing more is sent, or nil.
func (c *Conn) sendError() error {
	if c.closing.Load() {
		return net.ErrClosed
	}
	if why := c.sendEnd.Load(); why != nil {
		return *why
	}
	return nil
}

// answerClose does what RFC 5246 section 7.2.1 asks of whoever gets a close_notify.
// The answer is not the reading goroutine's work: the transport may make it wait.
func (c *Conn) answerClose() {
	first := c.endSending(ErrPeerClosed)
	c.queue.close(io.EOF, false)
	if !first {
		return
	}
	c.spawn(func() {
		defer c.detach()
		c.sendMu.Lock()
		defer c.sendMu.Unlock()
		c.notifyClose()
	})
}

// notifyClose sends the connection's one close_notify; sendMu is held. If Close cut a
// first attempt short, the same record goes again.
func (c *Conn) notifyClose() {
	if c.notified {
		return
	}
	if c.goodbye == nil {
		goodbye, err := c.session.out.appendRecord(nil, typeAlert, []byte{alertWarning, alertCloseNotify})
		if err != nil { // the numbers or the engine ended
			return
		}
		c.goodbye = goodbye
	}
	_, err := c.link.Write(c.goodbye)
	c.notified = err == nil
}

// spawn runs what the reading goroutine must not wait for. Close waits for it.
func (c *Conn) spawn(work func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.shutting {
		c.background.Go(work)
	}
}
