// Package dataplane carries packets between two Ethernet devices, a plain side and a
// protected side, and protects them on the way. Workers, one a thread, take bursts of up
// to 64 frames from either side and carry each burst all the way before they take the
// next: receive, look up, number, seal or open in the frames' own memory, send. No
// worker waits for anything, and none shares data that another one writes.
//
// The devices are ethernet.Queue's; the package knows nothing of what is behind them.
package dataplane
