package main

import "testing"

// TestProcessorsThatAreNotThere are refused before any device is opened.
func TestProcessorsThatAreNotThere(t *testing.T) {
	psk := write(t, "psk", []byte("a:000102030405060708090a0b0c0d0e0f\n"))
	for _, n := range []string{"-cpu=4095", "-cpu=-1"} {
		code, _, stderr := gateway(t, "dpdk", "-psk", psk, "-plain-device", "net_null0", "-protected-device", "net_null1", n)
		if want := "gateway: " + n[:4] + " " + n[5:] + ": this machine lets no thread run"; code != 1 || len(stderr) < len(want) || stderr[:len(want)] != want {
			t.Errorf("%s: exit code %d, %q", n, code, stderr)
		}
	}
}
