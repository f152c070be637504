/* The last rung of every family: the product's own kernels, reached through the table of the backend like any
 * plan reaches them. */
#include "ladder.cuh"

namespace
{

/* A view of device memory that holds all of an image of one channel. */
HaloBuf view(void *data, HaloDtype dtype, int64_t width, int64_t height)
{
    HaloBuf buf;
    buf.shape.kind = HALO_IMAGE;
    buf.shape.dtype = dtype;
    buf.shape.width = width;
    buf.shape.height = height;
    buf.shape.channels = 1;
    buf.shape.alpha = -1;
    buf.shape.white = halo_dtype_white(dtype);
    buf.shape.rate = 0;
    buf.x0 = buf.y0 = 0;
    buf.cols = width;
    buf.rows = height;
    buf.stride = halo_row_bytes(&buf);
    buf.data = data;
    return buf;
}

template <typename From, typename To> __global__ void convert(const From *from, To *to, int64_t n)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = (To)from[i];
}

/* The integers of `in` as floats in scratch memory. */
HaloStatus floats(LadderRun *run)
{
    LADDER_LAUNCH(run, (convert<int, float>), ladder_blocks(run->n, 256), 256, (const int *)run->in,
                  (float *)run->scratch, run->n);
    return HALO_OK;
}

/* Puts an answer that came to host memory where results are compared. */
HaloStatus put(LadderRun *run, const void *answer, size_t bytes)
{
    CUDA_TRY(cudaMemcpyAsync(run->out, answer, bytes, cudaMemcpyHostToDevice, run->device->stream));
    CUDA_TRY(cudaStreamSynchronize(run->device->stream));
    return HALO_OK;
}

unsigned wanted(const LadderRun *run)
{
    const unsigned usual = HALO_WANT_EXTREMES | HALO_WANT_POSITIONS | HALO_WANT_MOMENTS;
    return run->size.variant == LADDER_PRODUCT ? usual | HALO_WANT_PRODUCT : usual;
}

} // namespace

/* ---- sums of int32, as f32 ------------------------------------------------------------------------------ */

HaloStatus ladder_product_sum_prepare(LadderRun *run) { return floats(run); }

HaloStatus ladder_product_sum(LadderRun *run)
{
    const HaloBuf src = view(run->scratch, HALO_F32, run->n, 1);
    return halo_backend_cuda.reduce(run->device, &src, wanted(run), &run->moments);
}

HaloStatus ladder_product_sum_collect(LadderRun *run)
{
    const int32_t sum = (int32_t)run->moments.sum;
    return put(run, &sum, sizeof sum);
}

/* ---- reduce/tree: any of the four, f32 ------------------------------------------------------------------ */

HaloStatus ladder_product_fold(LadderRun *run)
{
    const HaloBuf src = view((void *)run->in, HALO_F32, run->n, 1);
    return halo_backend_cuda.reduce(run->device, &src, wanted(run), &run->moments);
}

HaloStatus ladder_product_fold_collect(LadderRun *run)
{
    const HaloMoments *const m = &run->moments;
    const int op = run->size.variant;
    const double all = op == LADDER_SUM   ? m->sum
                       : op == LADDER_MIN ? m->min
                       : op == LADDER_MAX ? m->max
                                          : ldexp(m->product, (int)m->product_exp);
    const float value = (float)all;
    return put(run, &value, sizeof value);
}

/* ---- conv1d and conv2d ---------------------------------------------------------------------------------- */

HaloStatus ladder_product_conv(LadderRun *run, const float *tap, int64_t width, int64_t height)
{
    HaloConv conv;
    memset(&conv, 0, sizeof conv);
    conv.window.width = width;
    conv.window.height = height;
    conv.tap = tap;
    conv.window.ox = -(width / 2);
    conv.window.oy = -(height / 2);
    conv.window.border = HALO_BORDER_ZERO;
    conv.scale = 1;
    const HaloBuf src = view((void *)run->in, HALO_F32, run->size.width, run->size.height);
    HaloBuf dst = view(run->out, HALO_F32, run->size.width, run->size.height);
    return halo_backend_cuda.conv(run->device, &src, &dst, &conv, {1.0f, 1.0f});
}

/* ---- scan: int32 as f32, sums in f64 -------------------------------------------------------------------- */

HaloStatus ladder_product_scan_prepare(LadderRun *run)
{
    CUDA_TRY(cudaMalloc(&run->temp, (size_t)run->n * sizeof(double)));
    return floats(run);
}

HaloStatus ladder_product_scan(LadderRun *run)
{
    const HaloScan scan = {HALO_SCAN_SUM, HALO_AXIS_X, false};
    const HaloBuf src = view(run->scratch, HALO_F32, run->n, 1);
    HaloBuf dst = view(run->temp, HALO_F64, run->n, 1);
    return halo_backend_cuda.scan(run->device, &src, &dst, &scan);
}

HaloStatus ladder_product_scan_collect(LadderRun *run)
{
    LADDER_LAUNCH(run, (convert<double, int>), ladder_blocks(run->n, 256), 256, (const double *)run->temp,
                  (int *)run->out, run->n);
    return HALO_OK;
}

/* ---- histogram ------------------------------------------------------------------------------------------ */

HaloStatus ladder_product_hist(LadderRun *run)
{
    const HaloHist hist = {256, 0, 256, 0, NULL};
    const HaloBuf src = view((void *)run->in, HALO_U8, run->n, 1);
    uint64_t below = 0, above = 0, nan = 0;
    HaloHistogram out;
    memset(run->count, 0, sizeof run->count);
    memset(&out, 0, sizeof out);
    out.bins = hist.bins;
    out.lo = hist.lo;
    out.hi = hist.hi;
    out.channels = 1;
    out.count = run->count;
    out.below = &below;
    out.above = &above;
    out.nan = &nan;
    return halo_backend_cuda.hist(run->device, &src, &hist, &out);
}

HaloStatus ladder_product_hist_collect(LadderRun *run)
{
    uint32_t count[256];
    for (int i = 0; i < 256; i++) count[i] = (uint32_t)run->count[i];
    return put(run, count, sizeof count);
}
