/* Byte order: numbers of 1 to 8 bytes wherever they stand in a file, and whole runs of samples (endian.c). */
#ifndef HALO_IO_ENDIAN_H
#define HALO_IO_ENDIAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `big`: the highest byte stands first. */
static inline uint64_t halo_get(const uint8_t *at, size_t bytes, bool big)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) value = value << 8 | at[big ? i : bytes - 1 - i];
    return value;
}

static inline void halo_put(uint8_t *at, uint64_t value, size_t bytes, bool big)
{
    for (size_t i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * (big ? bytes - 1 - i : i));
}

/* Little-endian and big-endian, where the format leaves no choice. */
static inline uint64_t halo_get_le(const uint8_t *at, size_t bytes) { return halo_get(at, bytes, false); }
static inline uint64_t halo_get_be(const uint8_t *at, size_t bytes) { return halo_get(at, bytes, true); }
static inline void halo_put_le(uint8_t *at, uint64_t value, size_t bytes) { halo_put(at, value, bytes, false); }
static inline void halo_put_be(uint8_t *at, uint64_t value, size_t bytes) { halo_put(at, value, bytes, true); }

static inline bool halo_host_is_little(void)
{
    const uint16_t one = 1;
    return *(const uint8_t *)&one == 1;
}

/* Reverses the bytes of `count` samples of `size` bytes, in place. */
void halo_swap_bytes(void *samples, size_t count, size_t size);

#endif
