// What the C side of package dpdk offers to the Go side. Functions that can fail
// return 0 or an errno.
#ifndef SEALBURST_DPDK_H
#define SEALBURST_DPDK_H

#include <stdbool.h>
#include <stdint.h>

#define SB_BURST 64

// sb_datagram is a frame in a buffer of DPDK's, as the Go side has it: a slice of the
// whole buffer, where the frame lies in it, and why it goes no further, 0 if it does.
struct sb_datagram {
	uint8_t *memory;
	int64_t room, capacity;
	int64_t off, len;
	uint8_t drop;
};

// sb_queue is a receiving and a sending queue of one port, as one thread uses them.
struct sb_queue {
	uint16_t port;
	uint16_t receive, send; // numbers
	uint8_t chained;        // the cause of a frame in several buffers
	uint8_t bad_checksum;   // and of one whose checksum the device saw to be wrong
	void *pool;
	void *lock; // of the sending queue, when threads share it
};

// One crossing for a burst: queue is where its sb_queue lies, frames where its sb_datagram's lie, SB_BURST of them, and
// buffers where their struct rte_mbuf pointers do, NULL where there is no frame.
// sb_receive fills them from the start and says how many there are. sb_send takes the first n, of which
// none is left to the caller, sends those without a cause, and says how many the device
// took; with check_udp the device fills in the checksums of UDP, in IP without
// options.
uint16_t sb_receive(uintptr_t queue, uintptr_t frames, uintptr_t buffers);
uint16_t sb_send(uintptr_t queue, uintptr_t frames, uintptr_t buffers, uint16_t n, bool check_udp);

// sb_glance is what a host knows its own frames by, as the Go side has it.
struct sb_glance {
	uint64_t mac;
	uint32_t own[16];
	int32_t owns;
	bool aging;
};

// sb_receive_transit is sb_receive, and takes of the frames in front those that pass, as
// Glance.Transit does on the Go side, with the lengths of their packets in sizes.
struct sb_passed {
	uint32_t bytes;
	uint16_t received, passed;
	bool one;
};
struct sb_passed sb_receive_transit(uintptr_t queue, uintptr_t frames, uintptr_t buffers, uintptr_t glance, uintptr_t sizes);

// sb_exchange is sb_send and then sb_receive in one crossing.
struct sb_exchanged {
	uint16_t sent, received;
};
struct sb_exchanged sb_exchange(uintptr_t queue, uintptr_t frames, uintptr_t buffers, uint16_t n, bool check_udp);

// sb_header is what frames begin with whose content is there, as the Go side has it: 8 bytes
// from the start, and 8 that end with the type of IPv4 or of IPv6, which overlap those; and how
// long a packet may be.
struct sb_header {
	uint64_t first, second4, second6;
	int64_t longest;
};

// sb_exchange_behind is sb_exchange for n packets without a cause, which get that header. Where
// one does not fit it sends nothing, receives nothing, and sent is SB_REFUSED.
#define SB_REFUSED UINT16_MAX
struct sb_exchanged sb_exchange_behind(uintptr_t queue, uintptr_t frames, uintptr_t buffers, uint16_t n, bool check_udp, uintptr_t header);

// sb_allocate fills them with empty buffers, all n or none.
uint16_t sb_allocate(uintptr_t queue, uintptr_t frames, uintptr_t buffers, uint16_t n);

// Pools of buffers.
int sb_pool_new(const char *name, uint32_t count, uint16_t room, bool aligned, void **pool);
uint32_t sb_pool_used(void *pool);
void sb_pool_free(void *pool);

// sb_traits are what a port is and can do.
struct sb_traits {
	char driver[32];
	uint8_t mac[6];
	uint16_t max_rx, max_tx;
	uint32_t min_mtu, max_mtu;
	bool rss;        // spreads flows over receiving queues
	bool check_udp;  // fills in UDP checksums
	bool check_rx;   // verifies the checksums of IPv4 headers
};

struct sb_setup {
	uint16_t rx, tx; // queues
	uint16_t depth;  // of each
	uint16_t mtu;
	bool promiscuous;
	void *pool;
};

int sb_find(const char *name, uint16_t *port);
int sb_traits(uint16_t port, struct sb_traits *t);
int sb_open(uint16_t port, const struct sb_setup *s);
void sb_close(uint16_t port);
bool sb_link(uint16_t port);

// sb_losses is what the port's own counters say was lost: no room in a queue or no
// buffer when receiving, and errors when sending.
struct sb_losses {
	uint64_t missed, no_buffer, receive_errors, send_errors;
};

int sb_losses(uint16_t port, struct sb_losses *l);

#endif
