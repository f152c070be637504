/* Separable convolution: the choice of a kernel (docs/kernels.md). Masks of a common length have a rolling
 * kernel (sep_rolling.cuh); all others take two passes through workspace, each a dense convolution with a mask
 * of one row or one column. Where NaN are ignored a fix-up pass follows either (sep_fixup.cu,
 * sep_fixup_passes.cu). --precision fast is in fast.cu. */
#include <math.h>

#include "adapt.cuh"
#include "conv/conv_fixup.cuh"
#include "conv/conv_long.cuh"
#include "conv/rolling.cuh"
#include "fast.cuh"
#include "sep.cuh"

/* ---- in two passes -------------------------------------------------------------------------------------- */

/* Bytes of the row pass that are kept at a time, about. */
static const int64_t between_bytes = (int64_t)256 << 20;

/* An image of one row or one column: both passes have kernels for lines. */
static bool is_line(const HaloBuf *src) { return src->shape.width == 1 || src->shape.height == 1; }

/* Computes rows of the destination through the f32 rows that they need. `weighs`: with as much workspace again
 * behind those, for weights. */
static HaloStatus two_passes(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep,
                             HaloStore store, bool weighs, SepPasses *passes)
{
    const bool valued = sep->window.border == HALO_BORDER_ZERO || sep->window.border == HALO_BORDER_CONSTANT;
    const int64_t first = dst->y0 + sep->window.oy, last = first + dst->rows - 1 + sep->window.height - 1;
    HaloConv row = {}, column = {};
    HaloBuf between = *src;
    between.shape.dtype = HALO_F32;
    between.shape.width = dst->shape.width;
    between.x0 = dst->x0;
    between.cols = dst->cols;
    between.stride = halo_row_bytes(&between);
    if (!is_line(src))
        between.stride =
            cuda_ceil_div(halo_row_bytes(&between), 64) * 64; /* the column pass reads whole words */
    row.window = column.window = sep->window;
    row.window.height = column.window.width = 1;
    row.window.oy = column.window.ox = 0;
    row.tap = sep->tap_x;
    column.tap = sep->tap_y;
    column.affine = sep->affine;
    column.scale = sep->scale;
    column.bias = sep->bias;
    if (valued) { /* the column pass makes the border itself */
        between.y0 = cuda_max(first, src->y0);
        between.rows = cuda_max(0, cuda_min(last + 1, src->y0 + src->rows) - between.y0);
    } else if (last - first + 1 <
               src->rows) { /* the row pass does: row `first` and on, outside the image, too */
        between.y0 = first;
        between.rows = last - first + 1;
    }
    int64_t bytes;
    if (!halo_mul(between.rows, between.stride, &bytes))
        return halo_fail(HALO_ERR_LIMIT, "the row pass of %lld rows is too large: use --device cpu",
                         (long long)between.rows);
    CUDA_PASS(
        cuda_scratch(device, CUDA_SCRATCH_BETWEEN, cuda_max(weighs ? 2 * bytes : bytes, 1), &between.data));
    if (sep->window.height > long_taps) /* the column pass's, queried before the first pass */
        CUDA_PASS(long_sums(device, dst->cols * dst->shape.channels, dst->rows, NULL));
    if (between.rows > 0) CUDA_PASS(cuda_conv_within(device, src, &between, &row, {1.0f, 1.0f}));
    passes->across = between;
    if (!valued &&
        last - first + 1 < src->rows) { /* the border is materialised: rows are counted from `first` */
        between.y0 = 0;
        between.shape.height = between.rows;
        column.window.oy = -dst->y0;
    }
    passes->down = between;
    passes->row = row;
    passes->column = column;
    passes->weights_at = bytes;
    return cuda_conv_within(device, &between, dst, &column, store);
}

/* The same where NaN is left out. */
static HaloStatus passes_ignoring_nan(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep,
                                      HaloStore store)
{
    HaloSep plain = *sep;
    SepPasses passes;
    plain.window.nan_ignore = plain.affine = false;
    return conv_fixup(
        device, dst, sep->affine, store,
        [&](HaloBuf *made) {
            return two_passes(device, src, made, &plain, {1.0f, 1.0f}, true, &passes);
        },
        [&](HaloBuf *band, const HaloBuf *made) {
            return sep_fixup_passes(device, src, &passes, made, band, sep, store);
        });
}

