/* A short separable mask and a gradient of what it makes, as one pass: edges of a blurred picture. A warp walks
 * down as in conv/walk.cuh, and a row of the blur never leaves its registers: it goes into the chains of the
 * gradient's masks at once, with a sample of each neighbour in the warp. So no row waits in shared memory; but
 * the first and the last thread are there for their neighbours alone.
 *
 * Outside the picture the gradient reads the blur's outermost results again, for its masks reach one sample
 * far: the border replicates, or reflects, which is the same. */
#include "gradient.cuh"
#include "sep/sep_walk.cuh"

struct BlurredArgs {
    SepWalkArgs blur;
    GradientArgs gradient; /* its taps */
    int64_t x0, y0;        /* of the destination, in the picture */
};

template <int Taps> struct BlurredPass {
    typedef SepPass<float, Taps, 1, false> Blur;
    typedef GradientPass<float, 1, false> Gradient;
    static constexpr int own = Blur::own, reach = 1, warps = 16;
    static_assert(own == Gradient::own, "a thread makes the same columns of both");
    /* Rows of both masks above an output, and the thread on the left, of whose columns but the last is needed.
     * Samples are staged from a sector's beginning on. */
    struct W : Blur::W {
        typedef typename Blur::W Base;
        static constexpr int extra = Base::sector - own; /* staged samples before the first thread's */
        static constexpr int taps = Taps + 2 * reach, cols = (CUDA_WARP - 2) * own;
        static constexpr int before = Base::before + Base::sector, lead = Base::lead + Base::sector - reach;
        static constexpr int pitch = Base::pitch + Base::sector, row_bytes = pitch * Base::size;
    };
};

/* A thread's columns of rows of the blur with one on both sides, of its neighbours. At the picture's edges the
 * outermost stand in for what lies outside. */
template <int Own, int Rows>
__device__ __forceinline__ static void with_sides(const float blur[Rows][Own], bool edge, int64_t x,
                                                  int64_t width, float side[Rows][Own + 2])
{
#pragma unroll
    for (int r = 0; r < Rows; r++) {
        side[r][0] = __shfl_up_sync(CUDA_ALL, blur[r][Own - 1], 1);
        side[r][Own + 1] = __shfl_down_sync(CUDA_ALL, blur[r][0], 1);
#pragma unroll
        for (int k = 0; k < Own; k++) side[r][k + 1] = blur[r][k];
    }
    if (!edge) return;
#pragma unroll
    for (int r = 0; r < Rows; r++) {
        if (x == 0) side[r][0] = side[r][1];
#pragma unroll
        for (int k = 0; k < Own; k++)
            if (x + k == width - 1) side[r][k + 2] = side[r][k + 1];
    }
}

/* Rows of the blur go into the masks' chains; what comes out belongs to the rows before. */
template <typename Gradient, int Rows>
__device__ __forceinline__ static void
gradient_rows(const GradientArgs &a, const float side[Rows][Gradient::own + 2],
              float chain[Gradient::links][Gradient::own], float acc[Rows * Gradient::own])
{
    float other[Rows * Gradient::own];
#pragma unroll
    for (int r = 0; r < Rows; r++)
#pragma unroll
        for (int i = 0; i < gradient_taps; i++)
            Gradient::column(a.tap[i], side[r] + i, i == 0, chain, acc + r * Gradient::own,
                             other + r * Gradient::own);
    gradient_magnitudes<Rows * Gradient::own, false, false>(acc, other);
}

/* The first `left` of a thread's outputs. */
template <int Own> __device__ __forceinline__ static void put(float *to, float acc[Own], bool words, int left)
{
    unsigned clipped = 0; /* floats do not */
    if (words) {
        cuda_store_fours<float, Own, true>(to, acc, &clipped);
        return;
    }
#pragma unroll
    for (int k = 0; k < Own; k++)
        if (k < left) to[k] = halo_canonical(acc[k]);
}

