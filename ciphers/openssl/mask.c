//go:build openssl

#include "key.h"

#include <string.h>

// mask encrypts the sample under AES, or takes it for ChaCha20's block counter
// and nonce, in the order in which EVP wants them, and encrypts zeros.
static int mask(EVP_CIPHER_CTX *c, const struct key *key, uint8_t *block)
{
	int n;
	if (key->kind == MASK_AES)
		return EVP_EncryptUpdate(c, block, &n, block, 16) == 1;
	if (EVP_EncryptInit_ex(c, NULL, NULL, NULL, block) != 1)
		return 0;
	memset(block, 0, 16);
	return EVP_EncryptUpdate(c, block, &n, block, 16) == 1;
}

void openssl_mask(struct area *a)
{
	struct hold h = {0};
	for (uint32_t i = 0; i < a->count; i++) {
		struct record *r = &a->records[i];
		EVP_CIPHER_CTX *c = openssl_hold(&h, (struct key *)(uintptr_t)r->key);
		if (c == NULL || !mask(c, h.key, a->bytes + r->payload))
			r->status = STATUS_BACKEND;
	}
	openssl_hold(&h, NULL);
}
