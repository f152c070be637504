// peers_gpu RESULTS: times CUB, NPP and cuFFT on the works of works.py, and what this GPU can do at most.
// Built and run by peers_gpu.sh.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/std/array>
#include <cufft.h>
#include <thrust/iterator/transform_iterator.h>

#include "peers_gpu.cuh"

// ---- samples
// ----------------------------------------------------------------------------------------------------

Bench::Bench(const char *path) : file(fopen(path, "w")), in(), out(), temp(), temp_bytes(0), mark(2 * most_runs)
{
    if (file == nullptr) {
        perror(path);
        exit(1);
    }
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMalloc(&in, in_bytes));
    CUDA(cudaMalloc(&out, out_bytes));
    for (cudaEvent_t &event : mark) CUDA(cudaEventCreate(&event));
}

// Random bits, random floats in [1, 2) (never zero: zeros may run faster), or one value everywhere.
static __global__ void fill_words(uint32_t *word, size_t words, Content content)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words;
         i += (size_t)gridDim.x * blockDim.x) {
        uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        const uint32_t bits = (uint32_t)(x >> 32);
        word[i] = content == Content::bits     ? bits
                  : content == Content::floats ? 0x3f800000u | bits >> 9
                                               : 0x80808080u;
    }
}

void Bench::fill(Content content)
{
    fill_words<<<4096, 256, 0, stream>>>((uint32_t *)in, in_bytes / 4, content);
    CUDA(cudaGetLastError());
}

void Bench::room(size_t bytes)
{
    if (bytes <= temp_bytes) return;
    CUDA(cudaFree(temp));
    CUDA(cudaMalloc(&temp, bytes));
    temp_bytes = bytes;
}

// ---- ceilings
// ---------------------------------------------------------------------------------------------------

constexpr int chains = 16, links = 4096;

// As many independent chains as hide the latency; the result is never 0.5, so nothing is written.
static __global__ void multiply_add(float *out, float a, float b)
{
    float x[chains];
#pragma unroll
    for (int c = 0; c < chains; c++) x[c] = (float)(threadIdx.x + c);
#pragma unroll 8
    for (int i = 0; i < links; i++)
#pragma unroll
        for (int c = 0; c < chains; c++) x[c] = fmaf(x[c], a, b);
    float sum = 0;
#pragma unroll
    for (int c = 0; c < chains; c++) sum += x[c];
    if (sum == 0.5f) *out = sum;
}

// Runs CUB's call twice: for its size, then as often as it is timed.
template <typename Call>
static void cub_row(Bench &bench, const std::string &work, const char *peer, double bytes, Call call,
                    const char *unit = "bytes")
{
    size_t need = 0;
    if (call(nullptr, need) != cudaSuccess) return;
    bench.room(need);
    bench.row(
        work, peer, bytes, [&] { return call(bench.temp, need) == cudaSuccess; }, unit);
}

void ceilings(Bench &bench)
{
    const size_t half = 2 * giga;
    bench.fill(Content::bits);
    bench.row("ceiling copy", "cudaMemcpyAsync", 2.0 * (double)half, [&] {
        return cudaMemcpyAsync(bench.out, bench.in, half, cudaMemcpyDeviceToDevice, bench.stream) ==
               cudaSuccess;
    });
    cub_row(bench, "ceiling read", "CUB max of i32", (double)in_bytes, [&](void *temp, size_t &size) {
        return cub::DeviceReduce::Max(temp, size, (const int *)bench.in, (int *)bench.out,
                                      (int64_t)(in_bytes / 4), bench.stream);
    });
    int processors = 0;
    CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    const int blocks = processors * 8, threads = 256;
    bench.row(
        "ceiling ffma", "register loop", 2.0 * chains * links * blocks * threads,
        [&] {
            multiply_add<<<blocks, threads, 0, bench.stream>>>((float *)bench.out, 0.999f, 0.001f);
            return cudaGetLastError() == cudaSuccess;
        },
        "flops");
}

// ---- CUB
// --------------------------------------------------------------------------------------------------------

struct ToDouble {
    __host__ __device__ double operator()(float v) const { return (double)v; }
};
struct ToInteger {
    __host__ __device__ long long operator()(uint8_t v) const { return v; }
};

static void cub_reductions(Bench &bench)
{
    const auto *f32 = (const float *)bench.in;
    const auto *u8 = (const uint8_t *)bench.in;
    bench.fill(Content::floats);
    for (const int log2 : {30, 20}) {
        const int64_t n = (int64_t)1 << log2;
        const std::string work = "stats f32 2^" + std::to_string(log2);
        cub_row(bench, work, "CUB sum alone", 4.0 * (double)n, [&](void *temp, size_t &size) {
            return cub::DeviceReduce::Sum(temp, size, f32, (float *)bench.out, n, bench.stream);
        });
        cub_row(bench, work, "CUB maximum alone", 4.0 * (double)n, [&](void *temp, size_t &size) {
            return cub::DeviceReduce::Max(temp, size, f32, (float *)bench.out, n, bench.stream);
        });
    }
    bench.fill(Content::bits);
    for (const int log2 : {31, 28}) {
        const int64_t n = (int64_t)1 << log2;
        cub_row(bench, "stats u8 2^" + std::to_string(log2), "CUB maximum alone", (double)n,
                [&](void *temp, size_t &size) {
                    return cub::DeviceReduce::Max(temp, size, u8, (uint8_t *)bench.out, n, bench.stream);
                });
    }
}

