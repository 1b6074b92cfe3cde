package pnum

// DTLS13 recovers a sequence number from the length bytes, 1 or 2, that the
// unified header carries after its encryption was removed, when highest is the
// highest one authenticated in the same epoch, or None. It is the number closest
// to one above highest (RFC 9147 section 4.2.2), and never above MaxDTLS13.
func DTLS13(truncated uint64, length int, highest uint64) uint64 {
	return nearest(truncated, uint(8*length), next(highest, MaxDTLS13), MaxDTLS13)
}
