/* Narrow images and images of many channels as wide pictures of one channel: see adapt.cuh.
 *
 * The wide picture consists of cells side by side. A cell holds what one channel of one strip of rows reads:
 * its columns and rows with those that the windows reach beyond them, as the border defines them. Outputs whose
 * windows lie across two cells are computed, too, and ignored; clipped samples are therefore counted by the
 * scatter kernel alone. */
#include "adapt.cuh"
#include "adapt_kernels.cuh"

static const int narrow_samples = 32; /* in a row of a narrow image, at most */
static const int narrow_rows = 256;   /* at least */
static const int narrow_cell = 128; /* columns of a cell, at most: the columns of a block of the wide kernels */

static const int64_t wide_columns = 4096; /* of the wide picture, at least, where there are rows for it */
static const int64_t wide_samples =
    1 << 25;                         /* in it, at most: more is done in bands of rows or groups of channels */
static const int64_t wide_unit = 32; /* columns, so that results begin at whole sectors of memory */

/* ---- the layout ----------------------------------------------------------------------------------------- */

bool cuda_is_narrow(const HaloBuf *dst, const HaloWindow *window)
{
    return dst->cols > 1 && dst->rows >= narrow_rows && dst->cols <= narrow_samples / dst->shape.channels &&
           window->width <= narrow_cell - dst->cols && window->height <= dst->rows / 4;
}

/* The layout of the first band; others differ in their rows and channels alone. */
static AdaptLayout first_layout(const HaloBuf *dst, const HaloWindow *window)
{
    AdaptLayout l = {};
    const int64_t above = window->height - 1, least = cuda_min(dst->rows, cuda_max(64, 4 * window->height));
    l.pitch = dst->cols + window->width - 1;
    const int64_t fit = wide_samples / (least + above) / l.pitch;
    l.channels = (int)cuda_max(1, cuda_min(fit, dst->shape.channels));
    const int64_t columns = l.pitch * l.channels;
    l.strips = (int)cuda_max(1, cuda_min(cuda_ceil_div(wide_columns, columns), dst->rows / least));
    const int64_t most = cuda_max(least, wide_samples / (columns * l.strips) - above);
    const int64_t bands = cuda_ceil_div(dst->rows, l.strips * most); /* of as many rows each */
    l.band = cuda_ceil_div(dst->rows, bands);
    l.rows = cuda_ceil_div(l.band, l.strips);
    return l;
}

/* ---- launching ------------------------------------------------------------------------------------------ */

/* Divides cells of `cols` columns and `rows` rows into blocks, and says how many there are. */
static int64_t set_blocks(AdaptArgs *a, int64_t cols, int64_t rows)
{
    const int64_t channels = cuda_min(a->layout.channels, adapt_tile / cuda_min(cols, adapt_cols));
    const int64_t most = cuda_max(8, cuda_min(adapt_cols, adapt_threads / channels));
    const int64_t wide = cuda_ceil_div(cols, cuda_ceil_div(cols, most)); /* the same in all blocks of a cell */
    a->cols = cols;
    a->rows = rows;
    a->tile_cols = (unsigned)wide;
    a->tile_channels = (unsigned)channels;
    a->lanes = (int)cuda_min(wide * channels, adapt_threads);
    a->tile_rows = (int)cuda_min(cuda_min(rows, adapt_rows), adapt_tile / (wide * channels));
    a->across = (unsigned)cuda_ceil_div(cols, wide);
    a->sets = (unsigned)cuda_ceil_div(a->layout.channels, channels);
    a->strips = (unsigned)a->layout.strips;
    return cuda_ceil_div(rows, a->tile_rows) * a->across * a->sets * a->strips;
}

/* The wide picture of the source begins so many columns before its first cell that the results, one for each
 * window's middle, begin at a multiple of wide_unit, as those of an ordinary picture do. */
static int64_t wide_origin(const HaloWindow *window)
{
    return cuda_ceil_div(window->width / 2, wide_unit) * wide_unit;
}

static int64_t wide_lead(const HaloWindow *window) { return wide_origin(window) - window->width / 2; }

static int64_t wide_stride(int64_t columns, HaloDtype dtype)
{
    return cuda_ceil_div(columns * (int64_t)halo_dtype_size(dtype), 64) * 64;
}

static HaloBuf wide_picture(HaloDtype dtype, int64_t cols, int64_t rows, void *data)
{
    HaloBuf p = {};
    p.shape.kind = HALO_IMAGE;
    p.shape.dtype = dtype;
    p.shape.width = p.cols = cols;
    p.shape.height = p.rows = rows;
    p.shape.channels = 1;
    p.shape.alpha = -1;
    p.shape.white = halo_dtype_white(dtype);
    p.stride = wide_stride(cols, dtype);
    p.data = data;
    return p;
}

struct Adapt {
    HaloDevice *device;
    const HaloBuf *src;
    HaloBuf *dst;
    const HaloWindow *window;
    HaloDtype staged,
        made; /* types of the wide pictures; staged: f32 where the border's value is no integer sample */
    HaloStore store;
    char *data;
    int64_t made_at; /* bytes behind `data`: the results */
};

/* Both wide pictures of a band, and the window of the second in the first. */
static void wide_pair(const Adapt *s, const AdaptLayout &l, HaloBuf *from, HaloBuf *to, HaloWindow *inside)
{
    const HaloWindow *const window = s->window;
    const int64_t cells = l.pitch * l.channels * l.strips, results = cells - (window->width - 1);
    *from = wide_picture(s->staged, wide_lead(window) + cells, l.rows + window->height - 1, s->data);
    *to = wide_picture(s->made, results, l.rows, s->data + s->made_at);
    to->x0 = wide_origin(window);
    to->shape.width = to->x0 + results;
    *inside = *window;
    inside->ox = -(window->width / 2);
    inside->oy = 0;
    inside->border = HALO_BORDER_REPLICATE;
    inside->value = 0.0f;
}

