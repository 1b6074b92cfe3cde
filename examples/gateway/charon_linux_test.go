package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
)

// charonProgram is where Debian puts strongSwan's daemon, which is not on the path.
const charonProgram = "/usr/lib/ipsec/charon"

// needCharon skips the test that lacks strongSwan, with its ESP in user space.
func needCharon(t *testing.T) {
	t.Helper()
	need(t, "ip", "ping", "swanctl", "unshare")
	for _, file := range []string{charonProgram, "/usr/lib/ipsec/plugins/libstrongswan-kernel-libipsec.so", "/usr/lib/ipsec/plugins/libstrongswan-openssl.so"} {
		if _, err := os.Stat(file); err != nil {
			peertest.Missing(t, "strongSwan lacks "+filepath.Base(file))
		}
	}
}

// charon is a daemon of strongSwan in a network namespace, with files of its own.
type charon struct {
	*process
	namespace, dir string
}

const charonConfig = `charon {
  load = random nonce openssl gcm ccm ctr chapoly aes sha1 sha2 hmac kdf pem kernel-libipsec kernel-netlink socket-default vici
  plugins { vici { socket = unix://%[1]s/vici } }
  filelog { log {
    path = %[1]s/log
    default = 1
    chd = 4
    flush_line = yes
  } }
}
`

// startCharon starts a daemon and loads a configuration of swanctl's. Two daemons on one
// machine need a /run each.
func startCharon(t *testing.T, namespace, connections string) *charon {
	t.Helper()
	c := &charon{namespace: namespace, dir: t.TempDir()}
	for name, content := range map[string]string{"strongswan.conf": fmt.Sprintf(charonConfig, c.dir), "swanctl.conf": connections} {
		if err := os.WriteFile(filepath.Join(c.dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := "mount -t tmpfs none /run && STRONGSWAN_CONF=" + c.dir + "/strongswan.conf exec " + charonProgram
	c.process = start(t, in(namespace, "unshare", "-m", "sh", "-c", run))
	for range 200 {
		if _, err := os.Stat(filepath.Join(c.dir, "vici")); err == nil {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	command(t, c.swanctl("--load-all", "--file", filepath.Join(c.dir, "swanctl.conf"))...)
	return c
}

// swanctl is a command line that tells the daemon to do something.
func (c *charon) swanctl(args ...string) []string {
	return in(c.namespace, append(append([]string{"swanctl"}, args...), "--uri", "unix://"+c.dir+"/vici")...)
}

// initiate makes a child SA, and reports whether it came up.
func (c *charon) initiate(child string) bool {
	args := c.swanctl("--initiate", "--timeout", "5", "--child", child)
	return exec.Command(args[0], args[1:]...).Run() == nil
}

// stop ends the daemon as a crash does: its peer is told nothing.
func (c *charon) stop() {
	c.t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		c.t.Fatal(err)
	}
	<-c.done
}

// childSA is what a daemon logs of a child SA that it initiated.
type childSA struct {
	in, out struct {
		spi string
		key []byte
	}
}

// children reads the SAs from the daemon's log.
func (c *charon) children() map[string]*childSA {
	c.t.Helper()
	f, err := os.Open(filepath.Join(c.dir, "log"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer f.Close()
	r := logReader{all: map[string]*childSA{}}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if _, text, ok := strings.Cut(lines.Text(), "[CHD] "); ok {
			r.take(text)
		}
	}
	return r.all
}

// logReader goes through the daemon's log line by line.
type logReader struct {
	all     map[string]*childSA
	current *childSA
	key     *[]byte // that the following bytes belong to
	spi     *string // that the next line has
}

func (r *logReader) take(text string) {
	words, key := strings.Fields(text), r.key
	r.key = nil
	switch {
	case strings.HasPrefix(text, "CHILD_SA ") && strings.HasSuffix(text, "CREATED => INSTALLING"):
		name, _, _ := strings.Cut(words[1], "{")
		r.current = &childSA{}
		r.all[name] = r.current
	case r.current == nil:
	case strings.Contains(text, " initiator key => "): // the encryption's, and then the integrity's
		r.key = &r.current.out.key
	case strings.Contains(text, " responder key => "):
		r.key = &r.current.in.key
	case text == "adding inbound ESP SA":
		r.spi = &r.current.in.spi
	case text == "adding outbound ESP SA":
		r.spi = &r.current.out.spi
	case len(words) > 1 && words[0] == "SPI" && r.spi != nil:
		*r.spi = strings.TrimSuffix(words[1], ",")
	case key != nil && strings.HasSuffix(words[0], ":"):
		*key = append(*key, dumped(text)...)
		r.key = key
	}
}

// dumped are the bytes of a line such as "  16: A4 CF 73 12      ..s.".
func dumped(text string) []byte {
	_, text, _ = strings.Cut(text, ": ")
	if len(text) > 16*3 {
		text = text[:16*3]
	}
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		return nil // the key will be too short
	}
	return b
}
