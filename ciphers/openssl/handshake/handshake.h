// What the C side of package handshake offers to the Go side.
#ifndef SEALBURST_OPENSSL_HANDSHAKE_H
#define SEALBURST_OPENSSL_HANDSHAKE_H

// A client and a server, and the server's certificate, which the client trusts.
struct pair;

// handshake_pair is for a suite and a list of groups by the library's names, with
// an RSA certificate of 2048 bits or one of P-256; NULL when the library refuses.
struct pair *handshake_pair(const char *suite, const char *groups, int rsa);
void handshake_free(struct pair *p);

// handshake_run runs one full handshake and reports whether both sides finished it.
int handshake_run(struct pair *p);

#endif
