//go:build dpdk

#include "native.h"

#include <errno.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_ip.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_pause.h>
#include <rte_prefetch.h>
#include <rte_spinlock.h>
#include <rte_udp.h>

#define ETHER 14    // a frame's header
#define ETHER_FCS 4 // its check sequence, which drivers count

// How often the rest of a burst is offered again to a sending queue that is full.
#define SEND_TRIES 64

static inline uint8_t fault(const struct sb_queue *q, const struct rte_mbuf *m)
{
	if (unlikely(m->nb_segs > 1))
		return q->chained;
	if (unlikely((m->ol_flags & RTE_MBUF_F_RX_IP_CKSUM_MASK) == RTE_MBUF_F_RX_IP_CKSUM_BAD ||
		     (m->ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) == RTE_MBUF_F_RX_L4_CKSUM_BAD))
		return q->bad_checksum;
	return 0;
}

static inline void describe(const struct sb_queue *q, struct sb_datagram *d, const struct rte_mbuf *m)
{
	d->memory = m->buf_addr;
	d->room = m->buf_len;
	d->capacity = m->buf_len;
	d->off = m->data_off;
	d->len = m->data_len;
	d->drop = fault(q, m);
}

uint16_t sb_receive(struct sb_queue *q, uintptr_t frames, uintptr_t buffers)
{
	struct sb_datagram *d = (void *)frames;
	struct rte_mbuf **mbufs = (void *)buffers;
	uint16_t got = rte_eth_rx_burst(q->port, q->receive, mbufs, SB_BURST);
	for (uint16_t i = 0; i < got; i++) {
		rte_prefetch0(rte_pktmbuf_mtod(mbufs[i], void *));
		describe(q, &d[i], mbufs[i]);
	}
	return got;
}

static inline void check4(struct rte_mbuf *m)
{
	struct rte_ipv4_hdr *ip = rte_pktmbuf_mtod_offset(m, struct rte_ipv4_hdr *, ETHER);
	struct rte_udp_hdr *udp = (void *)((uint8_t *)ip + sizeof *ip);
	m->l2_len = ETHER;
	m->l3_len = sizeof *ip;
	m->ol_flags = RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_UDP_CKSUM;
	udp->dgram_cksum = rte_ipv4_phdr_cksum(ip, m->ol_flags);
}

static inline void check6(struct rte_mbuf *m)
{
	struct rte_ipv6_hdr *ip = rte_pktmbuf_mtod_offset(m, struct rte_ipv6_hdr *, ETHER);
	struct rte_udp_hdr *udp = (void *)((uint8_t *)ip + sizeof *ip);
	m->l2_len = ETHER;
	m->l3_len = sizeof *ip;
	m->ol_flags = RTE_MBUF_F_TX_IPV6 | RTE_MBUF_F_TX_UDP_CKSUM;
	udp->dgram_cksum = rte_ipv6_phdr_cksum(ip, m->ol_flags);
}

static inline void settle(struct rte_mbuf *m, const struct sb_datagram *d, bool check_udp)
{
	m->data_off = d->off;
	m->data_len = d->len;
	m->pkt_len = d->len;
	m->ol_flags = 0;
	if (unlikely(check_udp)) {
		if (*rte_pktmbuf_mtod_offset(m, uint8_t *, ETHER) >> 4 == 6)
			check6(m);
		else
			check4(m);
	}
}

static uint16_t transmit(struct sb_queue *q, struct rte_mbuf **mbufs, uint16_t n)
{
	uint16_t sent = rte_eth_tx_burst(q->port, q->send, mbufs, n);
	for (int tries = 0; unlikely(sent < n) && tries < SEND_TRIES; tries++) {
		rte_pause();
		sent += rte_eth_tx_burst(q->port, q->send, mbufs + sent, n - sent);
	}
	return sent;
}

uint16_t sb_send(struct sb_queue *q, uintptr_t frames, uintptr_t buffers, uint16_t n, bool check_udp)
{
	const struct sb_datagram *d = (void *)frames;
	struct rte_mbuf **mbufs = (void *)buffers;
	struct rte_mbuf *out[SB_BURST], *waste[SB_BURST];
	uint16_t sending = 0, wasted = 0, sent = 0;
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *m = mbufs[i];
		if (unlikely(m == NULL))
			continue;
		if (unlikely(d[i].drop != 0)) {
			waste[wasted++] = m;
			continue;
		}
		settle(m, &d[i], check_udp);
		out[sending++] = m;
	}
	if (sending != 0) {
		if (q->lock != NULL)
			rte_spinlock_lock(q->lock);
		sent = transmit(q, out, sending);
		if (q->lock != NULL)
			rte_spinlock_unlock(q->lock);
	}
	if (unlikely(sent < sending))
		rte_pktmbuf_free_bulk(out + sent, sending - sent);
	if (wasted != 0)
		rte_pktmbuf_free_bulk(waste, wasted);
	return sent;
}

struct sb_exchanged sb_exchange(struct sb_queue *q, uintptr_t frames, uintptr_t buffers, uint16_t n, bool check_udp)
{
	struct sb_exchanged e;
	e.sent = sb_send(q, frames, buffers, n, check_udp);
	e.received = sb_receive(q, frames, buffers);
	return e;
}

uint16_t sb_allocate(struct sb_queue *q, uintptr_t frames, uintptr_t buffers, uint16_t n)
{
	struct sb_datagram *d = (void *)frames;
	struct rte_mbuf **mbufs = (void *)buffers;
	if (rte_pktmbuf_alloc_bulk(q->pool, mbufs, n) != 0)
		return 0;
	for (uint16_t i = 0; i < n; i++)
		describe(q, &d[i], mbufs[i]);
	return n;
}

int sb_find(const char *name, uint16_t *port)
{
	return -rte_eth_dev_get_port_by_name(name, port);
}

static const uint64_t flows = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_ESP;
static const uint64_t check_rx = RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_UDP_CKSUM | RTE_ETH_RX_OFFLOAD_TCP_CKSUM;
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

void sb_close(uint16_t port)
{
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
