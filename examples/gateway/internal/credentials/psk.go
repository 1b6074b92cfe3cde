package credentials

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
)

// ErrPSKFile says that a file of pre-shared keys has a line that is none.
var ErrPSKFile = errors.New("malformed line; each is IDENTITY:KEY in hexadecimal, of at least 16 bytes")

const (
	minPSK = 16
	newPSK = 32
)

// PSKs are pre-shared keys by identity, in the order of their file.
type PSKs struct {
	keys  map[string][]byte
	first string
}

// LoadPSKs reads a file of pre-shared keys, IDENTITY:HEX a line. Empty lines and
// lines that begin with # are passed over. Errors name the line, never its content.
func LoadPSKs(path string) (*PSKs, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := &PSKs{keys: map[string][]byte{}}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := p.add(line); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if p.first == "" {
		return nil, fmt.Errorf("%s: no key", path)
	}
	return p, nil
}

func (p *PSKs) add(line string) error {
	identity, digits, ok := strings.Cut(line, ":")
	key, err := hex.DecodeString(digits)
	if !ok || identity == "" || err != nil || len(key) < minPSK {
		return ErrPSKFile
	}
	if p.keys[identity] != nil {
		return errors.New("a second key of the same identity")
	}
	if p.first == "" {
		p.first = identity
	}
	p.keys[identity] = key
	return nil
}

var errIdentity = errors.New("unknown identity")

// Key finds the key of an identity.
func (p *PSKs) Key(identity string) ([]byte, error) {
	if key := p.keys[identity]; key != nil {
		return key, nil
	}
	return nil, errIdentity
}

// GeneratePSKs appends a fresh key for each identity to a file that the owner alone
// can read.
func GeneratePSKs(path string, identities []string) error {
	for _, identity := range identities {
		if err := checkIdentity(identity); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	present := &PSKs{keys: map[string][]byte{}}
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		if present, err = LoadPSKs(path); err != nil {
			return err
		}
	}
	for _, identity := range identities {
		line, err := newLine(identity)
		if err != nil {
			return err
		}
		if err := present.add(line); err != nil {
			return fmt.Errorf("identity %q: %w", identity, err)
		}
		if _, err := fmt.Fprintln(f, line); err != nil {
			return err
		}
	}
	return nil
}

// checkIdentity refuses what a line of the file could not give back.
func checkIdentity(identity string) error {
	switch {
	case identity == "" || strings.TrimSpace(identity) != identity:
		return fmt.Errorf("identity %q: must not be empty, nor begin or end with a blank", identity)
	case strings.ContainsAny(identity, ":#\n\r"):
		return fmt.Errorf("identity %q: must not contain : or # or a line's end", identity)
	}
	return nil
}

func newLine(identity string) (string, error) {
	key := make([]byte, newPSK)
	if _, err := rand.Read(key); err != nil {
		return "", err
	}
	return identity + ":" + hex.EncodeToString(key), nil
}
