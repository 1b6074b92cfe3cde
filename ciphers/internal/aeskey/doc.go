// Package aeskey expands AES keys for kernels that keep round keys themselves. It
// has something to offer where such kernels are, on amd64 without the tag purego.
package aeskey
