// Keys of key-exchange groups, within the C side.
#ifndef SEALBURST_OPENSSL_PKEY_H
#define SEALBURST_OPENSSL_PKEY_H

#include "exchange.h"

// openssl_private is a private key, its public half written to public unless that
// is NULL; NULL when the library refuses it.
EVP_PKEY *openssl_private(const struct group *g, const uint8_t *private, uint8_t *public);

// openssl_peer is a peer's share, checked; NULL when it is none.
EVP_PKEY *openssl_peer(const struct group *g, const uint8_t *share);

#endif
