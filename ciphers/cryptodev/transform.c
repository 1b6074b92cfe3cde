//go:build dpdk

#include "device.h"

#include <string.h>

static enum rte_crypto_aead_algorithm aead_of(enum cipher c)
{
	switch (c) {
	case GCM:
		return RTE_CRYPTO_AEAD_AES_GCM;
	case CCM:
		return RTE_CRYPTO_AEAD_AES_CCM;
	default:
		return RTE_CRYPTO_AEAD_CHACHA20_POLY1305;
	}
}

static enum rte_crypto_auth_algorithm auth_of(enum mac m)
{
	switch (m) {
	case MAC_MD5:
		return RTE_CRYPTO_AUTH_MD5_HMAC;
	case MAC_SHA1:
		return RTE_CRYPTO_AUTH_SHA1_HMAC;
	case MAC_SHA256:
		return RTE_CRYPTO_AUTH_SHA256_HMAC;
	case MAC_SHA384:
		return RTE_CRYPTO_AUTH_SHA384_HMAC;
	default:
		return RTE_CRYPTO_AUTH_SHA512_HMAC;
	}
}

static enum rte_crypto_cipher_algorithm cipher_of(enum cipher c)
{
	return c == CBC ? RTE_CRYPTO_CIPHER_AES_CBC : RTE_CRYPTO_CIPHER_AES_CTR;
}

static void set_aead(struct rte_crypto_sym_xform *x, const struct shape *s, bool sealing, const uint8_t *raw, uint16_t aad)
{
	x->type = RTE_CRYPTO_SYM_XFORM_AEAD;
	x->aead.op = sealing ? RTE_CRYPTO_AEAD_OP_ENCRYPT : RTE_CRYPTO_AEAD_OP_DECRYPT;
	x->aead.algo = aead_of(s->cipher);
	x->aead.key.data = raw;
	x->aead.key.length = s->key_size;
	x->aead.iv.offset = offsetof(struct slot, iv);
	x->aead.iv.length = s->nonce_size;
	x->aead.digest_length = s->tag_size;
	x->aead.aad_length = aad;
}

static void set_cipher(struct rte_crypto_sym_xform *x, const struct shape *s, bool sealing, const uint8_t *raw)
{
	x->type = RTE_CRYPTO_SYM_XFORM_CIPHER;
	x->cipher.op = sealing ? RTE_CRYPTO_CIPHER_OP_ENCRYPT : RTE_CRYPTO_CIPHER_OP_DECRYPT;
	x->cipher.algo = cipher_of(s->cipher);
	x->cipher.key.data = raw;
	x->cipher.key.length = s->key_size;
	x->cipher.iv.offset = offsetof(struct slot, iv);
	x->cipher.iv.length = 16;
}

static void set_auth(struct rte_crypto_sym_xform *x, const struct shape *s, bool sealing, const uint8_t *auth)
{
	x->type = RTE_CRYPTO_SYM_XFORM_AUTH;
	x->auth.op = sealing ? RTE_CRYPTO_AUTH_OP_GENERATE : RTE_CRYPTO_AUTH_OP_VERIFY;
	x->auth.algo = auth_of(s->mac);
	x->auth.key.data = auth;
	x->auth.key.length = s->auth_size;
	x->auth.digest_length = s->tag_size;
}

// Sealing encrypts first, opening verifies first.
void transforms_of(struct transforms *x, const struct shape *s, bool sealing, const uint8_t *raw, const uint8_t *auth,
		   uint16_t aad)
{
	memset(x, 0, sizeof *x);
	if (s->mac == NO_MAC) {
		set_aead(&x->first, s, sealing, raw, aad);
		return;
	}
	x->first.next = &x->second;
	set_cipher(sealing ? &x->first : &x->second, s, sealing, raw);
	set_auth(sealing ? &x->second : &x->first, s, sealing, auth);
}

static const struct rte_cryptodev_symmetric_capability *capability(int id, enum rte_crypto_sym_xform_type type, int algorithm)
{
	struct rte_cryptodev_sym_capability_idx at = {.type = type};
	switch (type) {
	case RTE_CRYPTO_SYM_XFORM_AEAD:
		at.algo.aead = algorithm;
		break;
	case RTE_CRYPTO_SYM_XFORM_AUTH:
		at.algo.auth = algorithm;
		break;
	default:
		at.algo.cipher = algorithm;
	}
	return rte_cryptodev_sym_capability_get(id, &at);
}

static bool takes_pair(int id, const struct shape *s)
{
	const struct rte_cryptodev_symmetric_capability *c, *a;
	c = capability(id, RTE_CRYPTO_SYM_XFORM_CIPHER, cipher_of(s->cipher));
	a = capability(id, RTE_CRYPTO_SYM_XFORM_AUTH, auth_of(s->mac));
	return c != NULL && a != NULL && rte_cryptodev_sym_capability_check_cipher(c, s->key_size, 16) == 0 &&
	       rte_cryptodev_sym_capability_check_auth(a, s->auth_size, s->tag_size, 0) == 0;
}

bool cryptodev_takes(int id, const struct shape *s)
{
	if (s->mac != NO_MAC)
		return takes_pair(id, s);
	const struct rte_cryptodev_symmetric_capability *c = capability(id, RTE_CRYPTO_SYM_XFORM_AEAD, aead_of(s->cipher));
	return c != NULL && rte_cryptodev_sym_capability_check_aead(c, s->key_size, s->tag_size, 0, s->nonce_size) == 0;
}

uint32_t cryptodev_max_aad(int id, const struct shape *s)
{
	if (s->mac != NO_MAC)
		return UINT16_MAX;
	const struct rte_cryptodev_symmetric_capability *c = capability(id, RTE_CRYPTO_SYM_XFORM_AEAD, aead_of(s->cipher));
	return c != NULL ? c->aead.aad_size.max : 0;
}
