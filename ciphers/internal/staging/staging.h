// The C side of package staging: what one crossing takes along.
#ifndef SEALBURST_STAGING_H
#define SEALBURST_STAGING_H

#include <stddef.h>
#include <stdint.h>

// The outcomes of ciphers.Status that a library can give.
enum { STATUS_OK = 1, STATUS_AUTH = 2, STATUS_BACKEND = 17 };

// A packet. Offsets count from the start of the area's bytes.
struct record {
	uint64_t key; // the address of the library's own
	uint8_t nonce[16];
	uint32_t payload;
	uint32_t length; // of the payload; the tag follows it
	uint32_t aad;
	uint32_t aad_length;
	uint8_t nonce_size;
	uint8_t tag_size;
	uint8_t status;
	uint8_t unused[21];
};

struct area {
	uint32_t count;
	uint32_t used;
	uint8_t unused[56];
	struct record records[256];
	uint8_t bytes[];
};

_Static_assert(sizeof(struct record) == 64, "record");
_Static_assert(offsetof(struct record, nonce) == 8, "nonce");
_Static_assert(offsetof(struct record, payload) == 24, "payload");
_Static_assert(offsetof(struct record, nonce_size) == 40, "nonce_size");
_Static_assert(offsetof(struct record, status) == 42, "status");
_Static_assert(offsetof(struct area, records) == 64, "records");
_Static_assert(offsetof(struct area, bytes) == 64 + 64 * 256, "bytes");

#endif
