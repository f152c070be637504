/* Long smooth masks by decimated filters (halo/sep_fast.h), down columns: rows into nodes and back. The passes
 * along rows are in horizontal.c. */
#include "halo/sep_fast.h"
#include "vector.h"

/* ---- rows and nodes ------------------------------------------------------------------------------------- */

#if CPU_REGISTERS == 32
#define INTO_VECTORS 4 /* 24 of 32 registers, and what is loaded */
#else
#define INTO_VECTORS 2 /* 12 of 16 */
#endif

/* One block of `vectors`, a constant where this is called, from element `at` on: each load serves all nodes. */
static CPU_INLINE void into_block(const float *tap, int64_t step, const float *const *line, int64_t rows,
                                  int64_t at, int vectors, bool fresh, float *const *sum)
{
    CpuVector acc[HALO_SEP_SUPPORT][INTO_VECTORS];
    CPU_UNROLL for (int k = 0; k < HALO_SEP_SUPPORT; k++)
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
        CPU_UNROLL for (int k = 0; k < HALO_SEP_SUPPORT; k++)
        {
            const CpuVector t = vector_of(tap[k * step]);
            CPU_UNROLL for (int v = 0; v < vectors; v++) acc[k][v] = vector_fma(t, in[v], acc[k][v]);
        }
    }
    CPU_UNROLL for (int k = 0; k < HALO_SEP_SUPPORT; k++)
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
static CPU_INLINE void from_block(const float *tap, int64_t step, const float *const *node, int64_t rows,
                                  int64_t at, int vectors, bool fresh, float *out, int64_t pitch)
{
    CpuVector in[HALO_SEP_SUPPORT][INTO_VECTORS];
    CPU_UNROLL for (int k = 0; k < HALO_SEP_SUPPORT; k++)
    {
        CPU_UNROLL for (int v = 0; v < vectors; v++)
        {
            in[k][v] = vector_load(node[k] + at + v * CPU_LANES);
            CPU_KEEP(in[k][v]);
        }
    }
    for (int64_t r = 0; r < rows; r++, tap++) {
        CpuVector acc[INTO_VECTORS];
        CPU_UNROLL for (int v = 0; v < vectors; v++)
        {
            acc[v] = fresh ? vector_of(0.0f) : vector_load(out + r * pitch + at + v * CPU_LANES);
        }
        CPU_UNROLL for (int k = 0; k < HALO_SEP_SUPPORT; k++)
        {
            const CpuVector t = vector_of(tap[(HALO_SEP_SUPPORT - 1 - k) * step]);
            CPU_UNROLL for (int v = 0; v < vectors; v++) acc[v] = vector_fma(t, in[k][v], acc[v]);
        }
        CPU_UNROLL for (int v = 0; v < vectors; v++) vector_store(out + r * pitch + at + v * CPU_LANES, acc[v]);
    }
}

static void from(const float *tap, int64_t step, const float *const *node, int64_t rows, int64_t n, bool fresh,
                 float *out, int64_t pitch)
{
    int64_t at = 0;
    for (; at + INTO_VECTORS * CPU_LANES <= n; at += INTO_VECTORS * CPU_LANES)
        from_block(tap, step, node, rows, at, INTO_VECTORS, fresh, out, pitch);
    for (; at < n; at += CPU_LANES) from_block(tap, step, node, rows, at, 1, fresh, out, pitch);
}

const CpuNodeKernels CPU_TABLE(nodes) = {.into = into, .from = from};
