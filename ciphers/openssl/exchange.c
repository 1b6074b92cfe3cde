//go:build openssl

#include "pkey.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/dh.h>

// derive agrees with a peer's share, which was checked when it became a key; the
// library itself refuses all-zero secrets of X25519. Its own check, that a share
// has the group's order, costs as much as the derivation and is left out: points
// of these curves have no other, and shares of a safe prime none that is small.
static uint8_t derive(const struct group *g, EVP_PKEY *key, const struct exchange *x, uint8_t *secret)
{
	uint8_t outcome = FAILED;
	size_t n = g->secret_size;
	EVP_PKEY *peer = openssl_peer(g, x->peer);
	EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
	if (peer == NULL)
		outcome = BAD_SHARE;
	else if (c != NULL && EVP_PKEY_derive_init(c) == 1 &&
		 (g->curve != 0 || g->name == NULL || EVP_PKEY_CTX_set_dh_pad(c, 1) == 1))
		outcome = EVP_PKEY_derive_set_peer_ex(c, peer, 0) == 1 && EVP_PKEY_derive(c, secret, &n) == 1 &&
				  n == g->secret_size ? DONE : BAD_SHARE;
	EVP_PKEY_CTX_free(c);
	EVP_PKEY_free(peer);
	return outcome;
}

static uint8_t one(const struct group *g, enum operation op, struct exchange *x)
{
	if (x->key == NULL)
		x->key = openssl_private(g, x->private, op == DERIVE ? NULL : x->public);
	if (x->key == NULL)
		return FAILED;
	return op == GENERATE ? DONE : derive(g, x->key, x, x->secret);
}

void openssl_exchange(const struct group *g, enum operation op, struct exchange *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		x[i].outcome = one(g, op, &x[i]);
		if (op == ENCAPSULATE) {
			EVP_PKEY_free(x[i].key);
			x[i].key = NULL;
		}
	}
	ERR_clear_error();
}
