package engine

import "time"

// ExchangeQueueStats are a queue's counters since it was made.
type ExchangeQueueStats struct {
	Since     time.Time     `json:"since"`
	Batches   uint64        `json:"batches"`
	Exchanges uint64        `json:"exchanges"`
	Shed      uint64        `json:"shed"`         // refused with ErrOverload
	Waited    time.Duration `json:"waited"`       // for company or a place, all exchanges together
	Longest   time.Duration `json:"longest_wait"` // of one
}

// Fill is the mean number of exchanges a batch.
func (s ExchangeQueueStats) Fill() float64 { return mean(s.Exchanges, s.Batches) }

// MeanWait is the mean time that an exchange waited before it ran.
func (s ExchangeQueueStats) MeanWait() time.Duration {
	return time.Duration(mean(uint64(s.Waited), s.Exchanges))
}

// Rate is exchanges a second between two readings, of which s is the later.
func (s ExchangeQueueStats) Rate(earlier ExchangeQueueStats, apart time.Duration) float64 {
	return float64(s.Exchanges-earlier.Exchanges) / apart.Seconds()
}

// Stats are the counters as they are now.
func (q *ExchangeQueue) Stats() ExchangeQueueStats {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.stats
}

// count counts a batch that is about to run. The queue is locked.
func (q *ExchangeQueue) count(batch []*request) {
	now := time.Now()
	q.stats.Batches++
	q.stats.Exchanges += uint64(len(batch))
	for _, r := range batch {
		waited := now.Sub(r.since)
		q.stats.Waited += waited
		q.stats.Longest = max(q.stats.Longest, waited)
	}
}
