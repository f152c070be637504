/* Enlarging of bytes by 3 : 2 and 2 : 1 with four taps, such as `cubic`. A turn of 3 outputs has taps of its
 * own, known when the kernel starts, and reads 2 samples further on than the turn before: nothing is looked up.
 * A lane has 12 neighbouring outputs of a channel and goes down the rows, of which it keeps the last four,
 * filtered, in registers. Bytes go to the lanes through shared memory, and words of several channels from them.
 * Outputs at the ends, which have taps of their own, are computed one by one. */
#include "resample_turn.cuh"

/* ---- the ends -------------------------------------------------------------------------------------------- */

/* Output e of row y, by the tables. */
CUDA_INLINE void turn_single(const ResampleArgs &a, int64_t e, int64_t y, unsigned *clipped)
{
    int64_t first;
    const int64_t row = resample_row(a.y, a.dst_y + y, &first);
    float sum = 0.0f;
    for (int64_t j = 0; j < a.y.count[row]; j++)
        sum = halo_fma(a.y.tap[row * a.y.taps + j],
                       resample_horizontal<uint8_t>(a, e, a.src + (first + j - a.src_y) * a.src_stride), sum);
    resample_store(a, e, y, sum, clipped);
}

/* The outputs that lie in no whole turn: rows above and below, then what is left and right of the others. */
CUDA_INLINE void turn_edges(const TurnArgs &a)
{
    const ResampleArgs &all = a.all;
    const int64_t width = all.cols * all.channels, inner = (int64_t)a.x.outs * all.channels;
    const int64_t apart = (all.rows - a.y.outs) * width, beside = width - inner;
    int64_t i = (int64_t)blockIdx.x * turn_threads + threadIdx.x;
    unsigned clipped = 0;
    if (i < apart) {
        const int64_t y = i / width;
        turn_single(all, i - y * width, y < a.y.out ? y : y + a.y.outs, &clipped);
    } else if ((i -= apart) < beside * a.y.outs) {
        const int64_t y = i / beside, e = i - y * beside;
        turn_single(all, e < (int64_t)a.x.out * all.channels ? e : e + inner, a.y.out + y, &clipped);
    }
    cuda_count_clipped(all.clipped, clipped);
}

/* What a lane stores. */
struct TurnLane {
    int channel;
    bool mine;      /* is there a group for it? */
    char *to;       /* Words: its first word; else the row of all lanes */
    int bytes, own; /* of all lanes; where its group, or it, puts results in shared memory */
};

/* Stores a row of outputs: as words, or byte by byte through shared memory. */
template <int Channels, bool Words>
CUDA_INLINE void turn_store(const TurnLane &lane, const float sum[turn_own], char *result, int *clipped)
{
    uint32_t word[turn_words];
    int lost = 0;
    turn_round(sum, word, &lost);
    if (lane.mine) *clipped += lost;
    if constexpr (Words) {
        if constexpr (Channels > 1) turn_join<Channels>((uint32_t *)(result + lane.own), lane.channel, word);
        __syncwarp(); /* words of a sector are stored one right after the other: 11% faster */
        if (lane.mine)
#pragma unroll
            for (int q = 0; q < turn_words; q++)
                reinterpret_cast<uint32_t *>(lane.to)[q * turn_apart<Channels>] = word[q];
    } else {
        char *const first = result + ((uintptr_t)lane.to & 3);
        if (lane.mine)
#pragma unroll
            for (int k = 0; k < turn_own; k++)
                first[lane.own + k * Channels] = (char)(word[k / 4] >> 8 * (k % 4));
        __syncwarp();
        turn_put(lane.to, first, lane.bytes);
    }
}

