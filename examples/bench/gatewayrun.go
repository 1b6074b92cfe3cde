package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// gatewayProgram is a contestant: run gives the processor time of a packet in
// nanoseconds, measured in about that time.
type gatewayProgram struct {
	name string
	peer bool   // the gateway is compared with it
	part string // the program that does a part of its work, and so must take less; "" for none
	run  func(time.Duration) (float64, error)
}

const (
	ioAlone    = "dpdk-testpmd, I/O alone"
	ioAloneFar = "dpdk-testpmd, I/O alone to net_memif"
)

// programs are the contestants of a cell, the gateway first.
func (g *gatewayCell) programs(t *gatewayTable) []gatewayProgram {
	all := []gatewayProgram{
		{"gateway, ESP", false, ioAlone, func(d time.Duration) (float64, error) { return g.gateway(t.Gateway, d) }},
		{ioAlone, false, "", g.testpmd},
		{"dpdk-test-crypto-perf, AES-128-GCM alone", false, "", g.cryptoPerf},
		{"gateway, DTLS to net_memif", false, ioAloneFar, func(d time.Duration) (float64, error) { return g.dtls(t.Gateway, d) }},
		{ioAloneFar, false, "", g.testpmdFar},
	}
	older := gatewayProgram{"ipsec-secgw", true, ioAlone, func(d time.Duration) (float64, error) { return g.secgw(t.Secgw, d) }}
	switch {
	case t.Quick && t.Secgw == "":
		return all
	case t.Quick:
		return append(all, older)
	}
	return append(all,
		gatewayProgram{"gateway, ESP to net_memif", false, ioAloneFar, func(d time.Duration) (float64, error) { return g.espFar(t.Gateway, d) }},
		gatewayProgram{"gateway, ESP inward over net_memif", false, "", func(d time.Duration) (float64, error) { return g.inward(t.Gateway, d) }},
		gatewayProgram{"ipsec-secgw -l", true, ioAlone, func(d time.Duration) (float64, error) { return g.secgw(t.Secgw, d, "-l") }},
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

// gateway is the gateway with ESP, which tells what it has sent to whoever asks for its metrics.
func (g *gatewayCell) gateway(program string, d time.Duration) (float64, error) {
	address, err := freeAddress()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(program, append(g.flags(g.sa, g.endless(), nowhere), "-busy", "-log", "error", "-metrics", address)...)
	return watchFor(d, cmd, func() (uint64, error) { return sentBy(address) })
}

// freeAddress is one of this machine's that nobody listens on.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

var gatewaySent = regexp.MustCompile(`(?m)^sealburst_gateway_packets_total\{direction="out"\} (\S+)$`)

// sentBy asks a gateway how many packets it has sent.
func sentBy(address string) (uint64, error) {
	answer, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		return 0, err
	}
	text, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return 0, err
	}
	found := gatewaySent.FindSubmatch(text)
	if found == nil {
		return 0, errors.New("the gateway does not tell what it sent")
	}
	n, err := strconv.ParseFloat(string(found[1]), 64)
	return uint64(n), err
}

func cpuOf(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

var testpmdSent = regexp.MustCompile(`TX-packets: *(\d+)`)

// testpmd moves frames from one device to the other and does nothing with them. It is asked
// what it has sent.
func (g *gatewayCell) testpmd(d time.Duration) (float64, error) {
	program, err := exec.LookPath("dpdk-testpmd")
	if err != nil {
		return 0, fmt.Errorf("%w: install the package dpdk-dev", errNotHere)
	}
	cmd := exec.Command("stdbuf", append(append([]string{"-oL", program}, g.testpmdArgs(nowhere)...), "-i")...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	answers := bufio.NewScanner(stdout)
	return watchFor(d, cmd, func() (uint64, error) { return sentByTestpmd(stdin, answers) })
}

// sentByTestpmd asks how much went out of the second device.
func sentByTestpmd(questions io.Writer, answers *bufio.Scanner) (uint64, error) {
	if _, err := io.WriteString(questions, "show port stats 1\n"); err != nil {
		return 0, err
	}
	for answers.Scan() {
		if found := testpmdSent.FindStringSubmatch(answers.Text()); found != nil {
			return strconv.ParseUint(found[1], 10, 64)
		}
	}
	return 0, errors.Join(errors.New("testpmd does not tell what it sent"), answers.Err())
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
		ops := uint64(d.Seconds() * 6e6)
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

// secgwUsage is what the program has sent, and the processor time of its one thread.
func secgwUsage(sent string, pid int) (u usage, err error) {
	if u.packets, err = strconv.ParseUint(strings.TrimSpace(sent), 10, 64); err != nil {
		return u, err
	}
	u.took, err = ran(pid, strconv.Itoa(pid))
	return u, err
}
