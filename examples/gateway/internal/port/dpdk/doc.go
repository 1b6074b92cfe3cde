// Package dpdk is Ethernet devices of DPDK as the gateway's ports: physical ones by
// their PCI address, virtual ones by DPDK's name and parameters for them.
//
//	net_memif0,role=server,socket=/run/gw.sock   shared memory with another process
//	net_tap0,iface=plain                         a TAP interface of the system
//	net_af_packet0,iface=eth1                    a network interface of the system
//	net_pcap0,rx_pcap=IN,tx_pcap=OUT             capture files
//	0000:3b:00.0                                 a network card
//
// A Device has queues, each for one thread, which receive and send bursts with one
// crossing into C each. Frames lie in DPDK's buffers and are seen as Go slices without
// copying. Port puts a Device behind the interface of the other ports, which copies.
//
// Without the build tag dpdk the package has no devices, and opening one fails with
// ErrUnavailable. With the tag it takes cgo and DPDK 22.11 or later.
package dpdk