static HaloStatus gather(const Adapt *s, const AdaptLayout &l, const HaloBuf *wide)
{
    HaloDevice *const device = s->device;
    const HaloBuf *const src = s->src;
    AdaptArgs a = {};
    a.image = (char *)src->data;
    a.image_stride = src->stride;
    a.image_channels = src->shape.channels;
    a.wide = (char *)halo_at(wide, wide_lead(s->window), 0);
    a.wide_stride = wide->stride;
    a.layout = l;
    a.end = l.band + s->window->height - 1;
    a.x_first = s->dst->x0 + s->window->ox;
    a.y_first = s->dst->y0 + l.y + s->window->oy;
    a.x0 = src->x0;
    a.y0 = src->y0;
    a.width = src->shape.width;
    a.height = src->shape.height;
    a.border = s->window->border;
    a.value = s->window->value;
    const int64_t blocks = set_blocks(&a, l.pitch, wide->rows);
    switch (src->shape.dtype * 4 + s->staged) {
    case HALO_U8 * 4 + HALO_U8:
        CUDA_LAUNCH(device, (gather_kernel<uint8_t, uint8_t>), blocks, adapt_threads, 0, a);
        break;
    case HALO_U8 * 4 + HALO_F32:
        CUDA_LAUNCH(device, (gather_kernel<uint8_t, float>), blocks, adapt_threads, 0, a);
        break;
    case HALO_U16 * 4 + HALO_U16:
        CUDA_LAUNCH(device, (gather_kernel<uint16_t, uint16_t>), blocks, adapt_threads, 0, a);
        break;
    case HALO_U16 * 4 + HALO_F32:
        CUDA_LAUNCH(device, (gather_kernel<uint16_t, float>), blocks, adapt_threads, 0, a);
        break;
    default: CUDA_LAUNCH(device, (gather_kernel<float, float>), blocks, adapt_threads, 0, a); break;
    }
    return HALO_OK;
}

static HaloStatus scatter(const Adapt *s, const AdaptLayout &l, const HaloBuf *wide)
{
    HaloDevice *const device = s->device;
    AdaptArgs a = {};
    a.image = (char *)s->dst->data;
    a.image_stride = s->dst->stride;
    a.image_channels = s->dst->shape.channels;
    a.wide = (char *)wide->data;
    a.wide_stride = wide->stride;
    a.layout = l;
    a.end = l.band;
    a.dtype = s->dst->shape.dtype;
    a.store = s->store;
    a.clipped = device->clipped;
    const int64_t blocks = set_blocks(&a, s->dst->cols, l.rows);
    switch (s->made) {
    case HALO_U8: CUDA_LAUNCH(device, scatter_kernel<uint8_t>, blocks, adapt_threads, 0, a); break;
    case HALO_U16: CUDA_LAUNCH(device, scatter_kernel<uint16_t>, blocks, adapt_threads, 0, a); break;
    default: CUDA_LAUNCH(device, scatter_kernel<float>, blocks, adapt_threads, 0, a); break;
    }
    return HALO_OK;
}

static HaloStatus call(const Adapt *s, CudaMake *make, void *context, const HaloBuf *from, HaloBuf *to,
                       const HaloWindow *inside)
{
    s->device->adapting = true;
    const HaloStatus status = make(context, from, to, inside);
    s->device->adapting = false;
    return status;
}

HaloStatus cuda_adapt_with(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloWindow *window,
                           HaloDtype made, HaloStore store, CudaMake *make, void *context)
{
    AdaptLayout first;
    Adapt s = {device, src,   dst,  window, halo_rank_keys(src->shape.dtype, window->border, window->value),
               made,   store, NULL, 0};
    HaloBuf from, to;
    HaloWindow inside;
    int64_t to_bytes;
    void *data;
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    first = first_layout(dst, window);
    wide_pair(&s, first, &from, &to, &inside);
    if (!halo_mul(from.rows, from.stride, &s.made_at) || !halo_mul(to.rows, to.stride, &to_bytes) ||
        s.made_at > INT64_MAX - to_bytes)
        return halo_fail(HALO_ERR_LIMIT, "a window of %lld x %lld is too large: use --device cpu",
                         (long long)window->width, (long long)window->height);
    const HaloStatus status = cuda_scratch(device, CUDA_SCRATCH_WIDE, s.made_at + to_bytes, &data);
    if (device->asking)
        return call(&s, make, context, &from, &to, &inside); /* reports its additional workspace */
    CUDA_PASS(status);
    s.data = (char *)data;
    for (int channel = 0; channel < dst->shape.channels; channel += first.channels)
        for (int64_t y = 0; y < dst->rows; y += first.band) {
            AdaptLayout l = first;
            l.channel = channel;
            l.channels = min(first.channels, dst->shape.channels - channel);
            l.y = y;
            l.band = cuda_min(first.band, dst->rows - y);
            l.rows = cuda_ceil_div(l.band, l.strips);
            wide_pair(&s, l, &from, &to, &inside);
            CUDA_PASS(gather(&s, l, &from));
            CUDA_PASS(call(&s, make, context, &from, &to, &inside));
            CUDA_PASS(scatter(&s, l, &to));
        }
    return HALO_OK;
}
