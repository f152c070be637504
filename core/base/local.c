#include "halo/local.h"

#include "halo/curves.h"

void halo_local_information(int64_t n, int64_t *made)
{
    if (n >= 0) made[0] = 0;
    for (int64_t c = 1; c <= n; c++) made[c] = (int64_t)(halo_log2((double)c) * (double)c * 4294967296.0 + 0.5);
}
