//go:build dpdk

#define _GNU_SOURCE

#include "native.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_log.h>
#include <rte_version.h>

// The log goes to memory during the start and to the standard error after it. The
// stream in memory stays open: one of DPDK's threads may still be writing to it.
int eal_start(int argc, char **argv, char **said)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	if (memory != NULL)
		rte_openlog_stream(memory);
	int code = rte_eal_init(argc, argv) < 0 ? rte_errno : 0;
	if (memory != NULL) {
		rte_openlog_stream(stderr);
		fflush(memory);
	}
	*said = strdup(text != NULL ? text : "");
	return code;
}

bool eal_has_hugepages(void)
{
	return rte_eal_has_hugepages() != 0;
}

const char *eal_version(void)
{
	return rte_version();
}

int eal_plug(const char *device)
{
	int code = -rte_dev_probe(device);
	return code == EEXIST ? 0 : code;
}

int eal_unplug(const char *device)
{
	struct rte_devargs args;
	memset(&args, 0, sizeof args);
	int code = rte_devargs_parse(&args, device);
	if (code == 0)
		code = rte_eal_hotplug_remove(rte_bus_name(args.bus), args.name);
	rte_devargs_reset(&args);
	return -code;
}

int eal_register(void)
{
	return rte_thread_register() < 0 ? rte_errno : 0;
}

void eal_unregister(void)
{
	rte_thread_unregister();
}
