//go:build dpdk

#include "device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>

// new_session makes a session from a pool that has one left.
static void *new_session(struct device *d, struct rte_crypto_sym_xform *x)
{
	for (uint32_t i = d->pool_count; i-- != 0;)
		if (rte_mempool_avail_count(d->pools[i]) != 0)
			return rte_cryptodev_sym_session_create(d->id, x, d->pools[i]);
	struct rte_mempool *p = add_pool(d);
	return p != NULL ? rte_cryptodev_sym_session_create(d->id, x, p) : NULL;
}

enum { SESSIONS = 8 };

// A key. DPDK's sessions fix the length of associated data, so that there is one
// for each length that the key has met, up to a number; then packets bring their own.
struct key {
	struct shape shape;
	bool sealing;
	uint8_t raw[32];
	uint8_t auth[64];
	atomic_uint count;
	struct {
		uint32_t aad;
		void *session;
	} sessions[SESSIONS];
};

static void *session_for(struct device *d, struct key *k, uint32_t aad)
{
	struct transforms x;
	transforms_of(&x, &k->shape, k->sealing, k->raw, k->auth, aad);
	return new_session(d, &x.first);
}

static void *known_session(struct key *k, uint32_t aad)
{
	unsigned n = atomic_load_explicit(&k->count, memory_order_acquire);
	for (unsigned i = 0; i < n; i++)
		if (k->sessions[i].aad == aad)
			return k->sessions[i].session;
	return NULL;
}

// learn makes a session and keeps it with the key where there is room.
static void *learn(struct device *d, struct record *r, uint32_t aad)
{
	struct key *k = r->key;
	pthread_mutex_lock(&d->lock);
	void *s = known_session(k, aad);
	if (s == NULL && (s = session_for(d, k, aad)) != NULL) {
		unsigned n = atomic_load_explicit(&k->count, memory_order_relaxed);
		if (n < SESSIONS) {
			k->sessions[n].aad = aad;
			k->sessions[n].session = s;
			atomic_store_explicit(&k->count, n + 1, memory_order_release);
		} else {
			r->transient = 1;
		}
	}
	pthread_mutex_unlock(&d->lock);
	return s;
}

void *session_of(struct device *d, struct record *r)
{
	uint32_t aad = r->pair ? 0 : r->aad_length;
	void *s = known_session(r->key, aad);
	r->transient = 0;
	r->session = s != NULL ? s : learn(d, r, aad);
	return r->session;
}

// free_session zeroes a session, which DPDK leaves as it is when the device has
// vanished.
static void free_session(struct device *d, void *s)
{
	pthread_mutex_lock(&d->lock);
	struct rte_mempool *p = rte_mempool_from_obj(s);
	if (rte_cryptodev_sym_session_free(d->id, s) != 0) {
		explicit_bzero(s, p->elt_size);
		rte_mempool_put(p, s);
	}
	pthread_mutex_unlock(&d->lock);
}

void settle(struct device *d, struct chunk *c, struct record *r, uint8_t status)
{
	r->status = status;
	if (status != STATUS_OK && c->opening)
		memset((uint8_t *)(uintptr_t)r->message + r->head, 0, r->length);
	if (r->transient && r->session != NULL)
		free_session(d, r->session);
	c->left--;
}

static void free_sessions(struct device *d, struct key *k)
{
	unsigned n = atomic_exchange(&k->count, 0);
	for (unsigned i = 0; i < n; i++)
		free_session(d, k->sessions[i].session);
}

int cryptodev_key(struct device *d, const struct shape *s, bool sealing, const uint8_t *raw, const uint8_t *auth,
		  struct key **made)
{
	struct key *k = calloc(1, sizeof *k);
	if (k == NULL)
		return ENOMEM;
	k->shape = *s;
	k->sealing = sealing;
	memcpy(k->raw, raw, s->key_size);
	if (s->auth_size != 0)
		memcpy(k->auth, auth, s->auth_size);
	struct record first = {.key = k, .pair = s->mac != NO_MAC};
	if (session_of(d, &first) == NULL) {
		int code = rte_errno != 0 ? rte_errno : ENOMEM;
		cryptodev_release(d, k);
		return code;
	}
	if (s->mac == NO_MAC)
		free_sessions(d, k); // it showed that the device takes such a key; packets will have other lengths
	*made = k;
	return 0;
}

void cryptodev_release(struct device *d, struct key *k)
{
	free_sessions(d, k);
	explicit_bzero(k, sizeof *k);
	free(k);
}

uint32_t cryptodev_sessions(struct device *d)
{
	uint32_t n = 0;
	pthread_mutex_lock(&d->lock);
	for (uint32_t i = 0; i < d->pool_count; i++)
		n += rte_mempool_in_use_count(d->pools[i]);
	pthread_mutex_unlock(&d->lock);
	return n;
}

void *cryptodev_session(struct device *d, struct key *k, size_t *size)
{
	if (atomic_load(&k->count) == 0)
		return NULL;
	void *s = k->sessions[0].session;
	*size = d->session_size; // at the end, behind a header that is DPDK's secret
	return (uint8_t *)s + rte_mempool_from_obj(s)->elt_size - *size;
}
