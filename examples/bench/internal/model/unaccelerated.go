package model

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"github.com/sealburst/sealburst/engine"
)

// Unaccelerated runs the steps in a process of their own, whose Go and whose
// engine know of no AES instructions. The command line is that of a bench that
// prints its steps as JSON.
func Unaccelerated(ctx context.Context, command ...string) ([]Row, error) {
	child := exec.CommandContext(ctx, command[0], command[1:]...)
	child.Env = append(os.Environ(), "GODEBUG=cpu.aes=off,cpu.pclmulqdq=off", engine.EnvCPU+"=-aesni,-pclmulqdq")
	var complaint bytes.Buffer
	child.Stderr = &complaint
	out, err := child.Output()
	if err != nil {
		return nil, fmt.Errorf("model: without acceleration: %w: %s", err, complaint.Bytes())
	}
	var rows []Row
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var r Row
		if err := d.Decode(&r); err != nil {
			return nil, fmt.Errorf("model: without acceleration: %w", err)
		}
		if r.Kind == KindStep {
			r.Kind = KindUnaccelerated
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// Dearest are the paper's findings without acceleration: how many times the
// dearest suite costs the cheapest, a packet, and what ChaCha20-Poly1305 saves of
// the cryptography over AES at most.
func Dearest(rows []Row) []Row {
	const largest = 1450
	var least, most, aes, chacha float64
	for _, r := range rows {
		if r.Bytes != largest {
			continue
		}
		switch {
		case r.Name == StepTogether:
			if most = max(most, r.NS); least == 0 || r.NS < least {
				least = r.NS
			}
		case r.Name == StepSeal && r.Suite == "chacha20-poly1305":
			chacha = r.NS
		case r.Name == StepSeal:
			aes = max(aes, r.NS)
		}
	}
	if least == 0 || aes == 0 {
		return nil
	}
	return []Row{
		{Kind: KindFinding, Name: "dearest over cheapest suite without acceleration", Bytes: largest, Value: most / least, Unit: "times", Paper: paperDearest},
		{Kind: KindFinding, Name: "saved by chacha20-poly1305 over aes without acceleration", Bytes: largest, Value: 1 - chacha/aes, Unit: "of the cryptography", Paper: paperChaCha},
	}
}
