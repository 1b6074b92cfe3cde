// What the C side of package openssl offers to the Go side. Functions over an
// area set the status of each of its records.
#ifndef SEALBURST_OPENSSL_H
#define SEALBURST_OPENSSL_H

#include "staging.h"

// The kinds of key.
enum kind { GCM, CCM, CHACHA20_POLY1305, MASK_AES, MASK_CHACHA20 };

struct key;

// A key of size bytes, of an AEAD with nonces and tags of those sizes, for sealing
// or opening; NULL when the library refuses it or there is no memory.
struct key *openssl_key(enum kind kind, const uint8_t *raw, size_t size, int nonce_size, int tag_size, int sealing);
void openssl_release(struct key *key);

void openssl_seal(struct area *a);
void openssl_open(struct area *a);

// Masks: the 16 bytes at each payload are the sample and become the mask.
void openssl_mask(struct area *a);

#endif
