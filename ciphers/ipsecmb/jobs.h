// Jobs over one area, within the C side.
#ifndef SEALBURST_IPSECMB_JOBS_H
#define SEALBURST_IPSECMB_JOBS_H

#include "native.h"

// What the jobs of an area share. Tags are made here, to be copied out or compared.
struct jobs {
	IMB_MGR *m;
	struct area *a;
	int opening;
	uint8_t tags[256][16];
};

// ipsecmb_start leaves tags as they are: clearing them would cost as much as a packet.
void ipsecmb_start(struct jobs *q, IMB_MGR *m, struct area *a, int opening);

uint8_t *ipsecmb_tag_of(struct jobs *q, const struct record *r);

// ipsecmb_settle ends a packet that went well: its tag is delivered, or compared.
void ipsecmb_settle(struct jobs *q, struct record *r);

// ipsecmb_next_job is an empty job that ciphers n bytes in place under iv.
IMB_JOB *ipsecmb_next_job(struct jobs *q, const void *key, size_t key_size, uint8_t *data, size_t n,
			  const uint8_t *iv, size_t iv_size);

// ipsecmb_submit queues a job of an AEAD for r, and settles what is complete by then.
void ipsecmb_submit(struct jobs *q, IMB_JOB *job, struct record *r);

// ipsecmb_flush settles the rest.
void ipsecmb_flush(struct jobs *q);

#endif
