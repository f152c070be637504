/* Sorts pixels by their labels: radix sort keeps those of a label in raster order. */
#include <cub/device/device_radix_sort.cuh>

#include "halo/groups.h"
#include "morphology.cuh"

struct GroupArgs {
    const char *src, *label;
    int64_t src_stride, label_stride, width;
    unsigned pixels;
    int size; /* bytes of a pixel of the source */
    HaloDtype dtype;
    bool each;
};

struct GroupCheck {
    unsigned greatest, bad; /* bad: pixels from the first one that is no label on; 0: all are */
};

/* ---- labels ---------------------------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(region_threads)
    label_kernel(const __grid_constant__ GroupArgs a, unsigned *label, unsigned *order, GroupCheck *check)
{
    unsigned greatest = 0, bad = 0;
    for (int64_t i = (int64_t)blockIdx.x * region_threads + threadIdx.x; i < a.pixels;
         i += (int64_t)gridDim.x * region_threads) {
        const float v = region_sample(a.label + i / a.width * a.label_stride, a.dtype, i % a.width);
        const bool set = v < 0.0f || v > 0.0f;
        unsigned is = set;
        if (set && a.each) {
            const bool good = v > 0.0f && v <= (float)HALO_MAX_REGIONS && v == floorf(v);
            if (!good) bad = max(bad, a.pixels - (unsigned)i);
            is = good ? (unsigned)v : 0;
        }
        label[i] = is;
        order[i] = (unsigned)i;
        greatest = max(greatest, is);
    }
    greatest = cuda_warp_max(greatest);
    bad = cuda_warp_max(bad);
    if (threadIdx.x % CUDA_WARP != 0) return;
    if (greatest > 0) atomicMax(&check->greatest, greatest);
    if (bad > 0) atomicMax(&check->bad, bad);
}

/* ---- sorted samples -------------------------------------------------------------------------------------- */

/* begin[k] for the labels that begin at this pixel, or that no pixel has and that come before it. */
__global__ static void __launch_bounds__(region_threads)
    begin_kernel(const unsigned *label, unsigned pixels, unsigned greatest, long long *begin)
{
    const int64_t i = (int64_t)blockIdx.x * region_threads + threadIdx.x;
    if (i > pixels) return;
    const int64_t from = i == 0 ? 0 : (int64_t)label[i - 1] + 1, upto = i == pixels ? greatest + 1 : label[i];
    for (int64_t k = from; k <= upto; k++) begin[k] = i;
}

/* Units of 1, 2 or 4 bytes. */
template <typename T>
__global__ static void __launch_bounds__(region_threads)
    gather_kernel(const __grid_constant__ GroupArgs a, const unsigned *order, T *sorted)
{
    const int64_t units = a.size / (int)sizeof(T), at = (int64_t)blockIdx.x * region_threads + threadIdx.x;
    if (at >= units * a.pixels) return;
    const int64_t pixel = order[at / units], unit = at % units;
    const T *const row = (const T *)(a.src + pixel / a.width * a.src_stride);
    sorted[at] = row[pixel % a.width * units + unit];
}

template <typename T>
static HaloStatus gather(HaloDevice *device, const GroupArgs &a, const unsigned *order, void *sorted)
{
    const int64_t units = (int64_t)a.pixels * (a.size / (int64_t)sizeof(T));
    CUDA_LAUNCH(device, (gather_kernel<T>), cuda_ceil_div(units, region_threads), region_threads, 0, a, order,
                (T *)sorted);
    return HALO_OK;
}

/* ---- all ------------------------------------------------------------------------------------------------- */

/* Two arrays of labels, one more of numbers, and what the sort needs. */
struct GroupMemory {
    unsigned *label[2], *order;
    void *sort;
    size_t sort_bytes;
};

static HaloStatus take_memory(HaloDevice *device, int64_t pixels, int64_t sorted_bytes, GroupMemory *m)
{
    const int64_t pitch = cuda_ceil_div(pixels * 4, 256) * 256;
    char *at;
    cub::DoubleBuffer<unsigned> keys(NULL, NULL), values(NULL, NULL);
    CUDA_TRY(cub::DeviceRadixSort::SortPairs(NULL, m->sort_bytes, keys, values, (int)pixels, 0, 32));
    /* A query counts the results, too, which are buffers of the caller. */
    const int64_t results = device->asking ? pitch + sorted_bytes : 0;
    const int64_t bytes = 3 * pitch + (int64_t)m->sort_bytes + results;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_WIDE, bytes, (void **)&at));
    m->label[0] = (unsigned *)at;
    m->label[1] = (unsigned *)(at + pitch);
    m->order = (unsigned *)(at + 2 * pitch);
    m->sort = at + 3 * pitch;
    return HALO_OK;
}

