/* Dense convolution through the Fourier transform, for --precision fast: tiles that overlap (overlap-save), as
 * cpu/fft.c does it, many at a time. cuFFT transforms; it has hundreds of megabytes that most runs never need,
 * so it is loaded on first use; where it is missing, direct convolution is used. */
#include <dlfcn.h>

#include "common.cuh"

/* ---- cuFFT ---------------------------------------------------------------------------------------------- */

/* What cufft.h declares of it. */
struct Library {
    int (*plan_many)(int *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                     int ostride, int odist, int type, int batch);
    int (*set_stream)(int plan, cudaStream_t stream);
    int (*execute)(int plan, float2 *in, float2 *out, int direction);
    int (*destroy)(int plan);
};

enum { TYPE_C2C = 0x29, FORWARD = -1, INVERSE = 1 };

static Library open_library()
{
    Library lib = {};
    void *so = NULL;
    for (const char *name : {"libcufft.so.12", "libcufft.so.11", "libcufft.so"})
        if (so == NULL) so = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (so == NULL) return lib;
    *(void **)&lib.plan_many = dlsym(so, "cufftPlanMany");
    *(void **)&lib.set_stream = dlsym(so, "cufftSetStream");
    *(void **)&lib.execute = dlsym(so, "cufftExecC2C");
    *(void **)&lib.destroy = dlsym(so, "cufftDestroy");
    if (lib.plan_many == NULL || lib.set_stream == NULL || lib.destroy == NULL) lib.execute = NULL;
    return lib;
}

/* Never closed: devices of other threads may use it. */
static const Library *library()
{
    static const Library lib = open_library();
    return &lib;
}

static HaloStatus check(int result, const char *doing)
{
    if (result == 0) return HALO_OK;
    return halo_fail(HALO_ERR_DEVICE, "the GPU failed: cuFFT's error %d at %.60s", result, doing);
}

/* ---- sizes ---------------------------------------------------------------------------------------------- */

struct FftArgs {
    const char *src; /* the sample at (x0, y0) of the source's rectangle */
    int64_t src_stride, x0, y0, width, height;
    HaloDtype src_type;
    HaloBorder border;
    float outside;
    char *dst;
    int64_t dst_stride, dst_x0, dst_y0, dst_cols, dst_rows;
    HaloDtype dst_type;
    int channels;
    int64_t ox, oy;
    bool affine;
    float scale, bias;
    HaloStore store;
    unsigned long long *clipped;
    int size_x, size_y;   /* of a transform */
    int64_t cols, rows;   /* of a tile of outputs */
    int64_t pairs;        /* of tiles side by side */
    int64_t first, tasks; /* units (a pair, a channel) of this launch: the first, and how many */
    float2 *tile;
    const float2 *mask;
};

#define LONGEST 65536           /* of a transform in one dimension, */
#define WIDEST 1024             /* and of each of two, where the mask allows */
#define BATCH_BYTES (128 << 20) /* of tiles at a time */

/* The power of two that takes least time an output, for `taps` taps over `outputs`. */
static int best_length(int64_t taps, int64_t outputs, int64_t longest)
{
    int best = 1;
    double least = 0;
    if (taps == 1) return 1;
    for (int log = 4; log < 28; log++) {
        const int64_t n = (int64_t)1 << log;
        if (n < taps) continue;
        const double cost = (double)n * log / (double)(n - taps + 1);
        if (best == 1 || cost < least) {
            best = (int)n;
            least = cost;
        }
        if (n >= outputs + taps - 1 || (n >= longest && n >= 2 * taps)) break;
    }
    return best;
}

/* ---- kernels -------------------------------------------------------------------------------------------- */

static const int threads = 256;

struct FftPlace {
    int64_t x, y; /* the left tile's first output, of the whole */
    int channel;
};

__device__ __forceinline__ static FftPlace place_of(const FftArgs &a, int64_t unit)
{
    const int64_t tile = unit / a.channels;
    return {a.dst_x0 + tile % a.pairs * 2 * a.cols, a.dst_y0 + tile / a.pairs * a.rows,
            (int)(unit % a.channels)};
}

/* The sample under the first tap of output x, or 0 where no output of the rectangle needs it. */
__device__ __forceinline__ static float sample_at(const FftArgs &a, int64_t x, int64_t y, int64_t taps_x,
                                                  int channel)
{
    if (x >= a.dst_x0 + a.dst_cols + taps_x - 1) return 0.0f;
    const int64_t ix = halo_border_index(x + a.ox, a.width, a.border);
    const int64_t iy = halo_border_index(y + a.oy, a.height, a.border);
    if (ix < 0 || iy < 0) return a.outside;
    const char *const row = a.src + (iy - a.y0) * a.src_stride;
    float v = 0.0f;
    cuda_typed(a.src_type, [&](auto zero) {
        v = (float)((const decltype(zero) *)row)[(ix - a.x0) * a.channels + channel];
    });
    return v;
}

