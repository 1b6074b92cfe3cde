// Package memif is the listening end of a packet interface in shared memory, memif 2.0,
// whose connecting end is DPDK's net_memif with role=client or VPP. A program without
// DPDK meets one with it there: no system call and no copy of its own stands between
// them, so that it can take packets as fast as they come.
//
// It serves one queue each way and Ethernet frames in one buffer each. Linux on amd64.
package memif
