//go:build dpdk

#include "burst.h"

#include <string.h>

#include <rte_ethdev.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_pause.h>
#include <rte_prefetch.h>
#include <rte_spinlock.h>
#include <rte_udp.h>

// How often the rest of a burst is offered again to a sending queue that is full.
#define SEND_TRIES 64

uint16_t sb_receive(uintptr_t queue, uintptr_t frames, uintptr_t buffers)
{
	const struct sb_queue *q = (void *)queue;
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

static inline void settle(struct rte_mbuf *m, int64_t off, int64_t len, bool check_udp)
{
	m->data_off = off;
	m->data_len = len;
	m->pkt_len = len;
	m->ol_flags = 0;
	if (unlikely(check_udp)) {
		if (*rte_pktmbuf_mtod_offset(m, uint8_t *, ETHER) >> 4 == 6)
			check6(m);
		else
			check4(m);
	}
}

static uint16_t transmit(const struct sb_queue *q, struct rte_mbuf **mbufs, uint16_t n)
{
	uint16_t sent = rte_eth_tx_burst(q->port, q->send, mbufs, n);
	for (int tries = 0; unlikely(sent < n) && tries < SEND_TRIES; tries++) {
		rte_pause();
		sent += rte_eth_tx_burst(q->port, q->send, mbufs + sent, n - sent);
	}
	return sent;
}

// release sends n frames and gives back the buffers of those that are not taken.
static uint16_t release(const struct sb_queue *q, struct rte_mbuf **mbufs, uint16_t n)
{
	if (q->lock != NULL)
		rte_spinlock_lock(q->lock);
	uint16_t sent = transmit(q, mbufs, n);
	if (q->lock != NULL)
		rte_spinlock_unlock(q->lock);
	if (unlikely(sent < n))
		rte_pktmbuf_free_bulk(mbufs + sent, n - sent);
	return sent;
}

uint16_t sb_send(uintptr_t queue, uintptr_t frames, uintptr_t buffers, uint16_t n, bool check_udp)
{
	const struct sb_queue *q = (void *)queue;
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
		settle(m, d[i].off, d[i].len, check_udp);
		out[sending++] = m;
	}
	if (sending != 0)
		sent = release(q, out, sending);
	if (wasted != 0)
		rte_pktmbuf_free_bulk(waste, wasted);
	return sent;
}

struct sb_exchanged sb_exchange(uintptr_t queue, uintptr_t frames, uintptr_t buffers, uint16_t n, bool check_udp)
{
	struct sb_exchanged e;
	e.sent = sb_send(queue, frames, buffers, n, check_udp);
	e.received = sb_receive(queue, frames, buffers);
	return e;
}

static inline void put_header(const struct sb_header *h, uint8_t *packet)
{
	uint64_t second = *packet >> 4 == 6 ? h->second6 : h->second4;
	memcpy(packet - ETHER, &h->first, sizeof h->first);
	memcpy(packet - sizeof second, &second, sizeof second);
}

struct sb_exchanged sb_exchange_behind(uintptr_t queue, uintptr_t frames, uintptr_t buffers, uint16_t n, bool check_udp, uintptr_t header)
{
	const struct sb_queue *q = (void *)queue;
	const struct sb_header *h = (void *)header;
	const struct sb_datagram *d = (void *)frames;
	struct rte_mbuf **mbufs = (void *)buffers;
	struct sb_exchanged e = {SB_REFUSED, 0};
	for (uint16_t i = 0; i < n; i++) {
		if (unlikely(mbufs[i] == NULL || d[i].drop != 0 || d[i].len > h->longest || d[i].off < ETHER))
			return e;
		put_header(h, d[i].memory + d[i].off);
		settle(mbufs[i], d[i].off - ETHER, d[i].len + ETHER, check_udp);
	}
	e.sent = release(q, mbufs, n);
	e.received = sb_receive(queue, frames, buffers);
	return e;
}

uint16_t sb_allocate(uintptr_t queue, uintptr_t frames, uintptr_t buffers, uint16_t n)
{
	const struct sb_queue *q = (void *)queue;
	struct sb_datagram *d = (void *)frames;
	struct rte_mbuf **mbufs = (void *)buffers;
	if (rte_pktmbuf_alloc_bulk(q->pool, mbufs, n) != 0)
		return 0;
	for (uint16_t i = 0; i < n; i++)
		describe(q, &d[i], mbufs[i]);
	return n;
}
