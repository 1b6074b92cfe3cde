// Package mmsg moves bursts of packets through a socket with Linux's recvmmsg and
// sendmmsg. On other systems it is empty.
package mmsg
