// Certificates, within the C side.
#ifndef SEALBURST_OPENSSL_CERTIFICATE_H
#define SEALBURST_OPENSSL_CERTIFICATE_H

#include <openssl/x509.h>

// handshake_certificate is a certificate of a key that signs itself, for an hour;
// NULL when the library refuses.
X509 *handshake_certificate(EVP_PKEY *key);

#endif
