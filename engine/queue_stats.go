package engine

// QueueStats are a queue's counters since it was made.
type QueueStats struct {
	Depth    int    `json:"depth"`    // bursts inside now
	Capacity int    `json:"capacity"` // the most that may be
	Deepest  int    `json:"deepest"`  // the most that were
	Bursts   uint64 `json:"bursts"`   // submitted
	Packets  uint64 `json:"packets"`
	Rejected uint64 `json:"rejected"` // refused with ErrQueueFull
}

// MeanBurst is the mean number of packets a burst.
func (s QueueStats) MeanBurst() float64 { return mean(s.Packets, s.Bursts) }

// Stats are the counters as they are now.
func (q *Queue) Stats() QueueStats {
	q.mu.Lock()
	defer q.mu.Unlock()
	st := q.stats
	st.Depth, st.Capacity = int(q.next-q.first), int(q.depth)
	return st
}

// count counts a burst that makes the queue so deep.
func (s *QueueStats) count(packets int, depth uint64) {
	s.Bursts++
	s.Packets += uint64(packets)
	s.Deepest = max(s.Deepest, int(depth))
}
