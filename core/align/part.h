/* Correlation by phases. Spectra are of real pictures, so that half of their columns is enough. */
#ifndef CORE_ALIGN_PART_H
#define CORE_ALIGN_PART_H

#include "core.h"
#include "halo/align.h"
#include "halo/pool.h"

/* dft.c: Fourier transforms of any length: by halo_fourier, or, where that is no power of two, by a convolution
 * with a chirp (L. Bluestein, 1970). */
typedef struct Dft {
    int64_t length, padded; /* equal: a power of two */
    double *turn;           /* of `padded` */
    double *chirp, *kernel; /* [length], and the transform of its conjugate: [padded] */
} Dft;
HaloStatus dft_open(int64_t length, Dft *dft);
void dft_close(Dft *dft);
int64_t dft_scratch(const Dft *dft); /* numbers */
/* n complex numbers, in place; inverse: not divided by n. */
void dft_run(const Dft *dft, double *z, bool inverse, double *scratch);

/* plane.c */
typedef struct Planes {
    int64_t width, height, bins; /* bins: width / 2 + 1 */
    Dft along, down;
    HaloPool *pool;
    HaloMemory *memory;
    double *scratch; /* [jobs] */
    int64_t of_worker, held;
} Planes;
HaloStatus planes_open(int64_t width, int64_t height, int jobs, HaloPool *pool, HaloMemory *memory,
                       Planes *planes);
void planes_close(Planes *planes);
int64_t planes_size(const Planes *planes); /* numbers of a spectrum */
/* The picture, in rows as below, less its mean, and towards its sides ever less of it: what is beyond one side
 * would otherwise border on the other side, a cross through all pictures, which lies at a shift of nothing. */
HaloStatus planes_window(const Planes *planes, double *picture);
/* `spectrum` holds the picture, row by row, of 2 * bins numbers each, and becomes its transform; and back, not
 * divided by the number of pixels. */
void planes_forward(const Planes *planes, double *spectrum);
void planes_back(const Planes *planes, double *spectrum);

/* correlate.c: finds the shift (x, y and peak) from the spectrum of the reference and that of another, which
 * becomes that of their correlation, `by_phase`: divided by the root of its magnitude; `space` is a third.
 * *found false: it has no maximum, since samples are not finite. */
HaloStatus correlate(const Planes *planes, bool by_phase, const double *reference, double *other, double *space,
                     HaloShift *shift, bool *found);

/* rotation.c */
typedef struct Transformation {
    double rotation, scale; /* in degrees, clockwise, and a factor: of a picture, round its centre */
} Transformation;

typedef struct Rotations {
    const Planes *planes; /* of the pictures */
    Planes polar;
    double *picture;     /* [height][width] */
    double *spectrum[3]; /* of the log-polar pictures: of the reference, of another, and of their correlation */
    double *sum;         /* of rows of both kinds of pictures */
    int64_t held;
} Rotations;
HaloStatus rotations_open(const Planes *planes, int jobs, Rotations *work);
void rotations_close(Rotations *work);
/* Subtracts the mean of the picture. */
void rotations_centre(const Rotations *work);
/* The picture, turned and scaled, in rows of 2 * bins numbers. */
void rotations_show(const Rotations *work, Transformation by, double *to);
/* spectrum[which] of that; `space` holds a spectrum. */
void rotations_polar(const Rotations *work, Transformation by, double *space, int which);
/* What lays the picture on the one that spectrum[0] is of, but for half a turn more. */
HaloStatus rotations_find(const Rotations *work, double *space, Transformation *found, bool *is_found);

#endif
