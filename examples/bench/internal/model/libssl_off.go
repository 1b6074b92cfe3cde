//go:build !openssl

package model

// Library measures nothing in a build without OpenSSL.
func Library(Effort) ([]Row, error) { return nil, nil }
