/* Masks with many zeros, which are skipped. Over integers they always may be. Over floats the product with a
 * zero is NaN where the sample is not finite, and makes +0 of a sum that is -0. So blocks whose windows hold
 * only finite samples skip zeros, and others do not; blocks with a result of -0, which only underflow gives,
 * are recomputed. */
#include "conv_dense.cuh"

/* The source is examined in cells of this many pixels and rows, one a block. */
static const int cell_cols = 128, cell_rows = 32, cell_threads = 256;

struct CellArgs {
    ConvSource src;
    int64_t cols, rows; /* pixels of the source that are there */
    int64_t cells_x, cells_y;
    int64_t x_first, y_first; /* the sample under the first tap of the first output */
    int64_t tiles_x;
    int tile_cols, tile_rows; /* that a block of outputs reads */
    int step_x, step_y;       /* from one to the next */
    uint8_t *cell, *nonfinite;
};

__global__ static void __launch_bounds__(cell_threads) cell_kernel(const __grid_constant__ CellArgs a)
{
    const int64_t x = blockIdx.x % a.cells_x * cell_cols, y = blockIdx.x / a.cells_x * cell_rows;
    const int64_t left = a.cols - x;
    const int n = (int)cuda_min(cell_cols, left) * a.src.channels, rows = (int)cuda_min(cell_rows, a.rows - y);
    bool nonfinite = false;
    for (int r = (int)threadIdx.x / CUDA_WARP; r < rows; r += cell_threads / CUDA_WARP) {
        const float *const row = (const float *)(a.src.data + (y + r) * a.src.stride) + x * a.src.channels;
        for (int i = (int)threadIdx.x % CUDA_WARP; i < n; i += CUDA_WARP)
            nonfinite = nonfinite || !(row[i] - row[i] == 0.0f);
    }
    nonfinite = __syncthreads_or(nonfinite);
    if (threadIdx.x == 0) a.cell[blockIdx.x] = nonfinite;
}

/* The part of the source that samples [*from, *to) come from, by the border. */
__device__ static void cell_span(HaloBorder border, int64_t size, int64_t *from, int64_t *to)
{
    const int64_t before = cuda_max(0, -*from), behind = cuda_max(0, *to - size);
    *from = cuda_max(0, *from);
    *to = cuda_min(size, *to);
    if (before + behind == 0 || border == HALO_BORDER_ZERO || border == HALO_BORDER_CONSTANT) return;
    const bool turns = border == HALO_BORDER_WRAP || before >= size || behind >= size;
    if (turns || before > 0) *from = 0;
    if (turns || behind > 0) *to = size;
    if (before > 0) *to = cuda_max(*to, cuda_min(size, before + 1));
    if (behind > 0) *from = cuda_min(*from, cuda_max(0, size - behind - 1));
}

/* One warp a block of outputs: is any sample under its windows not finite? Whole cells are tested, so the
 * answer may be too cautious. */
__global__ static void __launch_bounds__(CUDA_WARP) nonfinite_kernel(const __grid_constant__ CellArgs a)
{
    int64_t x0 = a.x_first + blockIdx.x % a.tiles_x * a.step_x,
            y0 = a.y_first + blockIdx.x / a.tiles_x * a.step_y;
    int64_t x1 = cuda_min(a.src.x_end, x0 + a.tile_cols), y1 = cuda_min(a.src.y_end, y0 + a.tile_rows);
    cell_span(a.src.border, a.src.width, &x0, &x1);
    cell_span(a.src.border, a.src.height, &y0, &y1);
    x0 = cuda_max(x0 - a.src.x0, 0) / cell_cols;
    y0 = cuda_max(y0 - a.src.y0, 0) / cell_rows;
    x1 = cuda_min(cuda_ceil_div(cuda_max(x1 - a.src.x0, 0), cell_cols), a.cells_x);
    y1 = cuda_min(cuda_ceil_div(cuda_max(y1 - a.src.y0, 0), cell_rows), a.cells_y);
    bool nonfinite = false;
    for (int64_t y = y0; y < y1; y++)
        for (int64_t x = x0 + threadIdx.x; x < x1; x += CUDA_WARP)
            nonfinite = nonfinite || a.cell[y * a.cells_x + x];
    nonfinite = __any_sync(CUDA_ALL, nonfinite);
    if (threadIdx.x == 0) a.nonfinite[blockIdx.x] = nonfinite;
}

/* Marks the blocks whose windows hold samples that are not finite. */
static HaloStatus find_nonfinite(HaloDevice *device, const HaloBuf *src, DenseArgs *args)
{
    const ConvArgs *const conv = &args->conv;
    const int64_t tiles = conv->tiles_x * cuda_ceil_div(conv->dst.rows, args->lines);
    CellArgs a = {};
    void *workspace;
    a.src = conv->src;
    a.cols = src->cols;
    a.rows = src->rows;
    a.cells_x = cuda_ceil_div(src->cols, cell_cols);
    a.cells_y = cuda_ceil_div(src->rows, cell_rows);
    a.x_first = conv->x_first;
    a.y_first = conv->y_first;
    a.tiles_x = conv->tiles_x;
    a.step_x = args->groups * line_own;
    a.step_y = args->lines;
    a.tile_cols = a.step_x + conv->width - 1;
    a.tile_rows = a.step_y + conv->height - 1;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, a.cells_x * a.cells_y + 2 * tiles, &workspace));
    a.nonfinite = (uint8_t *)workspace;
    a.cell = a.nonfinite + 2 * tiles;
    args->only = {a.nonfinite, a.nonfinite + tiles, false};
    CUDA_TRY(cudaMemsetAsync(args->only.redo, 0, (size_t)tiles, device->stream));
    CUDA_LAUNCH(device, cell_kernel, a.cells_x * a.cells_y, cell_threads, 0, a);
    CUDA_LAUNCH(device, nonfinite_kernel, tiles, CUDA_WARP, 0, a);
    return HALO_OK;
}

HaloStatus conv_sparse(HaloDevice *device, const HaloBuf *src, const ConvArgs *conv, const float *tap)
{
    DenseArgs args = {};
    if (dense_leaves_zeros(conv)) return conv_dense(device, conv, tap);
    dense_lay_out(&args, conv);
    const HaloStatus status = find_nonfinite(device, src, &args);
    if (status != HALO_OK && !device->asking) return status; /* a workspace query continues with the rest */
    CUDA_PASS(dense_make(device, &args, tap, true));
    args.only.rest = true;
    args.conv = *conv;
    args.conv.tiles_x = cuda_ceil_div(conv->dst.cols, args.groups * line_own);
    return dense_make(device, &args, tap, false);
}
