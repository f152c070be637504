/* Source rows as the convolution wants them: f32, with the border on both sides, so that no tap has to ask
 * where it is. */
#include <string.h>

#include "stencil.h"

/* Puts `count` pixels that lie outside the whole, from column x on. */
static void outside(const CpuStencil *stencil, int64_t x, int64_t y, int64_t count, float *to)
{
    const HaloBuf *src = stencil->src;
    const int channels = src->shape.channels;
    const int64_t from = halo_border_index(x, src->shape.width, stencil->border);
    const CpuRowKernels *kernels = stencil->device->kernels->rows;
    if (from < 0) {
        for (int64_t i = 0; i < count * channels; i++) to[i] = stencil->value;
    } else if (stencil->border == HALO_BORDER_REPLICATE) {
        kernels->load[src->shape.dtype](halo_at(src, from, y), channels, to);
        for (int64_t have = 1; have < count; have *= 2)
            memcpy(to + have * channels, to,
                   (size_t)((have < count - have ? have : count - have) * channels) * sizeof *to);
    } else {
        for (int64_t i = 0; i < count; i++)
            kernels->load[src->shape.dtype](
                halo_at(src, halo_border_index(x + i, src->shape.width, stencil->border), y), channels,
                to + i * channels);
    }
}

void cpu_source_line(const CpuStencil *stencil, int64_t x, int64_t y, int64_t cols, float *line)
{
    const HaloBuf *src = stencil->src;
    const int64_t width = src->shape.width, channels = src->shape.channels;
    const int64_t first = x + stencil->ox, end = first + cols + stencil->reach;
    const int64_t row = halo_border_index(y, src->shape.height, stencil->border);
    if (row < 0) {
        for (int64_t i = 0; i < (end - first) * channels; i++) line[i] = stencil->value;
        return;
    }
    /* [first, end) is cut into what lies left of the image, in it, and right of it; any may be empty. */
    const int64_t in_first = first < 0 ? (end < 0 ? end : 0) : first < width ? first : width;
    const int64_t left_end = first < 0 ? in_first : first;
    const int64_t in_end = end < width ? end : width;
    if (left_end > first) outside(stencil, first, row, left_end - first, line);
    if (in_end > in_first)
        stencil->device->kernels->rows->load[src->shape.dtype](
            halo_at(src, in_first, row), (in_end - in_first) * channels, line + (in_first - first) * channels);
    const int64_t right = first > width ? first : width;
    if (end > right) outside(stencil, right, row, end - right, line + (right - first) * channels);
}

/* `count` pixels from column x on of row y, any of them outside, as what they are. */
static void samples_at(const CpuStencil *stencil, int64_t x, int64_t y, int64_t count, float *workspace,
                       void *to)
{
    const HaloBuf *src = stencil->src;
    const HaloShape *shape = &src->shape;
    const size_t pixel = (size_t)shape->channels * halo_dtype_size(shape->dtype);
    if (count < 1) return;
    if (stencil->border == HALO_BORDER_REPLICATE && (x + count <= 0 || x >= shape->width)) {
        const int64_t row = halo_border_index(y, shape->height, stencil->border);
        const void *const edge = halo_at(src, x < 0 ? 0 : shape->width - 1, row);
        for (int64_t i = 0; i < count; i++) memcpy((char *)to + (size_t)i * pixel, edge, pixel);
        return;
    }
    CpuStencil plain = *stencil;
    plain.ox = plain.reach = 0;
    cpu_source_line(&plain, x, y, count, workspace);
    stencil->device->kernels->rank->to_keys[shape->dtype == HALO_F32 ? CPU_KEYS_REAL : shape->dtype](
        workspace, count * shape->channels, to);
}

