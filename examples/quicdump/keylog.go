package main

import (
	"bufio"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
)

// secrets are the traffic secrets of a key log, by client random and label.
type secrets map[string]map[string]secret

// secret is one of them, and the line that it stands in.
type secret struct {
	bytes []byte
	line  int
}

// readKeyLog reads a file in the format of SSLKEYLOGFILE; none for no name.
func readKeyLog(file string) (secrets, error) {
	all := secrets{}
	if file == "" {
		return all, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	lines := bufio.NewScanner(f)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if err := all.add(strings.Fields(line), number); err != nil {
			return nil, fmt.Errorf("%s: malformed line %d: %w", file, number, err)
		}
	}
	return all, lines.Err()
}

// add takes a line in. The line itself is in no error, since it is secret.
func (s secrets) add(fields []string, line int) error {
	if len(fields) != 3 {
		return fmt.Errorf("%d fields, not 3", len(fields))
	}
	random, err := hex.DecodeString(fields[1])
	if err != nil || len(random) != randomSize {
		return fmt.Errorf("the client random is not 32 bytes in hexadecimal")
	}
	bytes, err := hex.DecodeString(fields[2])
	if err != nil {
		return fmt.Errorf("the secret is not hexadecimal")
	}
	if isTraffic(fields[0]) && len(bytes) != sha256.Size && len(bytes) != sha512.Size384 {
		return fmt.Errorf("the secret has %d bytes, not 32 or 48", len(bytes))
	}
	if s[string(random)] == nil {
		s[string(random)] = map[string]secret{}
	}
	s[string(random)][fields[0]] = secret{bytes, line}
	return nil
}

// isTraffic reports whether lines of a label have a secret that packets are opened with.
func isTraffic(label string) bool {
	for _, ofType := range labels {
		if slices.Contains(ofType[:], label) {
			return true
		}
	}
	return false
}
