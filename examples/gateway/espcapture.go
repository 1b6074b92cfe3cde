package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
	"github.com/sealburst/sealburst/examples/gateway/internal/offline"
	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
)

// espCaptureFlags say how a capture is protected with ESP.
type espCaptureFlags struct {
	protocolFlag
	transformFlag
	SA        string `name:"sa" placeholder:"FILE" help:"With esp: write the security associations, whose keys are fresh, to this new SA file. Whoever has it can read the packets."`
	Legacy    bool   `name:"allow-legacy" help:"With esp: ${legacy}."`
	Wireshark string `placeholder:"FILE" help:"With esp: write them to this new file for Wireshark too, in the format of its esp_sa."`
	UDP       bool   `name:"natt" help:"With esp: put ESP into UDP, as NAT traversal does."`
	Transport bool   `help:"With esp: transport mode instead of tunnels."`
}

// checkProtect refuses flags of the other protocol.
func (f *espCaptureFlags) checkProtect(keyLog string, suites *suiteFlags) error {
	switch {
	case f.Protocol == esp && (keyLog != "" || len(suites.Suite) > 0):
		return errors.New("-keylog and -suite are for -protocol dtls")
	case f.Protocol != esp && (f.Transform != "" || f.SA != "" || f.Legacy || f.Wireshark != "" || f.UDP || f.Transport):
		return errors.New("-sa, -transform, -allow-legacy, -wireshark, -natt and -transport are for -protocol esp")
	case f.Protocol == esp && f.SA == "":
		return errors.New("protect -protocol esp: name the SA file to write with -sa")
	}
	return nil
}

// protect makes ESP of the packets in a capture, under fresh keys.
func (f *espCaptureFlags) protect(env *environment, c *captureFlags) error {
	transform, err := f.transform()
	if err != nil {
		return err
	}
	if err := errors.Join(needLegacy(transform, f.Legacy), c.readable()); err != nil {
		return err
	}
	file, err := offline.FreshSAs(offline.SAPlan{Transform: transform, UDP: f.UDP, Transport: f.Transport})
	if err != nil {
		return err
	}
	if err := f.writeKeys(file); err != nil {
		return err
	}
	return c.convert(env, "protected", f.Legacy, func(e *engine.Engine, in *capture.Reader, out *capture.Writer) (offline.Totals, error) {
		return offline.ProtectESP(e, file, in, out)
	})
}

// writeKeys writes the SA file, and Wireshark's.
func (f *espCaptureFlags) writeKeys(file *safile.File) error {
	if f.Wireshark == "" {
		return file.Create(f.SA)
	}
	lines, err := file.WiresharkBytes()
	if err != nil {
		return fmt.Errorf("-wireshark: %w", err)
	}
	if err := file.Create(f.SA); err != nil {
		return err
	}
	return create(f.Wireshark, lines)
}

// create writes a file that was not there, for its owner alone.
func create(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}