/* Words: results are stored as words of their rows. */
template <int Up, int Channels, bool Words>
__global__ static void __launch_bounds__(turn_threads, 5) turn_kernel(const __grid_constant__ TurnArgs a)
{
    typedef Turn<Up> T;
    __shared__ __align__(16) char slots[turn_warps][(turn_ahead + 1) * T::down * turn_slot];
    __shared__ __align__(16) char results[turn_warps][Up][turn_result];
    if (blockIdx.x < a.edges) return turn_edges(a);
    const ResampleArgs &all = a.all;
    const unsigned block = blockIdx.x - a.edges, part = block / a.tiles, tile = block - part * a.tiles;
    const int warp = (int)threadIdx.x / CUDA_WARP, lane = (int)threadIdx.x % CUDA_WARP;
    constexpr int across = CUDA_WARP / Channels;
    const int begin = (int)(tile * turn_warps + warp) * across, groups = min(across, a.groups - begin);
    if (groups <= 0) return;
    const int64_t top = (int64_t)part * a.slice, stride = all.src_stride;
    const int turns = (int)(cuda_min(top + a.slice, a.turns) - top);
    const int group = lane / Channels, channel = lane % Channels;
    TurnLane own;
    own.channel = channel;
    own.mine = group < groups;
    own.bytes = groups * turn_own * Channels;
    own.own = group * turn_own * Channels + (Words ? 0 : channel);
    own.to = all.dst + (a.y.out + top * Up) * all.dst_stride +
             ((int64_t)a.x.out + (int64_t)begin * turn_own) * Channels;
    if (Words) own.to += own.own + channel * (turn_apart<Channels> == 1 ? turn_own : 4);
    TurnStage s;
    s.row = all.src + (a.y.from + top * T::down) * stride +
            ((int64_t)a.x.from + (int64_t)begin * T::step) * Channels;
    s.left = turns + T::before;
    s.slots = slots[warp];
    s.bytes = (groups * T::step + T::reads - T::step) * Channels;
    /* Of the current row; lanes without a group read the last. */
    unsigned row = (unsigned)(uintptr_t)s.row;
    const int read = min(group, groups - 1);
    float rows[T::kept][turn_own];
    int clipped = 0;
    const auto filter = [&](int t, int d, float made[turn_own]) {
        turn_row<Up, Channels>(a, s.slots + ((t & turn_ahead) * T::down + d) * turn_slot,
                               row & (turn_piece - 1), read, channel, made);
        row += (unsigned)stride;
    };
    /* Output p of a turn whose first row is rows[first]. */
    const auto emit = [&](int first, int p) {
        float sum[turn_own];
#pragma unroll
        for (int j = 0; j < turn_taps; j++)
#pragma unroll
            for (int k = 0; k < turn_own; k++)
                sum[k] = halo_fma(a.y.tap[p][j], rows[(first + (p == T::last) + j) % T::kept][k],
                                  j == 0 ? 0.0f : sum[k]);
        turn_store<Channels, Words>(own, sum, results[warp][p], &clipped);
        own.to += all.dst_stride;
    };
    /* The rows before the first turn, which begin within a turn. */
    constexpr int early = turn_ahead + 1 - T::before, skipped = T::before * T::down - T::past;
    turn_fetch<Up, skipped>(s, -T::before, stride);
#pragma unroll
    for (int t = 1 - T::before; t < early; t++) turn_fetch<Up>(s, t, stride);
    __pipeline_wait_prior(early);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < T::past; i++)
        filter((i + skipped) / T::down - T::before, (i + skipped) % T::down, rows[i]);
    __syncwarp();
#pragma unroll
    for (int t = early; t < turn_ahead; t++) turn_fetch<Up>(s, t, stride);
#pragma unroll 1
    for (int t = 0; t < turns; t++) {
#pragma unroll
        for (int first = 0; first < T::kept; first += T::down) { /* registers have no numbers */
            if (first > 0 && ++t == turns) break;
            __pipeline_wait_prior(turn_ahead - 1);
            __syncwarp();
            turn_fetch<Up>(s, t + turn_ahead, stride);
#pragma unroll
            for (int d = 0; d + 1 < T::down; d++) filter(t, d, rows[(first + T::past + d) % T::kept]);
#pragma unroll
            for (int p = 0; p < T::last; p++) emit(first, p);
            filter(t, T::down - 1, rows[first]); /* the first is no longer needed */
            emit(first, T::last);
        }
    }
    cuda_count_clipped(all.clipped, (unsigned)clipped);
}

/* ---- launches -------------------------------------------------------------------------------------------- */

/* Do results lie between -256 and 511? Sums of the taps above 0, and of those below, are what they may reach.
 */
static bool within(const TurnAxis *x, const TurnAxis *y, int up)
{
    float most[2][2] = {}; /* of x and y: the greatest such sums, the latter as positive numbers */
    for (int p = 0; p < up; p++) {
        float sum[2][2] = {};
        for (int j = 0; j < turn_taps; j++) {
            sum[0][x->tap[p][j] < 0.0f] += fabsf(x->tap[p][j]);
            sum[1][y->tap[p][j] < 0.0f] += fabsf(y->tap[p][j]);
        }
        for (int axis = 0; axis < 2; axis++)
            for (int below = 0; below < 2; below++)
                most[axis][below] = fmaxf(most[axis][below], sum[axis][below]);
    }
    return 255.0f * (most[0][0] * most[1][0] + most[0][1] * most[1][1]) < 510.0f &&
           255.0f * (most[0][0] * most[1][1] + most[0][1] * most[1][0]) < 255.0f;
}

