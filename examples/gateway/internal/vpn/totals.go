package vpn

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
	"github.com/sealburst/sealburst/record"
)

// Totals are what a gateway did since it started.
type Totals struct {
	Uptime    float64           `json:"uptime_s"`
	Sessions  int               `json:"sessions"`          // now
	Opened    uint64            `json:"sessions_opened"`   // since the start
	Failed    uint64            `json:"handshakes_failed"` // since the start
	Shed      uint64            `json:"handshakes_shed"`   // refused or given up because too many ran
	Overrun   uint64            `json:"datagrams_shed"`    // of handshakes and requests, lost between workers and a listener too slow for them
	Out       tunnel.Flow       `json:"out"`               // from the plain side into tunnels
	In        tunnel.Flow       `json:"in"`                // from tunnels to the plain side
	Drops     map[string]uint64 `json:"record_drops"`      // of records, by cause
	Backends  map[string]string `json:"backends"`          // of the algorithms used
	SealBurst float64           `json:"mean_burst_seal"`   // packets that reached the engine together
	OpenBurst float64           `json:"mean_burst_open"`   //
	MeanBurst float64           `json:"mean_burst"`        // of both
	Sealed    engine.Counts     `json:"engine_seal"`       //
	Unsealed  engine.Counts     `json:"engine_open"`       //
}

// Ledger gathers what a gateway's totals are made of.
type Ledger struct {
	engine *engine.Engine
	begin  time.Time
	count  tunnel.Counters
	unmet  func() (failed, shed uint64) // handshakes of a listener
	strays func() record.Tally          // drops of records that belong to no session

	mu     sync.Mutex
	peers  int // that need no session
	live   map[*session]struct{}
	opened uint64
	missed uint64       // handshakes that a client began in vain
	ended  record.Tally // drops of sessions that are over
}

// NewLedger begins to count for a gateway on that engine.
func NewLedger(e *engine.Engine) *Ledger {
	return &Ledger{
		engine: e, begin: time.Now(), live: map[*session]struct{}{},
		unmet: func() (failed, shed uint64) { return 0, 0 }, strays: func() record.Tally { return record.Tally{} },
	}
}

// follow takes the failed handshakes and stray records from a listener.
func (l *Ledger) follow(from *dtlsadapter.Listener) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unmet = func() (failed, shed uint64) { s := from.Stats(); return s.Failed, s.Shed }
	l.strays = func() record.Tally { return from.Stats().Drops }
}

// Count is what a gateway that runs without sessions of this package adds its packets to.
func (l *Ledger) Count() *tunnel.Counters { return &l.count }

// Attach takes the totals from such a gateway: so many peers, and what drops says of
// records.
func (l *Ledger) Attach(peers int, drops func() record.Tally) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.peers, l.opened, l.strays = peers, uint64(peers), drops
}

func (l *Ledger) open(s *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.live[s] = struct{}{}
	l.opened++
}

// miss counts a handshake that a client began in vain.
func (l *Ledger) miss() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.missed++
}

func (l *Ledger) close(s *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.live, s)
	addDrops(&l.ended, s.conn)
}

func addDrops(sum *record.Tally, c *dtlsadapter.Conn) {
	stats := c.Stats()
	for cause := range sum {
		sum[cause] += stats.Sent.Drops[cause] + stats.Received.Drops[cause]
	}
}

// Totals adds everything up.
func (l *Ledger) Totals() Totals {
	l.mu.Lock()
	defer l.mu.Unlock()
	drops := l.strays()
	for cause, n := range l.ended {
		drops[cause] += n
	}
	for s := range l.live {
		addDrops(&drops, s.conn)
	}
	failed, shed := l.unmet()
	t := Totals{
		Uptime: time.Since(l.begin).Seconds(), Sessions: l.peers + len(l.live), Opened: l.opened, Failed: failed + l.missed, Shed: shed,
		Out: l.count.Out.Flow(), In: l.count.In.Flow(), Drops: drops.ByName(),
	}
	t.describe(l.engine)
	return t
}

// describe adds what the engine knows.
func (t *Totals) describe(e *engine.Engine) {
	report := e.Report()
	t.Sealed, t.Unsealed = report.Stats.Seal, report.Stats.Open
	t.SealBurst, t.OpenBurst = t.Sealed.MeanBurst(), t.Unsealed.MeanBurst()
	if bursts := t.Sealed.Bursts + t.Unsealed.Bursts; bursts > 0 {
		t.MeanBurst = float64(t.Sealed.Packets+t.Unsealed.Packets) / float64(bursts)
	}
	t.Backends = map[string]string{}
	for _, a := range report.Algorithms {
		if a.MeanEntry > 0 {
			t.Backends[a.Algorithm] = a.Backend
		}
	}
}

// Print writes the totals for people.
func (t *Totals) Print(to io.Writer) {
	fmt.Fprintf(to, "up %.1f s, %d sessions opened, %d handshakes failed\n", t.Uptime, t.Opened, t.Failed)
	if t.Shed+t.Overrun > 0 {
		fmt.Fprintf(to, "%d handshakes shed, for too many ran; %d datagrams of handshakes lost on the way to them\n", t.Shed, t.Overrun)
	}
	printFlow(to, "out", &t.Out, t.Uptime)
	printFlow(to, "in", &t.In, t.Uptime)
	for _, alg := range sorted(t.Backends) {
		fmt.Fprintf(to, "%s on backend %s\n", alg, t.Backends[alg])
	}
	fmt.Fprintf(to, "mean burst at the engine: %.1f packets (sealing %.1f, opening %.1f)\n", t.MeanBurst, t.SealBurst, t.OpenBurst)
	printDrops(to, "records", t.Drops)
}

func printFlow(to io.Writer, way string, f *tunnel.Flow, seconds float64) {
	fmt.Fprintf(to, "%-3s  %d packets, %d bytes, %.1f Mbit/s\n", way, f.Packets, f.Bytes, float64(f.Bytes)*8/seconds/1e6)
	printDrops(to, way, f.Drops)
}

func printDrops(to io.Writer, what string, drops map[string]uint64) {
	for _, cause := range sorted(drops) {
		fmt.Fprintf(to, "%s dropped: %d %s\n", what, drops[cause], cause)
	}
}

func sorted[V any](m map[string]V) (keys []string) {
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
