//go:build openssl

#include "pkey.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/obj_mac.h>
#include <openssl/param_build.h>

const struct group openssl_x25519 = {"X25519", NULL, 0, 32, 32, 32};
const struct group openssl_p256 = {"EC", "P-256", NID_X9_62_prime256v1, 32, 65, 32};
const struct group openssl_p384 = {"EC", "P-384", NID_secp384r1, 48, 97, 48};
const struct group openssl_ffdhe2048 = {"DH", "ffdhe2048", 0, 29, 256, 256};
const struct group openssl_ffdhe3072 = {"DH", "ffdhe3072", 0, 35, 384, 384};
const struct group openssl_ffdhe4096 = {"DH", "ffdhe4096", 0, 41, 512, 512};
const struct group openssl_modp14 = {"DH", "modp_2048", 0, 29, 256, 256};

// from_params makes a key of a named group out of what is not NULL: a private
// number, a public point, a public number.
static EVP_PKEY *from_params(const struct group *g, const BIGNUM *private, const uint8_t *point, const BIGNUM *number)
{
	EVP_PKEY *key = NULL;
	OSSL_PARAM *params = NULL;
	OSSL_PARAM_BLD *b = OSSL_PARAM_BLD_new();
	EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_from_name(NULL, g->type, NULL);
	if (b != NULL && c != NULL && OSSL_PARAM_BLD_push_utf8_string(b, OSSL_PKEY_PARAM_GROUP_NAME, g->name, 0) &&
	    (private == NULL || OSSL_PARAM_BLD_push_BN(b, OSSL_PKEY_PARAM_PRIV_KEY, private)) &&
	    (point == NULL || OSSL_PARAM_BLD_push_octet_string(b, OSSL_PKEY_PARAM_PUB_KEY, point, g->public_size)) &&
	    (number == NULL || OSSL_PARAM_BLD_push_BN(b, OSSL_PKEY_PARAM_PUB_KEY, number)) &&
	    (params = OSSL_PARAM_BLD_to_param(b)) != NULL && EVP_PKEY_fromdata_init(c) == 1 &&
	    EVP_PKEY_fromdata(c, &key, private != NULL ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, params) != 1)
		key = NULL;
	OSSL_PARAM_free(params);
	EVP_PKEY_CTX_free(c);
	OSSL_PARAM_BLD_free(b);
	return key;
}

// multiply_base writes a multiple of a curve's base point.
static int multiply_base(const struct group *g, const BIGNUM *k, uint8_t *public, BN_CTX *c)
{
	EC_GROUP *curve = EC_GROUP_new_by_curve_name(g->curve);
	EC_POINT *p = curve != NULL ? EC_POINT_new(curve) : NULL;
	int ok = p != NULL && EC_POINT_mul(curve, p, k, NULL, NULL, c) == 1 &&
		 EC_POINT_point2oct(curve, p, POINT_CONVERSION_UNCOMPRESSED, public, g->public_size, c) == g->public_size;
	EC_POINT_free(p);
	EC_GROUP_free(curve);
	return ok;
}

// prime is that of a finite-field group, whose parameters come with any key of it.
static BIGNUM *prime(const struct group *g)
{
	BIGNUM *p = NULL;
	BIGNUM *two = BN_new();
	EVP_PKEY *key = NULL;
	if (two != NULL && BN_set_word(two, 2) && (key = from_params(g, NULL, NULL, two)) != NULL)
		EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_FFC_P, &p);
	EVP_PKEY_free(key);
	BN_free(two);
	return p;
}

// raise writes a power of 2.
static int raise(const struct group *g, const BIGNUM *k, uint8_t *public, BN_CTX *c)
{
	BIGNUM *p = prime(g);
	BIGNUM *y = BN_new();
	int ok = p != NULL && y != NULL && BN_set_word(y, 2) && BN_mod_exp_mont_consttime(y, y, k, p, c, NULL) &&
		 BN_bn2binpad(y, public, (int)g->public_size) == (int)g->public_size;
	BN_free(y);
	BN_free(p);
	return ok;
}

static EVP_PKEY *number_private(const struct group *g, const uint8_t *private, uint8_t *public)
{
	EVP_PKEY *key = NULL;
	BN_CTX *c = BN_CTX_secure_new();
	BIGNUM *k = BN_secure_new();
	if (c != NULL && k != NULL && BN_bin2bn(private, (int)g->private_size, k) != NULL) {
		BN_set_flags(k, BN_FLG_CONSTTIME);
		if (public == NULL || (g->curve != 0 ? multiply_base(g, k, public, c) : raise(g, k, public, c)))
			key = from_params(g, k, NULL, NULL);
	}
	BN_clear_free(k);
	BN_CTX_free(c);
	return key;
}

EVP_PKEY *openssl_private(const struct group *g, const uint8_t *private, uint8_t *public)
{
	if (g->name != NULL)
		return number_private(g, private, public);
	EVP_PKEY *key = EVP_PKEY_new_raw_private_key_ex(NULL, g->type, NULL, private, g->private_size);
	size_t n = g->public_size;
	if (key != NULL && public != NULL && EVP_PKEY_get_raw_public_key(key, public, &n) != 1) {
		EVP_PKEY_free(key);
		return NULL;
	}
	return key;
}

// peer_number is a share of a finite-field group, which is refused unless it is
// from 2 to the prime less 2.
static EVP_PKEY *peer_number(const struct group *g, const uint8_t *share)
{
	BIGNUM *y = BN_bin2bn(share, (int)g->public_size, NULL);
	EVP_PKEY *key = y != NULL ? from_params(g, NULL, NULL, y) : NULL;
	EVP_PKEY_CTX *c = key != NULL ? EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL) : NULL;
	if (c == NULL || EVP_PKEY_public_check_quick(c) != 1) {
		EVP_PKEY_free(key);
		key = NULL;
	}
	EVP_PKEY_CTX_free(c);
	BN_free(y);
	return key;
}

EVP_PKEY *openssl_peer(const struct group *g, const uint8_t *share)
{
	if (g->name == NULL)
		return EVP_PKEY_new_raw_public_key_ex(NULL, g->type, NULL, share, g->public_size);
	if (g->curve != 0) // the library takes other forms of a point than the one of TLS 1.3
		return share[0] == POINT_CONVERSION_UNCOMPRESSED ? from_params(g, NULL, share, NULL) : NULL;
	return peer_number(g, share);
}
