/* Convolution masks as the user gives them: a string, a file, or a name. */
#ifndef HALO_MASK_H
#define HALO_MASK_H

#include <stdint.h>

#include "halo/buffer.h"
#include "halo/fail.h"

#ifdef __cplusplus
extern "C" {
#endif

/* No side of a mask is longer than this; far beyond use, it keeps size arithmetic in range. */
#define HALO_MASK_MAX_SIDE 1048576

/* width x height coefficients, row-major, in f64: they are rounded to f32 once, when a plan is built. Taps
 * that ImageMagick's syntax leaves outside the mask ("-" or "nan") are 0. */
typedef struct HaloMask {
    int64_t width, height;
    int64_t anchor_x, anchor_y; /* the tap that lies on the output sample; (width/2, height/2) unless given */
    double scale, bias;         /* out = bias + scale * sum; 1 and 0 unless the file says otherwise */
    double *tap;                /* [channels][height][width] */
    int channels;               /* of an impulse response: one row of taps for each channel; else 1 */
    double rate;                /* of a sound file; 0: it has none */
    bool filed;                 /* it was read from a file that has an identity, */
    uint64_t file[2];           /* which are its device and inode */
} HaloMask;

/* One named mask: its coefficients, or the function that makes them. */
typedef struct HaloMaskRow {
    const char *name;
    const char *help;
    int width, height;
    const double *tap; /* width * height values */
} HaloMaskRow;

/* A zeroed mask of this size with the default anchor; HALO_ERR_USAGE for a size of nothing or beyond
 * HALO_MASK_MAX_SIDE, HALO_ERR_LIMIT without memory. */
HALO_API HaloStatus halo_mask_alloc(HaloMask *mask, int64_t width, int64_t height);
HALO_API void halo_mask_free(HaloMask *mask);

/* Reads any of the text dialects: libvips ("W H [scale offset]" and rows), ImageMagick ("WxH[+X+Y]: a,b,…"),
 * netpbm -matrix ("a,b;c,d"), one coefficient per line, CSV rows. '#' starts a comment. `name` stands in
 * messages ("k.mat:3:7: expected a number, found 'x'"). HALO_ERR_USAGE for a mistake. */
HALO_API HaloStatus halo_mask_parse(const char *name, const char *text, size_t length, HaloMask *mask);

#ifdef __cplusplus
}
#endif
#endif
