/* The bands of the mel scale, as librosa and HTK have them; docs/numerics.md defines them. */
#ifndef MEL_H
#define MEL_H

#include "halo/spectrum.h"
#include "ops.h"

typedef enum MelFormula { MEL_SLANEY, MEL_HTK } MelFormula;

typedef struct MelBank {
    MelFormula formula;
    bool normed; /* each band's weights are divided by half its width in Hz */
    double low, high, rate;
    int64_t bands, window;
} MelBank;

/* The transform's length: `fft`, or, where it is not given, the next power of two from the window's length on.
 */
HaloStatus mel_length(const char *op, const HaloValue *fft, int64_t window, int64_t *length);
/* bin[b]: the bins of band b that have a weight. The weights of all of them are returned, NULL without memory.
 */
double *mel_weights(HaloBuilder *builder, const MelBank *bank, HaloSpan *bin);
/* Sets the Hann window, periodic, in the middle of the transform's length, and the twiddle factors. */
HaloStatus mel_tables(HaloBuilder *builder, int64_t window, HaloSpectrum *spectrum);

#endif
