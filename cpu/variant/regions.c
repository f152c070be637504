/* Loops over rows of labels and of squared distances (cpu/regions). */
#include <math.h>

#include "halo/vector16.h"
#include "variant.h"

/* ---- labels --------------------------------------------------------------------------------------------- */

static bool check(const float *label, int64_t n, float most_of, uint32_t *greatest)
{
    uint32_t top = *greatest;
    int32_t bad = 0;
    for (int64_t x = 0; x < n; x++) {
        const float inside = label[x] >= 0.0f && label[x] <= most_of ? label[x] : 0.0f;
        const int32_t whole = (int32_t)inside;
        bad |= ((float)whole != label[x]) & (label[x] == label[x]);
        top = (uint32_t)whole > top ? (uint32_t)whole : top;
    }
    *greatest = top;
    return bad == 0;
}

static void to_labels(const float *from, int64_t n, uint32_t *label)
{
    for (int64_t x = 0; x < n; x++) {
        const float v = from[x] > 0.0f ? from[x] : 0.0f; /* NaN is 0 */
        label[x] = (uint32_t)(int32_t)v;
    }
}

/* A bit for each of 64 bytes that is not 0. */
static inline uint64_t bits_of(const uint8_t byte[64])
{
    uint64_t word = 0;
#if defined(HALO_VECTOR16)
    const HaloU8x16 none = {0};
    for (int i = 0; i < 4; i++)
        word |= (uint64_t)halo_bits_u8((HaloU8x16)(halo_load16(byte + 16 * i) == none)) << 16 * i;
    return ~word;
#else
    for (int i = 0; i < 64; i++) word |= (uint64_t)(byte[i] != 0) << i;
    return word;
#endif
}

static void edges(const uint32_t *here, const uint32_t *up, int64_t words, uint64_t *beside, uint64_t *above,
                  uint64_t *set)
{
    for (int64_t w = 0; w < words; w++, here += 64, up += 64) {
        uint8_t left[64], over[64], some[64];
        for (int k = 0; k < 64; k++) {
            left[k] = here[k] != here[k - 1];
            over[k] = here[k] != up[k];
            some[k] = here[k] != 0;
        }
        beside[w] = bits_of(left);
        above[w] = bits_of(over);
        set[w] = bits_of(some);
    }
}

/* ---- distances ------------------------------------------------------------------------------------------ */

#define CHUNK 64

/* One pixel more on either side at a time, until none can be nearer. */
static bool nearest(const int32_t *column, int64_t n, float *out)
{
    if (n < CHUNK) return false;
    for (int64_t next = 0; next < n; next += CHUNK) {
        const int64_t x = least(next, n - CHUNK); /* the last chunk may begin in the one before */
        const int32_t *const at = column + x;
        int32_t best[CHUNK], far = 0, d = 1;
        for (int k = 0; k < CHUNK; k++) {
            best[k] = at[k];
            far = best[k] > far ? best[k] : far;
        }
        for (; d * d < far && d <= CPU_NEAREST_REACH; d++) {
            const int32_t square = d * d;
            far = 0;
            for (int k = 0; k < CHUNK; k++) {
                const int32_t left = at[k - d] + square, right = at[k + d] + square;
                const int32_t less = left < right ? left : right;
                best[k] = best[k] < less ? best[k] : less;
                far = best[k] > far ? best[k] : far;
            }
        }
        if (d * d < far) return false;
        for (int k = 0; k < CHUNK; k++) out[x + k] = sqrtf((float)best[k]);
    }
    return true;
}

const CpuRegionKernels CPU_TABLE(regions) = {check, to_labels, edges, nearest};
