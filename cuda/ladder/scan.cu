/* scan: inclusive prefix sums of int32. The worked example [3 1 7 0 4 1 6 3] -> [3 4 11 11 15 16 22 25] is
 * among the checks.
 *
 * Rungs 2 and 3 scan sections of one block each; what joins the sections is part of rung 4 and is not timed in
 * theirs. */
#include "ladder.cuh"

namespace
{

constexpr int section = 1024;

/* Every thread adds its whole prefix: n * n / 2 additions, and the last thread does n of them alone. */
__global__ void scan_1(const int *in, int *out, int64_t n)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
    for (int64_t j = 0; j <= i; j++) sum += in[j];
    out[i] = sum;
}

/* Kogge–Stone: log n steps, in each of which a thread adds the partial sum 1, 2, 4, … places before its own.
 * With one buffer everyone must have read before anyone writes, and written before anyone reads: two barriers
 * a step. With one, as it is often shown, a thread may add what its neighbour has updated already. */
__global__ void scan_2(const int *in, int *out, int64_t n)
{
    __shared__ int s[section];
    const int t = (int)threadIdx.x;
    const int64_t i = (int64_t)blockIdx.x * section + t;
    s[t] = i < n ? in[i] : 0;
    for (int stride = 1; stride < section; stride *= 2) {
        __syncthreads();
        const int before = t >= stride ? s[t - stride] : 0;
        __syncthreads();
        s[t] += before;
    }
    if (i < n) out[i] = s[t];
}

/* The inclusive prefix sum of `v` in its block, double buffered: a step reads one array and writes the other,
 * so one barrier a step is enough. The cost stays n log n additions for n elements. */
__device__ int block_scan(int v)
{
    __shared__ int s[2][section];
    const int t = (int)threadIdx.x;
    int from = 0;
    s[0][t] = v;
    for (int stride = 1; stride < section; stride *= 2) {
        __syncthreads();
        v = t >= stride ? s[from][t] + s[from][t - stride] : s[from][t];
        from = 1 - from;
        s[from][t] = v;
    }
    return v;
}

__global__ void scan_3(const int *in, int *out, int64_t n)
{
    const int64_t i = (int64_t)blockIdx.x * section + threadIdx.x;
    const int v = block_scan(i < n ? in[i] : 0);
    if (i < n) out[i] = v;
}

/* The last element of every section. */
__global__ void section_totals(const int *out, int *total, int64_t n, int64_t sections)
{
    const int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k < sections) total[k] = out[(k + 1) * section <= n ? (k + 1) * section - 1 : n - 1];
}

/* The sections, and their totals in the same launch. */
__global__ void scan_4(const int *in, int *out, int *total, int64_t n)
{
    const int64_t i = (int64_t)blockIdx.x * section + threadIdx.x;
    const int v = block_scan(i < n ? in[i] : 0);
    if (i < n) out[i] = v;
    if (threadIdx.x == section - 1) total[blockIdx.x] = v;
}

/* Every section but the first adds what all before it add up to. */
__global__ void add_totals(int *out, const int *total, int64_t n)
{
    const int64_t i = (int64_t)blockIdx.x * section + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += total[blockIdx.x - 1];
}

/* ---- launches ------------------------------------------------------------------------------------------- */

/* Many blocks: sections, then the scan of their totals by the same means, then added. Every element is read
 * and written twice; a scan in one pass would do with once. In place where `from` is `to`. */
HaloStatus scan_blocks(LadderRun *run, const int *from, int *to, int *room, int64_t n)
{
    if (n == 0) return HALO_OK;
    const unsigned blocks = ladder_blocks(n, section);
    LADDER_LAUNCH(run, scan_4, blocks, section, from, to, room, n);
    if (blocks == 1) return HALO_OK;
    CUDA_PASS(scan_blocks(run, room, room, room + blocks, blocks));
    LADDER_LAUNCH(run, add_totals, blocks, section, to, room, n);
    return HALO_OK;
}

HaloStatus many_blocks(LadderRun *run)
{
    return scan_blocks(run, (const int *)run->in, (int *)run->out, (int *)run->scratch, run->n);
}

HaloStatus naive(LadderRun *run)
{
    LADDER_LAUNCH(run, scan_1, ladder_blocks(run->n, 256), 256, (const int *)run->in, (int *)run->out, run->n);
    return HALO_OK;
}

using Kernel = void(const int *, int *, int64_t);

template <Kernel *K> HaloStatus sections(LadderRun *run)
{
    LADDER_LAUNCH(run, K, ladder_blocks(run->n, section), section, (const int *)run->in, (int *)run->out,
                  run->n);
    return HALO_OK;
}

HaloStatus join_sections(LadderRun *run)
{
    if (run->n <= section) return HALO_OK;
    const unsigned blocks = ladder_blocks(run->n, section);
    int *const total = (int *)run->scratch;
    LADDER_LAUNCH(run, section_totals, ladder_blocks(blocks, 256), 256, (const int *)run->out, total, run->n,
                  (int64_t)blocks);
    CUDA_PASS(scan_blocks(run, total, total, total + blocks, blocks));
    LADDER_LAUNCH(run, add_totals, blocks, section, (int *)run->out, total, run->n);
    return HALO_OK;
}

/* ---- data ----------------------------------------------------------------------------------------------- */

const int example[] = {3, 1, 7, 0, 4, 1, 6, 3}, example_scanned[] = {3, 4, 11, 11, 15, 16, 22, 25};

void fill(const LadderCase *size, void *in)
{
    if (size->worked)
        memcpy(in, example, sizeof example);
    else
        ladder_fill_int(size, in);
}

void expect(const LadderCase *size, const void *in, uint32_t *out)
{
    const int *const value = (const int *)in;
    uint32_t sum = 0;
    for (int64_t i = 0; i < ladder_elements(size); i++) out[i] = sum += (uint32_t)value[i];
    if (size->worked) memcpy(out, example_scanned, sizeof example_scanned);
}

const LadderRung rungs[] = {
    {"1 naive", "every thread adds its whole prefix", "n*n/2 additions; fewer elements, so that it ends", naive,
     NULL, NULL, 0, 0, (int64_t)1 << 18},
    {"2 Kogge-Stone", "log n steps in a block, one buffer",
     "two barriers a step; sections of 1024, joining not timed", sections<scan_2>, NULL, join_sections},
    {"3 double buffered", "one barrier a step", "n log n additions; sections of 1024, joining not timed",
     sections<scan_3>, NULL, join_sections},
    {"4 many blocks", "the blocks' sums scanned, then added: any n", "everything is read and written twice",
     many_blocks},
    {"halo scan", "the product: partial sums in an order that depends on the length alone",
     "f32 to f64, so 12 bytes an element instead of 8, for halo has no int32", ladder_product_scan,
     ladder_product_scan_prepare, ladder_product_scan_collect, 12, 1},
    {"CUB DeviceScan", "one pass", "", ladder_cub_scan, ladder_cub_scan_prepare},
};

const LadderCase sizes[] = {
    {8, 1, 0, true}, LADDER_AWKWARD(0), {1025, 1, 0, false}, {(int64_t)1 << 28, 1, 0, false}};

} // namespace

const LadderFamily ladder_scan = {
    "scan",           4,    8,      true, sizes, LADDER_COUNT(sizes),
    ladder_word_each, fill, expect, NULL, rungs, LADDER_COUNT(rungs),
};
