/* Folds by a user's program. A thread has a lane of the leaf, as docs/numerics.md numbers them; a block takes
 * some neighbouring leaves and joins all their lanes in pairs; the host joins the results of blocks. */
#include "fold_run.cuh"
#include "reduce.cuh"

static const int leaves_each = 8; /* of a block: a power of two */

struct FoldArgs {
    const void *data;
    HaloDtype dtype;
    int64_t pixels, blocks; /* blocks of a channel */
    int channels;
    HaloProgram map, join;
    HaloPower power; /* equals `map`, where the stack has one value */
    HaloCode joins;  /* the only instruction of `join`, on the two values in their order; or HALO_CODE_NUMBER */
    double identity;
    const double *k; /* [channels], or NULL */
    double *out;     /* [channels][blocks] */
};

/* ---- lanes ----------------------------------------------------------------------------------------------- */

/* Stack 0: the stack is in memory. Out of line, since it is called wherever two values are joined. */
template <int Stack>
__device__ __noinline__ static double fold_join(const FoldArgs &a, double x, double y, double k)
{
    double joined;
    if (Stack == 0) return halo_program_run(&a.join, x, y, k);
    if (a.joins == HALO_CODE_NUMBER)
        fold_run<Stack ? Stack : 1, 1>(a.join, &x, &y, k, &joined);
    else
        fold_code<1>(a.joins, &x, &y, &y, &joined);
    return joined;
}

/* Maps samples v. */
template <int Stack>
CUDA_INLINE void fold_map(const FoldArgs &a, const double v[fold_at_once], double k,
                          double mapped[fold_at_once])
{
    if (Stack == 0)
        for (int i = 0; i < fold_at_once; i++)
            mapped[i] = v[i] == v[i] ? halo_program_run(&a.map, v[i], v[i], k) : 0.0;
    else if (Stack == 1)
        fold_powers<fold_at_once>(a.power, v, k, mapped);
    else
        fold_run<Stack ? Stack : 1, fold_at_once>(a.map, v, v, k, mapped);
}

/* Joins the mapped samples that exist. */
template <int Stack>
CUDA_INLINE void fold_take(const FoldArgs &a, const bool there[fold_at_once], const double mapped[fold_at_once],
                           double k, double *lane)
{
    switch (a.joins) { /* the commonest joins, for all samples at once */
#define CASE(code)                                                                     \
    case code:                                                                         \
        _Pragma("unroll") for (int i = 0; i < fold_at_once; i++) if (there[i]) *lane = \
            halo_code(code, *lane, mapped[i], 0.0);                                    \
        break;
        CASE(HALO_CODE_ADD)
        CASE(HALO_CODE_MUL)
        CASE(HALO_CODE_MIN)
        CASE(HALO_CODE_MAX)
#undef CASE
    default:
#pragma unroll
        for (int i = 0; i < fold_at_once; i++)
            if (there[i]) *lane = fold_join<Stack>(a, *lane, mapped[i], k);
    }
}

/* A table of all bytes, where the map is a program. */
static const int fold_bytes = 256;

template <int Stack> CUDA_INLINE void fold_table(const FoldArgs &a, double k, double *table)
{
    for (int i = (int)threadIdx.x; i < fold_bytes; i += HALO_LANES)
        table[i] = halo_program_run(&a.map, (double)i, (double)i, k);
    __syncthreads();
}

/* Sums of powers of so many samples at once, so that more are in flight. */
static const int fold_sums_at_once = 8;

/* The sum of powers of samples that all exist, a step apart; false where one is NaN, or the join is no sum. */
template <typename S>
CUDA_INLINE bool fold_sums(const FoldArgs &a, const S *from, int step, double k, double *lane)
{
    S sample[fold_sums_at_once];
    double v[fold_sums_at_once], mapped[fold_sums_at_once];
    bool real = a.joins == HALO_CODE_ADD;
#pragma unroll
    for (int i = 0; i < fold_sums_at_once; i++) sample[i] = __ldg(from + i * step);
#pragma unroll
    for (int i = 0; i < fold_sums_at_once; i++) {
        real = real && sample[i] == sample[i];
        v[i] = (double)sample[i];
    }
    if (!real) return false;
    fold_powers<fold_sums_at_once>(a.power, v, k, mapped);
#pragma unroll
    for (int i = 0; i < fold_sums_at_once; i++) *lane = halo_code(HALO_CODE_ADD, *lane, mapped[i], 0.0);
    return true;
}

/* One lane of a leaf: samples first, first + 128, … of a channel. Bytes are looked up, except for powers. */
template <typename S, int Stack>
CUDA_INLINE double fold_lane(const FoldArgs &a, const S *from, int64_t first, int64_t end, double k,
                             const double *table)
{
    constexpr bool looks = sizeof(S) == 1 && Stack != 1;
    const int step = HALO_LANES * a.channels;
    double lane = a.identity;
    int left = (int)cuda_ceil_div(cuda_max(0, end - first), HALO_LANES); /* samples of the lane */
    for (from += first * a.channels; left > 0; left -= fold_at_once, from += fold_at_once * step) {
        double v[fold_at_once], mapped[fold_at_once];
        bool there[fold_at_once];
        if (Stack == 1 && left >= fold_sums_at_once && fold_sums(a, from, step, k, &lane)) {
            left -= fold_sums_at_once - fold_at_once;
            from += (fold_sums_at_once - fold_at_once) * step;
            continue;
        }
#pragma unroll
        for (int i = 0; i < fold_at_once; i++) {
            if constexpr (looks)
                mapped[i] = i < left ? table[__ldg(from + i * step)] : 0.0;
            else
                v[i] = i < left ? (double)__ldg(from + i * step) : (double)nanf("");
            there[i] = i < left && (looks || v[i] == v[i]);
        }
        if (!looks) fold_map<Stack>(a, v, k, mapped);
        fold_take<Stack>(a, there, mapped, k, &lane);
    }
    return lane;
}

