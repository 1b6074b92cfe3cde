//go:build ipsecmb

#include "native.h"

void ipsecmb_gcm_expand(IMB_MGR *m, const uint8_t *raw, size_t size, struct gcm_key_data *key)
{
	if (size == 16)
		IMB_AES128_GCM_PRE(m, raw, key);
	else if (size == 24)
		IMB_AES192_GCM_PRE(m, raw, key);
	else
		IMB_AES256_GCM_PRE(m, raw, key);
}

void ipsecmb_gcm_seal(IMB_MGR *m, struct area *a, size_t size)
{
	aes_gcm_enc_dec_t seal = size == 16 ? m->gcm128_enc : size == 24 ? m->gcm192_enc : m->gcm256_enc;
	struct gcm_context_data context;
	for (uint32_t i = 0; i < a->count; i++) {
		struct record *r = &a->records[i];
		uint8_t *payload = a->bytes + r->payload;
		seal((const struct gcm_key_data *)(uintptr_t)r->key, &context, payload, payload, r->length, r->nonce,
		     a->bytes + r->aad, r->aad_length, payload + r->length, r->tag_size);
		r->status = STATUS_OK;
	}
	imb_clear_mem(&context, sizeof context);
}

void ipsecmb_gcm_open(IMB_MGR *m, struct area *a, size_t size)
{
	aes_gcm_enc_dec_t open = size == 16 ? m->gcm128_dec : size == 24 ? m->gcm192_dec : m->gcm256_dec;
	struct gcm_context_data context;
	for (uint32_t i = 0; i < a->count; i++) {
		struct record *r = &a->records[i];
		uint8_t *payload = a->bytes + r->payload, tag[16];
		open((const struct gcm_key_data *)(uintptr_t)r->key, &context, payload, payload, r->length, r->nonce,
		     a->bytes + r->aad, r->aad_length, tag, r->tag_size);
		r->status = ipsecmb_differ(tag, payload + r->length, r->tag_size) ? STATUS_AUTH : STATUS_OK;
	}
	imb_clear_mem(&context, sizeof context);
}
