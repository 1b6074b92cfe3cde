package seqstore

import (
	"fmt"
	"os"
)

// A file beside the store, the link, says which memory it is. The process that takes over
// makes memory of its own, and has the link lead to it before it uses any of what it found.
const (
	linkFile = ".memory"
	linkLine = "boot %s memory %d token %x lock %s\n"
)

// link is what the file of that name says.
type link struct {
	boot  string // which start of the system it was
	id    int
	token [16]byte
	lock  string // which file is the store's lock: that of a copy is another
}

func (l *link) String() string { return fmt.Sprintf(linkLine, l.boot, l.id, l.token[:], l.lock) }

// readLink reports false for anything but a link.
func (s *Store) readLink() (l link, ok bool) {
	text, err := os.ReadFile(s.path + linkFile)
	if err != nil {
		return l, false
	}
	var token []byte
	_, err = fmt.Sscanf(string(text), linkLine, &l.boot, &l.id, &token, &l.lock)
	if err != nil || len(token) != len(l.token) {
		return l, false
	}
	copy(l.token[:], token)
	return l, l.String() == string(text)
}

// writeLink replaces the link in one step. Nobody needs it after a power cut.
func (s *Store) writeLink(l *link) error {
	made := s.path + linkFile + ".new"
	defer func() { _ = os.Remove(made) }() // nothing is there once it was renamed
	if err := os.WriteFile(made, []byte(l.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(made, s.path+linkFile)
}
