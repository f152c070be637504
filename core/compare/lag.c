/* The lag between two sounds: the position of the maximum of their cross-correlation, by FFT. Both sounds,
 * their channels summed, share one transform as its real and imaginary parts. */
#include <math.h>

#include "part.h"

#ifdef HALO_HAVE_KISSFFT
#include <kiss_fft.h>
#include <stdlib.h>

#define LONGEST ((int64_t)1 << 30) /* complex numbers that kissfft counts */

/* All channels of a frame, added up. */
static double mixed(const HaloBuf *from, int64_t frame, double scale)
{
    double sum = 0.0;
    const int channels = from->shape.channels;
    for (int c = 0; c < channels; c++) {
        double one;
        HaloBuf view = *from;
        view.shape.channels = 1;
        view.shape.width *= channels;
        pair_load(&view, frame * channels + c, 0, 1, scale, &one);
        sum += one;
    }
    return sum;
}

/* Separates the spectra of both sounds and multiplies the conjugate of the first with the second. */
static void multiply_spectra(kiss_fft_cpx *z, int64_t n)
{
    for (int64_t k = 0; k <= n / 2; k++) {
        const int64_t m = (n - k) % n;
        const kiss_fft_cpx p = z[k], q = z[m];
        const float ar = (p.r + q.r) / 2, ai = (p.i - q.i) / 2, br = (p.i + q.i) / 2, bi = (q.r - p.r) / 2;
        z[k] = (kiss_fft_cpx){ar * br + ai * bi, ar * bi - ai * br};
        z[m] = (kiss_fft_cpx){z[k].r, -z[k].i};
    }
}

static HaloStatus transform(kiss_fft_cpx *from, kiss_fft_cpx *to, int64_t n, bool inverse)
{
    kiss_fft_cfg plan = kiss_fft_alloc((int)n, inverse, NULL, NULL);
    if (plan == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    kiss_fft(plan, from, to);
    kiss_fft_free(plan);
    return HALO_OK;
}

static double power(const HaloBuf *from, int64_t first, int64_t frames, double scale)
{
    double sum = 0.0;
    for (int64_t i = first; i < first + frames; i++) {
        const double one = mixed(from, i, scale);
        sum += one * one;
    }
    return sum;
}

/* The square root of the product of both energies: of the shorter sound, and of the same number of frames of
 * the longer one, those it overlaps when b is shifted by `lag` (moved inside at the ends). So a clip that was
 * cut out of a recording has a correlation of 1 with it. */
static double powers(const Pair *pair, int64_t lag)
{
    const int64_t a = pair->a->shape.width, b = pair->b->shape.width, both = smaller(a, b);
    const int64_t of_a = larger(smaller(-lag, a - both), 0), of_b = larger(smaller(lag, b - both), 0);
    return sqrt(power(pair->a, of_a, both, 1.0) * power(pair->b, of_b, both, pair->scale));
}

static HaloStatus tell(Device *device, double done)
{
    return progress_is_due(device) ? progress_tell(device, done) : HALO_OK;
}

HaloStatus compare_lag(const Pair *pair, HaloComparison *all)
{
    HaloStatus status = HALO_OK;
    const int64_t of_a = pair->a->shape.width, of_b = pair->b->shape.width;
    int64_t n = 2, bytes = 0, best = 0;
    kiss_fft_cpx *signal = NULL, *spectrum = NULL;
    double found, scale;
    all->lag = all->correlation = (double)NAN;
    if (pair->a->shape.kind != HALO_AUDIO || of_a + of_b > LONGEST) return HALO_OK;
    if (of_a == of_b && all->differing == 0) { /* no correlation is greater than that of a sound with itself */
        scale = powers(pair, 0);
        if (scale > 0 && isfinite(scale)) all->lag = 0.0;
        if (scale > 0 && isfinite(scale)) all->correlation = 1.0;
        return HALO_OK;
    }
    while (n < of_a + of_b) n *= 2;
    bytes = 3 * n * (int64_t)sizeof *signal; /* kissfft's own, too */
    HALO_TRY(halo_memory_hold(pair->memory, bytes));
    signal = calloc((size_t)n, sizeof *signal);
    spectrum = malloc((size_t)n * sizeof *spectrum);
    if (signal == NULL || spectrum == NULL) {
        status = halo_fail(HALO_ERR_LIMIT, "not enough memory");
        goto release;
    }
    for (int64_t i = 0; i < of_a; i++) signal[i].r = (float)mixed(pair->a, i, 1.0);
    for (int64_t i = 0; i < of_b; i++) signal[i].i = (float)mixed(pair->b, i, pair->scale);
    if ((status = tell(pair->device, 0.1)) != HALO_OK) goto release;
    if (transform(signal, spectrum, n, false) != HALO_OK) goto release;
    if ((status = tell(pair->device, 0.5)) != HALO_OK) goto release;
    multiply_spectra(spectrum, n);
    if (transform(spectrum, signal, n, true) != HALO_OK) goto release;
    for (int64_t i = 1; i < n; i++)
        if (signal[i].r > signal[best].r) best = i;
    found = (double)signal[best].r / (double)n;
    if (best >= of_b) best -= n;
    scale = powers(pair, best);
    if (!(scale > 0 && isfinite(scale) && isfinite(found))) goto release; /* silence, or NaN */
    all->lag = (double)best;
    all->correlation = found / scale;
release:
    free(spectrum);
    free(signal);
    halo_memory_release(pair->memory, bytes);
out:
    return status;
}

#else
HaloStatus compare_lag(const Pair *pair, HaloComparison *all)
{
    (void)pair;
    all->lag = all->correlation = (double)NAN;
    return HALO_OK;
}
#endif
