//go:build openssl

#include "key.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

static const EVP_CIPHER *cipher_of(const struct key *key)
{
	switch (key->kind) {
	case GCM:
		return key->size == 16 ? EVP_aes_128_gcm() : key->size == 24 ? EVP_aes_192_gcm() : EVP_aes_256_gcm();
	case CCM:
		return key->size == 16 ? EVP_aes_128_ccm() : EVP_aes_256_ccm();
	case CHACHA20_POLY1305:
		return EVP_chacha20_poly1305();
	case MASK_AES:
		return key->size == 16 ? EVP_aes_128_ecb() : EVP_aes_256_ecb();
	case MASK_CHACHA20:
		return EVP_chacha20();
	}
	return NULL;
}

// set_sizes tells CCM its sizes, which it wants to know before the key.
static int set_sizes(EVP_CIPHER_CTX *c, const struct key *key)
{
	if (key->kind != CCM)
		return 1;
	return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, key->nonce_size, NULL) == 1 &&
	       EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, key->tag_size, NULL) == 1;
}

static EVP_CIPHER_CTX *new_context(const struct key *key)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	if (c == NULL)
		return NULL;
	if (EVP_CipherInit_ex(c, cipher_of(key), NULL, NULL, NULL, key->sealing) == 1 && set_sizes(c, key) &&
	    EVP_CipherInit_ex(c, NULL, NULL, key->raw, NULL, key->sealing) == 1) {
		EVP_CIPHER_CTX_set_padding(c, 0);
		return c;
	}
	EVP_CIPHER_CTX_free(c);
	return NULL;
}

static EVP_CIPHER_CTX *take(struct key *key)
{
	for (int i = 0; i < CONTEXTS; i++) {
		EVP_CIPHER_CTX *c = atomic_exchange(&key->idle[i], NULL);
		if (c != NULL)
			return c;
	}
	return new_context(key);
}

static void give_back(struct key *key, EVP_CIPHER_CTX *c)
{
	for (int i = 0; i < CONTEXTS; i++) {
		EVP_CIPHER_CTX *none = NULL;
		if (atomic_compare_exchange_strong(&key->idle[i], &none, c))
			return;
	}
	EVP_CIPHER_CTX_free(c);
}

EVP_CIPHER_CTX *openssl_hold(struct hold *h, struct key *key)
{
	if (h->key == key)
		return h->context;
	if (h->context != NULL)
		give_back(h->key, h->context);
	h->key = key;
	h->context = key != NULL ? take(key) : NULL;
	return h->context;
}

struct key *openssl_key(enum kind kind, const uint8_t *raw, size_t size, int nonce_size, int tag_size, int sealing)
{
	struct key *key = calloc(1, sizeof *key);
	if (key == NULL)
		return NULL;
	key->kind = kind;
	key->size = size;
	key->nonce_size = nonce_size;
	key->tag_size = tag_size;
	key->sealing = sealing;
	memcpy(key->raw, raw, size);
	EVP_CIPHER_CTX *first = new_context(key);
	if (first == NULL) {
		openssl_release(key);
		return NULL;
	}
	give_back(key, first);
	return key;
}

void openssl_release(struct key *key)
{
	for (int i = 0; i < CONTEXTS; i++)
		EVP_CIPHER_CTX_free(atomic_exchange(&key->idle[i], NULL));
	OPENSSL_cleanse(key, sizeof *key);
	free(key);
}