static HaloStatus bands(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep,
                        HaloStore store)
{
    const int64_t row_bytes = dst->cols * dst->shape.channels * (int64_t)sizeof(float);
    const int64_t fit = between_bytes / row_bytes / (sep->window.nan_ignore ? 2 : 1);
    const int64_t rows =
        src->rows <= fit ? dst->rows : cuda_max(fit - (sep->window.height - 1), sep->window.height);
    for (int64_t y = 0; y < dst->rows; y += rows) {
        HaloBuf band = *dst;
        band.y0 = dst->y0 + y;
        band.rows = cuda_min(rows, dst->rows - y);
        band.data = (char *)dst->data + y * dst->stride;
        SepPasses passes;
        CUDA_PASS(sep->window.nan_ignore ? passes_ignoring_nan(device, src, &band, sep, store)
                                         : two_passes(device, src, &band, sep, store, false, &passes));
    }
    return HALO_OK;
}

/* ---- in one pass, common lengths --------------------------------------------------------------------------
 */

bool sep_rolling_takes(const HaloBuf *src, const HaloBuf *dst, const HaloSep *sep)
{
    if (sep->window.width != sep->window.height) return false;
    if (!rolling_takes(src, dst, sep->window.border, sep->window.value)) return false;
    if (dst->shape.channels == 2 && sep->window.width > SEP_ROLLING_SHORT_MOST) return false;
    switch (sep->window.width) {
#define CASE(taps, most, fewer) case taps:
        SEP_ROLLING_SHORT_PAIRS(CASE)
        SEP_ROLLING_LONG_PAIRS(CASE)
#undef CASE
        return true;
    default: return false;
    }
}

static HaloStatus one_pass(HaloDevice *device, const HaloBuf *src, const ConvArgs *conv, const HaloSep *sep)
{
    switch (src->shape.dtype) {
    case HALO_U8: return sep_rolling_u8(device, conv, sep);
    case HALO_U16: return sep_rolling_u16(device, conv, sep);
    default: return sep_rolling_f32(device, conv, sep);
    }
}

ConvArgs sep_rolling_args(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep,
                          HaloStore store)
{
    HaloConv both = {}; /* the geometry of the two together */
    both.window = sep->window;
    both.affine = sep->affine;
    both.scale = sep->scale;
    both.bias = sep->bias;
    return conv_args(device, src, dst, &both, store);
}

/* NaN is left out. */
static HaloStatus one_pass_ignoring_nan(HaloDevice *device, const HaloBuf *src, HaloBuf *dst,
                                        const HaloSep *sep, HaloStore store)
{
    HaloSep plain = *sep;
    plain.window.nan_ignore = plain.affine = false;
    return conv_fixup(
        device, dst, sep->affine, store,
        [&](HaloBuf *made) {
            const ConvArgs args = sep_rolling_args(device, src, made, &plain, {1.0f, 1.0f});
            return one_pass(device, src, &args, &plain);
        },
        [&](HaloBuf *band, const HaloBuf *made) {
            const ConvArgs args = sep_rolling_args(device, src, band, sep, store);
            return sep_fixup(device, &args, made, sep);
        });
}

/* ---- and combined with their source -----------------------------------------------------------------------
 */

bool sep_combined_takes(const HaloShape *src, const HaloShape *dst, const HaloChain *chain)
{
    const HaloStep *blur = &chain->link[0], *pair = &chain->link[1];
    if (chain->links != 2 || blur->primitive != HALO_SEP || pair->primitive != HALO_COMBINE) return false;
    const HaloSep *sep = &blur->u.sep;
    const HaloCombine *how = &pair->u.combine;
    const bool keeps = how->kind == HALO_COMBINE_KEEP;
    const int64_t x = keeps ? how->bx : how->ax, y = keeps ? how->by : how->ay;
    const int64_t made_x = keeps ? how->ax : how->bx, made_y = keeps ? how->ay : how->by;
    const HaloBuf from = conv_outline(src), to = conv_outline(dst);
    if (!keeps && how->kind != HALO_COMBINE_UNSHARP && how->kind != HALO_COMBINE_ADD &&
        how->kind != HALO_COMBINE_DIFFERENCE)
        return false;
    return src->dtype <= HALO_F32 && src->channels == dst->channels && pair->src[keeps] == 0 &&
           pair->src[!keeps] == 1 && made_x == 0 && made_y == 0 &&
           x - sep->window.ox == sep->window.width / 2 && y - sep->window.oy == sep->window.height / 2 &&
           sep->fast == NULL && !sep->window.nan_ignore && src->channels % 2 == 1 &&
           sep->window.width <= SEP_ROLLING_SHORT_MOST && sep_rolling_takes(&from, &to, sep);
}

