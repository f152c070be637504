/* Bands of the mel scale: their edges, weights and tables for the spectrum under them. */
#include "mel.h"

#include <math.h>

#include "halo/fourier.h"

static const double pi = 3.14159265358979323846;

/* ---- scales --------------------------------------------------------------------------------------------- */

/* M. Slaney, "Auditory Toolbox", 1998: linear below 1 kHz, and 27 steps for a factor of 6.4 above. */
#define LINEAR_STEP (200.0 / 3.0)
#define BREAK_HZ 1000.0
#define BREAK_MEL 15.0

static double mel_of(MelFormula formula, double hz)
{
    if (formula == MEL_HTK) return 2595.0 * log10(1.0 + hz / 700.0);
    return hz < BREAK_HZ ? hz / LINEAR_STEP : BREAK_MEL + log(hz / BREAK_HZ) * (27.0 / log(6.4));
}

static double hz_of(MelFormula formula, double mel)
{
    if (formula == MEL_HTK) return 700.0 * (pow(10.0, mel / 2595.0) - 1.0);
    return mel < BREAK_MEL ? mel * LINEAR_STEP : BREAK_HZ * exp((mel - BREAK_MEL) * (log(6.4) / 27.0));
}

/* ---- bands ---------------------------------------------------------------------------------------------- */

static double edge_of(const MelBank *bank, int64_t k)
{
    const double low = mel_of(bank->formula, bank->low), high = mel_of(bank->formula, bank->high);
    return hz_of(bank->formula, low + (high - low) * ((double)k / (double)(bank->bands + 1)));
}

/* Triangles: 0 at an edge, 1 at the next one, 0 at that behind it. */
static double weight_of(const MelBank *bank, const double edge[3], int64_t bin)
{
    const double hz = (double)bin * bank->rate / (double)bank->window;
    const double up = (hz - edge[0]) / (edge[1] - edge[0]), down = (edge[2] - hz) / (edge[2] - edge[1]);
    const double weight = up < down ? up : down;
    if (!(weight > 0.0)) return 0.0;
    return bank->normed ? weight * (2.0 / (edge[2] - edge[0])) : weight;
}

double *mel_weights(HaloBuilder *builder, const MelBank *bank, HaloSpan *bin)
{
    const int64_t bins = bank->window / 2 + 1;
    double *const weight = halo_build_keep(builder, (size_t)(2 * bins + bank->bands) * sizeof *weight);
    int64_t count = 0;
    for (int64_t b = 0; b < bank->bands && weight != NULL; b++) {
        const double edge[3] = {edge_of(bank, b), edge_of(bank, b + 1), edge_of(bank, b + 2)};
        const double step = bank->rate / (double)bank->window;
        int64_t k = (int64_t)(edge[0] / step);
        while (k < bins && (double)k * step < edge[2] && weight_of(bank, edge, k) == 0.0) k++;
        bin[b].from = k;
        for (double w; k < bins && (w = weight_of(bank, edge, k)) > 0.0; k++) weight[count++] = w;
        bin[b].to = k;
    }
    return weight;
}

/* ---- spectrum ---------------------------------------------------------------------------------------------
 */

HaloStatus mel_length(const char *op, const HaloValue *fft, int64_t window, int64_t *length)
{
    *length = 4;
    while (*length < window) *length *= 2;
    if (!fft->given) return HALO_OK;
    if ((fft->integer & (fft->integer - 1)) != 0 || fft->integer < window)
        return halo_fail(HALO_ERR_USAGE,
                         "%s: fft has to be a power of two of at least the window's %lld samples, not %lld", op,
                         (long long)window, (long long)fft->integer);
    *length = fft->integer;
    return HALO_OK;
}

HaloStatus mel_tables(HaloBuilder *builder, int64_t window, HaloSpectrum *spectrum)
{
    const int64_t n = spectrum->window, before = (n - window) / 2;
    double *const weight = halo_build_keep(builder, (size_t)n * sizeof *weight), *const turn = halo_build_keep(
                                                                                     builder, (size_t)(n + 2) *
                                                                                                  sizeof *turn);
    if (weight == NULL || turn == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t i = 0; i < n; i++) weight[i] = 0.0;
    for (int64_t i = 0; i < window; i++)
        weight[before + i] = 0.5 - 0.5 * cos(2.0 * pi * (double)i / (double)window);
    halo_fourier_turns(n, turn);
    spectrum->weight = weight;
    spectrum->turn = turn;
    return HALO_OK;
}
