// Package ipsecadapter is ESP (RFC 4303) and AH (RFC 4302) in user space: it protects
// and opens IP packets in bursts, in place, under security associations that the caller
// makes by hand or from IKEv2 key material (RFC 7296 section 2.17).
//
//	sa, err := ipsecadapter.NewOutboundSA(e, ipsecadapter.OutboundConfig{ … })
//	out := ipsecadapter.NewOutbound(e)
//	n := out.Protect(burst, sas)      // sas[i] protects burst[i]
//
//	db := ipsecadapter.NewDatabase()
//	err := db.Add(inboundSA)
//	in := ipsecadapter.NewInbound(e, db, ipsecadapter.InboundOptions{})
//	n := in.Unprotect(burst, by)      // by[i] is the SA that burst[i] came through
//
// A burst may hold packets of any number of SAs; it goes to the engine in calls of up
// to 64. Tunnel and transport mode, IPv4 and IPv6 and UDP encapsulation (RFC 3948) are
// handled here. A bundle of SAs, such as AH around ESP, is one call for each: what ESP
// sealed is protected again by AH, and what AH let through is opened again by ESP.
//
// Policy is not handled here: the caller chooses the SA of an outbound packet (RFC 4301
// section 4.4.1), and what it forwards it also counts down in TTL. Nothing is fragmented
// or reassembled.
//
// A packet that fails is data, not an error: its Drop says why, and a counter counts it.
package ipsecadapter
