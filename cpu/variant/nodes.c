/* Long smooth masks by coarse taps (halo/sep_fast.h): rows into nodes and back, sums of pairs of pixels, and
 * straight lines between few of them. */
#include "halo/sep_fast.h"
#include "vector.h"

/* ---- rows and nodes ------------------------------------------------------------------------------------- */

#if defined(__AVX512F__)
#define INTO_VECTORS 4 /* 24 of 32 registers, and what is loaded */
#else
#define INTO_VECTORS 2 /* 12 of 16 */
#endif

/* One block of `vectors`, a constant where this is called, from element `at` on: each load serves all nodes. */
static CPU_INLINE void into_block(const float *tap, int64_t step, const float *const *line, int64_t rows,
                                  int64_t at, int vectors, bool fresh, float *const *sum)
{
    CpuVector acc[HALO_SEP_NODES][INTO_VECTORS];
    CPU_UNROLL for (int k = 0; k < HALO_SEP_NODES; k++)
    {
        CPU_UNROLL for (int v = 0; v < vectors; v++)
        {
            acc[k][v] = fresh && k == 0 ? vector_of(0.0f) : vector_load(sum[k] + at + v * CPU_LANES);
        }
    }
    for (int64_t r = 0; r < rows; r++, tap++) {
        CpuVector in[INTO_VECTORS];
        CPU_UNROLL for (int v = 0; v < vectors; v++)
        {
            in[v] = vector_load(line[r] + at + v * CPU_LANES);
            CPU_KEEP(in[v]);
        }
        CPU_UNROLL for (int k = 0; k < HALO_SEP_NODES; k++)
        {
            const CpuVector t = vector_of(tap[k * step]);
            CPU_UNROLL for (int v = 0; v < vectors; v++) acc[k][v] = vector_fma(t, in[v], acc[k][v]);
        }
    }
    CPU_UNROLL for (int k = 0; k < HALO_SEP_NODES; k++)
    {
        CPU_UNROLL for (int v = 0; v < vectors; v++) vector_store(sum[k] + at + v * CPU_LANES, acc[k][v]);
    }
}

static void into(const float *tap, int64_t step, const float *const *line, int64_t rows, int64_t n, bool fresh,
                 float *const *sum)
{
    int64_t at = 0;
    for (; at + INTO_VECTORS * CPU_LANES <= n; at += INTO_VECTORS * CPU_LANES)
        into_block(tap, step, line, rows, at, INTO_VECTORS, fresh, sum);
    for (; at < n; at += CPU_LANES) into_block(tap, step, line, rows, at, 1, fresh, sum);
}

/* The same the other way. */
static CPU_INLINE void from_block(const float *tap, const float *const *node, int64_t rows, int64_t at,
                                  int vectors, float *out, int64_t pitch)
{
    CpuVector in[HALO_SEP_NODES][INTO_VECTORS];
    CPU_UNROLL for (int k = 0; k < HALO_SEP_NODES; k++)
    {
        CPU_UNROLL for (int v = 0; v < vectors; v++)
        {
            in[k][v] = vector_load(node[k] + at + v * CPU_LANES);
            CPU_KEEP(in[k][v]);
        }
    }
    for (int64_t r = 0; r < rows; r++, tap += HALO_SEP_NODES) {
        CpuVector acc[INTO_VECTORS];
        CPU_UNROLL for (int v = 0; v < vectors; v++) acc[v] = vector_of(0.0f);
        CPU_UNROLL for (int k = 0; k < HALO_SEP_NODES; k++)
        {
            const CpuVector t = vector_of(tap[k]);
            CPU_UNROLL for (int v = 0; v < vectors; v++) acc[v] = vector_fma(t, in[k][v], acc[v]);
        }
        CPU_UNROLL for (int v = 0; v < vectors; v++) vector_store(out + r * pitch + at + v * CPU_LANES, acc[v]);
    }
}

static void from(const float *tap, const float *const *node, int64_t rows, int64_t n, float *out, int64_t pitch)
{
    int64_t at = 0;
    for (; at + INTO_VECTORS * CPU_LANES <= n; at += INTO_VECTORS * CPU_LANES)
        from_block(tap, node, rows, at, INTO_VECTORS, out, pitch);
    for (; at < n; at += CPU_LANES) from_block(tap, node, rows, at, 1, out, pitch);
}

