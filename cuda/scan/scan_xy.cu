/* Scans along x and then along y (integral images) without intermediate results in memory: instead the source,
 * which is small beside the result, is read twice. First the prefix left of each run of 16 pixels
 * (scan_left.cu). Then a block has a tile of columns and of runs of 32 rows in shared memory: its rows become
 * sums along x, its columns of these sums along y, and the prefix above comes from other blocks
 * (scan_above.cuh). */
#include "scan_above.cuh"

static const int xy_threads = 128,
                 xy_blocks = 6; /* per multiprocessor: many, which wait, load and store at different times */
static const int xy_columns_least = 32, xy_channels = 8;

/* How rows are cut into strips: of some runs of 16 pixels and a set of channels, whose samples are the columns
 * of a tile. A thread has a run of 32 rows of a column, and, along x, two runs of 16 pixels. T is the type of
 * sums in a tile, 32 bits if they fit, where sums of the picture take 64. */
template <typename T> struct ScanTiles {
    unsigned sets;                 /* strips of the same pixels */
    int channels, pixels, columns; /* of a strip */
    int runs;                      /* of 32 rows */
    int pitch;                     /* of a tile's rows: odd, so that rows use different banks */
    int64_t left_runs;
    const T *left; /* [row][run][channel]: the prefix left of the run; NULL: rows are one run */
};

/* The result of a launch: samples along x; totals of runs along y; samples along both. */
enum ScanUpto { SCAN_UPTO_X, SCAN_UPTO_TOTALS, SCAN_UPTO_XY };

/* ---- the kernel ------------------------------------------------------------------------------------------ */

/* Loads the thread's samples of a tile: 32 of its column, `apart` rows apart, of which `there` are in the
 * picture. All loads are in flight before the first sample is used. */
template <typename Kind, typename S>
CUDA_INLINE void load_column(const ScanArgs &a, const char *from, int apart, int there,
                             typename Kind::Value *to, int pitch)
{
    const int64_t step = apart * a.src_stride;
    S sample[HALO_SCAN_ROWS];
#pragma unroll
    for (int k = 0; k < HALO_SCAN_ROWS; k++, from += step)
        sample[k] = k < there ? __ldg((const S *)from) : (S)0;
#pragma unroll
    for (int k = 0; k < HALO_SCAN_ROWS; k++) to[k * apart * pitch] = Kind::of(sample[k], a);
}

/* Scans the rows of a tile along x: two runs per thread, of neighbouring rows. */
template <typename Kind>
CUDA_INLINE void horizontal_rows(const ScanArgs &a, const ScanTiles<typename Kind::Value> &t, int64_t top,
                                 int64_t x, int channel, typename Kind::Value *workspace)
{
    using T = typename Kind::Value;
    const int rows = t.runs * HALO_SCAN_ROWS;
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < rows * t.columns / HALO_SCAN_RUN; i += (int)blockDim.x) {
        const int row = i % rows, part = i / rows, run = part / t.channels, c = part % t.channels;
        const bool there =
            top + row < a.height && x + run * HALO_SCAN_RUN < a.width && channel + c < a.channels;
        const T *const left =
            t.left + ((top + row) * t.left_runs + x / HALO_SCAN_RUN + run) * a.channels + channel + c;
        T *const own = workspace + row * t.pitch + run * HALO_SCAN_RUN * t.channels + c;
        T v[HALO_SCAN_RUN], before = Kind::identity();
        if (t.left != NULL && there) before = *left;
#pragma unroll
        for (int k = 0; k < HALO_SCAN_RUN; k++) v[k] = own[k * t.channels];
        T sum = v[0], was = before;
#pragma unroll
        for (int k = 0; k < HALO_SCAN_RUN; k++) {
            if (k > 0) sum = Kind::join(sum, v[k]);
            const T made = Kind::join(before, sum);
            own[k * t.channels] = a.exclusive ? was : made;
            was = made;
        }
    }
}

