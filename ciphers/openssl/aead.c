//go:build openssl

#include "key.h"

// start sets the nonce and takes the associated data.
static int start(EVP_CIPHER_CTX *c, const struct key *key, const struct area *a, const struct record *r)
{
	int n;
	if (EVP_CipherInit_ex(c, NULL, NULL, NULL, r->nonce, -1) != 1)
		return 0;
	// CCM wants the length of the payload first.
	if (key->kind == CCM && EVP_CipherUpdate(c, NULL, &n, NULL, r->length) != 1)
		return 0;
	return r->aad_length == 0 || EVP_CipherUpdate(c, NULL, &n, a->bytes + r->aad, r->aad_length) == 1;
}

static int seal(EVP_CIPHER_CTX *c, const struct key *key, const struct area *a, const struct record *r,
		uint8_t *payload)
{
	int n;
	uint8_t *tag = payload + r->length;
	return start(c, key, a, r) && EVP_EncryptUpdate(c, payload, &n, payload, r->length) == 1 &&
	       EVP_EncryptFinal_ex(c, tag, &n) == 1 &&
	       EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, r->tag_size, tag) == 1;
}

void openssl_seal(struct area *a)
{
	struct hold h = {0};
	for (uint32_t i = 0; i < a->count; i++) {
		struct record *r = &a->records[i];
		EVP_CIPHER_CTX *c = openssl_hold(&h, (struct key *)(uintptr_t)r->key);
		if (c != NULL && seal(c, h.key, a, r, a->bytes + r->payload))
			r->status = STATUS_OK;
	}
	openssl_hold(&h, NULL);
}

// open gives the status. CCM compares the tag when it takes the payload, the
// others at the end; what fails there is not authentic.
static uint8_t open(EVP_CIPHER_CTX *c, const struct key *key, const struct area *a, const struct record *r,
		    uint8_t *payload)
{
	int n;
	if (EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, r->tag_size, payload + r->length) != 1 || !start(c, key, a, r))
		return STATUS_BACKEND;
	if (EVP_DecryptUpdate(c, payload, &n, payload, r->length) != 1)
		return key->kind == CCM ? STATUS_AUTH : STATUS_BACKEND;
	if (key->kind != CCM && EVP_DecryptFinal_ex(c, payload + r->length, &n) != 1)
		return STATUS_AUTH;
	return STATUS_OK;
}

void openssl_open(struct area *a)
{
	struct hold h = {0};
	for (uint32_t i = 0; i < a->count; i++) {
		struct record *r = &a->records[i];
		EVP_CIPHER_CTX *c = openssl_hold(&h, (struct key *)(uintptr_t)r->key);
		if (c != NULL)
			r->status = open(c, h.key, a, r, a->bytes + r->payload);
	}
	openssl_hold(&h, NULL);
}
