//go:build !unix

package seqstore

import "os"

// lock does nothing. This system has no lock that ends with its process: who starts two
// gateways with one file must see to it that the second one fails.
func lock(*os.File) error { return nil }

// syncFolder does nothing: this system does not let a program wait for names of files.
func syncFolder(string) error { return nil }
