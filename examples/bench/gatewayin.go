package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// memifStart is how long two processes take until packets go from one to the other.
const memifStart = 2 * time.Second

// inward is the gateway opening what a second one seals, which it gets through memory
// that both share: sequence numbers must grow, so that no capture could be played over
// and over. The second one sends more than the first can take, which therefore never
// waits. Receiving from shared memory costs more than from a capture: this row is for
// itself.
func (g *gatewayCell) inward(program string, d time.Duration) (float64, error) {
	return twice(d, func(d time.Duration) (u usage, err error) {
		socket := filepath.Join(g.dir, "memif.sock")
		_ = os.Remove(socket) // of the run before
		opening := exec.Command(program, append(g.flags(g.saIn, nowhere, "net_memif0,role=server,socket-abstract=no,socket="+socket), "-time", (memifStart+d).String(), "-log", "error")...)
		sealing := exec.Command(program, append(g.flags(g.sa, g.endless(), "net_memif0,role=client,socket-abstract=no,socket="+socket), "-time", (2*memifStart+d).String(), "-log", "error")...)
		var out, failed bytes.Buffer
		opening.Stdout, opening.Stderr = &out, &failed
		if err := opening.Start(); err != nil {
			return u, err
		}
		awaitFile(socket)
		if err := sealing.Start(); err != nil {
			return u, err
		}
		err = opening.Wait()
		defer endInOrder(sealing.Process).Stop() // nobody is left to seal for
		_ = sealing.Wait()
		if err != nil {
			return u, fmt.Errorf("%w: %s", err, failed.String())
		}
		u.took = cpuOf(opening)
		u.packets, err = opened(out.Bytes())
		return u, err
	})
}

// awaitFile waits a while until a file is there.
func awaitFile(name string) {
	for range 100 {
		if _, err := os.Stat(name); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// opened is how many packets a gateway opened, by its totals. It must have been given
// nothing else. On a busy machine nothing may have come as yet.
func opened(totals []byte) (uint64, error) {
	var t struct {
		In struct {
			Packets uint64
			Drops   map[string]uint64
		}
	}
	if err := json.Unmarshal(totals, &t); err != nil {
		return 0, err
	}
	if t.In.Packets == 0 && len(t.In.Drops) == 0 {
		return 0, fmt.Errorf("%w: nothing had come", errNoMore)
	}
	if len(t.In.Drops) != 0 {
		return 0, fmt.Errorf("%d packets were opened, and these were not: %v", t.In.Packets, t.In.Drops)
	}
	return t.In.Packets, nil
}
