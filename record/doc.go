// Package record is what DTLS, ESP and QUIC share above the cipher: the numbers of
// records and their limits, replay protection, and the datagrams that adapters
// frame in place. It never touches a wire header and never encrypts.
//
// Sealing a burst: Sender.Reserve hands out consecutive numbers, the engine seals in
// any order, the adapter sends in order.
//
// Opening a burst: the adapter recovers the numbers (package pnum), Receiver.Look
// spares what is replayed, the engine opens the rest, and Receiver.Settle, or SettlePackets,
// moves the replay window for what proved authentic, and for nothing else.
//
// A record that fails is data, not an error: a Drop says why, and Drops counts it.
// Sender, Receiver and Drops cost one atomic operation or one lock a burst, never one a
// packet, and allocate nothing once made.
package record
