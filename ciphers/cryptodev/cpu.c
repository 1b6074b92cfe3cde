//go:build dpdk

#include "device.h"

#include <errno.h>

// A run of packets under one session.
struct run {
	struct rte_crypto_vec data[BURST];
	struct rte_crypto_sgl sgl[BURST];
	struct rte_crypto_va_iova_ptr iv[BURST], digest[BURST], aad[BURST];
	int32_t status[BURST];
};

static void add(struct run *x, uint32_t i, struct record *r)
{
	x->data[i].base = (void *)(uintptr_t)r->message;
	x->data[i].len = r->head + r->length + r->tail;
	x->sgl[i].vec = &x->data[i];
	x->sgl[i].num = 1;
	x->iv[i].va = r->iv;
	x->digest[i].va = (void *)(uintptr_t)r->tag;
	x->aad[i].va = (void *)(uintptr_t)r->aad;
	x->status[i] = -1;
}

static uint8_t outcome(const struct chunk *c, int32_t status)
{
	if (status == 0)
		return STATUS_OK;
	return status == EBADMSG && c->opening ? STATUS_AUTH : STATUS_BACKEND;
}

// process does the first records, and returns how many share a session.
static uint32_t process(struct device *d, struct chunk *c, struct run *x, struct record *r, uint32_t n)
{
	uint32_t like = 0;
	while (like < n && r[like].session == r->session && r[like].head == r->head)
		like++;
	for (uint32_t i = 0; i < like; i++)
		add(x, i, &r[i]);
	struct rte_crypto_sym_vec vec = {
		.num = like, .src_sgl = x->sgl, .iv = x->iv, .digest = x->digest, .aad = x->aad, .status = x->status};
	union rte_crypto_sym_ofs ofs = {.raw = 0};
	ofs.ofs.cipher.head = r->head;
	ofs.ofs.cipher.tail = r->tail;
	if (r->session != NULL)
		rte_cryptodev_sym_cpu_crypto_process(d->id, r->session, ofs, &vec);
	else
		atomic_store_explicit(&d->fault, RTE_CRYPTO_OP_STATUS_INVALID_SESSION, memory_order_relaxed);
	for (uint32_t i = 0; i < like; i++)
		settle(d, c, &r[i], outcome(c, x->status[i]));
	return like;
}

void cryptodev_process(struct device *d, struct chunk *c)
{
	struct run x;
	c->left = c->count;
	for (uint32_t i = 0; i < c->count; i++)
		session_of(d, &c->records[i]);
	for (uint32_t i = 0; i < c->count;)
		i += process(d, c, &x, &c->records[i], c->count - i);
}

bool cryptodev_computes(struct device *d, const struct shape *s)
{
	static const uint8_t zero[64];
	uint8_t message[64] = {0}, tag[64];
	struct key *k = NULL;
	if (cryptodev_key(d, s, true, zero, zero, &k) != 0)
		return false;
	struct record r = {.key = k, .pair = s->mac != NO_MAC, .message = (uintptr_t)message, .length = 16,
			   .aad = (uintptr_t)message, .tag = (uintptr_t)tag};
	struct run x;
	void *session = session_of(d, &r);
	add(&x, 0, &r);
	struct rte_crypto_sym_vec vec = {
		.num = 1, .src_sgl = x.sgl, .iv = x.iv, .digest = x.digest, .aad = x.aad, .status = x.status};
	union rte_crypto_sym_ofs ofs = {.raw = 0};
	if (session != NULL)
		rte_cryptodev_sym_cpu_crypto_process(d->id, session, ofs, &vec);
	cryptodev_release(d, k);
	return x.status[0] == 0;
}
