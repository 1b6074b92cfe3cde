//go:build openssl

#include "certificate.h"

#include <openssl/evp.h>

X509 *handshake_certificate(EVP_PKEY *key)
{
	X509 *cert = X509_new();
	if (cert == NULL)
		return NULL;
	X509_NAME *name = X509_get_subject_name(cert);
	if (X509_set_version(cert, X509_VERSION_3) && ASN1_INTEGER_set(X509_get_serialNumber(cert), 1) &&
	    X509_gmtime_adj(X509_getm_notBefore(cert), -60) != NULL &&
	    X509_gmtime_adj(X509_getm_notAfter(cert), 3600) != NULL &&
	    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"server", -1, -1, 0) &&
	    X509_set_issuer_name(cert, name) && X509_set_pubkey(cert, key) && X509_sign(cert, key, EVP_sha256()))
		return cert;
	X509_free(cert);
	return NULL;
}
