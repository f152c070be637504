/* Separable convolution: the choice of a way. Masks of a common length have kernels of their own
 * (sep_walk.cuh). Other short ones go through one kernel: a block walks down a strip of the image, its row pass
 * writes into a ring of rows in shared memory and its column pass reads out of it. Long ones, and those that
 * leave NaN out, make two passes through scratch memory, each a dense convolution. */
#include "sep.cuh"
#include "conv/walk.cuh"

/* ---- in one pass, any length ---------------------------------------------------------------------------- */

static const int sep_rows = 4, sep_lines = 4,
                 sep_step = sep_rows * sep_lines; /* rows a block makes at a time */
static const int sep_taps_most = 256;
static const int sep_strips = 8; /* per multiprocessor */

struct SepArgs {
    ConvArgs conv; /* width, height: the numbers of taps along x and y */
    int64_t strip; /* rows of outputs of a block */
    float tap_x[sep_taps_most], tap_y[sep_taps_most];
};

/* The ring keeps the rows under the mask of `sep_step` outputs. Logical row t of a strip is in slot
 * t mod ring. */
__host__ __device__ static inline int sep_ring(int height) { return height - 1 + sep_step; }

template <int Planes> __host__ __device__ static inline int sep_pitch(int width)
{
    return ConvBlock<Planes>::cols + conv_round4(width);
}

template <int Planes> static int sep_bytes(int width, int height)
{
    return Planes * (sep_step * sep_pitch<Planes>(width) + sep_ring(height) * ConvBlock<Planes>::cols) *
           (int)sizeof(float);
}

/* Does row y of the source exist, or can the border make it from one that does? */
__device__ __forceinline__ static bool sep_row_exists(const ConvSource &src, int64_t y)
{
    return halo_border_index(y, src.height, src.border) >= 0;
}

/* Four outputs of the row pass. */
__device__ __forceinline__ static void sep_row(float acc[4], const float *samples, const SepArgs &args)
{
    float window[8];
    conv_load4(window, samples);
    for (int i = 0; i < args.conv.width; i += 4) {
        conv_load4(window + 4, samples + i + 4);
        conv_four_taps(acc, window, args.tap_x + i, args.conv.width - i);
#pragma unroll
        for (int x = 0; x < 4; x++) window[x] = window[x + 4];
    }
}

/* sep_rows outputs of the column pass, in four columns: `ring` begins at the thread's first column, its first
 * output's first row is in slot `slot`. */
template <int Planes>
__device__ __forceinline__ static void sep_column(float acc[sep_rows][4], const float *ring, int slot,
                                                  int slots, const SepArgs &args)
{
    const int taps = args.conv.height;
#pragma unroll 1
    for (int s = 0; s < taps + sep_rows - 1; s++) { /* rows of the ring; output row r meets tap s - r */
        float v[4];
        conv_load4(v, ring + slot * ConvBlock<Planes>::cols);
        if (++slot == slots) slot = 0;
#pragma unroll
        for (int r = 0; r < sep_rows; r++)
            if (s - r >= 0 && s - r < taps)
#pragma unroll
                for (int x = 0; x < 4; x++) acc[r][x] = halo_fma(args.tap_y[s - r], v[x], acc[r][x]);
    }
}

/* The row pass of the `rows` staged rows from logical row t on, into the ring. `y` is the source row of t.
 * Rows that only the border could make are the border's value itself. */
template <int Planes>
__device__ __forceinline__ static void sep_row_pass(const SepArgs &args, const ConvPlace &p, const float *tile,
                                                    int pitch, float *ring, int slots, int64_t t, int64_t y,
                                                    int rows)
{
    const ConvSource &src = args.conv.src;
    const float outside = halo_border_value(src.border, src.value);
    int slot = (int)((t + p.line * sep_rows) % slots);
#pragma unroll
    for (int r = 0; r < sep_rows; r++) {
        const int row = p.line * sep_rows + r;
        if (row < rows) {
            float acc[4] = {};
            if (sep_row_exists(src, y + row))
                sep_row(acc, tile + row * pitch, args);
            else
                acc[0] = acc[1] = acc[2] = acc[3] = outside;
            *reinterpret_cast<float4 *>(ring + slot * ConvBlock<Planes>::cols) =
                make_float4(acc[0], acc[1], acc[2], acc[3]);
        }
        if (++slot == slots) slot = 0;
    }
}

