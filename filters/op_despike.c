/* despike: outliers along time become the median of their window (Hampel's filter). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "filter.h"
#include "halo/sequence.h"
#include "halo/text.h"
#include "ops.h"

#define MAD_TO_SIGMA 1.4826 /* of a normal distribution */
#define MOST_WIDTH 65535

typedef struct Despike {
    int64_t radius;
    double k;
} Despike;

static HaloSpan despike_reads(const void *how, int k, const HaloShape *src, HaloSpan part)
{
    const int64_t radius = ((const Despike *)how)->radius;
    (void)k, (void)src;
    return (HaloSpan){part.from - radius, part.to + radius};
}

static int64_t despike_scratch(const void *how, const HaloShape *src)
{
    (void)src;
    return (2 * ((const Despike *)how)->radius + 1) * (int64_t)sizeof(double);
}

/* The samples of a window that are not NaN, in ascending order; -0 counts as 0, so that equal samples are the
 * same. */
typedef struct Window {
    double *at;
    int64_t n;
} Window;

/* The first that is not less than v. */
static int64_t place_of(const Window *window, double v)
{
    int64_t low = 0, high = window->n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (window->at[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert(Window *window, double v)
{
    if (isnan(v)) return;
    const int64_t k = place_of(window, v);
    memmove(window->at + k + 1, window->at + k, (size_t)(window->n - k) * sizeof v);
    window->at[k] = v + 0.0;
    window->n++;
}

static void take_out(Window *window, double v)
{
    if (isnan(v)) return;
    const int64_t k = place_of(window, v);
    window->n--;
    memmove(window->at + k, window->at + k + 1, (size_t)(window->n - k) * sizeof v);
}

static double median_of(const Window *window)
{
    const int64_t middle = window->n / 2;
    if (window->n % 2 == 1) return window->at[middle];
    return window->at[middle - 1] * 0.5 + window->at[middle] * 0.5;
}

/* The median of the distances from `median`: those to the left and to the right of it ascend outwards. */
static double deviation_of(const Window *window, double median)
{
    const int64_t n = window->n, above = place_of(window, median);
    int64_t left = above - 1, right = above;
    double before = 0.0, last = 0.0;
    for (int64_t taken = 0; taken <= n / 2; taken++) {
        const double down = left >= 0 ? median - window->at[left] : INFINITY,
                     up = right < n ? window->at[right] - median : INFINITY;
        before = last;
        last = down <= up ? down : up;
        if (down <= up)
            left--;
        else
            right++;
    }
    return n % 2 == 1 ? last : before * 0.5 + last * 0.5;
}

static void despike_run(const void *how, const HaloSequencePart *part)
{
    const Despike *despike = how;
    const HaloSequenceLines *src = part->src[0];
    const int64_t r = despike->radius, from = part->dst->from, width = src->width;
    Window window = {part->scratch, 0};
    for (int64_t x = from - r; x < from + r; x++)
        if (x >= 0 && x < width) insert(&window, src->at[0][x - src->from]);
    for (int64_t x = from; x < part->dst->to; x++) {
        const double v = src->at[0][x - src->from];
        if (x + r < width) insert(&window, src->at[0][x + r - src->from]);
        const double median = window.n > 0 ? median_of(&window) : v;
        const bool far = !isnan(v) && v != median &&
                         fabs(v - median) > despike->k * MAD_TO_SIGMA * deviation_of(&window, median);
        part->dst->at[0][x - from] = far ? median : v;
        if (x - r >= 0) take_out(&window, src->at[0][x - r - src->from]);
    }
}

static void describe(const void *how, char *text, size_t size)
{
    const Despike *despike = how;
    halo_snprintf(text, size, "outliers of %lld samples, beyond %g deviations",
                  (long long)(2 * despike->radius + 1), despike->k);
}

static const HaloSequenceKind kind = {.name = "despike",
                                      .by_channel = true,
                                      .replaces = true,
                                      .reads = despike_reads,
                                      .scratch = despike_scratch,
                                      .ns = 60.0,
                                      .describe = describe,
                                      .run = despike_run};

static HaloStatus build_despike(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    int64_t width;
    Despike *how = halo_build_keep(builder, sizeof *how);
    if (how == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(filter_samples("despike: width", &arg[0], &width));
    if (arg[0].integer) width |= 1; /* a time becomes the next odd number */
    if (width % 2 == 0)
        HALO_FAIL(HALO_ERR_USAGE, "despike: width has to be odd, not %lld: use %lld or %lld samples",
                  (long long)width, (long long)width - 1, (long long)width + 1);
    *how = (Despike){width / 2, arg[1].number};
    HALO_TRY(halo_build_sequence(builder, in, &kind, how, out));
out:
    return status;
}

static const HaloParam param[] = {
    {.key = "width",
     .type = HALO_PARAM_LENGTH,
     .preset = "5",
     .min = 3,
     .max = MOST_WIDTH,
     .unit = "samples",
     .help = "samples of the window, odd, the outlier in its middle; at the ends it is cut off"},
    {.key = "k",
     .type = HALO_PARAM_NUMBER,
     .preset = "3",
     .min = 0,
     .max = 1e6,
     .help = "how many standard deviations an outlier is away from the median of the window: 1.4826 times the "
             "median of the distances from it (MAD)"},
};

const HaloOp halo_op_despike = {.name = "despike",
                                .help = "replace outliers by the median of their window (Hampel filter)",
                                .known_as = "hampel outliers spikes mad filloutliers",
                                .example = "despike:width=5,k=3",
                                .kinds = HALO_AUDIO,
                                HALO_PARAMS(param),
                                .build = build_despike};
