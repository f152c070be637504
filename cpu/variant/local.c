/* The least and the greatest of any samples of windows, with heights, as integer keys (halo/local.h). */
#include "variant.h"

#define BLOCK 64 /* outputs whose keys are kept in registers or the first-level cache */

static CPU_INLINE int32_t key_of(float v, int32_t odd)
{
    int32_t bits;
    memcpy(&bits, &v, sizeof bits);
    bits ^= (bits >> 31) & INT32_MAX;
    return v != v ? odd : bits;
}

static CPU_INLINE float value_of(int32_t key)
{
    float v;
    key ^= (key >> 31) & INT32_MAX;
    memcpy(&v, &key, sizeof v);
    return v;
}

static void to_keys(float *line, int64_t n, int32_t odd)
{
    CPU_APART for (int64_t i = 0; i < n; i++)
    {
        const int32_t key = key_of(line[i], odd);
        memcpy(&line[i], &key, sizeof key);
    }
}

/* `n` is a constant where it is BLOCK. */
static CPU_INLINE void some(const CpuMembers *members, int64_t x, int64_t n, bool greatest, float *out)
{
    int32_t best[BLOCK];
    for (int64_t k = 0; k < n; k++) best[k] = greatest ? INT32_MIN : INT32_MAX;
    for (int64_t m = 0; m < members->count; m++) {
        const float *const line = members->line[m] + x;
        if (members->height == NULL) {
            for (int64_t k = 0; k < n; k++) {
                int32_t key;
                memcpy(&key, &line[k], sizeof key);
                best[k] = greatest ? (key > best[k] ? key : best[k]) : (key < best[k] ? key : best[k]);
            }
        } else {
            const float height = greatest ? members->height[m] : -members->height[m];
            for (int64_t k = 0; k < n; k++) {
                const int32_t key = key_of(line[k] + height, members->odd);
                best[k] = greatest ? (key > best[k] ? key : best[k]) : (key < best[k] ? key : best[k]);
            }
        }
    }
    for (int64_t k = 0; k < n; k++) out[x + k] = value_of(best[k]);
}

static CPU_INLINE void row(const CpuMembers *members, int64_t n, bool greatest, float *out)
{
    int64_t x = 0;
    for (; x + BLOCK <= n; x += BLOCK) some(members, x, BLOCK, greatest, out);
    if (x < n) some(members, x, n - x, greatest, out);
}

static void least_of(const CpuMembers *members, int64_t n, float *out) { row(members, n, false, out); }
static void greatest_of(const CpuMembers *members, int64_t n, float *out) { row(members, n, true, out); }

const CpuLocalKernels CPU_TABLE(local) = {.to_keys = to_keys, .extreme = {least_of, greatest_of}};
