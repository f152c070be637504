/* Counters that workers share. */
#ifndef CPU_SHARED_H
#define CPU_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

/* Seldom: it takes some twenty cycles. */
static inline void cpu_add_shared(uint64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit((_Atomic uint64_t *)counter, n, memory_order_relaxed);
}

#endif
