package eal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestComplete(t *testing.T) {
	none, some := machine{cpu: 3}, machine{free: 64 << 20}
	for _, c := range []struct {
		args string
		on   machine
		want string
	}{
		{"", none, "--no-huge -m 256 --no-shconf --no-telemetry --no-pci --log-level=*:warning --lcores 0@3"},
		{"", some, "--in-memory --no-telemetry --no-pci --log-level=*:warning --lcores 0@0"},
		{"", machine{free: 64<<20 - 1}, "--no-huge -m 256 --no-shconf --no-telemetry --no-pci --log-level=*:warning --lcores 0@0"},
		{"--log-level=lib.eal:debug", some, "--log-level=lib.eal:debug --in-memory --no-telemetry --no-pci --lcores 0@0"},
		{"-m 512", none, "-m 512 --no-huge --no-shconf --no-telemetry --no-pci --log-level=*:warning --lcores 0@3"},
		{"-m512", none, "-m512 --no-huge --no-shconf --no-telemetry --no-pci --log-level=*:warning --lcores 0@3"},
		{"--no-huge", some, "--no-huge -m 256 --no-shconf --no-telemetry --no-pci --log-level=*:warning --lcores 0@0"},
		{"--file-prefix=x", some, "--file-prefix=x --no-telemetry --no-pci --log-level=*:warning --lcores 0@0"},
		{"--vdev=net_null0", some, "--vdev=net_null0 --in-memory --no-telemetry --no-pci --log-level=*:warning --lcores 0@0"},
		{"-a 0000:3b:00.0", some, "-a 0000:3b:00.0 --in-memory --no-telemetry --log-level=*:warning --lcores 0@0"},
		{"--telemetry --block=0000:00:01.0 -l 1", some, "--telemetry --block=0000:00:01.0 -l 1 --in-memory --log-level=*:warning"},
	} {
		given := strings.Fields(c.args)
		got := strings.Join(complete(given, c.on), " ")
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.args, got, c.want)
		}
	}
}

func TestFreeHugePages(t *testing.T) {
	root := t.TempDir()
	for file, text := range map[string]string{
		"hugepages-2048kB/free_hugepages":    "7\n",
		"hugepages-1048576kB/free_hugepages": "1\n",
		"hugepages-64kB/free_hugepages":      "many\n",
		"hugepages-kB/free_hugepages":        "5\n",
		"hugepages-32768kB/nr_hugepages":     "9\n",
	} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n := freeHugePages(root); n != 7*2<<20+1<<30 {
		t.Errorf("%d bytes", n)
	}
	if n := freeHugePages(filepath.Join(root, "nowhere")); n != 0 {
		t.Errorf("%d bytes where there are none", n)
	}
}

func TestErrorsAreOneLine(t *testing.T) {
	start := &StartError{Args: []string{"--no-huge", "-m", "1"}, Cause: syscall.ENOMEM, Said: "EAL: one\nEAL: two\n"}
	if want := "eal: DPDK does not start with --no-huge -m 1: cannot allocate memory: EAL: one; EAL: two"; start.Error() != want {
		t.Errorf("%q, want %q", start, want)
	}
	if !errors.Is(start, syscall.ENOMEM) || !errors.Is(&DeviceError{"x", syscall.ENODEV}, syscall.ENODEV) {
		t.Error("the cause is lost")
	}
	if got := lastLines("a\nb\nc\n", 2); got != "b\nc" {
		t.Errorf("%q", got)
	}
	if got := lastLines("", 2); got != "" {
		t.Errorf("%q", got)
	}
}