template <int Taps>
__global__ static void __launch_bounds__(CUDA_WARP, BlurredPass<Taps>::warps)
    blurred_kernel(const __grid_constant__ BlurredArgs args)
{
    typedef BlurredPass<Taps> Pass;
    typedef typename Pass::W W;
    constexpr int own = Pass::own, first_row = Taps - 1; /* of the source, that ends a row of the blur */
    __shared__ alignas(16) char raw[2][walk_step * W::row_bytes];
    __shared__ int map[W::pitch];
    const WalkArgs &a = args.blur.walk;
    const WalkPlace p = walk_place<W>(a, map);
    const int lane = (int)threadIdx.x;
    const float outside = halo_border_value(a.src.border, a.src.value);
    const char *const origin = a.src.data + (p.sx - a.src.x0) * W::size;
    const int64_t column = p.x + (lane - 1) * own,
                  x = args.x0 + column; /* in the destination, and in the picture */
    const int left =
        lane == 0 || lane == CUDA_WARP - 1 ? 0 : (int)cuda_max(0, cuda_min(own, a.dst.cols - column));
    const bool words = a.wide && left == own, edge = x == 0 || (x < a.src.width && x + own >= a.src.width);
    const int64_t y_first = args.y0 + p.y - Pass::reach; /* the first row of the blur, in the picture */
    float rows_blurred[Pass::Blur::links][own] = {}, chain[Pass::Gradient::links][own] = {}, side[1][own + 2];
    float *to = reinterpret_cast<float *>(a.dst.data + p.y * a.dst.stride) + column;
    WalkRows rows = {};
#pragma unroll 1
    for (int t = -walk_step; t < p.rows; t += walk_step) {
        const WalkRows next = walk_find(a, p, t + walk_step);
        walk_fetch<W>(a, p, origin, next, raw[(t / walk_step + 1) % 2]);
        if (t < 0) { /* nothing was there before */
            rows = next;
            continue;
        }
        char *const here = raw[t / walk_step % 2];
        __pipeline_wait_prior(1);
        __syncwarp();
        walk_edges<W>(a, p, origin, rows, map, outside, here);
        const int count = min(walk_step, p.rows - t);
        const float *from = reinterpret_cast<const float *>(here) + W::extra + own * lane;
        const auto store = [&](float *acc) {
            if (a.dst.points.count > 0) walk_points<own>(a.dst.points, acc);
            put<own>(to, acc, words, left);
            to = reinterpret_cast<float *>(reinterpret_cast<char *>(to) + a.dst.stride);
        };
#pragma unroll 1
        for (int r = 0; r < count; r++, from += W::pitch) {
            const int64_t y = y_first + t + r - first_row;
            if (r + 1 < count && t + r >= W::taps - 1 && y > 0 && y + 1 < a.src.height &&
                (rows.exist >> r & 3) == 3) {
                float blur[2][own], sides[2][own + 2], acc[2 * own];
#pragma unroll
                for (int k = 0; k < 2; k++)
                    Pass::Blur::row(args.blur, from + k * W::pitch, true, outside, rows_blurred, blur[k]);
                with_sides<own, 2>(blur, edge, x, a.src.width, sides);
                gradient_rows<typename Pass::Gradient, 2>(args.gradient, sides, chain, acc);
                store(acc);
                store(acc + own);
#pragma unroll
                for (int k = 0; k < own + 2; k++) side[0][k] = sides[1][k];
                r++;
                from += W::pitch;
                continue;
            }
            float blur[1][own], acc[own];
            Pass::Blur::row(args.blur, from, rows.exist >> r & 1, outside, rows_blurred, blur[0]);
            if (t + r < first_row || y < 0) continue;
            if (y < a.src.height) with_sides<own, 1>(blur, edge, x, a.src.width, side);
            if (y == 0)
                gradient_rows<typename Pass::Gradient, 1>(args.gradient, side, chain,
                                                          acc); /* for the row above it */
            gradient_rows<typename Pass::Gradient, 1>(args.gradient, side, chain, acc);
            if (t + r >= W::taps - 1) store(acc);
        }
        __syncwarp();
        rows = next;
    }
}

/* ---- the choice, and the launch ------------------------------------------------------------------------- */

/* Of 13 taps it takes as long as two passes. */
#define BLURRED_SIZES(X) X(5) X(7) X(9)

static bool has_size(int64_t taps)
{
    switch (taps) {
#define CASE(size) case size:
        BLURRED_SIZES(CASE)
#undef CASE
        return true;
    default: return false;
    }
}

static bool repeats(const HaloWindow *w)
{
    return w->ox == -1 && w->oy == -1 &&
           (w->border == HALO_BORDER_REPLICATE || w->border == HALO_BORDER_REFLECT);
}

bool blurred_takes(const HaloShape *src, const HaloShape *dst, const HaloChain *chain)
{
    const HaloStep *blur = &chain->link[0];
    return chain->links == 4 && src->dtype == HALO_F32 && dst->dtype == HALO_F32 && src->channels == 1 &&
           dst->channels == 1 && blur->primitive == HALO_SEP && blur->src[0] == 0 &&
           has_size(blur->u.window.width) && gradient_ends(chain, 1, gradient_taps) &&
           repeats(&chain->link[1].u.window) && sep_points_takes(src, dst, &blur->u.sep);
}

template <int Taps>
static HaloStatus launch(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep, BlurredArgs *args)
{
    typedef typename BlurredPass<Taps>::W W;
    const WalkShape shape = {W::size, W::taps, W::step, W::own, W::cols, W::lead, HALO_F32, true};
    int64_t blocks = 0;
    sep_walk_taps<Taps>(sep, &args->blur);
    CUDA_PASS(walk_prepare(device, conv, shape, (const void *)blurred_kernel<Taps>, &args->blur.walk, &blocks));
    CUDA_LAUNCH(device, blurred_kernel<Taps>, blocks, CUDA_WARP, 0, *args);
    return HALO_OK;
}

HaloStatus blurred(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloChain *chain,
                   const HaloMap *points, HaloStore store)
{
    const HaloSep *sep = &chain->link[0].u.sep;
    ConvArgs conv = sep_walk_args(device, src, dst, sep, store);
    conv_points(&conv, points);
    conv.x_first -= 1; /* the blur is made of a column and a row more, on every side */
    conv.y_first -= 1;
    conv.src.x_end += 1;
    conv.src.y_end += 1;
    BlurredArgs args = {};
    args.gradient = gradient_args(&chain->link[1].u.conv, &chain->link[2].u.conv);
    args.x0 = dst->x0;
    args.y0 = dst->y0;
    switch (conv.width) {
#define CASE(taps) \
    case taps: return launch<taps>(device, &conv, sep, &args);
        BLURRED_SIZES(CASE)
#undef CASE
    default: return halo_fail(HALO_ERR_BUG, "there is no kernel for a gradient of %d taps", conv.width);
    }
}