const void *cpu_source_samples(const CpuStencil *stencil, int64_t x, int64_t y, int64_t cols, float *workspace,
                               void *line)
{
    const HaloBuf *src = stencil->src;
    const int64_t pixel = src->shape.channels * (int64_t)halo_dtype_size(src->shape.dtype);
    const int64_t first = x + stencil->ox, end = first + cols + stencil->reach;
    const int64_t row = halo_border_index(y, src->shape.height, stencil->border);
    const int64_t in = first > 0 ? first : 0, in_end = end < src->shape.width ? end : src->shape.width;
    if (row < 0 || in >= in_end) {
        samples_at(stencil, first, y, end - first, workspace, line);
        return line;
    }
    if (in == first && in_end == end) return halo_at(src, first, row);
    samples_at(stencil, first, y, in - first, workspace, line);
    memcpy((char *)line + (in - first) * pixel, halo_at(src, in, row), (size_t)((in_end - in) * pixel));
    samples_at(stencil, in_end, y, end - in_end, workspace, (char *)line + (in_end - first) * pixel);
    return line;
}

/* Are the samples that [first, end) reads along one axis, `whole` long, within [have, have + count)? */
static bool holds(int64_t first, int64_t end, int64_t whole, int64_t have, int64_t count, HaloBorder border)
{
    if (whole < 1) return false;
    const int64_t in_first = first > 0 ? first : 0, in_end = end < whole ? end : whole;
    if (in_first < in_end && (in_first < have || in_end > have + count)) return false;
    const int64_t left_end = end < 0 ? end : 0, right_first = first > whole ? first : whole;
    const int64_t left = first < left_end ? left_end - first : 0,
                  right = end > right_first ? end - right_first : 0;
    for (int64_t i = 0; i < left + right; i++) {
        const int64_t at = halo_border_index(i < left ? first + i : right_first + i - left, whole, border);
        if (at < 0 ? border != HALO_BORDER_ZERO && border != HALO_BORDER_CONSTANT
                   : at < have || at >= have + count)
            return false;
    }
    return true;
}

/* Fewer rows do not pay for a route of their own. */
#define LEAST_ROWS 64

bool cpu_is_column(const HaloBuf *buf)
{
    return buf->shape.width == 1 && buf->cols == 1 &&
           buf->stride == buf->shape.channels * (int64_t)halo_dtype_size(buf->shape.dtype);
}

bool cpu_are_columns(const HaloBuf *src, const HaloBuf *dst)
{
    return cpu_is_column(src) && cpu_is_column(dst) && dst->rows >= LEAST_ROWS;
}

HaloBuf cpu_as_line(const HaloBuf *column)
{
    HaloBuf line = *column;
    line.shape.width = column->shape.height;
    line.x0 = column->y0;
    line.cols = column->rows;
    line.shape.height = line.rows = 1;
    line.y0 = column->x0;
    line.stride = column->rows * column->stride;
    return line;
}

HaloWindow cpu_transposed(const HaloWindow *window)
{
    HaloWindow transposed = *window;
    transposed.width = window->height;
    transposed.height = window->width;
    transposed.ox = window->oy;
    transposed.oy = window->ox;
    return transposed;
}

CpuStencil cpu_window_stencil(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloWindow *window)
{
    return (CpuStencil){.src = src,
                        .dst = dst,
                        .ox = window->ox,
                        .oy = window->oy,
                        .border = window->border,
                        .value = halo_border_value(window->border, window->value),
                        .reach = window->width - 1,
                        .mask = {.height = window->height},
                        .device = device};
}

bool cpu_holds_needed(const CpuStencil *stencil)
{
    const HaloBuf *src = stencil->src, *dst = stencil->dst;
    const int64_t x = dst->x0 + stencil->ox, y = dst->y0 + stencil->oy;
    return holds(x, x + dst->cols + stencil->reach, src->shape.width, src->x0, src->cols, stencil->border) &&
           holds(y, y + dst->rows + stencil->mask.height - 1, src->shape.height, src->y0, src->rows,
                 stencil->border);
}
