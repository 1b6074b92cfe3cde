//go:build dpdk

#include "burst.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>
#include <rte_mempool.h>

// How many free buffers each thread keeps for itself.
#define CACHED 256

#define HUGE_PAGE ((size_t)2 << 20)

// How far behind its struct rte_mbuf a buffer begins, if all devices are virtual: so far that
// the packet in a frame, behind DPDK's headroom and the frame's header, begins on a cache line.
// Packets are sealed in place, 64 bytes at a time, and loads and stores across two lines cost
// twice. Cards get buffers as DPDK has them: some want theirs aligned. Some virtual devices do so
// too; the caller says whether there is one.
#define BEHIND ((RTE_CACHE_LINE_SIZE - (RTE_PKTMBUF_HEADROOM + ETHER) % RTE_CACHE_LINE_SIZE) % RTE_CACHE_LINE_SIZE)
#define RESERVED RTE_ALIGN_CEIL(BEHIND, RTE_MBUF_PRIV_ALIGN)

// Whether all devices are virtual: others reach no memory but DPDK's own.
static bool all_virtual(void)
{
	uint16_t port;
	RTE_ETH_FOREACH_DEV(port) {
		struct rte_eth_dev_info info;
		if (rte_eth_dev_info_get(port, &info) != 0 || strcmp(rte_bus_name(rte_dev_bus(info.device)), "vdev") != 0)
			return false;
	}
	return true;
}

// move_up does it for a buffer with RESERVED bytes in front, which DPDK counts in eights.
static void move_up(struct rte_mempool *pool, void *unused, void *buffer, unsigned number)
{
	struct rte_mbuf *m = buffer;
	(void)pool, (void)unused, (void)number;
	m->buf_addr = (uint8_t *)m->buf_addr - (RESERVED - BEHIND);
	m->buf_iova -= RESERVED - BEHIND;
}

static void unmap(struct rte_mempool_memhdr *chunk, void *size)
{
	munmap(chunk->addr, (size_t)size);
}

// Memory in transparent huge pages, as far as the kernel has some: bursts go from page to
// page otherwise, more of them than a processor remembers.
static void *huge_pages(size_t size)
{
	uint8_t *room = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED)
		return NULL;
	uint8_t *start = RTE_PTR_ALIGN_CEIL(room, HUGE_PAGE);
	if (start != room)
		munmap(room, start - room);
	if (room + HUGE_PAGE != start)
		munmap(start + size, room + HUGE_PAGE - start);
	madvise(start, size, MADV_HUGEPAGE); // without them it is memory all the same
	return start;
}

static int populate(struct rte_mempool *pool)
{
	size_t least, align;
	ssize_t size = rte_mempool_op_calc_mem_size_default(pool, pool->size, 0, &least, &align);
	if (size <= 0)
		return ENOMEM;
	size = RTE_ALIGN_CEIL((size_t)size, HUGE_PAGE);
	void *start = huge_pages(size);
	if (start == NULL)
		return errno;
	int got = rte_mempool_populate_iova(pool, start, RTE_BAD_IOVA, size, unmap, (void *)size);
	if (got <= 0)
		munmap(start, size);
	if (got < 0)
		return -got;
	return got == (int)pool->size ? 0 : ENOMEM;
}

// A pool as rte_pktmbuf_pool_create makes it, in such memory. Buffers need not be contiguous
// for devices, so that one may lie across two pages and all lie close together. DPDK in
// ordinary pages starts each in a page of its own: all at multiples of 4 KiB, where the first
// bytes of all of them contend for the same few places of the cache.
static int pool_of_huge_pages(const char *name, uint32_t count, uint16_t room, void **pool)
{
	struct rte_pktmbuf_pool_private each = {.mbuf_data_room_size = room, .mbuf_priv_size = RESERVED};
	struct rte_mempool *p = rte_mempool_create_empty(name, count, sizeof(struct rte_mbuf) + RESERVED + room, CACHED, sizeof each,
							 SOCKET_ID_ANY, RTE_MEMPOOL_F_NO_IOVA_CONTIG);
	if (p == NULL)
		return rte_errno;
	int code = -rte_mempool_set_ops_byname(p, rte_mbuf_best_mempool_ops(), NULL);
	rte_pktmbuf_pool_init(p, &each);
	if (code == 0)
		code = populate(p);
	if (code != 0) {
		rte_mempool_free(p);
		return code;
	}
	rte_mempool_obj_iter(p, rte_pktmbuf_init, NULL);
	*pool = p;
	return 0;
}

int sb_pool_new(const char *name, uint32_t count, uint16_t room, bool aligned, void **pool)
{
	bool apart = all_virtual();
	aligned = aligned && apart;
	if (apart && !rte_eal_has_hugepages()) {
		int code = pool_of_huge_pages(name, count, room, pool);
		if (code != 0)
			return code;
	} else {
		*pool = rte_pktmbuf_pool_create(name, count, CACHED, aligned ? RESERVED : 0, room, SOCKET_ID_ANY);
		if (*pool == NULL)
			return rte_errno;
	}
	if (aligned)
		rte_mempool_obj_iter(*pool, move_up, NULL);
	return 0;
}

uint32_t sb_pool_used(void *pool)
{
	return rte_mempool_in_use_count(pool);
}

void sb_pool_free(void *pool)
{
	rte_mempool_free(pool);
}
