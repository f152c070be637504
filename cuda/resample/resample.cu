/* Resampling: the choice of a route, and the general one, in two passes through scratch memory. */
#include "resample.cuh"

#include <stdlib.h>
#include <string.h>

#include "point/rows.cuh"

/* About how much of the horizontal pass is kept at a time. */
static const int64_t between_bytes = (int64_t)256 << 20;

/* ---- in two passes --------------------------------------------------------------------------------------- */

/* Row `y` of the source and those after it become lines of f32. */
template <typename S>
__global__ static void __launch_bounds__(rows_threads)
    row_kernel(const __grid_constant__ ResampleArgs a, float *line, int64_t y, unsigned across)
{
    const RowPlace p = row_place(across, 1);
    const int64_t e = p.at, r = p.y;
    if (e >= a.cols * a.channels) return;
    const float sum = resample_horizontal<S>(a, e, a.src + (y + r - a.src_y) * a.src_stride);
    line[r * a.cols * a.channels + e] = sum;
}

/* Rows of the destination from its row `top` on, from lines that begin with row `y` of the source. */
__global__ static void __launch_bounds__(rows_threads)
    column_kernel(const __grid_constant__ ResampleArgs a, const float *line, int64_t y, int64_t top,
                  unsigned across)
{
    const RowPlace p = row_place(across, 1);
    const int64_t e = p.at, r = top + p.y;
    const int64_t pitch = a.cols * a.channels;
    unsigned clipped = 0;
    if (e < pitch) {
        int64_t first;
        const int64_t row = resample_row(a.y, a.dst_y + r, &first), count = a.y.count[row];
        const float *const tap = a.y.tap + row * a.y.taps, *const from = line + (first - y) * pitch + e;
        float sum = 0.0f;
        for (int64_t j = 0; j < count; j++) sum = halo_fma(tap[j], from[j * pitch], sum);
        resample_store(a, e, r, sum, &clipped);
    }
    cuda_count_clipped(a.clipped, clipped);
}

static HaloStatus make_lines(HaloDevice *device, const ResampleArgs *args, float *line, int64_t y, int64_t rows)
{
    const int64_t across = row_blocks(args->cols * args->channels, 1);
    return row_type(args->src_dtype, [&](auto zero) {
        CUDA_LAUNCH(device, (row_kernel<decltype(zero)>), across * rows, rows_threads, 0, *args, line, y,
                    (unsigned)across);
        return HALO_OK;
    });
}

/* The end of the rows of the destination, from `top` on, that need at most `fit` lines, but at least one row;
 * and the number of lines. `host` has the table. */
static int64_t band_end(const ResampleArgs *args, const HaloResampleAxis *host, int64_t top, int64_t fit,
                        int64_t *first, int64_t *lines)
{
    int64_t end = top;
    for (*first = halo_resample_at(host, args->dst_y + top).first; end < args->rows; end++) {
        const HaloResampleTaps taps = halo_resample_at(host, args->dst_y + end);
        const int64_t needed = taps.first + taps.count - *first;
        if (end > top && needed > fit) break;
        *lines = needed;
    }
    return end;
}

static HaloStatus two_passes(HaloDevice *device, const ResampleArgs *args, const HaloResampleAxis *host)
{
    const int64_t pitch = args->cols * args->channels, line_bytes = pitch * (int64_t)sizeof(float);
    const int64_t across = row_blocks(pitch, 1), fit = cuda_max(between_bytes / line_bytes, 1);
    int64_t first, lines, most = 0, bytes;
    void *between;
    for (int64_t top = 0; top < args->rows; most = cuda_max(most, lines))
        top = band_end(args, host, top, fit, &first, &lines);
    if (!halo_mul(most, line_bytes, &bytes))
        return halo_fail(HALO_ERR_LIMIT, "the row pass of %lld rows is too large: use --device cpu",
                         (long long)most);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN, bytes, &between));
    for (int64_t top = 0, end; top < args->rows; top = end) {
        end = band_end(args, host, top, fit, &first, &lines);
        CUDA_PASS(make_lines(device, args, (float *)between, first, lines));
        CUDA_LAUNCH(device, column_kernel, across * (end - top), rows_threads, 0, *args, (const float *)between,
                    first, top, (unsigned)across);
    }
    return HALO_OK;
}

