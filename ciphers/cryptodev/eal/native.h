// What the C side of package eal offers to the Go side. Functions that can fail
// return 0 or an errno.
#ifndef SEALBURST_EAL_H
#define SEALBURST_EAL_H

#include <stdbool.h>

// eal_start is rte_eal_init. What DPDK logged meanwhile goes to said, which the
// caller frees.
int eal_start(int argc, char **argv, char **said);

bool eal_has_hugepages(void);
const char *eal_version(void);

// Devices by their arguments.
int eal_plug(const char *device);
int eal_unplug(const char *device);

// The calling thread.
int eal_register(void);
void eal_unregister(void);

#endif
