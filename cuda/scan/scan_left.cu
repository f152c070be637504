/* What lies left of every run of 16 pixels of a row, from the totals of all runs and in their place: for scans that store no
 * samples between the axes (scan_xy.cu). A warp has a row of a channel, or several that are shorter than its lanes. */
#include "scan_before.cuh"
#include "scan_run.cuh"

static const int left_threads = 128, left_warps = left_threads / CUDA_WARP;

template <typename Kind>
__global__ static void __launch_bounds__(left_threads)
    left_kernel(const __grid_constant__ ScanLeft<typename Kind::Value> l, int lanes)
{
    using T = typename Kind::Value;
    __shared__ T slots[left_warps][HALO_SCAN_GROUP + CUDA_WARP];
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP, at = lane % lanes;
    const int64_t line = ((int64_t)blockIdx.x * left_warps + warp) * (CUDA_WARP / lanes) + lane / lanes;
    const int64_t runs = line < l.rows * l.channels ? l.runs : 0, tiles = cuda_ceil_div(l.runs, HALO_SCAN_WARPS * HALO_SCAN_WARP);
    T *const slot = slots[warp], *const own = l.run + line / l.channels * l.runs * l.channels + line % l.channels;
    if (tiles > 1)
        for (int i = lane; i < HALO_SCAN_GROUP + CUDA_WARP; i += CUDA_WARP) slot[i] = Kind::identity();
    for (int64_t tile = 0; tile < tiles; tile++) {
        const int64_t first = tile * HALO_SCAN_WARPS * HALO_SCAN_WARP + at;
        T total[HALO_SCAN_WARPS];
#pragma unroll
        for (int w = 0; w < HALO_SCAN_WARPS; w++) {
            const int64_t run = first + w * HALO_SCAN_WARP;
            total[w] = run < runs ? own[run * l.channels] : Kind::identity();
        }
        __syncwarp();
        const T known = tile == 0 ? Kind::identity() : __shfl_sync(CUDA_ALL, fold_group<Kind>(slot), 0);
        T upto = Kind::identity(); /* W */
#pragma unroll
        for (int w = 0; w < HALO_SCAN_WARPS; w++) {
            const int64_t run = first + w * HALO_SCAN_WARP;
            if (run - at >= l.runs) break;
            const T before = scan_warp<Kind>(&total[w], at);
            if (run < runs) own[run * l.channels] = Kind::join(Kind::join(Kind::identity(), known), Kind::join(upto, before));
            upto = Kind::join(upto, __shfl_sync(CUDA_ALL, total[w], CUDA_WARP - 1)); /* where more follow, the line has all lanes */
        }
        if (tiles > 1 && lane == 0) slot[slot_at((int)tile)] = upto;
    }
}

bool scan_left_fits(const HaloDevice *device, const ScanArgs *args)
{
    /* A warp goes from tile to tile: with few of them blocks that hand on are faster. */
    const bool many = args->height * args->channels >= 2 * device->properties.multiProcessorCount;
    return args->width <= HALO_SCAN_TILE || (many && args->width <= HALO_SCAN_TILE * HALO_SCAN_GROUP);
}

template <typename Kind> HaloStatus scan_left(HaloDevice *device, const ScanLeft<typename Kind::Value> *left)
{
    int lanes = 1;
    while (lanes < CUDA_WARP && lanes < left->runs) lanes *= 2;
    const int64_t lines = left->rows * left->channels;
    CUDA_LAUNCH(device, left_kernel<Kind>, cuda_ceil_div(lines, left_warps * (CUDA_WARP / lanes)), left_threads, 0, *left, lanes);
    return HALO_OK;
}

template HaloStatus scan_left<ScanSum<uint32_t>>(HaloDevice *, const ScanLeft<uint32_t> *);
template HaloStatus scan_left<ScanSum<int64_t>>(HaloDevice *, const ScanLeft<int64_t> *);
template HaloStatus scan_left<ScanSum<double>>(HaloDevice *, const ScanLeft<double> *);
template HaloStatus scan_left<ScanKind<double, HALO_SCAN_PRODUCT>>(HaloDevice *, const ScanLeft<double> *);
template HaloStatus scan_left<ScanLeast>(HaloDevice *, const ScanLeft<float> *);
