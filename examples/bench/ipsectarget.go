package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"time"

	"github.com/sealburst/sealburst/examples/bench/internal/lan"
)

// targetOrder is what the peer's process tells the target's, on its standard input: it
// holds keys, which stand in no argument and no file.
type targetOrder struct {
	Setup lan.Setup `json:"setup"`
	Cable string    `json:"cable"` // the socket to connect to
	Core  int       `json:"core"`
}

// ipsecTarget is the process at the other end of the cable.
type ipsecTarget struct{}

// Run serves until standard input ends.
func (*ipsecTarget) Run(s streams) error { return serveTarget(os.Stdin, s.out) }

// ready is what the target says when its services are there.
const ready = "ready\n"

func serveTarget(orders io.Reader, answer io.Writer) error {
	decoder := json.NewDecoder(orders)
	var order targetOrder
	if err := decoder.Decode(&order); err != nil {
		return fmt.Errorf("ipsec-target is started by bench ipsec: %w", err)
	}
	e, undo, err := onCore(order.Core)
	if err != nil {
		return err
	}
	defer undo()
	conn, err := net.Dial("unix", order.Cable)
	if err != nil {
		return err
	}
	h, err := lan.NewHost(e, &order.Setup, lan.Target, conn)
	if err != nil {
		return err
	}
	if err := h.Serve(); err != nil {
		return err
	}
	if _, err := io.WriteString(answer, ready); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, io.MultiReader(decoder.Buffered(), orders)) // until the peer has enough
	drops := h.Drops()
	if err := h.Close(); err != nil {
		return err
	}
	if drops.Dropped() != 0 {
		return fmt.Errorf("packets were dropped: %v", drops)
	}
	return nil
}

// target is the other process, seen from the peer.
type target struct {
	command *exec.Cmd
	orders  io.Closer
	answer  io.Reader
	done    chan struct{}
	err     error // once done
}

func startTarget(command []string, order *targetOrder, stderr io.Writer) (*target, error) {
	t := &target{command: exec.Command(command[0], command[1:]...), done: make(chan struct{})}
	t.command.Stderr = stderr
	orders, err := t.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	t.orders = orders
	if t.answer, err = t.command.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := t.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		t.err = t.command.Wait()
		close(t.done)
	}()
	if err := json.NewEncoder(orders).Encode(order); err != nil {
		_ = t.stop()
		return nil, fmt.Errorf("the target takes no orders: %w", err)
	}
	return t, nil
}

// startTime is how long a target may take to connect.
const startTime = 30 * time.Second

// accept waits until the target has connected and serves, or has ended.
func (t *target) accept(l net.Listener) (net.Conn, error) {
	late := time.AfterFunc(startTime, func() { _ = l.Close() })
	defer late.Stop()
	go func() {
		<-t.done
		_ = l.Close()
	}()
	c, err := l.Accept()
	if err != nil {
		return nil, fmt.Errorf("the target does not connect: %w", err)
	}
	said := make([]byte, len(ready))
	if _, err := io.ReadFull(t.answer, said); err != nil || string(said) != ready {
		_ = c.Close()
		return nil, fmt.Errorf("the target does not serve: %w", err)
	}
	return c, nil
}

// stop ends the target and returns why it failed, if it did.
func (t *target) stop() error {
	_ = t.orders.Close()
	select {
	case <-t.done:
	case <-time.After(startTime):
		_ = t.command.Process.Kill()
		<-t.done
	}
	if t.err != nil {
		return fmt.Errorf("the target failed: %w", t.err)
	}
	return nil
}
