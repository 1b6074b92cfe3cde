//go:build dpdk

#include "native.h"

#include <string.h>

#include <rte_alarm.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>

#define ETHER 14    // a frame's header
#define ETHER_FCS 4 // its check sequence, which drivers count

int sb_find(const char *name, uint16_t *port)
{
	return -rte_eth_dev_get_port_by_name(name, port);
}

static const uint64_t flows = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_ESP;
// Checksums of UDP and TCP are for the receiver of a packet to verify. A device that does it may
// also take packets for which nobody has filled them in yet, from hosts on the same machine.
static const uint64_t check_rx = RTE_ETH_RX_OFFLOAD_IPV4_CKSUM;
static const uint64_t wanted_tx = RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;

int sb_traits(uint16_t port, struct sb_traits *t)
{
	struct rte_eth_dev_info info;
	struct rte_ether_addr mac;
	int code = -rte_eth_dev_info_get(port, &info);
	if (code == 0)
		code = -rte_eth_macaddr_get(port, &mac);
	if (code != 0)
		return code;
	memset(t, 0, sizeof *t);
	strncpy(t->driver, info.driver_name != NULL ? info.driver_name : "", sizeof t->driver - 1);
	memcpy(t->mac, mac.addr_bytes, sizeof t->mac);
	t->max_rx = info.max_rx_queues;
	t->max_tx = info.max_tx_queues;
	t->min_mtu = info.min_mtu;
	t->max_mtu = info.max_mtu;
	if (info.max_rx_pktlen > ETHER + ETHER_FCS && info.max_rx_pktlen - ETHER - ETHER_FCS < t->max_mtu)
		t->max_mtu = info.max_rx_pktlen - ETHER - ETHER_FCS;
	t->rss = (info.flow_type_rss_offloads & flows) != 0;
	t->check_udp = (info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_UDP_CKSUM) != 0;
	t->check_rx = (info.rx_offload_capa & check_rx) != 0;
	return 0;
}

static int configure(uint16_t port, const struct sb_setup *s, struct rte_eth_dev_info *info)
{
	struct rte_eth_conf conf = {0};
	conf.rxmode.mtu = s->mtu;
	conf.rxmode.offloads = info->rx_offload_capa & check_rx;
	conf.txmode.offloads = info->tx_offload_capa & wanted_tx;
	if (s->rx > 1 && (info->flow_type_rss_offloads & flows) != 0) {
		conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
		conf.rx_adv_conf.rss_conf.rss_hf = info->flow_type_rss_offloads & flows;
	}
	return -rte_eth_dev_configure(port, s->rx, s->tx, &conf);
}

static int set_up_queues(uint16_t port, const struct sb_setup *s)
{
	uint16_t rx = s->depth, tx = s->depth;
	int node = rte_eth_dev_socket_id(port);
	int code = -rte_eth_dev_adjust_nb_rx_tx_desc(port, &rx, &tx);
	for (uint16_t i = 0; code == 0 && i < s->rx; i++)
		code = -rte_eth_rx_queue_setup(port, i, rx, node, NULL, s->pool);
	for (uint16_t i = 0; code == 0 && i < s->tx; i++)
		code = -rte_eth_tx_queue_setup(port, i, tx, node, NULL);
	return code;
}

int sb_open(uint16_t port, const struct sb_setup *s)
{
	struct rte_eth_dev_info info;
	int code = -rte_eth_dev_info_get(port, &info);
	if (code == 0)
		code = configure(port, s, &info);
	if (code == 0)
		code = set_up_queues(port, s);
	if (code == 0)
		code = -rte_eth_dev_start(port);
	if (code == 0 && s->promiscuous)
		rte_eth_promiscuous_enable(port);
	if (code == 0)
		rte_eth_allmulticast_enable(port); // solicitations come to group addresses
	return code;
}

static void mark(void *passed)
{
	__atomic_store_n((bool *)passed, true, __ATOMIC_RELEASE);
}

// Waits until DPDK's thread for events is done with those that came before. When the far side
// of a net_memif is gone, that thread frees what closing the device frees too.
static void await_events(void)
{
	bool passed = false;
	if (rte_eal_alarm_set(1, mark, &passed) != 0)
		return;
	while (!__atomic_load_n(&passed, __ATOMIC_ACQUIRE))
		rte_delay_us_sleep(20);
}

void sb_close(uint16_t port)
{
	await_events();
	if (rte_eth_dev_stop(port) == 0)
		rte_eth_dev_close(port);
}

bool sb_link(uint16_t port)
{
	struct rte_eth_link link;
	return rte_eth_link_get_nowait(port, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

int sb_losses(uint16_t port, struct sb_losses *l)
{
	struct rte_eth_stats s;
	int code = -rte_eth_stats_get(port, &s);
	if (code == 0)
		*l = (struct sb_losses){s.imissed, s.rx_nombuf, s.ierrors, s.oerrors};
	return code;
}
