// Package dtlsadapter protects DTLS 1.2 (RFC 6347) with a record-protection engine.
// pion/dtls v2 does the handshake; from then on the engine seals and opens the
// records, in bursts, and pion sees no application data.
//
// Client, Server and Listen take pion's own Config. The Conn that they give is a
// net.Conn with ReadBurst and WriteBurst besides. UDP sockets are read and written in
// batches, on Linux with recvmmsg, sendmmsg, UDP_GRO and UDP_SEGMENT; other
// transports may offer batches as a BatchConn. Outbound and Inbound are the data
// path alone, for whoever has keys and datagrams but no connection.
//
// # Suites
//
// ECDHE with ECDSA or RSA certificates, and pre-shared keys: AES-128-GCM, AES-256-GCM,
// AES-128-CCM and the CCM_8 suites as pion offers them, and ChaCha20-Poly1305 (RFC
// 7905), which pion v2 lacks. Suites lists them. pion's CBC suites are refused with an
// ErrSuite before anything is sent.
//
// # Nonces
//
// Every record of epoch 1 that leaves has its epoch and sequence number as its nonce:
// Finished and its repetition, alerts and data, in one sequence of the connection's.
// pion v2 makes its explicit nonces at random (CVE-2026-26014); the transport below
// it opens its records and seals them anew, so that none of those leaves. What a
// peer puts into its own explicit nonces is opened all the same.
//
// The keys come from pion's key log and from the hellos on the wire, and count only
// once pion's own first record of epoch 1 opens under them. A Config's KeyLogWriter
// still gets its lines. If no hello that was seen explains that record, the handshake
// fails.
//
// # Whose certificate it is
//
// pion checks the server's certificate for no name when ServerName is an IP address or
// empty. Client checks it for the address, and refuses to go without any.
//
// # Against strangers
//
// After the handshake, records of epoch 0, ChangeCipherSpec, and whatever is not
// authentic is dropped and counted, so that nobody but the peer can end a connection.
// During it, what could only confuse pion is kept from it, and of a peer that has not
// returned pion's cookie a server's pion sees ClientHellos only, a bounded amount. A
// Listener lets a bounded number of handshakes run and gives up those whose peer does
// not return the cookie: after a time, or at once when a newcomer needs the room. It
// counts what it sheds.
//
// # What stays pion's
//
// The handshake is pion's, with its faults:
//   - The client's last flight in a resumption, once lost, is never sent again.
//   - A Finished that overtakes its ChangeCipherSpec costs a timeout.
//   - A server does not check what a client's Finished says in a full handshake, only
//     that the record is authentic.
//   - A client with a SessionStore cannot finish when the server's flight spans
//     several datagrams.
//   - A fatal alert that a stranger forges in epoch 0 ends a handshake that runs.
//   - Connection IDs (RFC 9146), renegotiation and DTLS 1.3 are not offered.
//
// In a Config's VerifyConnection, the State must not be asked to export keying
// material or to marshal itself when a ChaCha20-Poly1305 suite was agreed on: pion
// panics then. Conn.ExportKeyingMaterial works with every suite. A State is not
// handed out, since its sequence numbers are not those of the connection.
//
// A Config's MTU must leave a ServerHello's random and suite in its first fragment.
package dtlsadapter