template <int Planes>
__global__ static void __launch_bounds__(ConvBlock<Planes>::groups *sep_lines *Planes, 5)
    sep_kernel(const __grid_constant__ SepArgs args)
{
    constexpr int cols = ConvBlock<Planes>::cols;
    CUDA_SHARED(float, shared);
    const ConvArgs &a = args.conv;
    const int width = a.width, height = a.height;
    const int pitch = sep_pitch<Planes>(width), slots = sep_ring(height);
    const int tile_plane = sep_step * pitch;
    float *const ring = shared + Planes * tile_plane; /* first, the tile of samples */
    ConvPlace p = conv_place<Planes, sep_lines>(a, 1);
    p.y *= args.strip;
    float *const own_ring = ring + p.plane * slots * cols + 4 * p.group;
    const float *const own_tile = shared + p.plane * tile_plane + 4 * p.group;
    const int64_t outputs = cuda_min(args.strip, a.dst.rows - p.y), rows = outputs + height - 1;
    const int64_t y = a.y_first + p.y; /* the source row of logical row 0 */
    unsigned clipped = 0;
    for (int64_t t = 0; t < rows; t += sep_step) {
        const int staged = (int)cuda_min(sep_step, rows - t);
        conv_stage<Planes>(a.src, p.channel, a.x_first + p.x, y + t, cols + width - 1, staged, shared, pitch,
                           tile_plane);
        __syncthreads();
        sep_row_pass<Planes>(args, p, own_tile, pitch, own_ring, slots, t, y + t, staged);
        __syncthreads();
        /* The rows up to t + staged complete these outputs. */
        const int64_t base = t - (height - 1), out = base + p.line * sep_rows;
        float acc[sep_rows][4] = {};
        if (out + sep_rows > 0 && out < outputs)
            sep_column<Planes>(acc, own_ring, (int)((out + slots) % slots), slots, args);
        conv_store<Planes, sep_rows, sep_lines>(a.dst, p, acc, shared, p.y + base, (int)cuda_max(0, -base),
                                                (int)cuda_min(sep_step, outputs - base), &clipped);
        if (Planes > 1) __syncthreads(); /* the outputs passed through the tile */
    }
    cuda_count(a.dst.clipped, clipped);
}

template <int Planes> static HaloStatus launch(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep)
{
    SepArgs args;
    args.conv = *conv;
    args.conv.tiles_x = cuda_ceil_div(conv->dst.cols, ConvBlock<Planes>::cols);
    for (int i = 0; i < sep_taps_most; i++) args.tap_x[i] = i < conv->width ? sep->tap_x[i] : 0.0f;
    for (int i = 0; i < sep_taps_most; i++) args.tap_y[i] = i < conv->height ? sep->tap_y[i] : 0.0f;
    /* A strip begins with the rows above its first output, so strips should be long; but every multiprocessor
     * should have several. Its last step should be a full one. */
    const int64_t columns = args.conv.tiles_x * (conv->dst.channels / Planes);
    const int64_t most = cuda_max(1, device->properties.multiProcessorCount * sep_strips / columns);
    const int64_t least = cuda_max(2 * sep_step, cuda_ceil_div(conv->dst.rows, most));
    args.strip = cuda_ceil_div(least + conv->height - 1, sep_step) * sep_step - (conv->height - 1);
    CUDA_LAUNCH(device, sep_kernel<Planes>, columns * cuda_ceil_div(conv->dst.rows, args.strip),
                ConvBlock<Planes>::groups * sep_lines * Planes, sep_bytes<Planes>(conv->width, conv->height),
                args);
    return HALO_OK;
}

static int fused_bytes(int planes, int width, int height)
{
    return planes == 1   ? sep_bytes<1>(width, height)
           : planes == 2 ? sep_bytes<2>(width, height)
           : planes == 3 ? sep_bytes<3>(width, height)
                         : sep_bytes<4>(width, height);
}

/* One row (sound) would leave the column pass nothing to do, and has a kernel of its own. */
static bool fits_one_pass(const HaloDevice *device, const HaloBuf *dst, const HaloSep *sep)
{
    return !sep->window.nan_ignore && dst->rows > 1 && sep->window.width <= sep_taps_most && sep->window.height <= sep_taps_most &&
           fused_bytes(conv_planes(dst->shape.channels), (int)sep->window.width, (int)sep->window.height) <=
               (int)device->shared_most;
}

/* ---- in two passes -------------------------------------------------------------------------------------- */

/* About how much of the row pass is kept at a time. */
static const int64_t between_bytes = (int64_t)256 << 20;