/* ---- tables ---------------------------------------------------------------------------------------------- */

/* Bytes of a table: a multiple of 16, for the alignment of the next. */
static bool table_bytes(const HaloResampleAxis *axis, int64_t *rows, int64_t *taps)
{
    const int64_t count = halo_resample_rows(axis);
    if (!halo_mul(count, 2 * sizeof(int64_t), rows) || !halo_mul(count, axis->taps, taps) ||
        !halo_mul(*taps, sizeof(float), taps) || *taps > INT64_MAX / 4 || *rows > INT64_MAX / 4)
        return false;
    *taps = cuda_ceil_div(*taps, 16) * 16;
    return true;
}

/* Copies a table to `host`, and returns the axis with pointers for a copy at `there`. */
static HaloResampleAxis place_table(const HaloResampleAxis *axis, int64_t rows, char *host, const char *there)
{
    HaloResampleAxis made = *axis;
    const size_t half = (size_t)rows / 2;
    memcpy(host, axis->first, half);
    memcpy(host + half, axis->count, half);
    memcpy(host + rows, axis->tap, (size_t)(halo_resample_rows(axis) * axis->taps) * sizeof(float));
    made.first = (const int64_t *)there;
    made.count = (const int64_t *)(there + half);
    made.tap = (const float *)(there + rows);
    return made;
}

static HaloStatus upload_tables(HaloDevice *device, const HaloResample *resample, ResampleArgs *args)
{
    int64_t rows[2], taps[2];
    void *there;
    if (!table_bytes(&resample->x, &rows[0], &taps[0]) || !table_bytes(&resample->y, &rows[1], &taps[1]))
        return halo_fail(HALO_ERR_LIMIT, "tables of %lld and %lld taps are too large: use --device cpu",
                         (long long)resample->x.taps, (long long)resample->y.taps);
    const int64_t along = rows[0] + taps[0], bytes = along + rows[1] + taps[1];
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, bytes, &there));
    char *const host = (char *)malloc((size_t)bytes);
    if (host == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for %lld bytes of taps", (long long)bytes);
    args->x = place_table(&resample->x, rows[0], host, (const char *)there);
    args->y = place_table(&resample->y, rows[1], host + along, (const char *)there + along);
    const cudaError_t error =
        cudaMemcpyAsync(there, host, (size_t)bytes, cudaMemcpyHostToDevice, device->stream);
    free(host); /* pageable memory has been copied by now */
    return error == cudaSuccess ? HALO_OK : cuda_fail(error, "cudaMemcpyAsync");
}

/* ---- the choice ------------------------------------------------------------------------------------------ */

HaloStatus cuda_resample(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloResample *resample,
                         HaloStore store)
{
    ResampleArgs args = {};
    CUDA_PASS(cuda_use(device));
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    args.src = (const char *)src->data;
    args.dst = (char *)dst->data;
    args.src_dtype = src->shape.dtype;
    args.dst_dtype = dst->shape.dtype;
    args.src_x = src->x0;
    args.src_y = src->y0;
    args.dst_x = dst->x0;
    args.dst_y = dst->y0;
    args.src_stride = src->stride;
    args.src_cols = src->cols;
    args.dst_stride = dst->stride;
    args.cols = dst->cols;
    args.rows = dst->rows;
    args.channels = dst->shape.channels;
    args.x = resample->x;
    args.y = resample->y;
    args.store = store;
    args.clipped = device->clipped;
    if (resample_area_takes(&args, resample)) return resample_area(device, &args);
    const bool line = resample_line_takes(&args, resample);
    const bool cut = resample->x.cut || resample->y.cut; /* only the horizontal pass checks for cut taps */
    const bool turns = !line && !cut && resample_turn_takes(&args, resample);
    const bool enlarges = !line && !cut && !turns && resample_up_takes(&args);
    const bool strips = !line && !cut && !turns && !enlarges && resample_strip_takes(&args, resample);
    const HaloStatus status = upload_tables(device, resample, &args);
    if (status != HALO_OK && !device->asking)
        return status; /* a workspace query continues with the other buffer */
    if (line) return resample_line(device, &args, resample);
    if (turns) return resample_turn(device, &args, resample);
    if (enlarges) return resample_up(device, &args, &resample->y);
    if (strips) return resample_strip(device, &args, resample);
    return two_passes(device, &args, &resample->y);
}
