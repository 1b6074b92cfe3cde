package lan

import (
	"bytes"
	"errors"
	"io"
)

// errContent says that other bytes arrived than were sent.
var errContent = errors.New("lan: what arrived is not what was sent")

// period is the length of the pattern that is sent: no multiple of a segment's length or a
// block's, so that a packet in the place of another is noticed.
const period = 251

// pattern holds the bytes of a stream from any of the first places of a period on.
var pattern = func() []byte {
	p := make([]byte, period+chunk)
	for i := range p {
		p[i] = byte(i % period)
	}
	return p
}()

// send writes a stream of n bytes.
func send(w io.Writer, n int64) error {
	for at := int64(0); at < n; {
		part := pattern[at%period:][:min(chunk, n-at)]
		sent, err := w.Write(part)
		if err != nil {
			return err
		}
		at += int64(sent)
	}
	return nil
}

// receive reads a stream of n bytes and compares each.
func receive(r io.Reader, n int64) error {
	buffer := make([]byte, chunk)
	for at := int64(0); at < n; {
		got, err := r.Read(buffer[:min(chunk, n-at)])
		if !bytes.Equal(buffer[:got], pattern[at%period:][:got]) {
			return errContent
		}
		at += int64(got)
		if err != nil && at < n {
			return err
		}
	}
	return nil
}
