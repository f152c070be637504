/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Pixels from one place in memory to another, as they are. */
#ifndef HALO_PIXELS_H
#define HALO_PIXELS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void halo_copy_sized(char *to, int64_t to_step, const char *from, int64_t from_step,
                                   int64_t count, size_t size)
{
    for (int64_t i = 0; i < count; i++, to += to_step, from += from_step) memcpy(to, from, size);
}

/* Copies `count` pixels of `size` bytes; the steps are in bytes from one pixel to the next. The usual sizes are
 * constants here, so that the compiler copies without calls. */
static inline void halo_copy_pixels(char *to, int64_t to_step, const char *from, int64_t from_step,
                                    int64_t count, int64_t size)
{
    switch (size) {
    case 1: halo_copy_sized(to, to_step, from, from_step, count, 1); break;
    case 2: halo_copy_sized(to, to_step, from, from_step, count, 2); break;
    case 3: halo_copy_sized(to, to_step, from, from_step, count, 3); break;
    case 4: halo_copy_sized(to, to_step, from, from_step, count, 4); break;
    case 6: halo_copy_sized(to, to_step, from, from_step, count, 6); break;
    case 8: halo_copy_sized(to, to_step, from, from_step, count, 8); break;
    case 12: halo_copy_sized(to, to_step, from, from_step, count, 12); break;
    case 16: halo_copy_sized(to, to_step, from, from_step, count, 16); break;
    default: halo_copy_sized(to, to_step, from, from_step, count, (size_t)size);
    }
}

#endif
