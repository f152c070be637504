// NPP on the works of works.py; nothing where the toolkit comes without it.
#include "peers_gpu.cuh"

#if __has_include(<npp.h>)
#include <npp.h>

static NppStreamContext context_of(cudaStream_t stream)
{
    NppStreamContext context = {};
    cudaDeviceProp device;
    CUDA(cudaGetDevice(&context.nCudaDeviceId));
    CUDA(cudaGetDeviceProperties(&device, context.nCudaDeviceId));
    context.hStream = stream;
    context.nMultiProcessorCount = device.multiProcessorCount;
    context.nMaxThreadsPerMultiProcessor = device.maxThreadsPerMultiProcessor;
    context.nMaxThreadsPerBlock = device.maxThreadsPerBlock;
    context.nSharedMemPerBlock = device.sharedMemPerBlock;
    context.nCudaDevAttrComputeCapabilityMajor = device.major;
    context.nCudaDevAttrComputeCapabilityMinor = device.minor;
    CUDA(cudaStreamGetFlags(stream, &context.nStreamFlags));
    return context;
}

static std::string image(const char *work, int k)
{
    return std::string(work) + " 8192x8192 k=" + std::to_string(k);
}

// Random taps, on the device, that sum to about 1.
static float *make_taps(int count)
{
    std::vector<float> tap(count);
    uint32_t state = 1;
    for (float &t : tap) {
        state = state * 1664525u + 1013904223u;
        t = (0.5f + (float)(state >> 8) * 0x1p-24f) / (float)count;
    }
    float *device = nullptr;
    CUDA(cudaMalloc(&device, tap.size() * sizeof(float)));
    CUDA(cudaMemcpy(device, tap.data(), tap.size() * sizeof(float), cudaMemcpyHostToDevice));
    return device;
}

// One of NPP's FilterBorder functions, which differ in their sample type alone.
template <typename Sample, typename Filter>
static void dense(Bench &bench, const char *kind, int channels, int width, int height, Filter filter)
{
    const NppStreamContext context = context_of(bench.stream);
    const NppiSize whole = {side, side}, mask = {width, height};
    const int step = side * channels * (int)sizeof(Sample);
    float *taps = make_taps(width * height);
    std::string work = image(kind, width);
    if (width != height) work += "x" + std::to_string(height);
    bench.row(work, "NPP FilterBorder", 2.0 * step * side, [&] {
        return filter((const Sample *)bench.in, step, whole, NppiPoint{0, 0}, (Sample *)bench.out, step, whole,
                      taps, mask, NppiPoint{width / 2, height / 2}, NPP_BORDER_REPLICATE,
                      context) == NPP_SUCCESS;
    });
    CUDA(cudaStreamSynchronize(bench.stream));
    CUDA(cudaFree(taps));
}

template <typename Sample, typename Filter> static void gauss(Bench &bench, const char *kind, Filter filter)
{
    const NppStreamContext context = context_of(bench.stream);
    const NppiSize whole = {side, side};
    const int step = side * (int)sizeof(Sample);
    const struct {
        int k;
        NppiMaskSize size;
    } masks[] = {{3, NPP_MASK_SIZE_3_X_3},
                 {5, NPP_MASK_SIZE_5_X_5},
                 {9, NPP_MASK_SIZE_9_X_9},
                 {15, NPP_MASK_SIZE_15_X_15}};
    for (const auto &mask : masks)
        bench.row(image(kind, mask.k), "NPP FilterGaussBorder", 2.0 * step * side, [&] {
            return filter((const Sample *)bench.in, step, whole, NppiPoint{0, 0}, (Sample *)bench.out, step,
                          whole, mask.size, NPP_BORDER_REPLICATE, context) == NPP_SUCCESS;
        });
}

template <typename Sample, typename Size, typename Filter>
static void median(Bench &bench, const char *kind, Size size, Filter filter)
{
    const NppStreamContext context = context_of(bench.stream);
    const NppiSize whole = {side, side};
    const int step = side * (int)sizeof(Sample);
    for (const int k : {3, 5}) { // at 11 NPP 13.0 reads memory that is not there
        const NppiSize mask = {k, k};
        Npp32u need = 0;
        if (size(whole, mask, &need, NPP_BORDER_REPLICATE, context) == NPP_SUCCESS) bench.room(need);
        bench.row(image(kind, k), "NPP FilterMedianBorder", 2.0 * step * side, [&] {
            return filter((const Sample *)bench.in, step, whole, NppiPoint{0, 0}, (Sample *)bench.out, step,
                          whole, mask, NppiPoint{k / 2, k / 2}, (Npp8u *)bench.temp, NPP_BORDER_REPLICATE,
                          context) == NPP_SUCCESS;
        });
    }
}