__global__ static void __launch_bounds__(threads) gather_kernel(const __grid_constant__ FftArgs a)
{
    const int64_t n = (int64_t)a.size_x * a.size_y, at = (int64_t)blockIdx.x * threads + threadIdx.x;
    if (at >= a.tasks * n) return;
    const FftPlace p = place_of(a, a.first + at / n);
    const int64_t i = at % n % a.size_x, j = at % n / a.size_x;
    const int64_t taps_x = a.size_x - a.cols + 1, taps_y = a.size_y - a.rows + 1;
    float2 v = make_float2(0.0f, 0.0f);
    if (p.y + j < a.dst_y0 + a.dst_rows + taps_y - 1) {
        v.x = sample_at(a, p.x + i, p.y + j, taps_x, p.channel);
        v.y = sample_at(a, p.x + a.cols + i, p.y + j, taps_x, p.channel);
    }
    a.tile[at] = v;
}

__global__ static void __launch_bounds__(threads) multiply_kernel(const __grid_constant__ FftArgs a)
{
    const int64_t n = (int64_t)a.size_x * a.size_y, at = (int64_t)blockIdx.x * threads + threadIdx.x;
    if (at >= a.tasks * n) return;
    const float share =
        1.0f / (float)n; /* scaled first, so that intermediate values overflow only if the result does */
    const float2 v = a.tile[at], m = make_float2(a.mask[at % n].x * share, a.mask[at % n].y * share);
    a.tile[at] = make_float2(v.x * m.x + v.y * m.y, v.y * m.x - v.x * m.y); /* by the conjugate: correlation */
}

__device__ __forceinline__ static void put(const FftArgs &a, int64_t x, int64_t y, int channel, float v,
                                           unsigned *clipped)
{
    if (x >= a.dst_x0 + a.dst_cols || y >= a.dst_y0 + a.dst_rows) return;
    if (a.affine) v = halo_fma(v, a.scale, a.bias);
    char *const row = a.dst + (y - a.dst_y0) * a.dst_stride;
    cuda_typed(a.dst_type, [&](auto zero) {
        using D = decltype(zero);
        ((D *)row)[(x - a.dst_x0) * a.channels + channel] = cuda_sample<D>(v, a.store, clipped);
    });
}

__global__ static void __launch_bounds__(threads) store_kernel(const __grid_constant__ FftArgs a)
{
    const int64_t n = a.cols * a.rows, at = (int64_t)blockIdx.x * threads + threadIdx.x;
    unsigned clipped = 0;
    if (at < a.tasks * n) {
        const FftPlace p = place_of(a, a.first + at / n);
        const int64_t i = at % n % a.cols, j = at % n / a.cols;
        const float2 v = a.tile[at / n * a.size_x * a.size_y + j * a.size_x + i];
        put(a, p.x + i, p.y + j, p.channel, v.x, &clipped);
        put(a, p.x + a.cols + i, p.y + j, p.channel, v.y, &clipped);
    }
    cuda_count_clipped(a.clipped, clipped);
}

