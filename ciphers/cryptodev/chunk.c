//go:build dpdk

#include "device.h"

#include <stdio.h>
#include <string.h>

#include <rte_memory.h>
#include <rte_memzone.h>

// prepare sets what stays the same in every operation.
static void prepare(struct whole *w)
{
	for (unsigned i = 0; i < BURST; i++) {
		struct slot *s = &w->slots[i];
		s->op.type = RTE_CRYPTO_OP_TYPE_SYMMETRIC;
		s->op.sess_type = RTE_CRYPTO_OP_WITH_SESSION;
		s->op.phys_addr = w->zone->iova + offsetof(struct whole, slots) + i * sizeof *s;
		s->mbuf.nb_segs = 1;
		s->mbuf.refcnt = 1;
		s->record = &w->chunk.records[i];
		s->whole = w;
	}
}

struct chunk *cryptodev_chunk(struct device *d)
{
	char name[RTE_MEMZONE_NAMESIZE];
	snprintf(name, sizeof name, "sealburst_chunk_%u", unique());
	const struct rte_memzone *zone =
		rte_memzone_reserve_aligned(name, sizeof(struct whole), d->socket, RTE_MEMZONE_IOVA_CONTIG, RTE_CACHE_LINE_SIZE);
	if (zone == NULL)
		return NULL;
	struct whole *w = zone->addr;
	memset(w, 0, sizeof *w);
	w->zone = zone;
	prepare(w);
	return &w->chunk;
}

// Plaintext goes with the chunk.
void cryptodev_chunk_free(struct device *d, struct chunk *c)
{
	(void)d;
	struct whole *w = (struct whole *)c;
	const struct rte_memzone *zone = w->zone;
	explicit_bzero(w, sizeof *w);
	rte_memzone_free(zone);
}

struct spans {
	struct span *all;
	uint32_t count, room;
};

static int add_span(const struct rte_memseg_list *list, void *arg)
{
	struct spans *s = arg;
	if (s->count < s->room)
		s->all[s->count++] = (struct span){list->addr_64, list->len};
	return 0;
}

uint32_t cryptodev_spans(struct span *all, uint32_t n)
{
	struct spans s = {all, 0, n};
	rte_memseg_list_walk(add_span, &s);
	return s.count;
}