static void medians(Bench &bench)
{
    bench.fill(Content::floats);
    median<Npp32f>(bench, "median f32", nppiFilterMedianBorderGetBufferSize_32f_C1R_Ctx,
                   nppiFilterMedianBorder_32f_C1R_Ctx);
    bench.fill(Content::bits);
    median<Npp8u>(bench, "median u8", nppiFilterMedianBorderGetBufferSize_8u_C1R_Ctx,
                  nppiFilterMedianBorder_8u_C1R_Ctx);
    median<Npp16u>(bench, "median u16", nppiFilterMedianBorderGetBufferSize_16u_C1R_Ctx,
                   nppiFilterMedianBorder_16u_C1R_Ctx);
}

static void convolutions(Bench &bench)
{
    bench.fill(Content::floats);
    for (const int k : {3, 5, 7, 9, 15, 31})
        dense<Npp32f>(bench, "dense f32", 1, k, k, nppiFilterBorder_32f_C1R_Ctx);
    dense<Npp32f>(bench, "dense f32", 1, 31, 7, nppiFilterBorder_32f_C1R_Ctx);
    gauss<Npp32f>(bench, "separable f32", nppiFilterGaussBorder_32f_C1R_Ctx);
    bench.fill(Content::bits);
    for (const int k : {3, 5, 9, 15, 31}) {
        dense<Npp8u>(bench, "dense u8", 1, k, k, nppiFilterBorder32f_8u_C1R_Ctx);
        dense<Npp16u>(bench, "dense u16", 1, k, k, nppiFilterBorder32f_16u_C1R_Ctx);
        dense<Npp8u>(bench, "dense RGBA8", 4, k, k, nppiFilterBorder32f_8u_C4R_Ctx);
    }
    gauss<Npp8u>(bench, "separable u8", nppiFilterGaussBorder_8u_C1R_Ctx);
}

static void measures(Bench &bench)
{
    const NppStreamContext context = context_of(bench.stream);
    const auto *u8 = (const Npp8u *)bench.in;
    auto *min = (Npp8u *)bench.out, *max = min + 8;
    auto *mean = (Npp64f *)bench.out + 2, *sd = mean + 1;
    auto *counts = (Npp32s *)bench.out;
    const int width = 1 << 14;
    const NppiSize pixels = {width, width}, many = {1 << 15, 1 << 15};
    const double bytes = (double)width * width;
    size_t need = 0;

    if (nppiMinMaxGetBufferHostSize_8u_C1R_Ctx(pixels, &need, context) == NPP_SUCCESS) bench.room(need);
    bench.row("stats u8 2^28", "NPP MinMax", bytes, [&] {
        return nppiMinMax_8u_C1R_Ctx(u8, width, pixels, min, max, (Npp8u *)bench.temp, context) == NPP_SUCCESS;
    });
    if (nppiMeanStdDevGetBufferHostSize_8u_C1R_Ctx(pixels, &need, context) == NPP_SUCCESS) bench.room(need);
    bench.row("stats u8 2^28", "NPP Mean_StdDev", bytes, [&] {
        return nppiMean_StdDev_8u_C1R_Ctx(u8, width, pixels, (Npp8u *)bench.temp, mean, sd, context) ==
               NPP_SUCCESS;
    });
    if (nppiHistogramEvenGetBufferSize_8u_C1R_Ctx(many, 257, &need, context) == NPP_SUCCESS) bench.room(need);
    bench.row("histogram u8 2^30", "NPP HistogramEven", (double)giga, [&] {
        return nppiHistogramEven_8u_C1R_Ctx(u8, many.width, many, counts, 257, 0, 256, (Npp8u *)bench.temp,
                                            context) == NPP_SUCCESS;
    });
    const int step = (side + 1) * (int)sizeof(Npp32s); // the sums are a row and a column more
    bench.row("integral u8 8192x8192", "NPP Integral, to i32", 5.0 * side * side, [&] {
        return nppiIntegral_8u32s_C1R_Ctx(u8, side, counts, step, NppiSize{side, side}, 0, context) ==
               NPP_SUCCESS;
    });
}

void npp_rows(Bench &bench)
{
    convolutions(bench);
    medians(bench);
    measures(bench);
}

#else
void npp_rows(Bench &) { fprintf(stderr, "peers_npp.cu: built without NPP\n"); }
#endif
