/* xcorr: the cross-correlation of two sounds, or of a sound with itself. */
#include <math.h>
#include <stdio.h>

#include "filter.h"
#include "found.h"
#include "halo/fourier.h"
#include "halo/sequence.h"
#include "lags.h"
#include "ops.h"

enum { XCORR_WITH, XCORR_SCALE, XCORR_LAG };

typedef struct Xcorr {
    int64_t size;     /* of the transform */
    int64_t first;    /* the first lag, at most 0 */
    int64_t width;    /* of the result */
    bool coefficient; /* over the root of both energies */
} Xcorr;

static HaloStatus xcorr_shape(const void *how, const HaloShape *src, HaloShape *dst)
{
    (void)src;
    dst->width = ((const Xcorr *)how)->width;
    return HALO_OK;
}

static int64_t xcorr_scratch(const void *how, const HaloShape *src)
{
    (void)src;
    return 3 * (((const Xcorr *)how)->size + 2) * (int64_t)sizeof(double);
}

/* The samples, and zeros behind them. Returns the sum of squares. */
static double load(const HaloSequenceLines *src, int64_t size, double *x)
{
    double energy = 0.0;
    for (int64_t i = 0; i < src->width; i++) {
        x[i] = src->at[0][i];
        energy = energy + x[i] * x[i];
    }
    for (int64_t i = src->width; i < size; i++) x[i] = 0.0;
    return energy;
}

static void xcorr_run(const void *how, const HaloSequencePart *part)
{
    const Xcorr *xcorr = how;
    const int64_t n = xcorr->size;
    double *const a = part->scratch, *const b = a + n + 2, *const turn = b + n + 2;
    const double energy = load(part->src[0], n, a), other = load(part->src[1], n, b);
    const double scale = xcorr->coefficient ? sqrt(energy) * sqrt(other) : 1.0;
    halo_fourier_turns(n, turn);
    halo_fourier_real(a, n, turn);
    halo_fourier_real(b, n, turn);
    for (int64_t k = 0; k <= n / 2; k++) {
        double *const x = a + 2 * k, *const y = b + 2 * k;
        const double re = x[0] * y[0] + x[1] * y[1], im = x[1] * y[0] - x[0] * y[1];
        x[0] = re;
        x[1] = im;
    }
    halo_fourier_real_back(a, n, turn);
    for (int64_t i = 0; i < xcorr->width; i++) part->dst->at[0][i] = a[(xcorr->first + i + n) % n] / scale;
}

static void xcorr_describe(const void *how, char *text, size_t size)
{
    const Xcorr *xcorr = how;
    snprintf(text, size, "correlation at lags from %lld to %lld, by transforms of %lld",
             (long long)xcorr->first, (long long)(xcorr->first + xcorr->width - 1), (long long)xcorr->size);
}

static const HaloSequenceKind kind = {.name = "xcorr",
                                      .by_channel = true,
                                      .whole = true,
                                      .shape = xcorr_shape,
                                      .scratch = xcorr_scratch,
                                      .ns = 300.0,
                                      .describe = xcorr_describe,
                                      .run = xcorr_run};

/* All of both sounds in one transform; refused here, where the key that helps is known. */
static HaloStatus append_whole(HaloBuilder *builder, const Xcorr *wanted, HaloReg in, HaloReg other,
                               HaloReg *out)
{
    Xcorr *how = halo_build_keep(builder, sizeof *how);
    if (how == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    *how = *wanted;
    const double needed = (double)xcorr_scratch(how, NULL) / (1 << 20);
    if (!halo_build_open_ended(builder) && needed > (double)halo_build_memory(builder) / (1 << 20))
        return halo_fail(HALO_ERR_LIMIT,
                         "xcorr: all %lld lags at once take %.0f MiB, more than --max-memory allows: lag=1s "
                         "takes those of up to a second, block by block",
                         (long long)how->width, needed);
    return halo_build_sequence_of_two(builder, in, other, &kind, how, out);
}

static HaloStatus append_blocks(HaloBuilder *builder, const Xcorr *wanted, int64_t size, HaloReg in,
                                HaloReg other, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *const here = halo_build_shape(builder, in), *const there =
                                                                     halo_build_shape(builder, other);
    const int64_t behind = wanted->first + wanted->width - 1;
    const double rate = here->rate;
    double *value;
    Lags *how = halo_build_keep(builder, sizeof *how);
    if (how == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    *how = (Lags){.channels = here->channels,
                  .before = -wanted->first,
                  .behind = behind,
                  .width = here->width > there->width ? here->width : there->width,
                  .size = size,
                  .block = size - behind + wanted->first,
                  .coefficient = wanted->coefficient};
    HALO_TRY(lags_find(builder, in, other, how, &value));
    HALO_TRY(found_append(builder, in,
                          &(Found){.what = "correlation at few lags, block by block",
                                   .frames = wanted->width,
                                   .rate = rate,
                                   .value = value},
                          out));
out:
    return status;
}

static HaloStatus build_xcorr(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloReg other = in;
    if (arg[XCORR_WITH].given)
        HALO_TRY(halo_build_source(builder, &arg[XCORR_WITH], in, HALO_FIT_MIXED, &other));
    if (halo_build_open_ended(builder)) halo_build_wants_length(builder);
    const double rate = halo_build_shape(builder, in)->rate;
    const int64_t here = halo_build_shape(builder, in)->width, there = halo_build_shape(builder, other)->width;
    int64_t before = there - 1, behind = here - 1;
    if (arg[XCORR_LAG].given) {
        const int64_t most = (int64_t)arg[XCORR_LAG].number;
        if (before > most) before = most;
        if (behind > most) behind = most;
    }
    Xcorr how = {.size = 2,
                 .first = -before,
                 .width = before + behind + 1,
                 .coefficient = arg[XCORR_SCALE].integer == 1};
    while (how.size < here + there - 1) how.size *= 2;
    const int64_t few = arg[XCORR_LAG].given ? lags_size(before, behind) : how.size;
    HALO_TRY(few < how.size ? append_blocks(builder, &how, few, in, other, out)
                            : append_whole(builder, &how, in, other, out));
    HALO_TRY(halo_build_axis(builder, *out, "lag", (double)-before / rate, 1.0 / rate));
out:
    return status;
}

static const HaloParam param[] = {
    [XCORR_WITH] =
        {.key = "with",
         .type = HALO_PARAM_SOURCE,
         .preset = "",
         .help = "file with as many channels or one, or a [pipeline] that starts from what arrives here; "
                 "without it: the sound itself"},
    [XCORR_SCALE] =
        {.key = "scale",
         .type = HALO_PARAM_CHOICE,
         .preset = "sum",
         .choices = "sum|coefficient",
         .help = "sum: of the products of samples; coefficient: over the root of both energies, 1 where "
                 "both are the same"},
    [XCORR_LAG] = {.key = "lag",
                   .type = HALO_PARAM_LENGTH,
                   .preset = "",
                   .min = 0,
                   .max = 1e12,
                   .unit = "samples",
                   .help =
                       "greatest lag, either way; default: as far as they overlap, which takes both sounds in "
                       "memory"},
};

const HaloOp halo_op_xcorr = {
    .name = "xcorr",
    .help =
        "correlation with another sound at every lag, in seconds, negative first: a peak at lag t where the "
        "input is t later than the other",
    .known_as = "correlate crosscorrelation autocorrelation delay lag ccf acf",
    .example = "xcorr:[reverse]",
    .kinds = HALO_AUDIO,
    HALO_PARAMS(param),
    .build = build_xcorr};
