/* Files that are assembled in memory, which counts as held. */
#include "spool.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_CAPACITY 65536

/* Grows by half, or less where the limit on memory does not allow it. */
static HaloStatus ensure_capacity(HaloSpool *spool, int64_t need)
{
    HaloStatus status = HALO_OK;
    const int64_t wish = need < INT64_MAX / 2 ? need + need / 2 + LEAST_CAPACITY : need;
    const int64_t left = halo_memory_left(spool->memory);
    int64_t more = wish - spool->capacity;
    if (more > left) more = left > need - spool->capacity ? left : need - spool->capacity;
    status = halo_memory_hold(spool->memory, more);
    if (status != HALO_OK) return halo_fail_at(status, "assembled in memory before it is written");
    uint8_t *grown = realloc(spool->bytes, (size_t)(spool->capacity + more));
    if (grown == NULL) {
        halo_memory_release(spool->memory, more);
        return halo_fail(HALO_ERR_LIMIT, "not enough memory to put %lld bytes together", (long long)need);
    }
    spool->bytes = grown;
    spool->capacity += more;
    return HALO_OK;
}

HaloStatus halo_spool_write(HaloSpool *spool, int64_t at, const void *bytes, size_t size)
{
    if (at < 0 || size > INT64_MAX / 2 || at > INT64_MAX / 2)
        return halo_fail(HALO_ERR_LIMIT, "a file too long for memory");
    const int64_t end = at + (int64_t)size;
    if (end > spool->capacity) {
        const HaloStatus status = ensure_capacity(spool, end);
        if (status != HALO_OK) return status;
    }
    if (at > spool->end) memset(spool->bytes + spool->end, 0, (size_t)(at - spool->end));
    if (size > 0) memcpy(spool->bytes + at, bytes, size);
    if (end > spool->end) spool->end = end;
    return HALO_OK;
}

void halo_spool_free(HaloSpool *spool)
{
    free(spool->bytes);
    halo_memory_release(spool->memory, spool->capacity);
    *spool = (HaloSpool){.memory = spool->memory};
}
