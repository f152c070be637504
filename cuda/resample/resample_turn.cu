/* Enlarging of bytes by 3 : 2 with four taps, such as `cubic`. A turn of 3 outputs has taps of its own,
 * known when the kernel starts, and reads 2 samples further on than the turn before: nothing is looked
 * up. A lane has the turns of 8 samples of a channel and goes down the rows; a row of the source that it has
 * filtered is added at once to all the outputs that it belongs to, of which a turn's worth is in registers.
 * Bytes go to and from the lanes through shared memory, so that channels are no matter. Outputs at the ends,
 * which have taps of their own, are computed one by one. */
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

__global__ static void __launch_bounds__(turn_threads, 4) turn_kernel(const __grid_constant__ TurnArgs a)
{
    /* Own outputs of a row; the samples that a turn reads, and those that the turn before has read; turns that
     * are unfinished at a time. */
    constexpr int step = turn_step, own = step / turn_down * turn_up,
                  window = turn_offset(turn_up - 1) + turn_taps, past = window - turn_down,
                  open = (window - 1) / turn_down + 1;
    constexpr int out_row = own * CUDA_WARP + 4;
    __shared__ __align__(16) char slots[turn_warps][(turn_ahead + 1) * turn_down * turn_slot];
    __shared__ __align__(16) char results[turn_warps][turn_up * out_row];
    if (blockIdx.x < a.edges) return turn_edges(a);
    const ResampleArgs &all = a.all;
    const unsigned block = blockIdx.x - a.edges, part = block / a.tiles, tile = block - part * a.tiles;
    const int warp = (int)threadIdx.x / CUDA_WARP, lane = (int)threadIdx.x % CUDA_WARP, channels = all.channels;
    const int across = CUDA_WARP / channels, begin = (int)(tile * turn_warps + warp) * across;
    const int groups = min(across, a.groups - begin);
    if (groups <= 0) return;
    const int64_t top = (int64_t)part * a.slice, bottom = cuda_min(top + a.slice, a.turns);
    /* Lanes without a group repeat the last. */
    const int group = min(lane / channels, groups - 1),
              channel = lane / channels < groups ? lane % channels : 0;
    const bool mine = lane / channels < groups;
    TurnStage s;
    const int64_t start = top - (open - 1),
                  line = start * turn_down + past; /* of the first row that is new then */
    const int64_t stride = all.src_stride;
    s.early = (int)cuda_max(0, -(a.y.from + line));
    s.row = all.src + cuda_max(a.y.from + line, 0) * stride +
            ((int64_t)a.x.from + (int64_t)begin * step) * channels;
    s.left = (int)(bottom - start);
    s.slots = slots[warp];
    s.bytes = (groups * step + turn_taps - 1) * channels;
    unsigned row = (unsigned)(uintptr_t)s.row; /* of the current row */
    int early = s.early;
    char *const result = results[warp], *to = all.dst + (a.y.out + top * turn_up) * all.dst_stride +
                                              ((int64_t)a.x.out + (int64_t)begin * own) * channels;
    const int bytes = groups * own * channels;
    float sum[open][turn_up][own];
    unsigned clipped = 0;
#pragma unroll
    for (int l = 0; l < open; l++)
#pragma unroll
        for (int p = 0; p < turn_up; p++)
#pragma unroll
            for (int k = 0; k < own; k++) sum[l][p][k] = 0.0f;
    for (int k = 0; k < turn_ahead; k++) turn_fetch(s, k, stride);
    const int turns = (int)(bottom - start);
    for (int t = 0; t < turns; t++) {
        __pipeline_wait_prior(turn_ahead - 1);
        __syncwarp();
        turn_fetch(s, t + turn_ahead, stride);
#pragma unroll
        for (int d = 0; d < turn_down; d++) {
            const char *const slot =
                s.slots + ((t & turn_ahead) * turn_down + d) * turn_slot + (row & (turn_piece - 1));
            if (early > 0)
                early--;
            else
                row += (unsigned)stride;
            float made[own];
            turn_row<own>(a, (const uint8_t *)slot + group * step * channels + channel, channels, made);
#pragma unroll
            for (int l = 0; l < open; l++)
#pragma unroll
                for (int p = 0; p < turn_up; p++) {
                    const int j = past + d - turn_offset(p) - turn_down * l;
                    if (j < 0 || j >= turn_taps) continue;
#pragma unroll
                    for (int k = 0; k < own; k++)
                        sum[l][p][k] = halo_fma(a.y.tap[p][j], made[k], j == 0 ? 0.0f : sum[l][p][k]);
                }
        }
        if (t >= open - 1) {
#pragma unroll
            for (int p = 0; p < turn_up; p++) {
                const int off = a.words ? 0 : (int)((uintptr_t)(to + p * all.dst_stride) & 3);
                uint32_t n[own];
                unsigned lost = 0;
                cuda_round<uint8_t, own>(sum[0][p], n, &lost);
                if (mine) {
                    clipped += lost;
#pragma unroll
                    for (int k = 0; k < own; k++)
                        result[p * out_row + off + (group * own + k) * channels + channel] = (char)n[k];
                }
            }
            __syncwarp();
#pragma unroll
            for (int p = 0; p < turn_up; p++, to += all.dst_stride)
                turn_put(to, result + p * out_row + ((uintptr_t)to & 3), bytes, a.words);
        }
#pragma unroll
        for (int l = 0; l < open; l++)
#pragma unroll
            for (int p = 0; p < turn_up; p++)
#pragma unroll
                for (int k = 0; k < own; k++) sum[l][p][k] = l + 1 < open ? sum[l + 1][p][k] : 0.0f;
    }
    cuda_count_clipped(all.clipped, clipped);
}

