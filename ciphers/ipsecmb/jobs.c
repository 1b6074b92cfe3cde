//go:build ipsecmb

#include "jobs.h"

#include <string.h>

void ipsecmb_start(struct jobs *q, IMB_MGR *m, struct area *a, int opening)
{
	q->m = m;
	q->a = a;
	q->opening = opening;
}

uint8_t *ipsecmb_tag_of(struct jobs *q, const struct record *r)
{
	return q->tags[r - q->a->records];
}

void ipsecmb_settle(struct jobs *q, struct record *r)
{
	uint8_t *tag = q->a->bytes + r->payload + r->length;
	r->status = STATUS_OK;
	if (!q->opening)
		memcpy(tag, ipsecmb_tag_of(q, r), r->tag_size);
	else if (ipsecmb_differ(ipsecmb_tag_of(q, r), tag, r->tag_size))
		r->status = STATUS_AUTH;
}

IMB_JOB *ipsecmb_next_job(struct jobs *q, const void *key, size_t key_size, uint8_t *data, size_t n,
			  const uint8_t *iv, size_t iv_size)
{
	IMB_JOB *job = IMB_GET_NEXT_JOB(q->m);
	memset(job, 0, sizeof *job);
	job->enc_keys = key;
	job->dec_keys = key;
	job->key_len_in_bytes = key_size;
	job->src = data;
	job->dst = data;
	job->msg_len_to_cipher_in_bytes = n;
	job->iv = iv;
	job->iv_len_in_bytes = iv_size;
	job->cipher_direction = IMB_DIR_ENCRYPT;
	job->chain_order = IMB_ORDER_CIPHER_HASH;
	job->hash_alg = IMB_AUTH_NULL;
	return job;
}

static void finish(struct jobs *q, IMB_JOB *job)
{
	if (job->status == IMB_STATUS_COMPLETED)
		ipsecmb_settle(q, job->user_data);
}

void ipsecmb_submit(struct jobs *q, IMB_JOB *job, struct record *r)
{
	job->msg_len_to_hash_in_bytes = r->length;
	job->auth_tag_output = ipsecmb_tag_of(q, r);
	job->auth_tag_output_len_in_bytes = r->tag_size;
	job->user_data = r;
	if (q->opening)
		job->cipher_direction = IMB_DIR_DECRYPT;
	for (job = IMB_SUBMIT_JOB(q->m); job != NULL; job = IMB_GET_COMPLETED_JOB(q->m))
		finish(q, job);
}

void ipsecmb_flush(struct jobs *q)
{
	for (IMB_JOB *job = IMB_FLUSH_JOB(q->m); job != NULL; job = IMB_FLUSH_JOB(q->m))
		finish(q, job);
}
