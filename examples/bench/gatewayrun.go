package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// gatewayProgram is a contestant: run gives the processor time of a packet in
// nanoseconds, measured in about that time.
type gatewayProgram struct {
	name string
	peer bool // the gateway is compared with it
	run  func(time.Duration) (float64, error)
}

// programs are the contestants of a cell, the gateway first.
func (g *gatewayCell) programs(t *gatewayTable) []gatewayProgram {
	all := []gatewayProgram{
		{"gateway, ESP", false, func(d time.Duration) (float64, error) { return g.gateway(t.Gateway, d) }},
		{"dpdk-testpmd, I/O alone", false, g.testpmd},
		{"dpdk-test-crypto-perf, AES-128-GCM alone", false, g.cryptoPerf},
		{"gateway, DTLS to net_memif", false, func(d time.Duration) (float64, error) { return g.dtls(t.Gateway, d) }},
		{"dpdk-testpmd, I/O alone to net_memif", false, g.testpmdFar},
	}
	older := gatewayProgram{"ipsec-secgw", true, func(d time.Duration) (float64, error) { return g.secgw(t.Secgw, d) }}
	switch {
	case t.Quick && t.Secgw == "":
		return all
	case t.Quick:
		return append(all, older)
	}
	return append(all,
		gatewayProgram{"gateway, ESP to net_memif", false, func(d time.Duration) (float64, error) { return g.espFar(t.Gateway, d) }},
		gatewayProgram{"gateway, ESP inward over net_memif", false, func(d time.Duration) (float64, error) { return g.inward(t.Gateway, d) }},
		gatewayProgram{"ipsec-secgw -l", true, func(d time.Duration) (float64, error) { return g.secgw(t.Secgw, d, "-l") }},
		older)
}

// usage is what a program did and what it took.
type usage struct {
	packets uint64
	took    time.Duration // processor time
}

// errNoMore says that a run was too short for the noise of its start.
var errNoMore = errors.New("a longer run did not do more")

// marginal is the cost of a packet in nanoseconds beyond a program's start: what the
// longer of two runs did more.
func marginal(short, long usage) (float64, error) {
	if long.packets <= short.packets || long.took <= short.took {
		return 0, fmt.Errorf("%w: %+v, %+v", errNoMore, short, long)
	}
	return float64(long.took-short.took) / float64(long.packets-short.packets), nil
}

// twice measures a program that runs for a given time, and again for longer if the
// machine was too busy to see a difference.
func twice(d time.Duration, run func(time.Duration) (usage, error)) (cost float64, err error) {
	for range 4 {
		if cost, err = between(d, run); !errors.Is(err, errNoMore) {
			break
		}
		d *= 2
	}
	return cost, err
}

// between compares a short run with a long one. On a busy machine the short one may
// have got more done.
func between(d time.Duration, run func(time.Duration) (usage, error)) (float64, error) {
	less, err := run(d / 4)
	if err != nil {
		return 0, err
	}
	more, err := run(d)
	if err != nil {
		return 0, err
	}
	if less.packets > more.packets {
		less, more = more, less
	}
	return marginal(less, more)
}

func (g *gatewayCell) gateway(program string, d time.Duration) (float64, error) {
	return twice(d, func(d time.Duration) (u usage, err error) {
		cmd := exec.Command(program, append(g.flags(g.sa, g.endless(), nowhere), "-busy", "-time", d.String(), "-log", "error")...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return u, fmt.Errorf("%w: %s", err, stderr.String())
		}
		var totals struct{ Out struct{ Packets uint64 } }
		err = json.Unmarshal(out, &totals)
		return usage{totals.Out.Packets, cpuOf(cmd)}, err
	})
}

func cpuOf(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

var testpmdSent = regexp.MustCompile(`(?s)Accumulated forward statistics.*TX-packets: *(\d+)`)

// prompted is what a program writes, and when it asks to be ended: it runs then.
type prompted struct {
	text  bytes.Buffer // not embedded: os/exec would find its ReadFrom and never call Write
	ready chan struct{}
	once  sync.Once
}

func (p *prompted) Write(b []byte) (int, error) {
	n, err := p.text.Write(b)
	if bytes.Contains(p.text.Bytes(), []byte("Press enter")) {
		p.once.Do(func() { close(p.ready) })
	}
	return n, err
}

// testpmd moves frames from one device to the other and does nothing with them.
func (g *gatewayCell) testpmd(d time.Duration) (float64, error) {
	program, err := exec.LookPath("dpdk-testpmd")
	if err != nil {
		return 0, fmt.Errorf("%w: install the package dpdk-dev", errNotHere)
	}
	return twice(d, func(d time.Duration) (u usage, err error) {
		cmd := exec.Command("stdbuf", append([]string{"-oL", program}, g.testpmdArgs(nowhere)...)...)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			return u, err
		}
		out := &prompted{ready: make(chan struct{})}
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			return u, err
		}
		select {
		case <-out.ready:
		case <-time.After(10 * time.Second): // it says why when it ends
		}
		time.Sleep(d)
		if _, err := io.WriteString(stdin, "\n"); err != nil {
			return u, err
		}
		ended := cmd.Wait() // a virtual device that cannot be reset at the end makes it fail
		found := testpmdSent.FindStringSubmatch(out.text.String())
		if found == nil {
			return u, fmt.Errorf("told no packets: %w: %s", ended, lastLine(out.text.String()))
		}
		n, err := strconv.ParseUint(found[1], 10, 64)
		return usage{n, cpuOf(cmd)}, err
	})
}

