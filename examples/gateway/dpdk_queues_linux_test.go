//go:build dpdk

package main

import (
	"fmt"
	"testing"
)

// TestQueuesOfDPDKDevices all receive, one in each thread, where the device has several; the
// first thread hands flows on where it has one.
func TestQueuesOfDPDKDevices(t *testing.T) {
	need(t, "ip", "ping", "ethtool")
	for _, c := range []struct {
		parameters string
		queues     int
	}{{",qpairs=2", 2}, {"", 1}} {
		t.Run(fmt.Sprint(c.queues), func(t *testing.T) {
			h := newDPDKHostsOn(t, "net_af_packet0,iface=wan"+c.parameters, "-protocol", "esp", "-sa", saFileOfFlows(t), "-workers", "2")
			h.gateway.await(fmt.Sprintf(`"workers":2,"plain_queues":2,"protected_queues":%d`, c.queues)) // TAP devices have some
			ping(t, hosts{client: h.plain}, "10.1.0.1")
			f := newFlows(t, h.plain, "lan", h.client, "wan")
			f.carry()
			ping(t, h.hosts, "192.0.2.1")
			f.account(totalsOf(h.gateway))
		})
	}
}

// account looks that a gateway has carried what arrived, and each of its threads some of it.
func (f *flows) account(sum dpdkTotalsRead) {
	f.t.Helper()
	if sum.Out.Packets != f.sealed || sum.In.Packets != manyFlows*rounds*perRound {
		f.t.Errorf("of %d packets out and %d in the gateway counts %+v and %+v", f.sealed, manyFlows*rounds*perRound, sum.Out, sum.In)
	}
	for i, share := range sum.Workers {
		if share.Out == 0 || share.In == 0 {
			f.t.Errorf("worker %d carried nothing one way: %+v", i, sum.Workers)
		}
	}
	f.t.Logf("workers %+v", sum.Workers)
}