static HaloStatus find_labels(HaloDevice *device, const GroupArgs &a, const GroupMemory &m, GroupCheck *check)
{
    GroupCheck *there;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, sizeof *check, (void **)&there));
    CUDA_TRY(cudaMemsetAsync(there, 0, sizeof *there, device->stream));
    const int64_t blocks = cuda_min(cuda_ceil_div(a.pixels, region_threads), 4096);
    CUDA_LAUNCH(device, label_kernel, blocks, region_threads, 0, a, m.label[0], m.order, there);
    CUDA_PASS(cuda_fetch(device, check, there, sizeof *check));
    if (check->bad == 0) return HALO_OK;
    const int64_t at = (int64_t)a.pixels - check->bad, y = at / a.width, x = at % a.width;
    float bad = 0.0f;
    CUDA_PASS(cuda_fetch(device, &bad, a.label + y * a.label_stride + x * (int64_t)sizeof bad, sizeof bad));
    return halo_fail(HALO_ERR_INPUT, HALO_NO_LABEL, (long long)x, (long long)y, (double)bad, HALO_MAX_REGIONS);
}

static int bits_of(unsigned greatest)
{
    int bits = 1;
    while (bits < 32 && greatest >> bits != 0) bits++;
    return bits;
}

/* The numbers of the pixels in their order, and the sorted labels. */
static HaloStatus sort(HaloDevice *device, const GroupArgs &a, const GroupMemory &m, unsigned greatest,
                       unsigned *order, unsigned **label)
{
    size_t bytes = m.sort_bytes;
    cub::DoubleBuffer<unsigned> keys(m.label[0], m.label[1]), values(m.order, order);
    CUDA_TRY(cub::DeviceRadixSort::SortPairs(m.sort, bytes, keys, values, (int)a.pixels, 0, bits_of(greatest),
                                             device->stream));
    if (values.Current() != order)
        CUDA_TRY(cudaMemcpyAsync(order, values.Current(), (size_t)a.pixels * sizeof *order,
                                 cudaMemcpyDeviceToDevice, device->stream));
    *label = keys.Current();
    device->stopped = false;
    return HALO_OK;
}

static HaloStatus fetch_begin(HaloDevice *device, const GroupArgs &a, const unsigned *label, unsigned greatest,
                              HaloGroupList *list)
{
    const int64_t bytes = ((int64_t)greatest + 2) * (int64_t)sizeof(long long);
    long long *there;
    CUDA_PASS(halo_group_list_alloc(list, greatest));
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, bytes, (void **)&there));
    CUDA_LAUNCH(device, begin_kernel, cuda_ceil_div((int64_t)a.pixels + 1, region_threads), region_threads, 0,
                label, a.pixels, greatest, there);
    return cuda_fetch(device, list->begin, there, bytes);
}

HaloStatus cuda_sort_groups(HaloDevice *device, const HaloBuf *src, const HaloBuf *labels,
                            const HaloGroups *groups, HaloBuf *sorted, HaloBuf *order, HaloGroupList *list)
{
    CUDA_PASS(cuda_use(device));
    const int64_t pixels = src->cols * src->rows;
    const int size = src->shape.channels * (int)cuda_size(src->shape.dtype);
    GroupMemory m = {};
    GroupCheck check = {};
    unsigned *label = NULL;
    if (pixels > INT32_MAX)
        return halo_fail(HALO_ERR_LIMIT,
                         "%lld x %lld pixels are too many to be sorted by labels on a GPU: use --device cpu",
                         (long long)src->cols, (long long)src->rows);
    CUDA_PASS(take_memory(device, pixels, pixels * size, &m));
    GroupArgs a = {};
    a.src = (const char *)src->data;
    a.src_stride = src->stride;
    a.label = (const char *)labels->data;
    a.label_stride = labels->stride;
    a.width = src->cols;
    a.pixels = (unsigned)pixels;
    a.size = size;
    a.dtype = labels->shape.dtype;
    a.each = groups->each;
    CUDA_PASS(find_labels(device, a, m, &check));
    CUDA_PASS(sort(device, a, m, check.greatest, (unsigned *)order->data, &label));
    CUDA_PASS(fetch_begin(device, a, label, check.greatest, list));
    const unsigned *const in_order = (const unsigned *)order->data;
    switch (src->shape.dtype) {
    case HALO_U8: return gather<uint8_t>(device, a, in_order, sorted->data);
    case HALO_U16: return gather<uint16_t>(device, a, in_order, sorted->data);
    default: return gather<uint32_t>(device, a, in_order, sorted->data);
    }
}
