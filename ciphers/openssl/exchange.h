// What the C side of package openssl offers for key exchange.
#ifndef SEALBURST_OPENSSL_EXCHANGE_H
#define SEALBURST_OPENSSL_EXCHANGE_H

#include <stddef.h>
#include <stdint.h>

#include <openssl/evp.h>

// A group. The name is the library's, NULL for X25519; curve is a NID for the group's points, 0 for
// X25519 and finite fields.
struct group {
	const char *type, *name;
	int curve;
	size_t private_size, public_size, secret_size;
};

extern const struct group openssl_x25519, openssl_p256, openssl_p384;
extern const struct group openssl_ffdhe2048, openssl_ffdhe3072, openssl_ffdhe4096, openssl_modp14;

enum operation { GENERATE, DERIVE, ENCAPSULATE };
enum outcome { DONE, BAD_SHARE, FAILED };

// One exchange. Slices have the group's sizes.
struct exchange {
	EVP_PKEY *key;       // of the private key, or NULL; GENERATE and DERIVE leave it
	uint8_t private[48]; // read
	uint8_t peer[512];   // read by DERIVE and ENCAPSULATE
	uint8_t public[512]; // written by GENERATE and ENCAPSULATE
	uint8_t secret[512]; // written by DERIVE and ENCAPSULATE
	uint8_t outcome;     // written
};

void openssl_exchange(const struct group *g, enum operation op, struct exchange *x, size_t n);

#endif