/* ---- launches -------------------------------------------------------------------------------------------- */

/* The whole turns of an axis among outputs `out` and on, of which the first begins as turn_offset says, and
 * where possible `aligned` outputs behind the first; `unit` turns at a time. Samples of the buffer begin with
 * `from`. */
static bool plan_axis(const HaloResampleAxis *axis, int64_t out, int64_t outs, int64_t from, int unit,
                      int aligned, TurnAxis *made)
{
    if (axis->up != turn_up || axis->down != turn_down || axis->taps != turn_taps || outs > INT32_MAX / 4)
        return false;
    const int64_t end = cuda_min(out + outs, axis->size - axis->right);
    int64_t first = cuda_max(axis->left, out);
    for (int tries = 0; tries < 4 * turn_up && first + turn_up <= end; tries++, first++) {
        const int64_t base = halo_resample_at(axis, first).first;
        bool fits = (first - out) % aligned == 0 || tries >= 3 * turn_up;
        for (int p = 0; p < turn_up; p++) {
            const HaloResampleTaps taps = halo_resample_at(axis, first + p);
            fits = fits && taps.count == turn_taps && taps.first - base == (p == 2);
            for (int j = 0; j < turn_taps; j++) made->tap[p][j] = taps.tap[j];
        }
        if (!fits) continue;
        made->out = (int)(first - out);
        made->outs = (int)((end - first) / (turn_up * unit) * (turn_up * unit));
        made->from = (int)(base - from);
        return made->outs > 0 && base >= from;
    }
    return false;
}

static bool plan(const ResampleArgs *args, const HaloResample *host, TurnArgs *made)
{
    const bool words = cuda_aligned(args->dst, args->dst_stride, 4) && args->channels % 2 != 0;
    return plan_axis(&host->x, args->dst_x, args->cols, args->src_x, turn_step / turn_down, words ? 4 : 1,
                     &made->x) &&
           plan_axis(&host->y, args->dst_y, args->rows, args->src_y, 1, 1, &made->y);
}

bool resample_turn_takes(const ResampleArgs *args, const HaloResample *host)
{
    TurnArgs made;
    return args->src_dtype == HALO_U8 && args->dst_dtype == HALO_U8 && args->channels <= turn_channels &&
           args->src_cols <= INT32_MAX / 4 && args->store.num == 1.0f && args->store.den == 1.0f &&
           plan(args, host, &made);
}

HaloStatus resample_turn(HaloDevice *device, const ResampleArgs *all, const HaloResample *host)
{
    TurnArgs args = {};
    int resident = 0;
    args.all = *all;
    plan(all, host, &args);
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, turn_kernel, turn_threads, 0));
    const int64_t blocks = (int64_t)resident * device->properties.multiProcessorCount,
                  outside = (all->cols * all->rows - (int64_t)args.x.outs * args.y.outs) * all->channels;
    args.turns = args.y.outs / turn_up;
    args.groups = args.x.outs / (turn_step / turn_down * turn_up);
    args.tiles = (unsigned)cuda_ceil_div(args.groups, turn_warps * (CUDA_WARP / all->channels));
    args.slice = (int)resample_slice(args.turns, turn_slice, cuda_max(1, blocks / args.tiles));
    args.words = cuda_aligned(all->dst + (int64_t)args.x.out * all->channels, all->dst_stride, 4);
    args.edges = (unsigned)cuda_ceil_div(outside, turn_threads);
    CUDA_LAUNCH(device, turn_kernel, args.edges + args.tiles * cuda_ceil_div(args.turns, args.slice),
                turn_threads, 0, args);
    return HALO_OK;
}
