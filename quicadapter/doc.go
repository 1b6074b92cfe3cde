// Package quicadapter protects packets of QUIC version 1 (RFC 9001) and version 2
// (RFC 9369) in bursts. It is for QUIC stacks, probes and middleboxes: it knows
// headers, numbers and keys, and nothing of frames, streams or loss recovery.
//
// A Conn holds the keys of one connection. Outbound and Inbound protect bursts of
// packets of any number of connections:
//
//	n := out.Seal(packets)                 // payloads become packets, in place
//	packets, n := in.Open(datagrams)       // datagrams become packets, in place
//
// Sealing writes the header in front of the payload, pads to the sample, and makes
// payload and header-protection mask in one call of the engine. Opening splits
// coalesced datagrams, makes the masks of the whole burst, recovers the numbers, opens,
// and only then asks the replay windows and moves windows and key phases.
//
// Who fills datagrams asks Packet.HeaderSize beforehand; who answers peers that are not
// known yet has Header.Parse, RetryTags and AppendVersionNegotiation. A Table takes packets
// with a greased fixed bit (RFC 9287) where it is told to.
//
// A packet that fails is data, not an error: its Drop says why, it is counted, and its
// neighbours are untouched. What ends a connection is told by Conn.Err.
//
// A Conn and a Table may be used by any number of goroutines. An Outbound or Inbound
// belongs to one at a time; their counters may be read by all. Nothing is allocated a
// packet once the storage has grown to the burst.
package quicadapter
