/* The sample of rank r of each pixel's stack, by radix selection: its bits are found from the highest on, since
 * it is the greatest number that at most r samples are below. Every pass counts over all images, for many
 * pixels at the same time. */
#include <math.h>

#include "halo/numerics.h"
#include "part.h"

/* Samples below `limit` are counted in integers as wide as the samples, and added up before these overflow.
 * What has most of the arrays is not inlined, so that no frame holds those of two. */
#define ORDER(Sample, most)                                                                                    \
    static void below_##Sample(const char *samples, int64_t pitch, int64_t count, int64_t n,                   \
                               const Sample *restrict limit, uint32_t *restrict total)                         \
    {                                                                                                          \
        Sample part[ACROSS_MOST];                                                                              \
        for (int64_t i = 0; i < n; i++) total[i] = 0;                                                          \
        for (int64_t k = 0; k < count;) {                                                                      \
            const int64_t end = count - k > (most) ? k + (most) : count;                                       \
            for (int64_t i = 0; i < n; i++) part[i] = 0;                                                       \
            for (; k < end; k++) {                                                                             \
                const Sample *restrict one = (const Sample *)(const void *)(samples + k * pitch);              \
                for (int64_t i = 0; i < n; i++) part[i] = (Sample)(part[i] + (one[i] < limit[i]));             \
            }                                                                                                  \
            for (int64_t i = 0; i < n; i++) total[i] += part[i];                                               \
        }                                                                                                      \
    }                                                                                                          \
                                                                                                               \
    __attribute__((noinline)) static void at_place_##Sample(const char *samples, int64_t pitch, int64_t count, \
                                                            int64_t n, uint32_t place, Sample *restrict found) \
    {                                                                                                          \
        Sample limit[ACROSS_MOST];                                                                             \
        uint32_t total[ACROSS_MOST];                                                                           \
        for (int64_t i = 0; i < n; i++) found[i] = 0;                                                          \
        for (int bit = 8 * (int)sizeof(Sample) - 1; bit >= 0; bit--) {                                         \
            const Sample mask = (Sample)((Sample)1 << bit);                                                    \
            for (int64_t i = 0; i < n; i++) limit[i] = found[i] | mask;                                        \
            below_##Sample(samples, pitch, count, n, limit, total);                                            \
            for (int64_t i = 0; i < n; i++) found[i] = total[i] <= place ? limit[i] : found[i];                \
        }                                                                                                      \
    }                                                                                                          \
                                                                                                               \
    static void least_##Sample(const char *samples, int64_t pitch, int64_t count, int64_t n,                   \
                               Sample *restrict found)                                                         \
    {                                                                                                          \
        for (int64_t k = 0; k < count; k++) {                                                                  \
            const Sample *restrict one = (const Sample *)(const void *)(samples + k * pitch);                  \
            for (int64_t i = 0; i < n; i++) found[i] = k == 0 || one[i] < found[i] ? one[i] : found[i];        \
        }                                                                                                      \
    }                                                                                                          \
                                                                                                               \
    static void greatest_##Sample(const char *samples, int64_t pitch, int64_t count, int64_t n,                \
                                  Sample *restrict found)                                                      \
    {                                                                                                          \
        for (int64_t k = 0; k < count; k++) {                                                                  \
            const Sample *restrict one = (const Sample *)(const void *)(samples + k * pitch);                  \
            for (int64_t i = 0; i < n; i++) found[i] = k == 0 || one[i] > found[i] ? one[i] : found[i];        \
        }                                                                                                      \
    }                                                                                                          \
                                                                                                               \
    /* The two in the middle, where they are two. */                                                           \
    static void order_##Sample(StackOp op, const char *samples, int64_t pitch, int64_t count, int64_t n,       \
                               Sample *low, Sample *high)                                                      \
    {                                                                                                          \
        if (op == STACK_MIN)                                                                                   \
            least_##Sample(samples, pitch, count, n, low);                                                     \
        else if (op == STACK_MAX)                                                                              \
            greatest_##Sample(samples, pitch, count, n, low);                                                  \
        else                                                                                                   \
            at_place_##Sample(samples, pitch, count, n, (uint32_t)((count - 1) / 2), low);                     \
        if (op == STACK_MEDIAN && count % 2 == 0)                                                              \
            at_place_##Sample(samples, pitch, count, n, (uint32_t)(count / 2), high);                          \
        else                                                                                                   \
            for (int64_t i = 0; i < n; i++) high[i] = low[i];                                                  \
    }

ORDER(uint8_t, 255)
ORDER(uint16_t, 65535)
ORDER(uint32_t, INT32_MAX)

/* Floats as keys, which are in the same order (numerics.h). */
int64_t order_scratch(const Across *across)
{
    return across->dtype == HALO_F32 ? across->count * ACROSS_MOST * (int64_t)sizeof(uint32_t) : 0;
}

/* A NaN, whose key is above all, makes the result one. */
static void order_f32(const Across *across, StackOp op, const char *samples, int64_t pitch, int64_t n,
                      uint32_t *key, double *out)
{
    uint32_t low[ACROSS_MOST], high[ACROSS_MOST], last[ACROSS_MOST];
    const int64_t step = ACROSS_MOST * (int64_t)sizeof *key;
    for (int64_t k = 0; k < across->count; k++) {
        const float *one = (const float *)(const void *)(samples + k * pitch);
        for (int64_t i = 0; i < n; i++) key[k * ACROSS_MOST + i] = halo_key(one[i]);
    }
    order_uint32_t(op, (const char *)key, step, across->count, n, low, high);
    greatest_uint32_t((const char *)key, step, across->count, n, last);
    for (int64_t i = 0; i < n; i++)
        out[i] = last[i] == HALO_KEY_NAN ? (double)NAN
                                         : ((double)halo_unkey(low[i]) + (double)halo_unkey(high[i])) / 2;
}

#define MAKE(Sample)                                                                     \
    {                                                                                    \
        Sample low[ACROSS_MOST], high[ACROSS_MOST];                                      \
        order_##Sample(op, samples, pitch, across->count, n, low, high);                 \
        for (int64_t i = 0; i < n; i++) out[i] = ((double)low[i] + (double)high[i]) / 2; \
    }

void order_make(const Across *across, StackOp op, const char *samples, int64_t pitch, int64_t n, void *scratch,
                double *out)
{
    if (across->dtype == HALO_U8)
        MAKE(uint8_t)
    else if (across->dtype == HALO_U16)
        MAKE(uint16_t)
    else
        order_f32(across, op, samples, pitch, n, scratch, out);
}
