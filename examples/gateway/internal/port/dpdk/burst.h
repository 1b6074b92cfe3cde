// What receiving does with each frame.
#ifndef SEALBURST_BURST_H
#define SEALBURST_BURST_H

#include "native.h"

#include <rte_mbuf.h>

#define ETHER 14 // a frame's header

static inline uint8_t fault(const struct sb_queue *q, const struct rte_mbuf *m)
{
	if (unlikely(m->nb_segs > 1))
		return q->chained;
	if (unlikely((m->ol_flags & RTE_MBUF_F_RX_IP_CKSUM_MASK) == RTE_MBUF_F_RX_IP_CKSUM_BAD))
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

#endif
