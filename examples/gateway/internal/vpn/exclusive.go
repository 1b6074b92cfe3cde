package vpn

import (
	"sync"

	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/record"
)

// exclusive is a port that several goroutines send to, a burst at a time.
type exclusive struct {
	port.Port
	mu *sync.Mutex
}

// Send waits for its turn.
func (e *exclusive) Send(burst []record.Datagram) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.Port.Send(burst)
}
