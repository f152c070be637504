// Timing and recording for the programs that time CUDA's own libraries: one buffer in, one out, random samples.
#ifndef PEERS_GPU_CUH
#define PEERS_GPU_CUH

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#define CUDA(call)                                                                          \
    do {                                                                                    \
        const cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

constexpr int side = 8192; // of the images that are filtered
constexpr size_t giga = (size_t)1 << 30;
constexpr size_t in_bytes = 4 * giga;              // 2^30 f32
constexpr size_t out_bytes = 2 * giga + (1 << 20); // 2^28 f64; an integral image is a row and a column more

enum class Content { bits, floats, constant };

// What every row needs. Rows go to stdout as they come, and to the file as NDJSON.
struct Bench {
    FILE *file;
    cudaStream_t stream;
    void *in, *out, *temp;
    size_t temp_bytes;
    std::vector<cudaEvent_t> mark;

    explicit Bench(const char *path);
    void fill(Content content);
    void room(size_t bytes); // of `temp`, at least
    // The median of many runs of what `call` puts on the stream; 0 where it fails.
    template <typename Call> float time(Call call);
    // `amount` counts bytes, or floating-point operations where `unit` is "flops".
    template <typename Call>
    void row(const std::string &work, const char *peer, double amount, Call call, const char *unit = "bytes");
};

constexpr int most_runs = 31;

template <typename Call> float Bench::time(Call call)
{
    const auto many = [&](int runs) {
        for (int i = 0; i < runs; i++) {
            CUDA(cudaEventRecord(mark[2 * i], stream));
            if (!call()) return 0.0f;
            CUDA(cudaEventRecord(mark[2 * i + 1], stream));
        }
        CUDA(cudaStreamSynchronize(stream));
        std::vector<float> ms(runs);
        for (int i = 0; i < runs; i++) CUDA(cudaEventElapsedTime(&ms[i], mark[2 * i], mark[2 * i + 1]));
        std::sort(ms.begin(), ms.end());
        return ms[runs / 2];
    };
    if (many(1) == 0.0f) return 0.0f; // loads code
    const float once = many(1), budget = 60;
    return once == 0.0f ? once : many(std::max(3, std::min(most_runs, (int)(budget / once))));
}

template <typename Call>
void Bench::row(const std::string &work, const char *peer, double amount, Call call, const char *unit)
{
    const float ms = time(call);
    if (ms == 0.0f) {
        fprintf(stderr, "%s cannot do %s\n", peer, work.c_str());
        return;
    }
    fprintf(file, "{\"work\":\"%s\",\"peer\":\"%s\",\"ms\":%.6f,\"%s\":%.0f}\n", work.c_str(), peer, ms, unit,
            amount);
    printf("%-36s %-36s %9.4f ms %7.0f G%s/s\n", work.c_str(), peer, ms, amount / ms / 1e6, unit);
    fflush(stdout);
}

void ceilings(Bench &bench);
void cub_rows(Bench &bench);
void fft_rows(Bench &bench);
void npp_rows(Bench &bench);

#endif