/* Taps to the real parts of the first rows and columns. */
__global__ static void __launch_bounds__(threads)
    place_kernel(const float *tap, int64_t width, int64_t height, int64_t pitch, float2 *to)
{
    const int64_t at = (int64_t)blockIdx.x * threads + threadIdx.x;
    if (at < width * height) to[at / width * pitch + at % width].x = tap[at];
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

void cuda_fft_close(CudaFftPlan *kept)
{
    if (kept->batch > 0) library()->destroy(kept->plan);
    *kept = {};
}

/* Transforms `batch` tiles in place. The plan is kept: making one takes longer than many a transform. */
static HaloStatus transform(HaloDevice *device, const FftArgs &a, CudaFftPlan *kept, int batch, float2 *tile,
                            int direction)
{
    if (kept->batch != batch || kept->size_x != a.size_x || kept->size_y != a.size_y) {
        int size[2] = {a.size_y, a.size_x}, plan;
        const int dims = a.size_y == 1 ? 1 : 2, n = a.size_x * a.size_y;
        cuda_fft_close(kept);
        CUDA_PASS(
            check(library()->plan_many(&plan, dims, size + 2 - dims, NULL, 1, n, NULL, 1, n, TYPE_C2C, batch),
                  "cufftPlanMany"));
        *kept = {plan, a.size_x, a.size_y, batch};
        CUDA_PASS(check(library()->set_stream(plan, device->stream), "cufftSetStream"));
    }
    return check(library()->execute(kept->plan, tile, tile, direction), "cufftExecC2C");
}

static HaloStatus transform_mask(HaloDevice *device, const FftArgs &a, const HaloConv *conv, float2 *mask)
{
    const int64_t taps = conv->window.width * conv->window.height, bytes = taps * (int64_t)sizeof(float);
    void *tap;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, bytes, &tap));
    CUDA_TRY(cudaMemcpyAsync(tap, conv->tap, (size_t)bytes, cudaMemcpyHostToDevice, device->stream));
    CUDA_TRY(cudaMemsetAsync(mask, 0, (size_t)a.size_x * (size_t)a.size_y * sizeof(float2), device->stream));
    CUDA_LAUNCH(device, place_kernel, cuda_ceil_div(taps, threads), threads, 0, (const float *)tap,
                conv->window.width, conv->window.height, (int64_t)a.size_x, mask);
    return transform(device, a, &device->fft[0], 1, mask, FORWARD);
}

static FftArgs args_of(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv,
                       HaloStore store)
{
    FftArgs a = {};
    a.src = (const char *)src->data;
    a.src_stride = src->stride;
    a.x0 = src->x0;
    a.y0 = src->y0;
    a.width = src->shape.width;
    a.height = src->shape.height;
    a.src_type = src->shape.dtype;
    a.border = conv->window.border;
    a.outside = halo_border_value(conv->window.border, conv->window.value);
    a.dst = (char *)dst->data;
    a.dst_stride = dst->stride;
    a.dst_x0 = dst->x0;
    a.dst_y0 = dst->y0;
    a.dst_cols = dst->cols;
    a.dst_rows = dst->rows;
    a.dst_type = dst->shape.dtype;
    a.channels = dst->shape.channels;
    a.ox = conv->window.ox;
    a.oy = conv->window.oy;
    a.affine = conv->affine;
    a.scale = conv->scale;
    a.bias = conv->bias;
    a.store = store;
    a.clipped = device->clipped;
    const int64_t longest = conv->window.height == 1 ? LONGEST : WIDEST;
    a.size_x = best_length(conv->window.width, dst->cols, longest);
    a.size_y = best_length(conv->window.height, dst->rows, longest);
    a.cols = a.size_x - conv->window.width + 1;
    a.rows = a.size_y - conv->window.height + 1;
    a.pairs = cuda_ceil_div(dst->cols, 2 * a.cols);
    return a;
}

bool cuda_fft_takes(const HaloConv *conv)
{
    const HaloWindow *window = &conv->window;
    return conv->fast && !window->nan_ignore && window->width > 1 && window->width <= 8192 &&
           window->height <= 8192 && library()->execute != NULL;
}

HaloStatus cuda_fft(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv, HaloStore store)
{
    FftArgs a = args_of(device, src, dst, conv, store);
    const int64_t n = (int64_t)a.size_x * a.size_y, tile_bytes = n * (int64_t)sizeof(float2);
    const int64_t units = a.pairs * cuda_ceil_div(dst->rows, a.rows) * a.channels;
    const int64_t batch = cuda_min(units, cuda_max(1, BATCH_BYTES / tile_bytes));
    void *space;
    cuda_library_takes(device, batch * tile_bytes); /* at most */
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN, (batch + 1) * tile_bytes, &space));
    a.mask = (float2 *)space;
    a.tile = (float2 *)space + n;
    CUDA_PASS(transform_mask(device, a, conv, (float2 *)space));
    for (a.first = 0; a.first < units; a.first += batch) {
        a.tasks = cuda_min(batch, units - a.first);
        /* The last batch uses the same plan, and so transforms a few unused tiles. */
        CUDA_LAUNCH(device, gather_kernel, cuda_ceil_div(a.tasks * n, threads), threads, 0, a);
        CUDA_PASS(transform(device, a, &device->fft[1], (int)batch, a.tile, FORWARD));
        CUDA_LAUNCH(device, multiply_kernel, cuda_ceil_div(a.tasks * n, threads), threads, 0, a);
        CUDA_PASS(transform(device, a, &device->fft[1], (int)batch, a.tile, INVERSE));
        CUDA_LAUNCH(device, store_kernel, cuda_ceil_div(a.tasks * a.cols * a.rows, threads), threads, 0, a);
    }
    return HALO_OK;
}
