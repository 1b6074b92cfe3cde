//go:build ipsecmb

#include "native.h"

#include <stdlib.h>

IMB_MGR *ipsecmb_manager(void)
{
	IMB_MGR *m = alloc_mb_mgr(0);
	if (m == NULL)
		return NULL;
	init_mb_mgr_auto(m, NULL);
	if (imb_get_errno(m) != 0) {
		free_mb_mgr(m);
		return NULL;
	}
	return m;
}

void *ipsecmb_key(size_t size)
{
	return aligned_alloc(64, (size + 63) & ~(size_t)63);
}

void ipsecmb_release(void *key, size_t size)
{
	imb_clear_mem(key, size);
	free(key);
}

int ipsecmb_differ(const uint8_t *x, const uint8_t *y, size_t n)
{
	volatile uint8_t d = 0;
	for (size_t i = 0; i < n; i++)
		d |= x[i] ^ y[i];
	return d != 0;
}