/* The whole turns of an axis among outputs `out` and on, of which the first begins as Turn says, and where
 * possible `aligned` outputs behind the first; `own` outputs at a time. Samples of the buffer begin with
 * `from`. */
static bool plan_axis(const HaloResampleAxis *axis, int64_t out, int64_t outs, int64_t from, int own,
                      int aligned, TurnAxis *made)
{
    const int up = (int)axis->up;
    if (axis->down != up - 1 || axis->taps != turn_taps || outs > INT32_MAX / 4) return false;
    const int64_t end = cuda_min(out + outs, axis->size - axis->right);
    int64_t first = cuda_max(axis->left, out);
    for (int tries = 0; tries < 5 * up && first + up <= end; tries++, first++) {
        const int64_t base = halo_resample_at(axis, first).first;
        bool fits = (first - out) % aligned == 0 || tries >= 4 * up;
        for (int p = 0; p < up; p++) {
            const HaloResampleTaps taps = halo_resample_at(axis, first + p);
            fits = fits && taps.count == turn_taps && taps.first - base == (p == up - 1);
            for (int j = 0; j < turn_taps; j++) made->tap[p][j] = taps.tap[j];
        }
        if (!fits) continue;
        made->out = (int)(first - out);
        made->outs = (int)((end - first) / own * own);
        made->from = (int)(base - from);
        return made->outs > 0 && base >= from;
    }
    return false;
}

static bool plan(const ResampleArgs *args, const HaloResample *host, TurnArgs *made)
{
    const int64_t up = host->x.up;
    const int word = args->channels == 4 ? 1 : args->channels == 2 ? 2 : 4; /* its pixels */
    return (up == 2 || up == 3) && host->y.up == up &&
           plan_axis(&host->x, args->dst_x, args->cols, args->src_x, turn_own,
                     cuda_aligned(args->dst, args->dst_stride, 4) ? word : 1, &made->x) &&
           plan_axis(&host->y, args->dst_y, args->rows, args->src_y, (int)up, 1, &made->y) &&
           within(&made->x, &made->y, (int)up);
}

bool resample_turn_takes(const ResampleArgs *args, const HaloResample *host)
{
    TurnArgs made;
    return args->src_dtype == HALO_U8 && args->dst_dtype == HALO_U8 && args->channels <= turn_channels &&
           args->src_cols <= INT32_MAX / 4 && args->store.num == 1.0f && args->store.den == 1.0f &&
           plan(args, host, &made);
}

template <int Up, int Channels, bool Words> static HaloStatus launch_words(HaloDevice *device, TurnArgs *args)
{
    const ResampleArgs *const all = &args->all;
    int resident = 0;
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, (turn_kernel<Up, Channels, Words>),
                                                           turn_threads, 0));
    const int64_t blocks = (int64_t)resident * device->properties.multiProcessorCount,
                  outside = (all->cols * all->rows - (int64_t)args->x.outs * args->y.outs) * Channels;
    args->turns = args->y.outs / Up;
    args->groups = args->x.outs / turn_own;
    args->tiles = (unsigned)cuda_ceil_div(args->groups, turn_warps * (CUDA_WARP / Channels));
    args->slice = (int)resample_slice(args->turns, turn_slice, cuda_max(1, blocks / args->tiles));
    args->edges = (unsigned)cuda_ceil_div(outside, turn_threads);
    CUDA_LAUNCH(device, (turn_kernel<Up, Channels, Words>),
                args->edges + args->tiles * cuda_ceil_div(args->turns, args->slice), turn_threads, 0, *args);
    return HALO_OK;
}

template <int Up, int Channels> static HaloStatus launch_channels(HaloDevice *device, TurnArgs *args)
{
    const ResampleArgs &all = args->all;
    return cuda_aligned(all.dst + (int64_t)args->x.out * Channels, all.dst_stride, 4)
               ? launch_words<Up, Channels, true>(device, args)
               : launch_words<Up, Channels, false>(device, args);
}

template <int Up> static HaloStatus launch(HaloDevice *device, TurnArgs *args)
{
    switch (args->all.channels) {
    case 1: return launch_channels<Up, 1>(device, args);
    case 2: return launch_channels<Up, 2>(device, args);
    case 3: return launch_channels<Up, 3>(device, args);
    default: return launch_channels<Up, 4>(device, args);
    }
}

HaloStatus resample_turn(HaloDevice *device, const ResampleArgs *all, const HaloResample *host)
{
    TurnArgs args = {};
    args.all = *all;
    plan(all, host, &args);
    return host->x.up == 2 ? launch<2>(device, &args) : launch<3>(device, &args);
}
