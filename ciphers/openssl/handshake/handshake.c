//go:build openssl

#include "handshake.h"

#include <stdlib.h>

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include "certificate.h"

struct pair {
	SSL_CTX *client, *server;
};

static SSL_CTX *context(const char *suite, const char *groups)
{
	SSL_CTX *c = SSL_CTX_new(DTLS_method());
	if (c != NULL && SSL_CTX_set_min_proto_version(c, DTLS1_2_VERSION) && SSL_CTX_set_cipher_list(c, suite) &&
	    SSL_CTX_set1_groups_list(c, groups) && SSL_CTX_set_dh_auto(c, 1)) {
		SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
		SSL_CTX_set_options(c, SSL_OP_NO_TICKET | SSL_OP_NO_QUERY_MTU);
		return c;
	}
	SSL_CTX_free(c);
	return NULL;
}

struct pair *handshake_pair(const char *suite, const char *groups, int rsa)
{
	struct pair *p = calloc(1, sizeof *p);
	EVP_PKEY *key = rsa ? EVP_RSA_gen(2048) : EVP_EC_gen("P-256");
	X509 *cert = key != NULL ? handshake_certificate(key) : NULL;
	int ok = p != NULL && cert != NULL && (p->client = context(suite, groups)) != NULL &&
		 (p->server = context(suite, groups)) != NULL && SSL_CTX_use_certificate(p->server, cert) == 1 &&
		 SSL_CTX_use_PrivateKey(p->server, key) == 1 &&
		 X509_STORE_add_cert(SSL_CTX_get_cert_store(p->client), cert) == 1;
	if (ok)
		SSL_CTX_set_verify(p->client, SSL_VERIFY_PEER, NULL);
	X509_free(cert);
	EVP_PKEY_free(key);
	if (!ok) {
		handshake_free(p);
		return NULL;
	}
	return p;
}

void handshake_free(struct pair *p)
{
	if (p == NULL)
		return;
	SSL_CTX_free(p->client);
	SSL_CTX_free(p->server);
	free(p);
}

// side makes one side over two memories, which it takes references of.
static SSL *side(SSL_CTX *c, BIO *in, BIO *out)
{
	SSL *s = SSL_new(c);
	if (s == NULL || !BIO_up_ref(in))
		return s;
	if (!BIO_up_ref(out)) {
		BIO_free(in);
		return s;
	}
	SSL_set_bio(s, in, out);
	SSL_set_mtu(s, 1400);
	return s;
}

// shake lets both sides work in turns. Three flights take three turns.
static int shake(SSL *client, SSL *server)
{
	enum { TURNS = 6 };
	SSL_set_connect_state(client);
	SSL_set_accept_state(server);
	for (int i = 0; i < TURNS; i++) {
		int done = SSL_do_handshake(client);
		if (SSL_do_handshake(server) == 1 && done == 1)
			return 1;
	}
	return 0;
}

int handshake_run(struct pair *p)
{
	BIO *up = BIO_new(BIO_s_mem());
	BIO *down = BIO_new(BIO_s_mem());
	int ok = 0;
	if (up != NULL && down != NULL) {
		BIO_set_mem_eof_return(up, -1);
		BIO_set_mem_eof_return(down, -1);
		SSL *client = side(p->client, down, up);
		SSL *server = side(p->server, up, down);
		ok = client != NULL && server != NULL && shake(client, server);
		SSL_free(client);
		SSL_free(server);
	}
	BIO_free(up);
	BIO_free(down);
	return ok;
}
