//go:build ipsecmb

#include "jobs.h"

static void each(IMB_MGR *m, struct area *a, int opening)
{
	struct jobs q;
	ipsecmb_start(&q, m, a, opening);
	for (uint32_t i = 0; i < a->count; i++) {
		struct record *r = &a->records[i];
		const void *key = (const void *)(uintptr_t)r->key;
		IMB_JOB *job = ipsecmb_next_job(&q, key, 32, a->bytes + r->payload, r->length, r->nonce, 12);
		job->cipher_mode = IMB_CIPHER_CHACHA20_POLY1305;
		job->hash_alg = IMB_AUTH_CHACHA20_POLY1305;
		job->chain_order = opening ? IMB_ORDER_HASH_CIPHER : IMB_ORDER_CIPHER_HASH;
		job->u.CHACHA20_POLY1305.aad = a->bytes + r->aad;
		job->u.CHACHA20_POLY1305.aad_len_in_bytes = r->aad_length;
		ipsecmb_submit(&q, job, r);
	}
	ipsecmb_flush(&q);
}

void ipsecmb_chacha_seal(IMB_MGR *m, struct area *a)
{
	each(m, a, 0);
}

void ipsecmb_chacha_open(IMB_MGR *m, struct area *a)
{
	each(m, a, 1);
}
