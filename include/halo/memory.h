/* The limit on host memory for one file (--max-memory). Everything that grows with the file counts: samples,
 * the scratch memory of steps, and what readers and writers have to keep. Memory of a fixed size, such as a
 * decoder's window, does not. */
#ifndef HALO_MEMORY_H
#define HALO_MEMORY_H

#include "halo/buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HaloMemory
    HaloMemory; /* belongs to a session; any thread may use it; NULL: nothing is counted */

/* HALO_ERR_LIMIT, whose message says what is needed and what is allowed. */
HALO_API HaloStatus halo_memory_hold(HaloMemory *memory, int64_t bytes);
HALO_API void halo_memory_release(HaloMemory *memory, int64_t bytes);
/* What may still be held. */
HALO_API int64_t halo_memory_left(const HaloMemory *memory);

/* halo_buf_alloc and halo_buf_free of a buffer that is counted; its shape must stay as it was. */
HALO_API HaloStatus halo_memory_alloc(HaloMemory *memory, HaloBuf *buf, const HaloShape *shape);
HALO_API void halo_memory_free(HaloMemory *memory, HaloBuf *buf);

#ifdef __cplusplus
}
#endif
#endif