/* `Tile`: the kind of sums within a tile. */
template <typename S, typename Kind, typename Tile>
__global__ static void __launch_bounds__(xy_threads, xy_blocks)
    tile_kernel(const __grid_constant__ ScanArgs a, const __grid_constant__ ScanTiles<typename Tile::Value> t,
                const __grid_constant__ ScanBands<Kind> b, ScanUpto upto)
{
    using T = typename Kind::Value;
    using Within = typename Tile::Value;
    using Stored = typename Kind::Stored;
    CUDA_SHARED(Within, workspace);
    const int rows = t.runs * HALO_SCAN_ROWS, in = (int)threadIdx.x / t.columns,
              column = (int)threadIdx.x % t.columns;
    const bool alone = upto != SCAN_UPTO_XY || b.totals.run != NULL; /* needs no other block */
    const unsigned order = alone ? blockIdx.x : scan_ticket(b.tickets),
                   strips = (unsigned)b.strips; /* 64-bit divisions are slow */
    const unsigned band = order / strips, strip = order % strips;
    const int64_t left = (int64_t)(strip / t.sets) * t.pixels, x = left + column / t.channels,
                  top = (int64_t)band * rows;
    const int first_channel = (int)(strip % t.sets) * t.channels, channel = first_channel + column % t.channels;
    const bool there = x < a.width && channel < a.channels;
    const int64_t sample = x * a.channels + channel, rows_left = there ? a.height - top : 0;

    const int mine = rows_left > in ? (int)cuda_min(HALO_SCAN_ROWS, cuda_ceil_div(rows_left - in, t.runs)) : 0;
    const auto load = [&](auto zero) {
        using From = decltype(zero);
        load_column<Tile, From>(a, a.src + (top + in) * a.src_stride + sample * (int64_t)sizeof(From), t.runs,
                                mine, workspace + in * t.pitch + column, t.pitch);
    };
    if constexpr (Kind::any)
        cuda_typed(a.dtype, load);
    else
        load(S());
    __syncthreads();
    horizontal_rows<Tile>(a, t, top, left, first_channel, workspace);
    __syncthreads();

    const Within *const own = workspace + in * HALO_SCAN_ROWS * t.pitch + column;
    const int64_t run = (int64_t)band * t.runs + in;
    if (upto == SCAN_UPTO_X) {
        char *at = a.dst + run * HALO_SCAN_ROWS * a.dst_stride + sample * (int64_t)sizeof(Stored);
#pragma unroll 8
        for (int k = 0; k < HALO_SCAN_ROWS; k++, at += a.dst_stride)
            if (in * HALO_SCAN_ROWS + k < rows_left) *(Stored *)at = Kind::stored((T)own[k * t.pitch], a);
        return;
    }
    Within sum = own[0];
#pragma unroll
    for (int k = 1; k < HALO_SCAN_ROWS; k++) sum = Tile::join(sum, own[k * t.pitch]);
    const ScanSpot spot = {band, run, there ? sample : b.totals.columns, in,
                           (int)cuda_max(0, cuda_min(HALO_SCAN_ROWS, rows_left - in * HALO_SCAN_ROWS))};
    if (upto == SCAN_UPTO_TOTALS) {
        if (spot.rows > 0) b.totals.run[run * b.totals.columns + sample] = (T)sum;
        return;
    }
    const T above =
        scan_above<Kind>(a, b, t.runs, spot, (T)sum, (T *)(workspace + rows * t.pitch) + column, t.columns);
    Stored *to = (Stored *)(a.dst + run * HALO_SCAN_ROWS * a.dst_stride) + sample;
    T was = above;
#pragma unroll 8
    for (int k = 0; k < HALO_SCAN_ROWS; k++) {
        sum = k == 0 ? own[0] : Tile::join(sum, own[k * t.pitch]);
        const T made = Kind::join(above, (T)sum);
        if (k < spot.rows) *to = Kind::stored(a.exclusive ? was : made, a);
        was = made;
        to = (Stored *)((char *)to + a.dst_stride);
    }
}

/* ---- launches -------------------------------------------------------------------------------------------- */

template <typename T> static ScanTiles<T> cut_tiles(const ScanArgs *a)
{
    ScanTiles<T> t = {};
    t.sets = (unsigned)cuda_ceil_div(a->channels, xy_channels);
    t.channels = (int)cuda_ceil_div(a->channels, t.sets);
    t.pixels = HALO_SCAN_RUN;
    while (t.pixels < a->width && t.pixels * t.channels < xy_columns_least) t.pixels *= 2;
    t.columns = t.pixels * t.channels;
    t.pitch = t.columns + 1;
    t.runs = 1;
    while (2 * t.runs * t.columns <= xy_threads) t.runs *= 2;
    t.left_runs = cuda_ceil_div(a->width, HALO_SCAN_RUN);
    return t;
}

