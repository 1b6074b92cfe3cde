package frame

// AppendCrypto appends a CRYPTO frame.
func AppendCrypto(b []byte, offset uint64, data []byte) []byte {
	b = AppendVarint(AppendVarint(append(b, byte(Crypto)), offset), uint64(len(data)))
	return append(b, data...)
}

// MaxCryptoOverhead is how much longer a CRYPTO frame can be than its data.
const MaxCryptoOverhead = 1 + 8 + 4

// AppendAck appends an ACK frame. ranges are not empty, the highest first, with a gap
// between any two; delay is in units of the exponent that was announced.
func AppendAck(b []byte, delay uint64, ranges []Range) []byte {
	b = AppendVarint(append(b, byte(Ack)), ranges[0].High)
	b = AppendVarint(AppendVarint(b, delay), uint64(len(ranges)-1))
	b = AppendVarint(b, ranges[0].High-ranges[0].Low)
	for i, r := range ranges[1:] {
		b = AppendVarint(b, ranges[i].Low-r.High-2)
		b = AppendVarint(b, r.High-r.Low)
	}
	return b
}

// AppendClose appends a CONNECTION_CLOSE frame of the transport.
func AppendClose(b []byte, code uint64, at Type, reason string) []byte {
	b = AppendVarint(AppendVarint(append(b, byte(ConnectionClose)), code), uint64(at))
	return append(AppendVarint(b, uint64(len(reason))), reason...)
}

// AppendRetire appends a RETIRE_CONNECTION_ID frame.
func AppendRetire(b []byte, sequence uint64) []byte {
	return AppendVarint(append(b, byte(RetireConnectionID)), sequence)
}

// AppendPathResponse appends a PATH_RESPONSE frame to the 8 bytes of a challenge.
func AppendPathResponse(b, data []byte) []byte {
	return append(append(b, byte(PathResponse)), data...)
}