HaloStatus sep_combined(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloChain *chain,
                        const HaloMap *points, HaloStore store)
{
    const HaloSep *sep = &chain->link[0].u.sep;
    ConvArgs args = sep_rolling_args(device, src, dst, sep, store);
    args.dst.with.on = true;
    args.dst.with.how = chain->link[1].u.combine;
    args.dst.with.x0 = dst->x0;
    args.dst.with.y0 = dst->y0;
    args.dst.with.width = dst->shape.width;
    args.dst.with.height = dst->shape.height;
    conv_set_points(&args, points);
    return one_pass(device, src, &args, sep);
}

/* ---- and points behind it ---------------------------------------------------------------------------------
 */

static_assert(SEP_ROLLING_SHORT_MOST == rolling_points_most, "rolling kernels of more taps do without");

bool sep_points_takes(const HaloShape *src, const HaloShape *dst, const HaloSep *sep)
{
    const HaloBuf from = conv_outline(src), to = conv_outline(dst);
    return src->dtype <= HALO_F32 && !sep->affine && sep->fast == NULL && !sep->window.nan_ignore &&
           sep->window.width <= SEP_ROLLING_SHORT_MOST && sep_rolling_takes(&from, &to, sep);
}

HaloStatus sep_then_points(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep,
                           const HaloMap *points, HaloStore store)
{
    ConvArgs args = sep_rolling_args(device, src, dst, sep, store);
    conv_set_points(&args, points);
    return one_pass(device, src, &args, sep);
}

/* ---- the choice ----------------------------------------------------------------------------------------- */

static HaloStatus exactly(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep,
                          HaloStore store)
{
    if (is_line(src) || !sep_rolling_takes(src, dst, sep)) return bands(device, src, dst, sep, store);
    if (sep->window.nan_ignore) return one_pass_ignoring_nan(device, src, dst, sep, store);
    const ConvArgs args = sep_rolling_args(device, src, dst, sep, store);
    return one_pass(device, src, &args, sep);
}

static HaloStatus adapted(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep,
                          HaloStore store)
{
    return cuda_adapt(device, src, dst, &sep->window, HALO_F32, store,
                      [&](const HaloBuf *from, HaloBuf *to, const HaloWindow *inside) {
                          HaloSep within = *sep;
                          within.window = *inside;
                          return exactly(device, from, to, &within, {1.0f, 1.0f});
                      });
}

/* Outside of the image the column pass reads the value of a constant border, not the row pass's result of it,
 * which the adapter would give. So rows whose windows reach beyond the image are computed without the adapter.
 */
static HaloStatus adapted_parts(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep,
                                HaloStore store)
{
    const HaloWindow *const window = &sep->window;
    const float value = halo_border_value(window->border, window->value);
    const int64_t first = dst->y0 + window->oy, last = src->shape.height - (window->height - 1) - first;
    const bool whole = value == 0.0f && !signbit(value);
    const int64_t top = whole ? 0 : cuda_max(0, cuda_min(-first, dst->rows));
    const int64_t bottom = whole ? dst->rows : cuda_max(top, cuda_min(last, dst->rows));
    const int64_t from[] = {top, 0, bottom}, end[] = {bottom, top, dst->rows};
    HaloStatus status = HALO_OK;
    for (int i = 0; i < 3; i++) {
        HaloBuf part = *dst;
        part.y0 += from[i];
        part.rows = end[i] - from[i];
        part.data = (char *)dst->data + from[i] * dst->stride;
        if (part.rows < 1) continue;
        status = (i == 0 ? adapted : bands)(device, src, &part, sep, store);
        if (status != HALO_OK && !device->asking) return status; /* a query is for all of them */
    }
    return status;
}

HaloStatus cuda_sep(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep, HaloStore store)
{
    CUDA_PASS(cuda_use(device));
    if (fast_takes(src, sep)) return cuda_sep_fast(device, src, dst, sep, store);
    if (!is_line(src) && (cuda_is_narrow(dst, &sep->window) || cuda_has_planes(dst)))
        return adapted_parts(device, src, dst, sep, store);
    return exactly(device, src, dst, sep, store);
}
