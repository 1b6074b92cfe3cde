//go:build dpdk

#include "device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_lcore.h>

unsigned unique(void)
{
	static atomic_uint last;
	return atomic_fetch_add(&last, 1);
}

_Static_assert(MAX_DEVICES == RTE_CRYPTO_MAX_DEVS, "devices");

int cryptodev_find(const char *name)
{
	size_t n = strlen(name);
	for (int id = 0; id < MAX_DEVICES; id++) {
		const char *is = rte_cryptodev_is_valid_dev(id) ? rte_cryptodev_name_get(id) : NULL;
		// A device on a bus is named by its address and what it does: 0000:3b:01.0_qat_sym.
		if (is == NULL || strncmp(is, name, n) != 0)
			continue;
		if (is[n] == 0 || (is[n] == '_' && strchr(name, ':') != NULL))
			return id;
	}
	return -1;
}

int cryptodev_traits(int id, struct traits *t)
{
	struct rte_cryptodev_info info;
	memset(t, 0, sizeof *t);
	if (!rte_cryptodev_is_valid_dev(id))
		return ENODEV;
	rte_cryptodev_info_get(id, &info);
	snprintf(t->name, sizeof t->name, "%s", rte_cryptodev_name_get(id));
	snprintf(t->driver, sizeof t->driver, "%s", info.driver_name);
	t->queue_pairs = info.max_nb_queue_pairs;
	t->cpu = (info.feature_flags & RTE_CRYPTODEV_FF_SYM_CPU_CRYPTO) != 0;
	t->software = (info.feature_flags & RTE_CRYPTODEV_FF_HW_ACCELERATED) == 0;
	t->chains = (info.feature_flags & RTE_CRYPTODEV_FF_SYM_OPERATION_CHAINING) != 0;
	return 0;
}

static int add_queue_pairs(struct device *d, uint32_t n, uint32_t descriptors)
{
	struct rte_cryptodev_qp_conf conf = {.nb_descriptors = descriptors, .mp_session = d->pools[0]};
	for (uint32_t i = 0; i < n; i++) {
		int code = rte_cryptodev_queue_pair_setup(d->id, i, &conf, d->socket);
		if (code != 0)
			return -code;
	}
	return 0;
}

struct rte_mempool *add_pool(struct device *d)
{
	if (d->pool_count == POOLS)
		return NULL;
	char name[RTE_MEMPOOL_NAMESIZE];
	snprintf(name, sizeof name, "sealburst_pool_%u", unique());
	uint32_t n = 512u << (d->pool_count != 0 ? d->pool_count - 1 : 0);
	struct rte_mempool *p = rte_cryptodev_sym_session_pool_create(name, n, d->session_size, 0, 0, d->socket);
	if (p != NULL)
		d->pools[d->pool_count++] = p;
	return p;
}

static void free_pools(struct device *d)
{
	while (d->pool_count != 0)
		rte_mempool_free(d->pools[--d->pool_count]);
}

static int configure(struct device *d, uint32_t queue_pairs)
{
	struct rte_cryptodev_config conf = {
		.socket_id = d->socket,
		.nb_queue_pairs = queue_pairs,
		.ff_disable = RTE_CRYPTODEV_FF_ASYMMETRIC_CRYPTO | RTE_CRYPTODEV_FF_SECURITY,
	};
	return -rte_cryptodev_configure(d->id, &conf);
}

static int start(struct device *d, uint32_t queue_pairs, uint32_t descriptors)
{
	int code = configure(d, queue_pairs);
	if (code != 0)
		return code;
	d->session_size = rte_cryptodev_sym_get_private_session_size(d->id);
	if (add_pool(d) == NULL)
		return ENOMEM;
	code = add_queue_pairs(d, queue_pairs, descriptors);
	return code != 0 ? code : -rte_cryptodev_start(d->id);
}

int cryptodev_open(int id, uint32_t queue_pairs, uint32_t descriptors, struct device **opened)
{
	struct device *d = calloc(1, sizeof *d);
	if (d == NULL)
		return ENOMEM;
	d->id = id;
	d->socket = rte_cryptodev_socket_id(id);
	pthread_mutex_init(&d->lock, NULL);
	int code = start(d, queue_pairs, descriptors);
	if (code != 0) {
		free_pools(d);
		free(d);
		return code;
	}
	*opened = d;
	return 0;
}

void cryptodev_stop(struct device *d)
{
	rte_cryptodev_stop(d->id);
}

void cryptodev_close(struct device *d)
{
	rte_cryptodev_close(d->id);
	free_pools(d);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

const char *cryptodev_fault(struct device *d)
{
	switch (atomic_load_explicit(&d->fault, memory_order_relaxed)) {
	case RTE_CRYPTO_OP_STATUS_SUCCESS:
		return "";
	case RTE_CRYPTO_OP_STATUS_INVALID_SESSION:
		return "no session: DPDK may have no memory left";
	case RTE_CRYPTO_OP_STATUS_INVALID_ARGS:
		return "invalid arguments";
	default:
		return "error";
	}
}
