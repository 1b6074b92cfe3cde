//go:build dpdk

#include "device.h"

#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_memory.h>
#include <rte_pause.h>

// A queue pair, the chunks that the device has not taken whole, the oldest first,
// and those that are over.
struct pair {
	struct lane lane;
	struct device *d;
	uint16_t number;
	bool virtual; // the device uses the addresses that we do
	struct whole *waiting, **last;
	struct whole *over;
};

struct lane *cryptodev_lane(struct device *d, uint32_t queue_pair)
{
	struct pair *l = calloc(1, sizeof *l);
	if (l == NULL)
		return NULL;
	l->d = d;
	l->number = queue_pair;
	l->virtual = rte_eal_iova_mode() == RTE_IOVA_VA;
	l->last = &l->waiting;
	return &l->lane;
}

void cryptodev_lane_free(struct lane *l)
{
	free(l);
}

static rte_iova_t iova_of(const struct pair *l, uint64_t address)
{
	return l->virtual ? address : rte_mem_virt2iova((void *)(uintptr_t)address);
}

static void set_aead(const struct pair *l, struct rte_crypto_sym_op *sym, const struct record *r)
{
	sym->aead.data.offset = 0;
	sym->aead.data.length = r->length;
	sym->aead.digest.data = (uint8_t *)(uintptr_t)r->tag;
	sym->aead.digest.phys_addr = iova_of(l, r->tag);
	sym->aead.aad.data = (uint8_t *)(uintptr_t)r->aad;
	sym->aead.aad.phys_addr = iova_of(l, r->aad);
}

static void set_chain(const struct pair *l, struct rte_crypto_sym_op *sym, const struct record *r)
{
	sym->cipher.data.offset = r->head;
	sym->cipher.data.length = r->length;
	sym->auth.data.offset = 0;
	sym->auth.data.length = r->head + r->length + r->tail;
	sym->auth.digest.data = (uint8_t *)(uintptr_t)r->tag;
	sym->auth.digest.phys_addr = iova_of(l, r->tag);
}

// describe makes a record an operation.
static void describe(const struct pair *l, struct slot *s)
{
	struct record *r = s->record;
	struct rte_crypto_sym_op *sym = s->op.sym;
	s->op.status = RTE_CRYPTO_OP_STATUS_NOT_PROCESSED;
	memcpy(s->iv, r->iv, sizeof s->iv);
	s->mbuf.buf_addr = (void *)(uintptr_t)r->message;
	s->mbuf.buf_iova = iova_of(l, r->message);
	s->mbuf.data_len = r->head + r->length + r->tail;
	s->mbuf.pkt_len = s->mbuf.data_len;
	s->mbuf.buf_len = UINT16_MAX;
	s->mbuf.data_off = 0;
	sym->m_src = &s->mbuf;
	sym->m_dst = NULL;
	sym->session = r->session;
	if (r->pair)
		set_chain(l, sym, r);
	else
		set_aead(l, sym, r);
}

static void finish(struct pair *l, struct slot *s, uint8_t status)
{
	struct whole *w = s->whole;
	if (status == STATUS_BACKEND)
		atomic_store_explicit(&l->d->fault, s->op.status, memory_order_relaxed);
	settle(l->d, &w->chunk, s->record, status);
	if (w->chunk.left == 0) {
		w->over = l->over;
		l->over = w;
	}
}

static uint8_t outcome(const struct slot *s)
{
	if (s->op.status == RTE_CRYPTO_OP_STATUS_SUCCESS)
		return STATUS_OK;
	if (s->op.status == RTE_CRYPTO_OP_STATUS_AUTH_FAILED && s->whole->chunk.opening)
		return STATUS_AUTH;
	return STATUS_BACKEND;
}

// describe_all makes operations of a chunk's records. One without a session, for
// want of memory, fails at once.
static void describe_all(struct pair *l, struct whole *w)
{
	struct chunk *c = &w->chunk;
	w->ready = 0;
	c->sent = 0;
	c->left = c->count;
	for (uint32_t i = 0; i < c->count; i++) {
		struct slot *s = &w->slots[i];
		if (session_of(l->d, s->record) != NULL) {
			describe(l, s);
			w->ops[w->ready++] = &s->op;
		} else {
			s->op.status = RTE_CRYPTO_OP_STATUS_INVALID_SESSION;
			finish(l, s, STATUS_BACKEND);
		}
	}
}

// push hands the device what it takes of a chunk, and reports whether that is all.
// Some devices refuse a bad operation here, with a status, and would refuse it for
// ever.
static bool push(struct pair *l, struct whole *w)
{
	struct chunk *c = &w->chunk;
	while (c->sent < w->ready) {
		uint16_t n = rte_cryptodev_enqueue_burst(l->d->id, l->number, &w->ops[c->sent], w->ready - c->sent);
		c->sent += n;
		if (c->sent == w->ready)
			break;
		struct slot *s = (struct slot *)w->ops[c->sent];
		if (s->op.status != RTE_CRYPTO_OP_STATUS_NOT_PROCESSED) {
			c->sent++;
			finish(l, s, STATUS_BACKEND);
		} else if (n == 0) {
			return false;
		}
	}
	return true;
}

// push_waiting reports whether the device took anything.
static bool push_waiting(struct pair *l)
{
	bool any = false;
	for (struct whole *w = l->waiting; w != NULL; w = l->waiting) {
		uint32_t before = w->chunk.sent;
		bool all = push(l, w);
		any |= w->chunk.sent != before;
		if (!all)
			break;
		l->waiting = w->next;
		if (l->waiting == NULL)
			l->last = &l->waiting;
	}
	return any;
}

static void send(struct pair *l, struct whole *w)
{
	describe_all(l, w);
	w->next = NULL;
	*l->last = w;
	l->last = &w->next;
	push_waiting(l);
}

// take_in settles what the device gives back, and reports whether that is anything.
static bool take_in(struct pair *l)
{
	struct rte_crypto_op *ops[64];
	bool any = false;
	for (;;) {
		uint16_t n = rte_cryptodev_dequeue_burst(l->d->id, l->number, ops, RTE_DIM(ops));
		for (uint16_t i = 0; i < n; i++)
			finish(l, (struct slot *)ops[i], outcome((struct slot *)ops[i]));
		any |= n != 0;
		if (n == 0)
			return any;
	}
}

void cryptodev_send(struct lane *l, struct chunk *c)
{
	send((struct pair *)l, (struct whole *)c);
}

uint32_t cryptodev_receive(struct lane *lane)
{
	struct pair *l = (struct pair *)lane;
	lane->moved = take_in(l);
	lane->moved |= push_waiting(l);
	uint32_t n = 0;
	for (; n < RTE_DIM(lane->done) && l->over != NULL; n++) {
		lane->done[n] = &l->over->chunk;
		l->over = l->over->over;
	}
	return n;
}

bool cryptodev_run(struct lane *lane, struct chunk *c, uint64_t patience_ns)
{
	struct pair *l = (struct pair *)lane;
	uint64_t patience = patience_ns * rte_get_timer_hz() / 1000000000;
	uint64_t end = rte_get_timer_cycles() + patience;
	send(l, (struct whole *)c);
	while (c->left != 0) {
		bool moved = take_in(l);
		moved |= push_waiting(l);
		if (moved)
			end = rte_get_timer_cycles() + patience;
		else if (rte_get_timer_cycles() > end)
			return false;
		rte_pause();
	}
	l->over = NULL;
	return true;
}
