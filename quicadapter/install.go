package quicadapter

import (
	"fmt"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/record"
	"github.com/sealburst/sealburst/record/keysched"
)

// InstallInitial installs the keys of Initial packets in both directions, from the
// destination connection ID of the client's first Initial, or of the first after a
// Retry (RFC 9001 section 5.2). A second call replaces the keys; numbers go on (RFC 9000
// section 17.2.5.3).
func (c *Conn) InstallInitial(connectionID []byte) error {
	var client, server [keysched.InitialSecretSize]byte
	defer clear(client[:])
	defer clear(server[:])
	if err := c.maker.version.InitialSecrets(client[:], server[:], connectionID); err != nil {
		return err
	}
	sealing, opening := client[:], server[:]
	if c.side == Server {
		sealing, opening = opening, sealing
	}
	if err := c.install(Initial, ciphers.Sealing, AES128GCM, sealing); err != nil {
		return err
	}
	return c.install(Initial, ciphers.Opening, AES128GCM, opening)
}

// Install installs the keys of a traffic secret that TLS made. The secret is as long as the
// suite's hash, 48 bytes for AES256GCM and 32 for the others; another length is refused with
// keysched.ErrLength. OneRTT keys bring those
// of the next phase along; OneRTT sealing keys end ZeroRTT sealing (RFC 9001 section
// 4.9.3). Each type is installed once a direction.
func (c *Conn) Install(t Type, d ciphers.Direction, s Suite, secret []byte) error {
	if !t.HasKeys() || t == Initial {
		return fmt.Errorf("%w: Type %v takes no traffic secret", ErrConfig, t)
	}
	if d != ciphers.Sealing && d != ciphers.Opening {
		return fmt.Errorf("%w: Direction is neither Sealing nor Opening", ErrConfig)
	}
	return c.install(t, d, s, secret)
}

func (c *Conn) install(t Type, d ciphers.Direction, s Suite, secret []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	place := &c.seal[t]
	if d == ciphers.Opening {
		place = &c.open[t]
	}
	if c.err != nil {
		return c.err
	}
	if old := *place; old != nil && (old.gone || t != Initial) {
		return fmt.Errorf("%w: %v", ErrInstalled, t)
	}
	k, err := c.prepare(t, d, s, secret)
	if err != nil {
		return err
	}
	if *place != nil {
		(*place).close()
	}
	*place = k
	if t == OneRTT && d == ciphers.Sealing && c.seal[ZeroRTT] != nil {
		c.seal[ZeroRTT].discard()
	}
	return nil
}

// prepare makes the keys with their limits.
func (c *Conn) prepare(t Type, d ciphers.Direction, s Suite, secret []byte) (*keys, error) {
	k, err := c.maker.make(s, d, secret)
	if err != nil {
		return nil, err
	}
	if t == OneRTT {
		k.secret, k.next, err = c.maker.follow(s, d, secret)
	}
	if err == nil && d == ciphers.Sealing {
		k.sender, err = c.newSender(s, t)
	}
	if err != nil {
		k.close()
		return nil, err
	}
	limits, err := s.limits()
	if err != nil {
		k.close()
		return nil, err
	}
	c.limit = min(c.limit, limits.Forged)
	c.checkLimit() // a suite with a lower one may come after many failures
	return k, nil
}

func (s Suite) limits() (record.Limits, error) {
	p, err := s.protection()
	if err != nil {
		return record.Limits{}, err
	}
	return record.LimitsFor(record.QUIC, p.aead, TagSize)
}

// newSender counts the use of a new key, whose numbers go on where the space is.
func (c *Conn) newSender(s Suite, t Type) (*record.Sender, error) {
	limits, err := s.limits()
	if err != nil {
		return nil, err
	}
	return record.NewSender(record.SenderConfig{
		Limits: limits, Epoch: c.phases.current, First: c.spaces[t.space()].next,
	})
}

// discard closes the keys and remembers that they were there.
func (k *keys) discard() {
	k.close()
	k.gone = true
}

// Discard closes the keys of a type in both directions (RFC 9001 section 4.9). Those
// that are not there yet cannot be installed afterwards.
func (c *Conn) Discard(t Type) {
	if !t.HasKeys() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.discard(t)
}

func (c *Conn) discard(t Type) {
	for _, place := range [...]**keys{&c.seal[t], &c.open[t]} {
		if *place == nil {
			*place = &keys{}
		}
		(*place).discard()
	}
}

// Close closes all keys. Packets of the connection are dropped from then on.
func (c *Conn) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for t := Initial; t.HasKeys(); t++ {
		c.discard(t)
	}
	c.fail(ErrClosed)
}
