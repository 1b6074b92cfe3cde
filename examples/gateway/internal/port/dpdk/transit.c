//go:build dpdk

// Glance.Transit of package ethernet, in one loop with receiving.

#include "burst.h"

#include <string.h>

#include <rte_byteorder.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>

#define AHEAD 8                  // frames, whose first bytes are asked for meanwhile
#define QUICK_FRAME (ETHER + 20) // what is looked at
#define PLAIN_TYPE 0x080045u     // the type of a frame, and the first byte of an IPv4 packet without options

static inline uint64_t be64(const uint8_t *p)
{
	uint64_t word;
	memcpy(&word, p, sizeof word);
	return rte_be_to_cpu_64(word);
}

static inline uint32_t be32(const uint8_t *p)
{
	uint32_t word;
	memcpy(&word, p, sizeof word);
	return rte_be_to_cpu_32(word);
}

static bool owned(const struct sb_glance *g, uint32_t address)
{
	for (int32_t i = 0; i < g->owns; i++)
		if (g->own[i] == address)
			return true;
	return false;
}

// right reports whether the words of an IPv4 header add up to 0 modulo 2^16-1.
static inline bool right(uint64_t a, uint64_t b, uint32_t c)
{
	uint64_t sum = a + b;
	sum += sum < a;
	sum += c;
	sum += sum < c;
	return sum % 0xffff == 0;
}

// aged is the second word of an IPv4 header with the hop limit one less.
static inline uint64_t aged(uint64_t b)
{
	uint16_t checksum = b >> 32;
	if (likely(checksum < 0xfeff))
		return b - (1ull << 56) + (0x100ull << 32);
	uint32_t sum = (uint16_t)~checksum + 0xfeffu;
	checksum = ~(sum + (sum >> 16));
	return ((b - (1ull << 56)) & ~(0xffffull << 32)) | (uint64_t)checksum << 32;
}

// passes takes one frame that a host would forward, and tells whom its packet is for. A host
// of which other is no address of its own need not look for that again.
static inline bool passes(const struct sb_glance *g, struct sb_datagram *d, uint32_t other, uint32_t *to)
{
	if (unlikely(d->drop != 0 || d->len < QUICK_FRAME))
		return false;
	uint8_t *f = d->memory + d->off;
	uint64_t a = be64(f + 14), b = be64(f + 22);
	int64_t size = a >> 32 & 0xffff;
	*to = be32(f + 30);
	if (unlikely(be64(f) >> 16 != g->mac || be32(f + 12) >> 8 != PLAIN_TYPE || size < QUICK_FRAME - ETHER || size > d->len - ETHER))
		return false;
	if (unlikely(*to != other && owned(g, *to)))
		return false;
	if (g->aging) {
		if (unlikely(b >> 56 <= 1 || !right(a, b, *to)))
			return false;
		b = rte_cpu_to_be_64(aged(b));
		memcpy(f + 22, &b, sizeof b);
	}
	d->off += ETHER;
	d->len = size;
	return true;
}

struct sb_passed sb_receive_transit(uintptr_t queue, uintptr_t frames, uintptr_t buffers, uintptr_t glance, uintptr_t lengths)
{
	const struct sb_queue *q = (void *)queue;
	const struct sb_glance *g = (void *)glance;
	struct sb_datagram *d = (void *)frames;
	struct rte_mbuf **mbufs = (void *)buffers;
	int64_t *sizes = (void *)lengths;
	struct sb_passed p = {.one = true};
	uint32_t to, other = 0; // which nobody has
	uint16_t n = 0;
	p.received = rte_eth_rx_burst(q->port, q->receive, mbufs, SB_BURST);
	for (uint16_t i = 0; i < p.received && i < AHEAD; i++)
		rte_prefetch0(rte_pktmbuf_mtod(mbufs[i], void *));
	for (; n < p.received && g->owns >= 0; n++) {
		if (n + AHEAD < p.received)
			rte_prefetch0(rte_pktmbuf_mtod(mbufs[n + AHEAD], void *));
		describe(q, &d[n], mbufs[n]);
		if (!passes(g, &d[n], other, &to))
			break;
		p.one = p.one && (to == other || n == 0);
		other = to;
		sizes[n] = d[n].len;
		p.bytes += d[n].len;
	}
	p.passed = n;
	for (; n < p.received; n++)
		describe(q, &d[n], mbufs[n]);
	return p;
}
