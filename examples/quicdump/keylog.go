package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
)

// secrets are the traffic secrets of a key log, by client random and label.
type secrets map[string]map[string][]byte

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
		if err := all.add(strings.Fields(line)); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, number, err)
		}
	}
	return all, lines.Err()
}

// add takes a line in. The line itself is in no error, since it is secret.
func (s secrets) add(fields []string) error {
	if len(fields) != 3 {
		return fmt.Errorf("%d fields, not 3", len(fields))
	}
	random, err := hex.DecodeString(fields[1])
	if err != nil || len(random) != randomSize {
		return fmt.Errorf("the client random is not 32 bytes in hexadecimal")
	}
	secret, err := hex.DecodeString(fields[2])
	if err != nil {
		return fmt.Errorf("the secret is not hexadecimal")
	}
	if s[string(random)] == nil {
		s[string(random)] = map[string][]byte{}
	}
	s[string(random)][fields[0]] = secret
	return nil
}
