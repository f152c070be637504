/* Bilateral filters: the choice of a kernel, and of the part of the window that is staged at a time. */
#include <stdlib.h>
#include <string.h>

#include "bilateral_kernel.cuh"

static HaloStatus upload_tables(HaloDevice *device, const HaloBilateral *bilateral, BilateralArgs *args)
{
    const HaloWindow *const window = &bilateral->window;
    const size_t row = (size_t)window->width * sizeof(float);
    int64_t starts, spans, bytes;
    void *there;
    args->start_pitch = conv_round4((int)window->width);
    if (!halo_mul(window->height, args->start_pitch * (int64_t)sizeof(float), &starts) ||
        !halo_mul(window->height, (int64_t)sizeof(int2), &spans) || starts > INT64_MAX - spans)
        return halo_fail(HALO_ERR_LIMIT, "a window of %lld x %lld is too large: use --device cpu",
                         (long long)window->width, (long long)window->height);
    bytes = starts + spans;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, bytes, &there));
    char *const host = (char *)calloc(1, (size_t)bytes);
    if (host == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for a window of %lld bytes", (long long)bytes);
    for (int64_t j = 0; j < window->height; j++) {
        memcpy(host + j * args->start_pitch * (int64_t)sizeof(float), bilateral->start + j * window->width,
               row);
        const int2 span = make_int2((int)bilateral->span[j].from, (int)bilateral->span[j].to);
        memcpy(host + starts + j * (int64_t)sizeof(int2), &span, sizeof span);
    }
    const cudaError_t error =
        cudaMemcpyAsync(there, host, (size_t)bytes, cudaMemcpyHostToDevice, device->stream);
    free(host); /* pageable memory has been read by now */
    CUDA_TRY(error);
    args->start = (const float *)there;
    args->span = (const int2 *)((const char *)there + starts);
    return HALO_OK;
}

/* Lays out the tile for so much of the window; its bytes. */
static int64_t set_tile(BilateralArgs *args, int channels, int64_t rows, int64_t cols)
{
    const int high = bilateral_threads / args->across,
              wide = bilateral_groups(channels) * bilateral_own * args->across;
    const int64_t pitch = wide + cols, plane = (high + rows - 1) * pitch;
    const int64_t bytes =
        (channels * plane + rows * cols) * (int64_t)sizeof(float) + rows * (int64_t)sizeof(int2);
    args->rows = (int)rows;
    args->cols = (int)cols;
    args->pitch = (int)pitch;
    args->plane = (int)cuda_min(plane, INT32_MAX);
    return bytes;
}

/* The radius of the disk that the window is, where there is a kernel for it; else 0. */
static int disk_of(const HaloBilateral *bilateral)
{
    const HaloWindow *const window = &bilateral->window;
    const int radius = (int)(window->width / 2);
    if (window->nan_ignore || window->width != window->height || radius < 1 || radius > bilateral_disks)
        return 0;
    for (int dy = -radius; dy <= radius; dy++) {
        const HaloSpan *const span = &bilateral->span[radius + dy];
        const int half = bilateral_half(radius, dy);
        if (span->from != radius - half || span->to != radius + half + 1) return 0;
    }
    return radius;
}

template <int C, bool Nan, int R>
static HaloStatus launch_for(HaloDevice *device, const BilateralArgs *args, int64_t blocks, int64_t bytes)
{
    CUDA_LAUNCH(device, (bilateral_kernel<C, Nan, R>), blocks, bilateral_threads, (int)bytes, *args);
    return HALO_OK;
}

/* As much of the window as fits: fewer rows of it, then less of each, one after the other. */
template <int C> static HaloStatus launch(HaloDevice *device, BilateralArgs *args, int disk)
{
    int64_t rows = args->all.height, cols = conv_round4(args->all.width), bytes;
    args->across = bilateral_usual;
    while (args->across < bilateral_threads && bilateral_threads / args->across / 2 >= args->all.dst.rows)
        args->across *= 2;
    while ((bytes = set_tile(args, C, rows, cols)) > (int64_t)device->shared_most &&
           (rows > 1 || cols > bilateral_own)) {
        if (rows > 1)
            rows = cuda_ceil_div(rows, 2);
        else
            cols = conv_round4((int)cuda_ceil_div(cols, 2));
    }
    args->all.tiles_x = cuda_ceil_div(args->all.dst.cols, bilateral_groups(C) * bilateral_own * args->across);
    const int64_t blocks =
        args->all.tiles_x * cuda_ceil_div(args->all.dst.rows, bilateral_threads / args->across);
    if (args->nan_ignore) return launch_for<C, true, 0>(device, args, blocks, bytes);
    if constexpr (C % 2 == 1) {
        switch (args->across == bilateral_usual ? disk : 0) {
        case 1: return launch_for<C, false, 1>(device, args, blocks, bytes);
        case 2: return launch_for<C, false, 2>(device, args, blocks, bytes);
        case 3: return launch_for<C, false, 3>(device, args, blocks, bytes);
        case 4: return launch_for<C, false, 4>(device, args, blocks, bytes);
        case 5: return launch_for<C, false, 5>(device, args, blocks, bytes);
        }
    }
    return launch_for<C, false, 0>(device, args, blocks, bytes);
}

HaloStatus cuda_bilateral(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloBilateral *bilateral,
                          HaloStore store)
{
    BilateralArgs args = {};
    HaloConv conv = {};
    CUDA_PASS(cuda_use(device));
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    conv.window = bilateral->window;
    args.all = conv_args(device, src, dst, &conv, store);
    args.bend = bilateral->bend;
    args.scale = bilateral->scale;
    args.unscale = bilateral->unscale;
    args.nan_ignore = bilateral->window.nan_ignore;
    CUDA_PASS(upload_tables(device, bilateral, &args));
    const int disk = disk_of(bilateral);
    switch (src->shape.channels) {
    case 1: return launch<1>(device, &args, disk);
    case 2: return launch<2>(device, &args, disk);
    case 3: return launch<3>(device, &args, disk);
    case 4: return launch<4>(device, &args, disk);
    default: return bilateral_channels(device, &args);
    }
}
