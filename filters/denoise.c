#include "denoise.h"
#include "halo/text.h"

#include <stdio.h>
#include <string.h>

#include "halo/curves.h"
#include "halo/fourier.h"

static const Denoise *how_of(const void *how) { return how; }
static int64_t bins_of(const Denoise *how) { return how->size / 2 + 1; }

/* Memory for a call: the spectra and powers of the last windows, gains, and one window of samples. */
typedef struct Scratch {
    double *spectrum[DENOISE_FRAMES], *power[DENOISE_FRAMES], *raw, *gain, *work;
} Scratch;

static int64_t scratch_bytes(const void *parameters, const HaloShape *src)
{
    const Denoise *how = how_of(parameters);
    (void)src;
    return (int64_t)sizeof(double) *
           (DENOISE_FRAMES * (how->size + 2 + bins_of(how)) + 2 * bins_of(how) + how->size + 2);
}

static Scratch scratch_of(const Denoise *how, double *at)
{
    Scratch s;
    for (int i = 0; i < DENOISE_FRAMES; i++) {
        s.spectrum[i] = at;
        s.power[i] = at + how->size + 2;
        at = s.power[i] + bins_of(how);
    }
    s.raw = at;
    s.gain = s.raw + bins_of(how);
    s.work = s.gain + bins_of(how);
    return s;
}

void denoise_transform(const Denoise *how, double *x)
{
    for (int64_t i = 0; i < how->size; i++) x[i] *= how->window[i];
    halo_fourier_real(x, how->size, how->turn);
}

/* The first frame of window t: window 0 is the first that has any frame of the sound. */
static int64_t start_of(const Denoise *how, int64_t t) { return (t - (DENOISE_HOPS - 1)) * how->hop; }

static void analyse(const Denoise *how, const HaloSequenceLines *src, int64_t t, double *spectrum,
                    double *power)
{
    const int64_t start = start_of(how, t);
    for (int64_t i = 0; i < how->size; i++) {
        const int64_t x = start + i;
        spectrum[i] = x >= src->from && x < src->to ? src->at[0][x - src->from] : 0.0;
    }
    denoise_transform(how, spectrum);
    for (int64_t k = 0; k < bins_of(how); k++) power[k] = denoise_power(spectrum, k);
}

/* The power around each bin, in time and frequency, against the noise: how much of it is to be reduced, 0 to 1.
 */
static void compare(const Denoise *how, const double *noise, const Scratch *s)
{
    const int64_t bins = bins_of(how), near = DENOISE_BINS / 2;
    double *along_time = s->gain;
    for (int64_t k = 0; k < bins; k++) {
        along_time[k] = s->power[0][k];
        for (int i = 1; i < DENOISE_FRAMES; i++) along_time[k] += s->power[i][k];
    }
    for (int64_t k = 0; k < bins; k++) {
        const int64_t from = k > near ? k - near : 0, to = k + near < bins ? k + near + 1 : bins;
        double sum = 0.0;
        for (int64_t i = from; i < to; i++) sum += along_time[i];
        const double mean = sum / (double)((to - from) * DENOISE_FRAMES);
        const double least = how->threshold * noise[k], most = least * 4.0; /* 2^DENOISE_KNEE */
        s->raw[k] = mean >= most ? 0.0 : mean > least ? 1.0 - halo_log2(mean / least) / DENOISE_KNEE : 1.0;
    }
}

/* out = the least value, or the mean, of those of the bins up to `near` away. */
static void around(int64_t bins, int64_t near, bool mean, const double *in, double *out)
{
    for (int64_t k = 0; k < bins; k++) {
        const int64_t from = k > near ? k - near : 0, to = k + near < bins ? k + near + 1 : bins;
        double sum = 0.0, least = in[k];
        for (int64_t i = from; i < to; i++) {
            sum += in[i];
            least = in[i] < least ? in[i] : least;
        }
        out[k] = mean ? sum / (double)(to - from) : least;
    }
}

