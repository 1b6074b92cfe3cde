package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/sealburst/sealburst/examples/quicping/internal/probe"
	"github.com/sealburst/sealburst/quicadapter"
)

// options are the command line.
type options struct {
	address  string
	count    int
	interval time.Duration
	wait     time.Duration
	timeout  time.Duration
	v2       bool
	json     bool
	update   bool
	insecure bool
	keylog   string
	ca       string
	alpn     string
	name     string
}

var errUsage = errors.New("quicping: one host is needed")

// parse reads the command line; flags may stand before and after the host. What is wrong
// is told on stderr.
func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("quicping", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprintln(stderr, "usage: quicping [flags] host[:port]")
		f.PrintDefaults()
	}
	o.define(f)
	var hosts []string
	for rest := args; ; rest = f.Args()[1:] {
		if err := f.Parse(rest); err != nil {
			return nil, err
		}
		if f.NArg() == 0 {
			break
		}
		hosts = append(hosts, f.Arg(0))
	}
	if err := o.check(hosts); err != nil {
		fmt.Fprintln(stderr, err)
		f.Usage()
		return nil, err
	}
	return o, nil
}

func (o *options) define(f *flag.FlagSet) {
	f.IntVar(&o.count, "count", 4, "pings to send")
	f.DurationVar(&o.interval, "interval", time.Second, "time between pings")
	f.DurationVar(&o.wait, "wait", 2*time.Second, "time to wait for a reply")
	f.DurationVar(&o.timeout, "timeout", 10*time.Second, "time for the handshake")
	f.BoolVar(&o.v2, "v2", false, "begin with QUIC version 2 (RFC 9369)")
	f.BoolVar(&o.json, "json", false, "print one JSON object in the end")
	f.BoolVar(&o.update, "update", false, "force a key update before every ping but the first")
	f.BoolVar(&o.insecure, "insecure", false, "accept any certificate")
	f.StringVar(&o.keylog, "keylog", "", "append the TLS secrets to this `file` (SSLKEYLOGFILE)")
	f.StringVar(&o.ca, "ca", "", "trust the certificates in this PEM `file`, and no others")
	f.StringVar(&o.alpn, "alpn", "h3", "application protocols to offer, separated by commas")
	f.StringVar(&o.name, "name", "", "server name; default: the host")
}

// check refuses what cannot be, and completes the address.
func (o *options) check(hosts []string) error {
	switch {
	case len(hosts) != 1 || hosts[0] == "":
		return errUsage
	case o.count < 1 || o.count > 1_000_000:
		return errors.New("quicping: -count is not 1 to 1000000")
	case o.interval < 0 || o.wait <= 0 || o.timeout <= 0:
		return errors.New("quicping: -interval, -wait or -timeout is negative or nothing")
	}
	o.address = hosts[0]
	host, _, err := net.SplitHostPort(o.address)
	if err != nil {
		host = strings.Trim(o.address, "[]")
		o.address = net.JoinHostPort(host, "443")
	}
	if o.name == "" {
		o.name = host
	}
	return nil
}

// config is what the probe is told, and what closes the key log.
func (o *options) config() (*probe.Config, func() error, error) {
	t := &tls.Config{
		MinVersion: tls.VersionTLS13, ServerName: o.name, InsecureSkipVerify: o.insecure, NextProtos: strings.Split(o.alpn, ","),
	}
	closeLog := func() error { return nil }
	if o.ca != "" {
		pem, err := os.ReadFile(o.ca)
		if err != nil {
			return nil, nil, err
		}
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM(pem) {
			return nil, nil, fmt.Errorf("no certificate in %s", o.ca)
		}
	}
	if o.keylog != "" {
		log, err := os.OpenFile(o.keylog, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, err
		}
		t.KeyLogWriter, closeLog = log, log.Close
	}
	version := quicadapter.Version1
	if o.v2 {
		version = quicadapter.Version2
	}
	return &probe.Config{
		Address: o.address, TLS: t, Version: version, Count: o.count, Interval: o.interval,
		Wait: o.wait, Handshake: o.timeout, Update: o.update,
	}, closeLog, nil
}
