// Package lan joins two hosts, each with a network stack of its own (gVisor's, with real
// TCP), by a cable that loses nothing, and puts ESP and AH between: what a machine's
// applications get from IPsec, without the operating system's network in the figure.
package lan

import (
	"crypto/rand"
	"fmt"

	"github.com/sealburst/sealburst/ipsecadapter"
)

// Setup is what both hosts must know. The zero value is a cable without IPsec.
type Setup struct {
	ESP string `json:"esp,omitempty"` // a transform by the name that ipsecadapter gives it, or none
	AH  string `json:"ah,omitempty"`  // likewise
	// Keys are of the SAs towards the target, then towards the peer.
	ESPKeys [2][]byte `json:"esp_keys"`
	AHKeys  [2][]byte `json:"ah_keys"`
}

// NewSetup draws fresh keys for the transforms named, either of which may be empty.
func NewSetup(esp, ah string) (Setup, error) {
	s := Setup{ESP: esp, AH: ah}
	for _, part := range []struct {
		name string
		keys *[2][]byte
	}{{esp, &s.ESPKeys}, {ah, &s.AHKeys}} {
		if part.name == "" {
			continue
		}
		t, err := ipsecadapter.ParseTransform(part.name)
		if err != nil {
			return Setup{}, fmt.Errorf("lan: %w", err)
		}
		for i := range part.keys {
			part.keys[i] = make([]byte, t.KeySize())
			_, _ = rand.Read(part.keys[i]) // never fails
		}
	}
	return s, nil
}

// Side is one of the two hosts.
type Side int

// The hosts.
const (
	Target Side = iota // which is measured, and serves
	Peer               // which asks and keeps the time
)

// other is the far side.
func (s Side) other() Side { return 1 - s }