/* halo_fold_pairs by a block. The values are in `value`; all threads get the result. */
template <int Stack>
CUDA_INLINE double join_block(const FoldArgs &a, double k, double *value, double *other, int n)
{
    while (n > 1) {
        __syncthreads();
        for (int i = (int)threadIdx.x; i < (n + 1) / 2; i += HALO_LANES)
            other[i] = 2 * i + 1 < n ? fold_join<Stack>(a, value[2 * i], value[2 * i + 1], k) : value[2 * i];
        double *const swapped = value;
        value = other;
        other = swapped;
        n = (n + 1) / 2;
    }
    __syncthreads();
    return value[0];
}

template <int Stack>
__global__ static void __launch_bounds__(HALO_LANES) fold_kernel(const __grid_constant__ FoldArgs a)
{
    __shared__ double value[leaves_each * HALO_LANES], other[leaves_each * HALO_LANES / 2],
        table[Stack == 1 ? 1 : fold_bytes];
    const int channel = (int)(blockIdx.x % a.channels);
    const int64_t block = blockIdx.x / a.channels, start = block * leaves_each * HALO_LEAF;
    const double k = a.k != NULL ? a.k[channel] : 0.0;
    int leaves = 0;
    if (Stack != 1 && a.dtype == HALO_U8) fold_table<Stack>(a, k, table);
    for (int64_t first = start; leaves < leaves_each && first < a.pixels; first += HALO_LEAF) {
        const int64_t end = cuda_min(first + HALO_LEAF, a.pixels);
        cuda_typed(a.dtype, [&](auto type) {
            using S = decltype(type);
            value[leaves * HALO_LANES + threadIdx.x] =
                fold_lane<S, Stack>(a, (const S *)a.data + channel, first + threadIdx.x, end, k, table);
        });
        leaves++;
    }
    const double joined = join_block<Stack>(a, k, value, other, leaves * HALO_LANES);
    if (threadIdx.x == 0) a.out[channel * a.blocks + block] = joined;
}

/* ---- the host side --------------------------------------------------------------------------------------- */

/* The largest depth of a program's stack. */
static int depth_of(const HaloProgram *program)
{
    int top = 0, most = 0;
    for (int i = 0; i < program->length; i++) {
        top += 1 - halo_code_takes(program->at[i].code);
        most = top > most ? top : most;
    }
    return most;
}

static HaloCode single_code(const HaloProgram *join)
{
    const HaloInstruction *const at = join->at;
    const bool single = join->length == 3 && at[0].code == HALO_CODE_A && at[1].code == HALO_CODE_B;
    return single && halo_code_takes(at[2].code) == 2 ? at[2].code : HALO_CODE_NUMBER;
}

/* Copies the constants of the channels to the device. */
static HaloStatus upload_constants(HaloDevice *device, const HaloFold *fold, FoldArgs *args)
{
    const int64_t bytes = args->channels * (int64_t)sizeof(double);
    void *k;
    if (fold->k == NULL) return HALO_OK;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, bytes, &k));
    CUDA_TRY(cudaMemcpyAsync(k, fold->k, (size_t)bytes, cudaMemcpyHostToDevice, device->stream));
    args->k = (const double *)k;
    return HALO_OK;
}

/* Joins the results of the blocks. */
static HaloStatus conclude(HaloDevice *device, const FoldArgs *args, const HaloFold *fold, double *out)
{
    const int64_t bytes = args->blocks * args->channels * (int64_t)sizeof(double);
    double *node;
    CUDA_PASS(reduce_left(device, args->out, bytes, &node));
    for (int c = 0; c < args->channels; c++) {
        const double k = fold->k != NULL ? fold->k[c] : 0.0;
        out[c] = halo_canonical_f64(halo_fold_pairs(fold->join, k, node + c * args->blocks, args->blocks));
    }
    reduce_left_done(device, node);
    return HALO_OK;
}

HaloStatus cuda_fold(HaloDevice *device, const HaloBuf *src, const HaloFold *fold, double *out)
{
    FoldArgs args = {};
    int64_t nodes, bytes;
    CUDA_PASS(cuda_use(device));
    CUDA_PASS(cuda_flat(device, src, &args.data));
    args.dtype = src->shape.dtype;
    args.pixels = src->shape.width * src->shape.height;
    args.channels = src->shape.channels;
    args.blocks = cuda_ceil_div(args.pixels, leaves_each * HALO_LEAF);
    args.map = *fold->map;
    args.join = *fold->join;
    args.identity = fold->identity;
    if (!halo_mul(args.blocks, args.channels, &nodes) || !halo_mul(nodes, (int64_t)sizeof(double), &bytes))
        return halo_fail(HALO_ERR_LIMIT, "%d channels are too many to reduce: use --device cpu", args.channels);
    CUDA_PASS(upload_constants(device, fold, &args));
    CUDA_PASS(reduce_left_workspace(device, bytes, &args.out));
    args.joins = single_code(fold->join);
    const int depth = (int)cuda_max(depth_of(fold->map), depth_of(fold->join));
    const bool powers = args.joins != HALO_CODE_NUMBER && halo_program_power(fold->map, &args.power);
    const auto kernel = powers       ? fold_kernel<1>
                        : depth <= 2 ? fold_kernel<2>
                        : depth <= 4 ? fold_kernel<4>
                                     : fold_kernel<0>;
    CUDA_LAUNCH(device, kernel, nodes, HALO_LANES, 0, args);
    return conclude(device, &args, fold, out);
}
