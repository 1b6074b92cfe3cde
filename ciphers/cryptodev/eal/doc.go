// Package eal starts DPDK, once a process, for whatever part of a program uses
// it: the backend of package cryptodev, a gateway's ports, or both.
//
//	err := eal.Start(nil)
//	err := eal.Start([]string{"--vdev=net_memif0", "-a", "0000:3b:00.0"})
//
// The arguments are those of DPDK's environment abstraction layer, without a
// program's name. What they leave open, Start decides:
//
//   - Memory lies in hugepages where at least 64 MiB of them are free (--in-memory,
//     which needs no mount), and else not (--no-huge -m 256). Current says which.
//   - No PCI device is touched (--no-pci) unless the arguments allow or block some.
//   - No file or socket is made that another process could meet (--no-shconf,
//     --no-telemetry), so that any number of processes run side by side.
//   - The log has warnings and errors (--log-level=*:warning). After the start it goes to
//     the standard error.
//   - DPDK has one lcore and no worker (--lcores 0@N): threads are the caller's. One
//     that handles bursts of its own calls Register.
//
// Without the build tag dpdk the package has no DPDK: every function that needs
// it returns ErrUnavailable. With the tag it takes cgo, Linux, and DPDK 22.11 or
// later as pkg-config's libdpdk (Debian's package libdpdk-dev).
package eal
