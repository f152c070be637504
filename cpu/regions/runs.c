/* Runs of pixels, and the union of those that touch. */
#include "runs.h"

#include <string.h>

#include "halo/vector16.h"

bool cpu_runs_reserve(CpuRowRuns *runs, int64_t width, int64_t height, int64_t *total, int64_t at[4])
{
    int64_t most_runs;
    runs->width = width;
    runs->height = height;
    runs->row_most = (width + 1) / 2;
    return width < INT32_MAX && halo_mul(runs->row_most, height, &most_runs) && most_runs < UINT32_MAX &&
           cpu_reserve(total, most_runs, 2 * (int64_t)sizeof(int32_t), &at[0]) &&
           cpu_reserve(total, most_runs, sizeof(uint32_t), &at[1]) &&
           cpu_reserve(total, height, sizeof(uint32_t), &at[2]) &&
           cpu_reserve(total, height, sizeof(uint32_t), &at[3]);
}

void cpu_runs_place(CpuRowRuns *runs, char *block, const int64_t at[4])
{
    runs->edge = (int32_t *)(void *)(block + at[0]);
    runs->parent = (uint32_t *)(void *)(block + at[1]);
    runs->begin = (uint32_t *)(void *)(block + at[2]);
    runs->end = (uint32_t *)(void *)(block + at[3]);
}

bool cpu_are_planes(const HaloBuf *src, const HaloBuf *dst)
{
    return src->shape.dtype <= HALO_F32 && dst->shape.dtype <= HALO_F32 && halo_buf_is_whole(src) &&
           halo_buf_is_whole(dst) && src->cols == dst->cols && src->rows == dst->rows &&
           src->shape.channels == dst->shape.channels && src->shape.channels - (src->shape.alpha >= 0) == 1;
}

/* ---- flags ---------------------------------------------------------------------------------------------- */

#define FLAGS(type)                                                                                           \
    do {                                                                                                      \
        const type *v = (const type *)halo_at(src, 0, y) + channel;                                           \
        if (of == HALO_REGIONS_ABOVE)                                                                         \
            for (int64_t x = 0; x < n; x++) flag[x] = (float)v[x * channels] > least_of;                      \
        else                                                                                                  \
            for (int64_t x = 0; x < n; x++) flag[x] = ((v[x * channels] > 0) | (v[x * channels] < 0)) == set; \
    } while (0)

void cpu_flags(const HaloBuf *src, int64_t y, int channel, HaloRegionsOf of, double low, uint8_t *flag)
{
    const int64_t n = src->cols, channels = src->shape.channels;
    const float least_of = (float)low;
    const bool set = of != HALO_REGIONS_BACKGROUND;
    switch (src->shape.dtype) {
    case HALO_U8: FLAGS(uint8_t); break;
    case HALO_U16: FLAGS(uint16_t); break;
    default: FLAGS(float); break;
    }
}

/* ---- runs ----------------------------------------------------------------------------------------------- */

#if !defined(HALO_VECTOR16)
#define EACH_BYTE(bits) ((uint64_t)(bits)*0x0101010101010101u)

/* A bit for each of eight bytes that is not 0, the first one lowest. */
static uint64_t bits_of(const uint8_t *flag)
{
    uint64_t bytes;
    memcpy(&bytes, flag, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    const uint64_t high = (((bytes & EACH_BYTE(0x7f)) + EACH_BYTE(0x7f)) | bytes) & EACH_BYTE(0x80);
    return (high >> 7) * 0x0102040810204080u >> 56;
}
#endif

static uint64_t word_of(const uint8_t *flag, int64_t count)
{
    uint64_t word = 0;
    if (count >= 64) {
#if defined(HALO_VECTOR16)
        const HaloU8x16 none = {0};
        for (int i = 0; i < 4; i++)
            word |= (uint64_t)halo_bits_u8((HaloU8x16)(halo_load16(flag + 16 * i) == none)) << 16 * i;
        return ~word;
#else
        for (int i = 0; i < 8; i++) word |= bits_of(flag + 8 * i) << 8 * i;
        return word;
#endif
    }
    for (int64_t i = 0; i < count; i++) word |= (uint64_t)(flag[i] != 0) << i;
    return word;
}

/* Runs begin and end where a pixel differs from the one before. */
void cpu_runs_find(CpuRowRuns *runs, int64_t y, bool follows, const uint8_t *flag, bool inverse)
{
    const uint32_t first = follows ? runs->end[y - 1] : (uint32_t)(y * runs->row_most);
    int32_t *const edge = runs->edge + 2 * (int64_t)first;
    uint64_t before = 0;
    int64_t edges = 0;
    for (int64_t x = 0; x < runs->width; x += 64) {
        const int64_t count = least(64, runs->width - x);
        uint64_t word = word_of(flag + x, count);
        if (inverse) word = ~word & (count < 64 ? ((uint64_t)1 << count) - 1 : ~(uint64_t)0);
        uint64_t change = word ^ (word << 1 | before);
        before = word >> 63;
        if (count < 64) change &= ((uint64_t)1 << count) - 1;
        for (; change != 0; change &= change - 1) edge[edges++] = (int32_t)(x + __builtin_ctzll(change));
    }
    if (edges % 2 != 0) edge[edges++] = (int32_t)runs->width;
    runs->begin[y] = first;
    runs->end[y] = first + (uint32_t)(edges / 2);
    for (uint32_t i = first; i < runs->end[y]; i++) runs->parent[i] = i;
}

/* Halves the way to the root. */
uint32_t cpu_runs_root(uint32_t *parent, uint32_t run)
{
    while (parent[run] != run) run = parent[run] = parent[parent[run]];
    return run;
}

void cpu_runs_unite(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = cpu_runs_root(parent, a);
    b = cpu_runs_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

void cpu_runs_join(CpuRowRuns *runs, int64_t y)
{
    const int32_t *const edge = runs->edge;
    uint32_t above = runs->begin[y - 1];
    const uint32_t last = runs->end[y - 1];
    for (uint32_t i = runs->begin[y]; i < runs->end[y]; i++) {
        const int32_t from = edge[2 * (int64_t)i] - runs->reach, upto = edge[2 * (int64_t)i + 1] + runs->reach;
        while (above < last && edge[2 * (int64_t)above + 1] <= from) above++;
        for (uint32_t k = above; k < last && edge[2 * (int64_t)k] < upto; k++)
            cpu_runs_unite(runs->parent, k, i);
    }
}
