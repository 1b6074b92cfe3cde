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
#define PLAIN_TYPE 0x450008u     // the type of a frame, and the first byte of an IPv4 packet without options

// Words are taken as little-endian ones: sums in ones' complement come out with their bytes in
// the same order as those of what is summed.
static inline uint64_t word64(const uint8_t *p)
{
	uint64_t word;
	memcpy(&word, p, sizeof word);
	return rte_le_to_cpu_64(word);
}

static inline uint32_t word32(const uint8_t *p)
{
	uint32_t word;
	memcpy(&word, p, sizeof word);
	return rte_le_to_cpu_32(word);
}

static bool owned(const struct sb_glance *g, uint32_t address)
{
	for (int32_t i = 0; i < g->owns; i++)
		if (g->own[i] == rte_bswap32(address))
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

// aged is the second word of an IPv4 header with the hop limit one less, which is its first
// byte, and the checksum, the third and fourth, as much more.
static inline uint64_t aged(uint64_t b)
{
	uint16_t checksum = b >> 16;
	if (likely(checksum < 0xfffe))
		return b - 1 + (1 << 16);
	checksum = checksum == 0xfffe ? 0 : 1; // there are two zeros
	return ((b - 1) & ~(0xffffull << 16)) | (uint64_t)checksum << 16;
}

// whole reports whether a buffer has all of a frame, of the least length and without a fault.
static inline bool whole(const struct sb_queue *q, const struct rte_mbuf *m)
{
	if (unlikely(m->data_len < QUICK_FRAME || m->nb_segs > 1))
		return false;
	return likely((m->ol_flags & RTE_MBUF_F_RX_IP_CKSUM_BAD) == 0) || fault(q, m) == 0;
}

// destinations are those of the packets so far: the last one's, or at first no address, and how
// often it was another one than before.
struct destinations {
	uint64_t last;
	uint32_t changes;
};

// changed notes another one, unless it is the host's own. It is seldom called, and not part of
// the loop, which would have fewer registers with it.
static __attribute__((noinline, cold)) bool changed(struct destinations *to, const struct sb_glance *g, uint32_t address)
{
	if (owned(g, address))
		return false;
	to->last = address;
	to->changes++;
	return true;
}

// passes takes the packet of such a frame if a host would forward it, and tells how long it is,
// or 0.
static inline uint32_t passes(const struct sb_glance *g, uint64_t mac, uint8_t *f, uint32_t len, struct destinations *to)
{
	uint64_t a = word64(f + 14), b = word64(f + 22);
	uint32_t size = rte_bswap16(a >> 16), address = word32(f + 30);
	if (unlikely((word64(f) ^ mac) << 16 | ((word32(f + 12) & 0xffffff) ^ PLAIN_TYPE)))
		return 0;
	if (unlikely(size - (QUICK_FRAME - ETHER) > len - QUICK_FRAME)) // or is less, which wraps
		return 0;
	if (g->aging && unlikely((uint8_t)b <= 1 || !right(a, b, address)))
		return 0;
	if (unlikely(address != to->last) && !changed(to, g, address))
		return 0;
	if (g->aging) {
		b = rte_cpu_to_le_64(aged(b));
		memcpy(f + 22, &b, sizeof b);
	}
	return size;
}

struct sb_passed sb_receive_transit(uintptr_t queue, uintptr_t frames, uintptr_t buffers, uintptr_t glance, uintptr_t lengths)
{
	const struct sb_queue *q = (void *)queue;
	const struct sb_glance *g = (void *)glance;
	struct sb_datagram *d = (void *)frames;
	struct rte_mbuf **mbufs = (void *)buffers;
	int64_t *sizes = (void *)lengths;
	const uint64_t mac = rte_bswap64(g->mac << 16);
	struct destinations to = {.last = UINT64_MAX};
	uint32_t bytes = 0;
	uint16_t n = 0, got = rte_eth_rx_burst(q->port, q->receive, mbufs, SB_BURST), end = g->owns >= 0 ? got : 0;
	for (uint16_t i = 0; i < got && i < AHEAD; i++)
		rte_prefetch0(rte_pktmbuf_mtod(mbufs[i], void *));
	for (; n < end; n++) {
		struct rte_mbuf *m = mbufs[n];
		uint8_t *memory = m->buf_addr;
		int64_t off = m->data_off;
		if (n + AHEAD < got)
			rte_prefetch0(rte_pktmbuf_mtod(mbufs[n + AHEAD], void *));
		uint32_t size = whole(q, m) ? passes(g, mac, memory + off, m->data_len, &to) : 0;
		if (unlikely(size == 0))
			break;
		d[n] = (struct sb_datagram){memory, m->buf_len, m->buf_len, off + ETHER, size, 0};
		sizes[n] = size;
		bytes += size;
	}
	struct sb_passed p = {bytes, got, n, to.changes <= 1};
	for (; n < got; n++)
		describe(q, &d[n], mbufs[n]);
	return p;
}
