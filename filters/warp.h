/* Geometry at any angle: what the operations that interpolate at places share. */
#ifndef WARP_H
#define WARP_H

#include "geometry.h"

/* The last parameters of each of them, in this order. */
enum { WARP_KERNEL, WARP_BORDER, WARP_ALPHA, WARP_SAMPLES };

#define WARP_PARAMS(from, edge)                                                                                \
    [(from) +                                                                                                  \
        WARP_KERNEL] = {.key = "kernel",                                                                       \
                        .type = HALO_PARAM_CHOICE,                                                             \
                        .preset = "linear",                                                                    \
                        .choices = "linear|nearest|cubic|lanczos3",                                            \
                        .help = "how pixels around a place are weighted: cubic is Catmull-Rom's"},             \
        [(from) + WARP_BORDER] = {.key = "border",                                                             \
                                  .type = HALO_PARAM_BORDER,                                                   \
                                  .preset = (edge),                                                            \
                                  .choices = HALO_BORDER_PAD_CHOICES,                                          \
                                  .help = "samples outside: zero, constant=V (in every channel, alpha too), "  \
                                          "replicate, reflect, mirror, wrap"},                                 \
        [(from) + WARP_ALPHA] = {.key = "alpha",                                                               \
                                 .type = HALO_PARAM_CHOICE,                                                    \
                                 .preset = "",                                                                 \
                                 .choices = "premul|straight",                                                 \
                                 .help = "weight colours by alpha (premul, the default), or take it like any " \
                                         "channel (straight)"}

/* Behind them; not of `warp`, whose map has one place for each pixel. */
#define WARP_SAMPLES_PARAM(from)                                                                            \
    [(from) + WARP_SAMPLES] = {.key = "samples",                                                            \
                               .type = HALO_PARAM_INTEGER,                                                  \
                               .preset = "",                                                                \
                               .min = 1,                                                                    \
                               .max = WARP_MAX_SAMPLES,                                                     \
                               .help = "each pixel is the mean of N x N points in it; default: enough for " \
                                       "a smaller result without moire, 1 where nothing shrinks"}

#define WARP_MAX_SAMPLES 64

#define WARP_SIZE(otherwise)                                                                     \
    {                                                                                            \
        .key = "size", .type = HALO_PARAM_TEXT, .preset = "", .check = geometry_check_rectangle, \
        .unit = "pixels", .help = "WxH of the result; default: " otherwise                       \
    }

/* The size of the result, as `size`, "WxH", says, or this one. */
HaloStatus warp_size(const char *where, const HaloValue *size, int64_t width, int64_t height, HaloWarp *warp);

/* Lists of numbers, as a TEXT has them: HALO_ERR_USAGE, beginning with `where`, unless there are `least` to
 * `most` finite ones. */
HaloStatus warp_numbers(const char *where, const char *text, int least, int most, double *number, int *count);

/* Matrices of 3 x 3, row by row. False: there is no inverse, or no finite one. */
bool warp_invert(const double m[9], double inverse[9]);
/* What leads from four points, x and y in turn, to four others. */
bool warp_between(const double from[8], const double to[8], double m[9]);

/* *out = `in` by this warp, whose kernel, border and points the arguments from `arg` on set (WARP_PARAMS);
 * `map` as in halo_build_warp. */
HaloStatus warp_build(HaloBuilder *builder, HaloWarp *warp, const HaloValue *arg, HaloReg in, HaloReg map,
                      HaloReg *out);

#endif