/* The gain of each bin: that of the bin nearby which is reduced least, so that what stays keeps its level; then
 * a mean of decibels. */
static void smooth(const Denoise *how, const Scratch *s)
{
    const int64_t bins = bins_of(how), near = DENOISE_GAINS / 2;
    around(bins, near, false, s->raw, s->gain);
    around(bins, near, true, s->gain, s->raw);
    for (int64_t k = 0; k < bins; k++)
        s->gain[k] = s->raw[k] == 0.0 ? 1.0 : halo_exp2(-how->reduce * s->raw[k]);
}

/* Adds a window of the result to those of its frames that are to be made. The squares of the window add up to
 * DENOISE_HOPS / 2. */
static void add(const Denoise *how, const HaloSequenceLines *dst, int64_t t, const double *spectrum,
                const Scratch *s)
{
    const int64_t start = start_of(how, t);
    const int64_t from = start > dst->from ? start : dst->from,
                  to = start + how->size < dst->to ? start + how->size : dst->to;
    for (int64_t k = 0; k < bins_of(how); k++) {
        s->work[2 * k] = spectrum[2 * k] * s->gain[k];
        s->work[2 * k + 1] = spectrum[2 * k + 1] * s->gain[k];
    }
    halo_fourier_real_back(s->work, how->size, how->turn);
    for (int64_t x = from; x < to; x++)
        dst->at[0][x - dst->from] += s->work[x - start] * how->window[x - start] * (2.0 / DENOISE_HOPS);
}

static void run(const void *parameters, const HaloSequencePart *part)
{
    const Denoise *how = how_of(parameters);
    const HaloSequenceLines *dst = part->dst;
    const Scratch s = scratch_of(how, part->scratch);
    const int64_t first = dst->from / how->hop, last = (dst->to - 1) / how->hop + DENOISE_HOPS - 1,
                  ahead = DENOISE_FRAMES / 2;
    memset(dst->at[0], 0, (size_t)(dst->to - dst->from) * sizeof(double));
    for (int64_t t = first - ahead; t <= last + ahead; t++) {
        const int64_t at = (t - first + ahead) % DENOISE_FRAMES;
        analyse(how, part->src[0], t, s.spectrum[at], s.power[at]);
        if (t < first + ahead) continue;
        /* In the order of time, so that sums do not depend on where the part begins. */
        Scratch ordered = s;
        for (int i = 0; i < DENOISE_FRAMES; i++) ordered.power[i] = s.power[(at + 1 + i) % DENOISE_FRAMES];
        compare(how, how->noise + part->channel * bins_of(how), &ordered);
        smooth(how, &s);
        add(how, dst, t - ahead, s.spectrum[(at + DENOISE_FRAMES - ahead) % DENOISE_FRAMES], &s);
    }
}

static HaloSpan reads(const void *parameters, int k, const HaloShape *src, HaloSpan part)
{
    const Denoise *how = how_of(parameters);
    const int64_t ahead = DENOISE_FRAMES / 2;
    (void)k, (void)src;
    return (HaloSpan){start_of(how, part.from / how->hop - ahead),
                      start_of(how, (part.to - 1) / how->hop + DENOISE_HOPS - 1 + ahead) + how->size};
}

static void describe(const void *parameters, char *text, size_t size)
{
    const Denoise *how = how_of(parameters);
    halo_snprintf(text, size, "spectral gating by %.4g dB, windows of %lld samples, hop %lld",
                  6.020599913279624 * how->reduce, (long long)how->size, (long long)how->hop);
}

const HaloSequenceKind denoise_kind = {.name = "denoise",
                                       .by_channel = true,
                                       .placed = true,
                                       .reads = reads,
                                       .scratch = scratch_bytes,
                                       .ns = 120.0,
                                       .describe = describe,
                                       .run = run};