template <int channels> static void cub_channels(Bench &bench, const char *work)
{
    const int pixels = 1 << 28;
    cuda::std::array<unsigned *, channels> counts;
    cuda::std::array<int, channels> levels, low, high;
    for (int c = 0; c < channels; c++) {
        counts[c] = (unsigned *)bench.out + 256 * c;
        levels[c] = 257;
        low[c] = 0;
        high[c] = 256;
    }
    cub_row(bench, work, "CUB", (double)channels * pixels, [&](void *temp, size_t &size) {
        return cub::DeviceHistogram::MultiHistogramEven<channels, channels>(
            temp, size, (const uint8_t *)bench.in, counts, levels, low, high, pixels, bench.stream);
    });
}

static void cub_histograms(Bench &bench)
{
    const auto u8 = [&](void *temp, size_t &size) {
        return cub::DeviceHistogram::HistogramEven(temp, size, (const uint8_t *)bench.in, (unsigned *)bench.out,
                                                   257, 0, 256, 1 << 30, bench.stream);
    };
    bench.fill(Content::bits);
    cub_row(bench, "histogram u8 2^30", "CUB", (double)giga, u8);
    cub_channels<3>(bench, "histogram RGB8 2^28 pixels");
    cub_channels<4>(bench, "histogram RGBA8 2^28 pixels");
    cub_row(bench, "histogram u16 2^29, 65536 bins", "CUB", (double)giga, [&](void *temp, size_t &size) {
        return cub::DeviceHistogram::HistogramEven(temp, size, (const uint16_t *)bench.in,
                                                   (unsigned *)bench.out, 65537, 0, 65536, 1 << 29,
                                                   bench.stream);
    });
    bench.fill(Content::constant);
    cub_row(bench, "histogram u8 2^30, constant", "CUB", (double)giga, u8);
}

static void cub_scans(Bench &bench)
{
    const int n = 1 << 28;
    bench.fill(Content::floats);
    cub_row(bench, "scan f32 2^28", "CUB, f32 to f64", 12.0 * n, [&](void *temp, size_t &size) {
        const auto in = thrust::make_transform_iterator((const float *)bench.in, ToDouble());
        return cub::DeviceScan::InclusiveSum(temp, size, in, (double *)bench.out, n, bench.stream);
    });
    cub_row(bench, "scan f32 2^28 (half as wide a result)", "CUB, f32 to f32", 8.0 * n,
            [&](void *temp, size_t &size) {
                return cub::DeviceScan::InclusiveSum(temp, size, (const float *)bench.in, (float *)bench.out, n,
                                                     bench.stream);
            });
    bench.fill(Content::bits);
    cub_row(bench, "scan u8 2^28", "CUB, u8 to i64", 9.0 * n, [&](void *temp, size_t &size) {
        const auto in = thrust::make_transform_iterator((const uint8_t *)bench.in, ToInteger());
        return cub::DeviceScan::InclusiveSum(temp, size, in, (long long *)bench.out, n, bench.stream);
    });
}

void cub_rows(Bench &bench)
{
    cub_reductions(bench);
    cub_histograms(bench);
    cub_scans(bench);
}

// ---- cuFFT
// ------------------------------------------------------------------------------------------------------

// Forward and back alone: what a convolution through the spectrum costs at least, whatever the mask.
void fft_rows(Bench &bench)
{
    cufftHandle forward, back;
    if (cufftPlan2d(&forward, side, side, CUFFT_R2C) != CUFFT_SUCCESS) return;
    if (cufftPlan2d(&back, side, side, CUFFT_C2R) != CUFFT_SUCCESS) return;
    cufftSetStream(forward, bench.stream);
    cufftSetStream(back, bench.stream);
    bench.fill(Content::floats);
    auto *spectrum = (cufftComplex *)bench.out;
    bench.row("FFT f32 8192x8192", "cuFFT forward and back", 8.0 * side * side, [&] {
        return cufftExecR2C(forward, (cufftReal *)bench.in, spectrum) == CUFFT_SUCCESS &&
               cufftExecC2R(back, spectrum, (cufftReal *)bench.in) == CUFFT_SUCCESS;
    });
    cufftDestroy(forward);
    cufftDestroy(back);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: peers_gpu RESULTS\n");
        return 2;
    }
    Bench bench(argv[1]);
    ceilings(bench);
    cub_rows(bench);
    npp_rows(bench);
    fft_rows(bench);
    return fclose(bench.file) == 0 ? 0 : 1;
}