// testpmdArgs are those of testpmd between the capture and another device.
func (g *gatewayCell) testpmdArgs(to string) []string {
	return append(eal("128", "--lcores", "0@0,1@0", "--vdev="+g.endless(), "--vdev="+to, "--"),
		"--nb-cores=1", "--total-num-mbufs=16384", "--auto-start", "--no-flush-rx", "--forward-mode=io", "--burst=64", "--no-lsc-interrupt")
}

// eal are arguments of DPDK's own programs, with memory in MiB.
func eal(memory string, more ...string) []string {
	return append([]string{"--no-huge", "-m", memory, "--no-pci", "--no-shconf", "--no-telemetry"}, more...)
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// cryptoPerf seals as many bytes as ESP does for the packet, in memory. It runs for a
// number of packets, which takes less than d.
func (g *gatewayCell) cryptoPerf(d time.Duration) (float64, error) {
	program, err := exec.LookPath("dpdk-test-crypto-perf")
	if err != nil {
		return 0, fmt.Errorf("%w: install the package dpdk-dev", errNotHere)
	}
	return twice(d, func(d time.Duration) (usage, error) {
		ops := uint64(d.Seconds() * 4e6)
		cmd := exec.Command(program, append(eal("128", "--lcores", "0@0,1@0", "--vdev", "crypto_aesni_gcm", "--"),
			"--ptest", "throughput", "--devtype", "crypto_aesni_gcm", "--total-ops", strconv.FormatUint(ops, 10), "--burst-sz", "64",
			"--buffer-sz", strconv.Itoa(g.size), "--pool-sz", "8192", "--silent", "--optype", "aead", "--aead-algo", "aes-gcm", "--aead-op", "encrypt",
			"--aead-key-sz", "16", "--aead-iv-sz", "12", "--aead-aad-sz", "12", "--digest-sz", "16")...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return usage{}, fmt.Errorf("%w: %s", err, lastLine(string(out)))
		}
		return usage{ops, cpuOf(cmd)}, nil
	})
}

// secgw is DPDK's example of an IPsec gateway. It tells each second how many packets it
// has sent; its one thread's processor time is read when it does.
func (g *gatewayCell) secgw(program string, d time.Duration, more ...string) (cost float64, err error) {
	if program == "" {
		return 0, fmt.Errorf("%w: name it with -secgw", errNotHere)
	}
	args := append(eal("512", "--lcores", "0@0", "--vdev="+g.endless(), "--vdev="+nowhere, "--vdev=crypto_aesni_gcm0", "--"),
		"-p", "0x3", "-P", "-u", "0x2", "--rxoffload", "0x0", "--txoffload", "0x0", "-s", "8192", "-t", "1", "--config=(0,0,0),(1,0,0)", "-f", g.cfg)
	cmd := exec.Command("stdbuf", append(append([]string{"-oL", program}, args...), more...)...) // it never flushes
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
	patience := time.AfterFunc(d+20*time.Second, func() { _ = cmd.Process.Kill() })
	defer patience.Stop()
	var first usage
	for lines := bufio.NewScanner(out); lines.Scan(); {
		text, ok := strings.CutPrefix(lines.Text(), "Total packets sent:")
		if !ok {
			continue
		}
		now, err := secgwUsage(text, cmd.Process.Pid)
		switch {
		case err != nil:
			return 0, err
		case now.packets == 0:
		case first.packets == 0:
			first = now
		case now.took-first.took >= d/2:
			return marginal(first, now)
		}
	}
	return 0, fmt.Errorf("ended, or sent nothing")
}

// secgwUsage reads the processor time of a process's first thread.
func secgwUsage(sent string, pid int) (u usage, err error) {
	if u.packets, err = strconv.ParseUint(strings.TrimSpace(sent), 10, 64); err != nil {
		return u, err
	}
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "schedstat"))
	if err != nil {
		return u, err
	}
	ran, _, _ := strings.Cut(string(text), " ")
	ns, err := strconv.ParseInt(ran, 10, 64)
	u.took = time.Duration(ns)
	return u, err
}
