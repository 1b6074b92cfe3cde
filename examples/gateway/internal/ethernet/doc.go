// Package ethernet makes a gateway a host on an Ethernet network: it tells frames
// apart, finds out where neighbours live (ARP, RFC 826; neighbour discovery, RFC
// 4861) and answers those who ask for the gateway (ARP, neighbour solicitations,
// ICMP echo). It works on the frames' own memory, with no system call and no
// knowledge of the device that they came from.
//
// Frames with VLAN tags are not taken. Nothing is fragmented or reassembled.
package ethernet
