package offline

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrKeyLog says that a key log file holds a line that is none of its format.
var ErrKeyLog = errors.New("key log: malformed line")

const masterSize = 48

// Secrets are master secrets by the client random of their session.
type Secrets map[[randomSize]byte][masterSize]byte

// ReadKeyLog reads a key log in the format of NSS: lines of a label, a client random
// and a secret in hexadecimal. Lines of other labels than CLIENT_RANDOM, empty
// lines and comments are passed over. An error names the line, never its content.
func ReadKeyLog(from io.Reader) (Secrets, error) {
	secrets := Secrets{}
	lines := bufio.NewScanner(from)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || fields[0] != "CLIENT_RANDOM" {
			continue
		}
		if err := secrets.add(fields); err != nil {
			return nil, fmt.Errorf("%w %d", err, n)
		}
	}
	return secrets, lines.Err()
}

func (s Secrets) add(fields []string) error {
	if len(fields) != 3 || len(fields[1]) != 2*randomSize || len(fields[2]) != 2*masterSize {
		return ErrKeyLog
	}
	random, err := hex.DecodeString(fields[1])
	if err != nil {
		return ErrKeyLog
	}
	master, err := hex.DecodeString(fields[2])
	if err != nil {
		return ErrKeyLog
	}
	s[[randomSize]byte(random)] = [masterSize]byte(master)
	return nil
}
