/* What frames along time hold: how loud they are, or their spectra. */
#ifndef HALO_SPECTRUM_H
#define HALO_SPECTRUM_H

#include "halo/primitive.h"

typedef enum HaloSpectrumKind {
    HALO_SPECTRUM_LEVELS,    /* two channels for each: RMS and peak, in decibels */
    HALO_SPECTRUM_MAGNITUDE, /* pictures: a column for each frame, the highest frequency above */
    HALO_SPECTRUM_DECIBELS,  /* the same in decibels above `floor` */
    HALO_SPECTRUM_BANDS      /* sound again: powers in bands of frequencies, a channel for each */
} HaloSpectrumKind;

/* `table`, of MAGNITUDE and DECIBELS: sound in place of a picture, a channel for each frequency, from the
 * lowest up, those of a channel of the source one after the other; decibels are not less `floor` then.
 *
 * LEVELS: sound. Frame k holds samples k * window … of n, as many of `window` as there are. In f64, in their
 * order: RMS is the root of the sum of squares over their number, the peak the greatest magnitude (NaN where
 * one is); as decibels 20 log10(2) halo_log2(…), at least `floor`.
 *
 * MAGNITUDE and DECIBELS: an image of 1 + (n - 1) / hop columns and window / 2 + 1 rows. Frame k holds samples
 * x(k * hop - window / 2 + i) for 0 <= i < window, 0 where there are none, each times weight[i], as f64. With N
 * = window / 2, z(m) = x(2 m) + i x(2 m + 1) and turn(k) = exp(-2 pi i k / window), a pair of f64 each: Z is
 * the Fourier transform of z, by radix 2, decimated in time, from pairs up: (a, b) becomes (a + t b, a - t b),
 * t = turn(k window / size), t b as (t.re b.re - t.im b.im, t.re b.im + t.im b.re). With A = Z(k), B the
 * conjugate of Z(N - k), Z(N) = Z(0): E = (A + B) / 2, O = (A - B) / 2, and X(k) = E - i turn(k) O, which for k
 * = N is turn(N) = -1. The sample is `scale` * |X|, or the decibels of (scale |X|)^2, less `floor`, at least 0.
 * Where there are more than `columns` frames, a column is that of the greatest |X|^2 (NaN where one is) of so
 * many frames, side by side, that there are at most `columns`; the last one of as many as are left.
 *
 * BANDS: 1 + n / hop frames, likewise. Channel c * bands + b is made of channel c: from +0, for the bins k of
 * band b in ascending order, each product and each sum rounded to f64, the sum of weight * |X(k)|^2. The
 * weights of all bands stand one after the other in `bank`. */
struct HaloSpectrum {
    HaloSpectrumKind kind;
    int64_t window, hop;  /* spectra: a power of two, 4 at least */
    const double *weight; /* [window] */
    const double *turn;   /* [window / 2 + 1][2] */
    double scale, floor;
    int64_t columns; /* of a picture, at most; 0: all */
    /* Sound again, in place of a picture: frame k is column k, a channel for each frequency as of a table. */
    bool strips;
    const float *made; /* of a picture: those frames; the source is not read. NULL: they are not known */
    bool table;
    int64_t bands;
    const HaloSpan *bin; /* [bands] */
    const double *bank;
};

/* The frames of a picture of so many samples, and how many of them become one column. */
static inline int64_t halo_spectrum_frames(const struct HaloSpectrum *spectrum, int64_t width)
{
    return 1 + (width - 1) / spectrum->hop;
}

static inline int64_t halo_spectrum_held(const struct HaloSpectrum *spectrum, int64_t width)
{
    const int64_t frames = halo_spectrum_frames(spectrum, width);
    return spectrum->columns > 0 ? (frames - 1) / spectrum->columns + 1 : 1;
}

#endif
