// Keys and their contexts, within the C side.
#ifndef SEALBURST_OPENSSL_KEY_H
#define SEALBURST_OPENSSL_KEY_H

#include <stdatomic.h>

#include <openssl/evp.h>

#include "native.h"

enum { CONTEXTS = 4 };

// A key. A context of EVP serves one operation at a time, so a key keeps as many
// as threads have used it at once, up to CONTEXTS; they are made when they are
// needed.
struct key {
	_Atomic(EVP_CIPHER_CTX *) idle[CONTEXTS];
	enum kind kind;
	int nonce_size, tag_size, sealing;
	size_t size;
	uint8_t raw[32];
};

// A thread holds a context while it works on packets of one key in sequence.
struct hold {
	struct key *key;
	EVP_CIPHER_CTX *context;
};

// openssl_hold changes to a key and gives back the last one's context. NULL is no key.
// The context is NULL when the library cannot make one.
EVP_CIPHER_CTX *openssl_hold(struct hold *h, struct key *key);

#endif
