/* Host memory that grows with a file: what of it is held, and how much may be. */
#ifndef CORE_BASE_MEMORY_H
#define CORE_BASE_MEMORY_H

#include <stdatomic.h>

#include "halo/memory.h"

struct HaloMemory {
    int64_t allowed;
    const char *advice; /* what to do about a limit: a part of a sentence */
    _Atomic int64_t held;
};

int64_t memory_default(void); /* three quarters of the machine's */
const char *memory_text(int64_t bytes, char text[32]); /* "12.5 MiB", "640 bytes" */

#endif
