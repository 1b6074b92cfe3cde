//go:build ipsecmb

#include "jobs.h"

#include <string.h>

// What the library's CCM takes at most.
enum { NATIVE_AAD = 46, NATIVE_LENGTH = 65534 };

// A CCM operation over one area. The library's jobs run several packets side by
// side; a packet that they do not take is composed of its CBC and CTR jobs.
struct ccm {
	struct jobs q;
	size_t size;
};

static IMB_JOB *cipher_job(struct ccm *c, const struct record *r, uint8_t *data, size_t n,
			   const uint8_t *iv, size_t iv_size)
{
	const struct aes_key *key = (const struct aes_key *)(uintptr_t)r->key;
	return ipsecmb_next_job(&c->q, key->encrypt, c->size, data, n, iv, iv_size);
}

static void submit_native(struct ccm *c, struct record *r)
{
	struct area *a = c->q.a;
	IMB_JOB *job = cipher_job(c, r, a->bytes + r->payload, r->length, r->nonce, r->nonce_size);
	job->cipher_mode = IMB_CIPHER_CCM;
	job->hash_alg = IMB_AUTH_AES_CCM;
	job->chain_order = c->q.opening ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
	job->u.CCM.aad = a->bytes + r->aad;
	job->u.CCM.aad_len_in_bytes = r->aad_length;
	ipsecmb_submit(&c->q, job, r);
}

// run submits a job of a cipher alone and waits for it. No other is queued.
static int run(struct ccm *c, IMB_JOB *job, IMB_CIPHER_MODE mode)
{
	job->cipher_mode = mode;
	job = IMB_SUBMIT_JOB(c->q.m);
	if (job == NULL)
		job = IMB_FLUSH_JOB(c->q.m);
	return job != NULL && job->status == IMB_STATUS_COMPLETED;
}

// The CBC-MAC of one packet, in pieces.
struct mac {
	struct ccm *c;
	const struct record *r;
	int ok;
	size_t used;
	uint8_t chain[16];
	uint8_t piece[4096];
};

static void mac_run(struct mac *x)
{
	if (x->used == 0)
		return;
	x->ok &= run(x->c, cipher_job(x->c, x->r, x->piece, x->used, x->chain, 16), IMB_CIPHER_CBC);
	memcpy(x->chain, x->piece + x->used - 16, 16);
	x->used = 0;
}

static void mac_put(struct mac *x, const uint8_t *data, size_t n)
{
	while (n != 0) {
		size_t part = sizeof x->piece - x->used;
		if (part > n)
			part = n;
		memcpy(x->piece + x->used, data, part);
		x->used += part;
		data += part;
		n -= part;
		if (x->used == sizeof x->piece)
			mac_run(x);
	}
}

static void mac_pad(struct mac *x)
{
	static const uint8_t zero[16];
	mac_put(x, zero, -x->used & 15);
}

// mac_start puts B0 and the associated data (SP 800-38C A.2.1 and A.2.2). A payload
// is 65535 bytes at most.
static void mac_start(struct mac *x)
{
	const struct record *r = x->r;
	uint8_t b0[16] = {(uint8_t)((r->aad_length != 0) << 6 | (r->tag_size - 2) / 2 << 3 | (14 - r->nonce_size))};
	memcpy(b0 + 1, r->nonce, r->nonce_size);
	b0[14] = r->length >> 8;
	b0[15] = r->length;
	mac_put(x, b0, 16);
	if (r->aad_length == 0)
		return;
	if (r->aad_length < 0xff00) {
		uint8_t head[2] = {r->aad_length >> 8, r->aad_length};
		mac_put(x, head, sizeof head);
	} else {
		uint8_t head[6] = {0xff, 0xfe, r->aad_length >> 24, r->aad_length >> 16, r->aad_length >> 8, r->aad_length};
		mac_put(x, head, sizeof head);
	}
	mac_put(x, x->c->q.a->bytes + r->aad, r->aad_length);
	mac_pad(x);
}

// stream applies the key stream from block first on (SP 800-38C A.3).
static int stream(struct ccm *c, const struct record *r, uint8_t first, uint8_t *data, size_t n)
{
	uint8_t counter[16] = {14 - r->nonce_size};
	memcpy(counter + 1, r->nonce, r->nonce_size);
	counter[15] = first;
	if (n == 0)
		return 1;
	return run(c, cipher_job(c, r, data, n, counter, 16), IMB_CIPHER_CNTR);
}

static void compose(struct ccm *c, struct record *r)
{
	struct mac x;
	x.c = c;
	x.r = r;
	x.ok = 1;
	x.used = 0;
	memset(x.chain, 0, sizeof x.chain);
	uint8_t *payload = c->q.a->bytes + r->payload;
	if (c->q.opening)
		x.ok &= stream(c, r, 1, payload, r->length);
	mac_start(&x);
	mac_put(&x, payload, r->length);
	mac_pad(&x);
	mac_run(&x);
	if (!c->q.opening)
		x.ok &= stream(c, r, 1, payload, r->length);
	x.ok &= stream(c, r, 0, x.chain, 16);
	memcpy(ipsecmb_tag_of(&c->q, r), x.chain, 16);
	if (x.ok)
		ipsecmb_settle(&c->q, r);
	imb_clear_mem(&x, sizeof x);
}

static int native(const struct record *r)
{
	return r->aad_length <= NATIVE_AAD && r->length <= NATIVE_LENGTH;
}

static void each(IMB_MGR *m, struct area *a, size_t size, int opening)
{
	struct ccm c;
	ipsecmb_start(&c.q, m, a, opening);
	c.size = size;
	for (uint32_t i = 0; i < a->count; i++)
		if (native(&a->records[i]))
			submit_native(&c, &a->records[i]);
	ipsecmb_flush(&c.q);
	for (uint32_t i = 0; i < a->count; i++)
		if (!native(&a->records[i]))
			compose(&c, &a->records[i]);
}

void ipsecmb_ccm_expand(IMB_MGR *m, const uint8_t *raw, size_t size, struct aes_key *key)
{
	_Alignas(16) uint32_t decrypt[15 * 4];
	if (size == 16)
		IMB_AES_KEYEXP_128(m, raw, key->encrypt, decrypt);
	else
		IMB_AES_KEYEXP_256(m, raw, key->encrypt, decrypt);
	imb_clear_mem(decrypt, sizeof decrypt);
}

void ipsecmb_ccm_seal(IMB_MGR *m, struct area *a, size_t size)
{
	each(m, a, size, 0);
}

void ipsecmb_ccm_open(IMB_MGR *m, struct area *a, size_t size)
{
	each(m, a, size, 1);
}
