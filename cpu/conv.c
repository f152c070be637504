/* Dense and separable convolution, said as a stencil. */
#include <math.h>
#include <stdlib.h>

#include "dot_product/dot_product.h"
#include "double/double.h"
#include "fft.h"
#include "halo/whole_taps.h"
#include "primitives.h"
#include "sep/fused.h"
#include "stencil.h"
#include "strips.h"

/* ---- NaN left out --------------------------------------------------------------------------------------- */

/* What the taps weigh: sums as those of samples of 1 are, each addition rounded to f32. */
static float row_weight(const float *tap, int64_t taps)
{
    float sum = 0.0f;
    for (int64_t k = 0; k < taps; k++) sum = sum + tap[k];
    return sum;
}

/* A window without NaN weighs what all taps do, to the last bit: its sum is multiplied by 1. */
static void leave_nan(CpuStencil *s, float total)
{
    s->total = total;
    s->looks = isfinite(total);
}

/* Weights have taps of their own where those of the samples weigh nothing together: ones, which count. *ones:
 * NULL, or memory to be freed. */
static HaloStatus leave_nan_apart(HaloDevice *device, CpuStencil *s, float **ones)
{
    const float row = row_weight(s->row.tap, s->row.width);
    const int64_t most_taps = most(s->row.width, s->mask.height);
    leave_nan(s, halo_column_weight(s->mask.tap, s->mask.height, row));
    s->weigh_row = s->row;
    s->weigh = s->mask;
    s->row_total = row;
    if (s->total != 0.0f) return HALO_OK;
    cpu_heap(device, most_taps * (int64_t)sizeof **ones);
    *ones = malloc((size_t)most_taps * sizeof **ones);
    if (*ones == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t k = 0; k < most_taps; k++) (*ones)[k] = 1.0f;
    s->weigh_row.tap = s->weigh.tap = *ones;
    s->row_total = row_weight(*ones, s->row.width);
    return HALO_OK;
}

/* ---- zeros ---------------------------------------------------------------------------------------------- */

/* A tap of zero adds +0 or -0 where its sample is finite, and that changes no sum but one of -0, to +0. Sums
 * begin at +0 and become -0 only where they underflow. They never do where all products are multiples of
 * 2^-149, the least of floats: those of integers are, and those of samples whose last bit is not too small
 * for the last bit of any tap. */

/* The least magnitude of samples, other than 0, whose products with these taps do not underflow. */
static float least_sample(const CpuMask *mask)
{
    int last = 0; /* the place of the last bit of all taps; beyond 1 nothing underflows */
    for (int64_t k = 0; k < mask->width * mask->height; k++) {
        if (mask->tap[k] == 0.0f || !isfinite(mask->tap[k])) continue;
        const int place = halo_last_place(mask->tap[k]);
        if (place < last) last = place;
    }
    return last < 0 ? ldexpf(1.0f, -126 - last) : 0.0f;
}

/* The next run of a row of taps from x on; taps is 0 where there is none. */
static CpuRun next_run(const float *row, int64_t width, int64_t x)
{
    while (x < width && row[x] == 0.0f) x++;
    CpuRun run = {.x = x};
    while (x + run.taps < width && row[x + run.taps] != 0.0f) run.taps++;
    return run;
}

/* The mask's runs into run[], which may be NULL: how many they are, and their taps. */
static int64_t list_runs(const CpuMask *mask, CpuRun *run, int64_t *taps)
{
    int64_t runs = 0;
    for (int64_t y = 0; y < mask->height; y++)
        for (int64_t x = 0;;) {
            CpuRun next = next_run(mask->tap + y * mask->width, mask->width, x);
            if (next.taps == 0) break;
            next.y = y;
            x = next.x + next.taps;
            if (run != NULL) run[runs] = next;
            runs++;
            *taps += next.taps;
        }
    return runs;
}

