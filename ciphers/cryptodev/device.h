// The device, within the C side.
#ifndef SEALBURST_CRYPTODEV_DEVICE_H
#define SEALBURST_CRYPTODEV_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include <rte_cryptodev.h>
#include <rte_mempool.h>

#include "native.h"

enum { POOLS = 24 };

struct device {
	uint8_t id;
	int socket;
	uint32_t session_size;
	atomic_int fault; // enum rte_crypto_op_status

	pthread_mutex_t lock; // of the pools
	struct rte_mempool *pools[POOLS];
	uint32_t pool_count;
};

// An operation with its packet's buffer header. DPDK wants struct rte_crypto_sym_op
// right behind struct rte_crypto_op.
struct slot {
	union {
		struct rte_crypto_op op;
		uint8_t room[sizeof(struct rte_crypto_op) + sizeof(struct rte_crypto_sym_op)];
	};
	uint8_t iv[16];
	struct record *record;
	struct whole *whole;
	struct rte_mbuf mbuf;
} __rte_cache_aligned;

// A chunk with what the Go side does not see.
struct whole {
	struct chunk chunk;
	const struct rte_memzone *zone;
	struct whole *next; // among those that wait
	struct whole *over; // the next among those that are over
	uint32_t ready;     // of ops
	struct rte_crypto_op *ops[BURST];
	struct slot slots[BURST];
};

// unique is another number each time, for the names that DPDK's memory wants.
unsigned unique(void);

// add_pool makes room for more sessions: each pool is as large as all before it.
// The lock is held.
struct rte_mempool *add_pool(struct device *d);

// session_of is the key's session for so much associated data, or NULL; where the
// key's table is full it is the record's own.
void *session_of(struct device *d, struct record *r);

// settle notes a record's outcome. What is not authentic, or may not be, is zeroed
// when it was to be opened.
void settle(struct device *d, struct chunk *c, struct record *r, uint8_t status);

// The transforms of a session.
struct transforms {
	struct rte_crypto_sym_xform first, second;
};
void transforms_of(struct transforms *x, const struct shape *s, bool sealing, const uint8_t *raw, const uint8_t *auth,
		   uint16_t aad);

#endif
