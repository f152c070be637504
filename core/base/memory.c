/* Counting host memory. */
#include <stdatomic.h>
#include <stdio.h>

#include "halo/text.h"
#include "memory.h"

/* "12.5 MiB", "640 bytes": a limit is never shown as nothing. */
const char *memory_text(int64_t bytes, char text[32])
{
    if (bytes < 1 << 20)
        snprintf(text, 32, "%lld byte%s", (long long)bytes, halo_s(bytes));
    else
        halo_snprintf(text, 32, "%.1f MiB", (double)bytes / (1 << 20));
    return text;
}

static HaloStatus refuse(const HaloMemory *memory, int64_t needed)
{
    char need[32], limit[32];
    return halo_fail(HALO_ERR_LIMIT, "needs %s of memory and %s %s allowed; %s", memory_text(needed, need),
                     memory_text(memory->allowed, limit), memory->allowed == 1 ? "is" : "are", memory->advice);
}

HaloStatus halo_memory_hold(HaloMemory *memory, int64_t bytes)
{
    if (bytes < 0) return halo_fail(HALO_ERR_LIMIT, "needs more memory than can be addressed");
    if (memory == NULL) return HALO_OK;
    int64_t held = atomic_load(&memory->held);
    do {
        if (bytes > memory->allowed - held)
            return refuse(memory, bytes > INT64_MAX - held ? INT64_MAX : held + bytes);
    } while (!atomic_compare_exchange_weak(&memory->held, &held, held + bytes));
    return HALO_OK;
}

void halo_memory_release(HaloMemory *memory, int64_t bytes)
{
    if (memory != NULL) atomic_fetch_sub(&memory->held, bytes);
}

int64_t halo_memory_left(const HaloMemory *memory)
{
    if (memory == NULL) return INT64_MAX;
    const int64_t left = memory->allowed - atomic_load(&memory->held);
    return left > 0 ? left : 0;
}

HaloStatus halo_memory_alloc(HaloMemory *memory, HaloBuf *buf, const HaloShape *shape)
{
    HaloStatus status = HALO_OK;
    int64_t bytes;
    *buf = (HaloBuf){0};
    HALO_TRY(halo_shape_bytes(shape, &bytes));
    HALO_TRY(halo_memory_hold(memory, bytes));
    status = halo_buf_alloc(buf, shape);
    if (status != HALO_OK) halo_memory_release(memory, bytes);
out:
    return status;
}

void halo_memory_free(HaloMemory *memory, HaloBuf *buf)
{
    int64_t bytes;
    if (buf == NULL || buf->data == NULL) return;
    if (halo_shape_bytes(&buf->shape, &bytes) == HALO_OK) halo_memory_release(memory, bytes);
    halo_buf_free(buf);
}