/* Gives the stencil its mask's runs where that pays: NULL, or memory to be freed. */
static HaloStatus find_runs(HaloDevice *device, CpuStencil *s, CpuRun **run)
{
    int64_t taps = 0, size;
    if (s->mask.height == 1) return HALO_OK;
    s->runs = list_runs(&s->mask, NULL, &taps);
    /* Measured: a run's taps take nearly twice as long as those that several rows of outputs share, and a run
     * half of one. */
    if (s->runs == 0 || 8 * (2 * taps + s->runs) > 9 * s->mask.width * s->mask.height) return HALO_OK;
    if (!halo_mul(s->runs, sizeof **run, &size)) return halo_fail(HALO_ERR_LIMIT, "the mask is too large");
    cpu_heap(device, size);
    *run = malloc((size_t)size);
    if (*run == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    list_runs(&s->mask, *run, &taps);
    s->run = *run;
    s->looks = s->src->shape.dtype == HALO_F32 || s->value != truncf(s->value) || !isfinite(s->value);
    s->least = least_sample(&s->mask);
    return HALO_OK;
}

typedef struct Strips {
    HaloDevice *device;
    const HaloConv *conv;
    const HaloSep *sep;
    HaloStore store;
} Strips;

static HaloStatus conv_strips(void *context, const HaloBuf *src, HaloBuf *dst, const HaloWindow *window)
{
    const Strips *s = context;
    HaloConv conv = *s->conv;
    conv.window = *window;
    return cpu_conv(s->device, src, dst, &conv, s->store);
}

static HaloStatus sep_strips(void *context, const HaloBuf *src, HaloBuf *dst, const HaloWindow *window)
{
    const Strips *s = context;
    HaloSep sep = *s->sep;
    sep.window = *window;
    return cpu_sep(s->device, src, dst, &sep, s->store);
}

HaloStatus cpu_conv(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv, HaloStore store)
{
    if (cpu_is_double(src, dst)) return cpu_double_conv(device, src, dst, conv);
    CpuStencil stencil = cpu_window_stencil(device, src, dst, &conv->window);
    stencil.mask = (CpuMask){conv->tap, conv->window.width, conv->window.height, src->shape.channels};
    stencil.affine = conv->affine;
    stencil.scale = conv->scale;
    stencil.bias = conv->bias;
    stencil.nan_ignore = conv->window.nan_ignore;
    stencil.store = store;
    if (cpu_fft_takes(conv)) return cpu_fft(device, src, dst, conv, store);
    HaloStatus status = HALO_OK;
    CpuRun *run = NULL;
    bool done;
    if (cpu_has_strips(src, dst, &conv->window, 1) && cpu_holds_needed(&stencil)) {
        Strips strips = {.device = device, .conv = conv, .store = store};
        return cpu_strips(device, src, dst, &conv->window, 1, conv_strips, &strips);
    }
    HALO_TRY(cpu_conv_dot_product(device, &stencil, &done));
    if (done) goto out;
    HALO_TRY(find_runs(device, &stencil, &run));
    if (conv->window.nan_ignore)
        leave_nan(&stencil, row_weight(conv->tap, conv->window.width * conv->window.height));
    HALO_TRY(cpu_stencil_run(device, &stencil));
out:
    free(run);
    return status;
}

HaloStatus cpu_sep(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep, HaloStore store)
{
    CpuStencil stencil = cpu_window_stencil(device, src, dst, &sep->window);
    stencil.mask = (CpuMask){sep->tap_y, 1, sep->window.height, src->shape.channels};
    stencil.row = (CpuMask){sep->tap_x, sep->window.width, 1, src->shape.channels};
    stencil.affine = sep->affine;
    stencil.scale = sep->scale;
    stencil.bias = sep->bias;
    stencil.nan_ignore = sep->window.nan_ignore;
    stencil.store = store;
    if (sep->fast != NULL) return cpu_sep_fast(device, src, dst, sep, store);
    /* The column pass sees rows outside as the value itself, strips as sums of the row pass: both are 0 if the
     * value is.
     */
    if (stencil.value == 0.0f && cpu_has_strips(src, dst, &sep->window, 1) && cpu_holds_needed(&stencil)) {
        Strips strips = {.device = device, .sep = sep, .store = store};
        return cpu_strips(device, src, dst, &sep->window, 1, sep_strips, &strips);
    }
    if (cpu_sep_is_fused(&stencil)) return cpu_sep_fused(device, &stencil);
    HaloStatus status = HALO_OK;
    float *ones = NULL;
    if (sep->window.nan_ignore) HALO_TRY(leave_nan_apart(device, &stencil, &ones));
    HALO_TRY(cpu_stencil_run(device, &stencil));
out:
    free(ones);
    return status;
}
