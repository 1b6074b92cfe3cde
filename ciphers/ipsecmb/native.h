// What the C side of package ipsecmb offers to the Go side. Functions over an
// area set the status of each of its records.
#ifndef SEALBURST_IPSECMB_H
#define SEALBURST_IPSECMB_H

#include <intel-ipsec-mb.h>

#include "staging.h"

// A manager with the functions that are best on this processor, or NULL.
IMB_MGR *ipsecmb_manager(void);

// Memory for a key, of size bytes and aligned to a cache line, or NULL.
void *ipsecmb_key(size_t size);
void ipsecmb_release(void *key, size_t size);

// ipsecmb_differ is whether n bytes differ, in constant time.
int ipsecmb_differ(const uint8_t *x, const uint8_t *y, size_t n);

// AES-GCM. size is the key's length in bytes.
void ipsecmb_gcm_expand(IMB_MGR *m, const uint8_t *raw, size_t size, struct gcm_key_data *key);
void ipsecmb_gcm_seal(IMB_MGR *m, struct area *a, size_t size);
void ipsecmb_gcm_open(IMB_MGR *m, struct area *a, size_t size);

// The functions below queue jobs in the manager, which must not be in use by
// another thread.

// ChaCha20-Poly1305. The key is the plain 32 bytes.
void ipsecmb_chacha_seal(IMB_MGR *m, struct area *a);
void ipsecmb_chacha_open(IMB_MGR *m, struct area *a);

// AES round keys, of encryption.
struct aes_key {
	_Alignas(16) uint32_t encrypt[15 * 4];
};

// AES-CCM. size is the key's length in bytes.
void ipsecmb_ccm_expand(IMB_MGR *m, const uint8_t *raw, size_t size, struct aes_key *key);
void ipsecmb_ccm_seal(IMB_MGR *m, struct area *a, size_t size);
void ipsecmb_ccm_open(IMB_MGR *m, struct area *a, size_t size);

#endif