/* `vertical`: along y, too. */
template <typename S, typename Kind, typename Tile = Kind>
static HaloStatus launch_tiles(HaloDevice *device, const ScanArgs *args, HaloScanOp op, bool vertical)
{
    using T = typename Tile::Value;
    ScanTiles<T> t = cut_tiles<T>(args);
    ScanBands<Kind> b = {};
    const int64_t columns = args->width * args->channels;
    const size_t samples = (size_t)(t.runs * HALO_SCAN_ROWS * t.pitch), totals = (size_t)(t.runs * t.columns);
    const size_t shared = samples * sizeof(T) + totals * sizeof(typename Kind::Value); /* less than 48 KB */
    /* No product overflows: the result has more samples than any of these. */
    const int64_t lefts = t.left_runs > 1 ? args->height * t.left_runs * args->channels : 0;
    const int64_t left_bytes = cuda_ceil_div(lefts * (int64_t)sizeof(T), 16) * 16;
    void *workspace = NULL;
    b.strips = cuda_ceil_div(args->width, t.pixels) * t.sets;
    b.runs = t.runs;
    const bool totals_first = vertical && scan_totals_first(columns, args->height, t.runs);
    if (vertical)
        CUDA_PASS(scan_bands_workspace(device, args, totals_first, left_bytes, &workspace, &b));
    else if (lefts > 0)
        CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, left_bytes, &workspace));
    const int64_t blocks = cuda_ceil_div(args->height, t.runs * HALO_SCAN_ROWS) * b.strips;
    const int threads = t.runs * t.columns;
    if (lefts > 0) {
        t.left = (const T *)workspace;
        const ScanLeft<T> left = {(T *)workspace, t.left_runs};
        CUDA_PASS(scan_left<Tile>(device, args, &left));
    }
    if (totals_first) {
        CUDA_LAUNCH(device, (tile_kernel<S, Kind, Tile>), blocks, threads, shared, *args, t, b,
                    SCAN_UPTO_TOTALS);
        CUDA_PASS(scan_groups(device, op, &b.totals));
    }
    CUDA_LAUNCH(device, (tile_kernel<S, Kind, Tile>), blocks, threads, shared, *args, t, b,
                vertical ? SCAN_UPTO_XY : SCAN_UPTO_X);
    return HALO_OK;
}

bool scan_xy_fits(const HaloDevice *device, const ScanArgs *args)
{
    return args->height > 1 && args->width * args->channels > scan_narrow_most && scan_left_fits(device, args);
}

bool scan_pixels_fits(const HaloDevice *device, const ScanArgs *args)
{
    return args->channels > 1 && args->height >= HALO_SCAN_ROWS && scan_left_fits(device, args);
}

/* Sums and products of integers. 32 bits hold a tile's sums with the prefix left of it, unless rows are very
 * long. */
template <typename S>
static HaloStatus launch_integers(HaloDevice *device, const ScanArgs *args, HaloScanOp op, bool vertical)
{
    const int64_t white = (S)-1, most = args->squares ? white * white : white;
    if (op == HALO_SCAN_PRODUCT)
        return launch_tiles<S, ScanKind<double, HALO_SCAN_PRODUCT>>(device, args, op, vertical);
    if (args->width <= UINT32_MAX / HALO_SCAN_ROWS / most)
        return launch_tiles<S, ScanSum<int64_t>, ScanSum<uint32_t>>(device, args, op, vertical);
    return launch_tiles<S, ScanSum<int64_t>>(device, args, op, vertical);
}

static HaloStatus launch(HaloDevice *device, const ScanArgs *args, HaloScanOp op, bool vertical)
{
    if (op == HALO_SCAN_MIN || op == HALO_SCAN_MAX)
        return launch_tiles<float, ScanLeast>(device, args, op, vertical);
    switch (args->dtype) {
    case HALO_U8: return launch_integers<uint8_t>(device, args, op, vertical);
    case HALO_U16: return launch_integers<uint16_t>(device, args, op, vertical);
    case HALO_F32:
        if (op == HALO_SCAN_PRODUCT)
            return launch_tiles<float, ScanKind<double, HALO_SCAN_PRODUCT>>(device, args, op, vertical);
        return launch_tiles<float, ScanSum<double>>(device, args, op, vertical);
    default:
        return halo_fail(HALO_ERR_BUG, "internal: no scan of %s along x and y", halo_dtype_name(args->dtype));
    }
}

HaloStatus scan_xy(HaloDevice *device, const ScanArgs *args, HaloScanOp op)
{
    return launch(device, args, op, true);
}
HaloStatus scan_pixels(HaloDevice *device, const ScanArgs *args, HaloScanOp op)
{
    return launch(device, args, op, false);
}
