/* The rows that CUB gives, from the toolkit's own copy. In a file of its own: it takes longer to compile than
 * all the rungs together. Temporary memory is sized and made before the clock starts. */
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "ladder.cuh"

namespace
{

/* Asks `call(NULL, bytes)` how much it needs and makes that. */
template <typename Call> HaloStatus make_room(LadderRun *run, Call call)
{
    CUDA_TRY(call(nullptr, run->temp_bytes));
    CUDA_TRY(cudaMalloc(&run->temp, run->temp_bytes > 0 ? run->temp_bytes : 1));
    return HALO_OK;
}

cudaError_t sum(LadderRun *run, void *temp, size_t &bytes)
{
    return cub::DeviceReduce::Sum(temp, bytes, (const int *)run->in, (int *)run->out, (int)run->n,
                                  run->device->stream);
}

/* Minimum, maximum and product in one instance: only the sum is timed. */
struct Join {
    int op;
    __host__ __device__ float operator()(float a, float b) const
    {
        return op == LADDER_MIN   ? ladder_join<LADDER_MIN>(a, b)
               : op == LADDER_MAX ? ladder_join<LADDER_MAX>(a, b)
                                  : ladder_join<LADDER_PRODUCT>(a, b);
    }
};

cudaError_t fold(LadderRun *run, void *temp, size_t &bytes)
{
    const int op = run->size.variant;
    const float *const in = (const float *)run->in;
    float *const out = (float *)run->out;
    if (op == LADDER_SUM) return cub::DeviceReduce::Sum(temp, bytes, in, out, (int)run->n, run->device->stream);
    const float identity = op == LADDER_MIN   ? ladder_identity<LADDER_MIN>()
                           : op == LADDER_MAX ? ladder_identity<LADDER_MAX>()
                                              : ladder_identity<LADDER_PRODUCT>();
    return cub::DeviceReduce::Reduce(temp, bytes, in, out, (int)run->n, Join{op}, identity,
                                     run->device->stream);
}

cudaError_t scan(LadderRun *run, void *temp, size_t &bytes)
{
    return cub::DeviceScan::InclusiveSum(temp, bytes, (const int *)run->in, (int *)run->out, (int)run->n,
                                         run->device->stream);
}

cudaError_t histogram(LadderRun *run, void *temp, size_t &bytes)
{
    return cub::DeviceHistogram::HistogramEven(temp, bytes, (const uint8_t *)run->in, (unsigned *)run->out, 257,
                                               0, 256, (int)run->n, run->device->stream);
}

} // namespace

#define CUB_ROW(name, call)                                                                         \
    HaloStatus ladder_cub_##name##_prepare(LadderRun *run)                                          \
    {                                                                                               \
        return make_room(run, [run](void *temp, size_t &bytes) { return call(run, temp, bytes); }); \
    }                                                                                               \
    HaloStatus ladder_cub_##name(LadderRun *run)                                                    \
    {                                                                                               \
        CUDA_TRY(call(run, run->temp, run->temp_bytes));                                            \
        return HALO_OK;                                                                             \
    }

CUB_ROW(sum, sum)
CUB_ROW(fold, fold)
CUB_ROW(scan, scan)
CUB_ROW(hist, histogram)
