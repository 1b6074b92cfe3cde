// What the C side of package cryptodev offers to the Go side. It names no type of
// DPDK's, so that Go need not read DPDK's headers.
#ifndef SEALBURST_CRYPTODEV_H
#define SEALBURST_CRYPTODEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The outcomes of ciphers.Status that a device can give.
enum { STATUS_OK = 1, STATUS_AUTH = 2, STATUS_BACKEND = 17 };

enum cipher { GCM = 1, CCM, CHACHA20_POLY1305, CBC, CTR };
enum mac { NO_MAC, MAC_MD5, MAC_SHA1, MAC_SHA256, MAC_SHA384, MAC_SHA512 };

// What a key is for. A cipher with a mac is two transforms in a chain.
struct shape {
	enum cipher cipher;
	enum mac mac;
	uint32_t key_size;
	uint32_t auth_size; // of the mac's key
	uint32_t nonce_size;
	uint32_t tag_size;
};

struct device;
struct key;

// A packet. Addresses are of memory that stays where it is until the packet is done.
struct record {
	struct key *key;
	uint64_t message; // payload; with a mac associated data and IV come before it
	uint64_t aad;     // without a mac; for CCM 18 bytes into the field
	uint64_t tag;
	uint32_t head;   // bytes of the message before the payload
	uint32_t length; // of the payload
	uint32_t tail;   // bytes behind the payload that the mac covers too
	uint32_t aad_length;
	uint8_t iv[16]; // as the device wants it
	void *session;
	uint8_t pair;      // the key has a mac
	uint8_t transient; // session is this packet's own
	uint8_t status;
	uint8_t in_place; // the Go side's note
	uint8_t packet;   // the Go side's note
	uint8_t unused[3];
};

enum { BURST = 256, ROOM = 160 << 10, MAX_DEVICES = 64 };

// What one crossing takes along.
struct chunk {
	uint32_t count; // records
	uint32_t used;  // of bytes
	uint32_t sent;  // operations that the device took
	uint32_t left;  // records that are not done
	uint32_t id;    // the Go side's
	uint32_t opening;
	uint8_t unused[40];
	struct record records[BURST];
	uint8_t bytes[ROOM];
};

_Static_assert(offsetof(struct chunk, records) == 64, "records");

// What a device says of itself.
struct traits {
	char name[64];
	char driver[64];
	uint32_t queue_pairs;
	bool cpu;      // says that it computes in the caller's thread
	bool software; // reaches all memory
	bool chains;
};

// Functions that can fail return 0 or an errno.

// cryptodev_find is the number of the device of that name, or -1.
int cryptodev_find(const char *name);
int cryptodev_traits(int id, struct traits *t);

// cryptodev_spans writes where memory of DPDK's may lie, now or later, and returns how
// many pieces that is, n at most.
struct span {
	uint64_t from, size;
};
uint32_t cryptodev_spans(struct span *all, uint32_t n);

bool cryptodev_takes(int id, const struct shape *s);
// cryptodev_max_aad is the most associated data for a shape that the device takes.
uint32_t cryptodev_max_aad(int id, const struct shape *s);

int cryptodev_open(int id, uint32_t queue_pairs, uint32_t descriptors, struct device **opened);
void cryptodev_stop(struct device *d);
void cryptodev_close(struct device *d);

// Keys.
int cryptodev_key(struct device *d, const struct shape *s, bool sealing, const uint8_t *raw, const uint8_t *auth,
		  struct key **made);
void cryptodev_release(struct device *d, struct key *k);

// cryptodev_computes is whether the device does packets of that shape in the
// caller's thread. Some say so and do not.
bool cryptodev_computes(struct device *d, const struct shape *s);

// cryptodev_sessions is how many sessions there are.
uint32_t cryptodev_sessions(struct device *d);

// cryptodev_session is the driver's part of the key's first session, and its size.
void *cryptodev_session(struct device *d, struct key *k, size_t *size);

// Chunks, in memory that the device reaches.
struct chunk *cryptodev_chunk(struct device *d);
void cryptodev_chunk_free(struct device *d, struct chunk *c);

// cryptodev_process does a chunk in the calling thread.
void cryptodev_process(struct device *d, struct chunk *c);

// A lane is one queue pair and belongs to one thread at a time. What is more of it is
// the C side's.
struct lane {
	struct chunk *done[64]; // chunks that are over
	bool moved;             // the device gave something back or took something
};

struct lane *cryptodev_lane(struct device *d, uint32_t queue_pair);
void cryptodev_lane_free(struct lane *l);

// cryptodev_send queues a chunk and hands the device what it takes.
void cryptodev_send(struct lane *l, struct chunk *c);

// cryptodev_receive takes in what the device has done and hands it more of what waits.
// It returns how many chunks are in done; moved is set.
uint32_t cryptodev_receive(struct lane *l);

// cryptodev_run does a chunk over a lane and waits for it. It is false when the
// device gives nothing back, and takes nothing, for as long as patience.
bool cryptodev_run(struct lane *l, struct chunk *c, uint64_t patience_ns);

// cryptodev_fault is the status of the operation that failed last, as text.
const char *cryptodev_fault(struct device *d);

#endif
