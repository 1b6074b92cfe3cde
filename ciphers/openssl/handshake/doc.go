// Package handshake runs DTLS 1.2 handshakes of OpenSSL with itself, in memory, to
// measure what they cost. It is there for examples/bench alone. Like package openssl it
// is empty without the tag openssl.
package handshake
