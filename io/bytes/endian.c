/* Reversing the bytes of samples. */
#include "endian.h"

static inline void swap(uint8_t *at, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++, at += size) {
        for (size_t a = 0, b = size - 1; a < b; a++, b--) {
            const uint8_t byte = at[a];
            at[a] = at[b];
            at[b] = byte;
        }
    }
}

/* Each call passes a constant size, so that the compiler can use vectors. */
void halo_swap_bytes(void *samples, size_t count, size_t size)
{
    if (size == 2) swap(samples, count, 2);
    if (size == 4) swap(samples, count, 4);
    if (size == 8) swap(samples, count, 8);
}
