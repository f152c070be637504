/* The counter of host memory that grows with a file: how much is held, and how much may be. */
#ifndef CORE_BASE_MEMORY_H
#define CORE_BASE_MEMORY_H

#include <stdatomic.h>

#include "halo/memory.h"

struct HaloMemory {
    int64_t allowed;
    const char *advice; /* for messages: what to do about the limit */
    _Atomic int64_t held;
};

const char *memory_text(int64_t bytes, char text[32]); /* "12.5 MiB", "640 bytes" */

#endif