/* ---- blocks --------------------------------------------------------------------------------------------- */

/* `channels` is a constant at most calls. Pixel i of `out` is the sum of pixels 2 * i and 2 * i + 1. */
static CPU_INLINE void halve_any(const float *restrict row, int64_t pixels, int64_t channels,
                                 float *restrict out)
{
    for (int64_t i = 0; i < pixels; i++)
        for (int64_t c = 0; c < channels; c++)
            out[i * channels + c] = row[2 * i * channels + c] + row[(2 * i + 1) * channels + c];
}

static void halve(const float *row, int64_t pixels, int64_t channels, float *out)
{
    switch (channels) {
    case 1: halve_any(row, pixels, 1, out); return;
    case 2: halve_any(row, pixels, 2, out); return;
    case 3: halve_any(row, pixels, 3, out); return;
    case 4: halve_any(row, pixels, 4, out); return;
    default: halve_any(row, pixels, channels, out);
    }
}

/* The same three times, of whole vectors. */
static int64_t eighths(const float *row, int64_t samples, float *out)
{
    int64_t i = 0;
#if defined(__AVX__)
    for (; i + 8 <= samples; i += 8, row += 64) {
        __m256 sum[2];
        for (int k = 0; k < 2; k++) {
            const float *at = row + 32 * k;
            const __m256 a = _mm256_hadd_ps(_mm256_loadu_ps(at), _mm256_loadu_ps(at + 8)),
                         b = _mm256_hadd_ps(_mm256_loadu_ps(at + 16), _mm256_loadu_ps(at + 24));
            sum[k] = _mm256_hadd_ps(a, b); /* of four: the first four of each vector, then the others */
        }
        _mm256_storeu_ps(out + i, _mm256_add_ps(_mm256_permute2f128_ps(sum[0], sum[1], 0x20),
                                                _mm256_permute2f128_ps(sum[0], sum[1], 0x31)));
    }
#else
    (void)row, (void)samples, (void)out;
#endif
    return i;
}

static void sums(const float *row, int64_t blocks, int64_t block, int64_t channels, float *const room[2],
                 float *out)
{
    int k = 0;
    if (channels == 1 && block >= 8) {
        float *to = block == 8 ? out : room[k];
        const int64_t n = blocks * (block / 8), done = eighths(row, n, to);
        for (int64_t i = done; i < n; i++) {
            const float *at = row + 8 * i;
            to[i] = ((at[0] + at[1]) + (at[2] + at[3])) + ((at[4] + at[5]) + (at[6] + at[7]));
        }
        row = to;
        block /= 8;
        k = 1;
    }
    for (; block > 1; block /= 2, k ^= 1) {
        float *to = block == 2 ? out : room[k];
        halve(row, blocks * (block / 2), channels, to);
        row = to;
    }
}

static CPU_INLINE void spread_any(const float *restrict cross, int64_t blocks, int64_t block, int64_t channels,
                                  const float *restrict way, float *restrict row)
{
    for (int64_t b = 0; b < blocks; b++, cross += channels, row += block * channels)
        for (int64_t c = 0; c < channels; c++) {
            const float here = cross[c], rise = cross[channels + c] - here;
            for (int64_t k = 0; k < block; k++)
                row[k * channels + c] = row[k * channels + c] + halo_fma(way[k], rise, here);
        }
}

/* One channel, and blocks of whole vectors. */
static void spread_vectors(const float *cross, int64_t blocks, int64_t block, const float *way, float *row)
{
    const CpuVector one = vector_of(1.0f);
    for (int64_t b = 0; b < blocks; b++, row += block) {
        const CpuVector here = vector_of(cross[b]), rise = vector_of(cross[b + 1] - cross[b]);
        for (int64_t k = 0; k < block; k += CPU_LANES) {
            const CpuVector add = vector_fma(vector_load(way + k), rise, here);
            vector_store(row + k, vector_fma(one, vector_load(row + k), add));
        }
    }
}

static void spread(const float *cross, int64_t blocks, int64_t block, int64_t channels, const float *way,
                   float *row)
{
    if (channels == 1 && block % CPU_LANES == 0)
        spread_vectors(cross, blocks, block, way, row);
    else
        spread_any(cross, blocks, block, channels, way, row);
}

const CpuNodeKernels CPU_TABLE(nodes) = {.into = into, .from = from, .sums = sums, .spread = spread};
