//go:build dpdk

package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// cardsOn are emulated: two of virtio whose two queues have receive side scaling, and one of
// Intel's whose queue is one, each with a TAP device of the namespace.
func cardsOn(t *testing.T, namespace string, iommu bool) (flags []string) {
	t.Helper()
	virtio := "virtio-net-pci,mq=on,rss=on,vectors=6"
	if iommu {
		virtio += ",disable-legacy=on,iommu_platform=on"
	}
	for i, card := range []string{virtio, virtio, "e1000e"} {
		tap, queues, options := fmt.Sprintf("card%d", i), ",queues=2", "multi_queue"
		if card == "e1000e" {
			queues, options = ",vnet_hdr=off", "one_queue" // its checksums are its own to fill in
		}
		command(t, "ip", "-n", namespace, "tuntap", "add", "dev", tap, "mode", "tap", options)
		command(t, "ip", "-n", namespace, "link", "set", tap, "up")
		if i > 0 {
			command(t, "ip", "-n", namespace, "link", "set", tap, "master", "lan")
		}
		flags = append(flags, "-netdev", fmt.Sprintf("tap,id=n%d,ifname=%s,vhost=off,script=no,downscript=no%s", i, tap, queues),
			"-device", fmt.Sprintf("%s,netdev=n%d,mac=52:54:00:00:00:0%d,addr=%d", card, i, i, 4+i))
	}
	command(t, "ip", "-n", namespace, "address", "add", "10.1.0.9/24", "dev", "card0")
	return flags
}

// giveCards has the doctor say how DPDK gets the cards, which is by that driver, and does that.
func giveCards(g *guest, driver string) {
	g.t.Helper()
	var findings []struct{ Subject, Text, Fix string }
	said := g.run(fmt.Sprintf("sysctl -q -w vm.nr_hugepages=96\nexec env %s=yes %s doctor -json", asGateway, dpdkBinary(g.t)))
	if err := json.Unmarshal([]byte(said), &findings); err != nil {
		g.t.Fatal(err)
	}
	fixes := map[string]string{}
	for _, f := range findings {
		if address, ok := strings.CutPrefix(f.Subject, "network card "); ok {
			fixes[address] = f.Fix
		}
		if f.Subject == "hugepages" && f.Text != "192 MiB are free" {
			g.t.Errorf("%+v", f)
		}
	}
	for _, address := range cardAddresses {
		if want := "modprobe " + driver + " && dpdk-devbind.py --bind=" + driver + " " + address; fixes[address] != want {
			g.t.Errorf("%s: %q, not %q", address, fixes[address], want)
		}
	}
	g.run(fixes[cardAddresses[0]] + " " + strings.Join(cardAddresses[1:], " ")) // the same command for all
}

var cardAddresses = [...]string{"0000:00:04.0", "0000:00:05.0", "0000:00:06.0"}

// TestDPDKOnCards runs the gateway in a virtual machine: cards by their addresses on PCI, as
// the doctor says, in hugepages, with receive side scaling where a card has that.
func TestDPDKOnCards(t *testing.T) {
	if testing.Short() {
		t.Skip("virtual machines take a minute")
	}
	need(t, "ip", "ping", "ethtool")
	if _, err := exec.LookPath("qemu-system-x86_64"); err != nil {
		t.Skip("qemu-system-x86_64 is not installed")
	}
	for _, c := range []struct {
		iommu  bool
		driver string
	}{{false, "uio_pci_generic"}, {true, "vfio-pci"}} {
		t.Run(c.driver, func(t *testing.T) {
			h := hostsOfCards(t)
			sa, psk := saFileOfFlows(t), dpdkPSK(t)
			g := newGuest(t, h.server, c.iommu, cardsOn(t, h.server, c.iommu)...)
			giveCards(g, c.driver)
			carryOnRSS(g, h, sa)
			carryByClients(g, h, psk)
		})
	}
}

// hostsOfCards are joined by the cards: in one namespace the plain host, 10.1.0.9, with the ends
// of all three, and a bridge from the two that may be the protected side to the other.
func hostsOfCards(t *testing.T) hosts {
	t.Helper()
	h := newHosts(t)
	command(t, "ip", "-n", h.server, "link", "add", "lan", "type", "bridge")
	command(t, "ip", "-n", h.server, "link", "set", "lan", "up")
	command(t, "ip", "-n", h.server, "address", "flush", "dev", "wan")
	command(t, "ip", "-n", h.server, "link", "set", "wan", "master", "lan")
	command(t, in(h.server, "ethtool", "-K", "wan", "tx", "off")...) // it fills in checksums that a card left to others
	return h
}

const sidesOfCards = " -plain-address 10.1.0.1/24 -protected-address 192.0.2.1/24 -workers 2"

// carryOnRSS carries flows on two queues of each card.
func carryOnRSS(g *guest, h hosts, sa string) {
	g.t.Helper()
	n := g.gateway("-protocol esp -sa " + sa + " -plain-device 0000:00:04.0 -protected-device 00:05.0" + sidesOfCards)
	for _, want := range []string{": memory is in hugepages", `"workers":2,"plain_queues":2,"protected_queues":2`} {
		if log := g.read(fmt.Sprintf("%d.err", n)); !strings.Contains(log, want) {
			g.t.Errorf("%q is not in the log:\n%s", want, log)
		}
	}
	ping(g.t, hosts{client: h.server}, "10.1.0.1")
	ping(g.t, h, "192.0.2.1")
	f := newFlows(g.t, h.server, "card0", h.client, "wan")
	f.carry()
	f.account(g.stop(n))
}

// carryByClients has clients whose datagrams the cards give their checksums, and receive with
// one queue or two.
func carryByClients(g *guest, h hosts, psk string) {
	g.t.Helper()
	command(g.t, "ip", "-n", h.server, "route", "add", "10.99.0.0/24", "via", "10.1.0.1")
	for device, queues := range map[string]int{"0000:00:06.0": 1, "0000:00:05.0": 2} {
		n := g.gateway("-psk " + psk + " -plain-device 0000:00:04.0 -protected-device " + device + sidesOfCards)
		if log := g.read(fmt.Sprintf("%d.err", n)); !strings.Contains(log, fmt.Sprintf(`"protected_queues":%d`, queues)) {
			g.t.Errorf("%s has not %d queues:\n%s", device, queues, log)
		}
		command(g.t, "ip", "-n", h.client, "neighbour", "flush", "dev", "wan") // another card was the gateway's
		command(g.t, "ip", "-n", h.server, "neighbour", "flush", "dev", "card0")
		ping(g.t, hosts{client: h.server}, "10.1.0.1") // asks for it, so that it knows where the plain host is
		ping(g.t, h, "192.0.2.1")
		client := start(g.t, in(h.client, dpdkBinary(g.t), "connect", "-json", "192.0.2.1:4433", "-psk", psk, "-route", "10.1.0.0/24"))
		client.await(`"msg":"plain side open"`)
		ping(g.t, h, "10.1.0.9")
		ping(g.t, h, "10.99.0.1")
		c, s := client.interrupt(), g.stop(n)
		if c.Opened != 1 || s.Opened != 1 || s.Failed != 0 || s.In.Packets < 10 {
			g.t.Errorf("%s: client %+v, gateway %+v", device, c, s)
		}
	}
}