/* Makes a few rows of the destination, through the f32 rows that they need. */
static HaloStatus two_passes(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep, HaloStore store)
{
    const bool valued = sep->window.border == HALO_BORDER_ZERO || sep->window.border == HALO_BORDER_CONSTANT;
    const int64_t first = dst->y0 + sep->window.oy, last = first + dst->rows - 1 + sep->window.height - 1;
    HaloConv row = {}, column = {};
    HaloBuf between = *src;
    between.shape.dtype = HALO_F32;
    between.shape.width = dst->shape.width;
    between.x0 = dst->x0;
    between.cols = dst->cols;
    between.stride = halo_row_bytes(&between);
    row.window = column.window = sep->window;
    row.window.height = column.window.width = 1;
    row.window.oy = column.window.ox = 0;
    row.tap = sep->tap_x;
    column.tap = sep->tap_y;
    column.affine = sep->affine;
    column.scale = sep->scale;
    column.bias = sep->bias;
    if (valued) { /* the column pass makes the border itself */
        between.y0 = cuda_max(first, src->y0);
        between.rows = cuda_max(0, cuda_min(last + 1, src->y0 + src->rows) - between.y0);
    } else if (last - first + 1 <
               src->rows) { /* the row pass does: row `first` and on, outside the image, too */
        between.y0 = first;
        between.rows = last - first + 1;
    }
    int64_t bytes;
    if (!halo_mul(between.rows, between.stride, &bytes))
        return halo_fail(HALO_ERR_LIMIT, "the row pass of %lld rows is too large", (long long)between.rows);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN, cuda_max(bytes, 1), &between.data));
    if (between.rows > 0) CUDA_PASS(cuda_conv_within(device, src, &between, &row, {1.0f, 1.0f}));
    if (!valued && last - first + 1 < src->rows) { /* all it needs is there: rows are counted from `first` */
        between.y0 = 0;
        between.shape.height = between.rows;
        column.window.oy = -dst->y0;
    }
    return cuda_conv_within(device, &between, dst, &column, store);
}

static HaloStatus bands(HaloDevice *device, const HaloBuf *src, const HaloBuf *dst, const HaloSep *sep, HaloStore store)
{
    const int64_t row_bytes = dst->cols * dst->shape.channels * (int64_t)sizeof(float);
    const int64_t fit = between_bytes / row_bytes;
    const int64_t rows = src->rows <= fit ? dst->rows : cuda_max(fit - (sep->window.height - 1), sep->window.height);
    for (int64_t y = 0; y < dst->rows; y += rows) {
        HaloBuf band = *dst;
        band.y0 = dst->y0 + y;
        band.rows = cuda_min(rows, dst->rows - y);
        band.data = (char *)dst->data + y * dst->stride;
        CUDA_PASS(two_passes(device, src, &band, sep, store));
    }
    return HALO_OK;
}

/* ---- in one pass, common lengths --------------------------------------------------------------------------
 */

static bool fits_walk(const HaloBuf *src, const HaloBuf *dst, const HaloSep *sep)
{
    if (sep->window.nan_ignore || sep->window.width != sep->window.height) return false;
    if (!walk_takes(src, dst, sep->window.border, sep->window.value)) return false;
    switch (sep->window.width) {
#define CASE(taps) case taps:
        SEP_WALK_SIZES(CASE)
#undef CASE
        return true;
    default: return false;
    }
}

static HaloStatus walk(HaloDevice *device, const HaloBuf *src, const ConvArgs *conv, const HaloSep *sep)
{
    switch (src->shape.dtype) {
    case HALO_U8: return sep_walk_u8(device, conv, sep);
    case HALO_U16: return sep_walk_u16(device, conv, sep);
    default: return sep_walk_f32(device, conv, sep);
    }
}

/* ---- the choice ----------------------------------------------------------------------------------------- */

HaloStatus cuda_sep(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep, HaloStore store)
{
    CUDA_PASS(cuda_use(device));
    const bool short_walk = fits_walk(src, dst, sep);
    if (!short_walk && !fits_one_pass(device, dst, sep)) return bands(device, src, dst, sep, store);
    HaloConv both = {}; /* the geometry of the two together */
    both.window = sep->window;
    both.affine = sep->affine;
    both.scale = sep->scale;
    both.bias = sep->bias;
    const ConvArgs args = conv_args(device, src, dst, &both, store);
    if (short_walk) return walk(device, src, &args, sep);
    switch (conv_planes(dst->shape.channels)) {
    case 2: return launch<2>(device, &args, sep);
    case 3: return launch<3>(device, &args, sep);
    case 4: return launch<4>(device, &args, sep);
    default: return launch<1>(device, &args, sep);
    }
}
