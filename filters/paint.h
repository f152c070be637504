/* Colours that people name, and what is made of them. */
#ifndef PAINT_H
#define PAINT_H

#include "halo/op.h"

/* Red, green, blue and alpha as shares of full scale, coded as the samples are. */
typedef struct Paint {
    double share[4];
} Paint;

#define PAINT_HELP "#RRGGBB, #RGB, or black, white, gray, silver, red, green, blue, yellow …, as CSS has them"

/* "white" or "#ff8000", with alpha "transparent" or "#ff800080". HALO_ERR_USAGE with a message that begins with
 * `where`; the other is a parameter's `check`. */
HaloStatus paint_read(const char *where, const char *text, Paint *paint);
HaloStatus paint_check(const char *where, const char *text);

/* The sample of each channel, in units of the value, for paint_channel: of a gray picture gray alone.
 * HALO_ERR_INPUT with a message. */
HaloStatus paint_fits(const char *where, const HaloShape *shape, const Paint *paint);
double paint_sample(const HaloShape *shape, const Paint *paint, int channel);

/* fill: all within the rectangle stays, the rest becomes the colour. */
HaloStatus paint_around(HaloBuilder *builder, HaloReg in, const Paint *paint, int64_t x, int64_t y,
                        int64_t width, int64_t height, HaloReg *out);
/* A picture with alpha, as seen on the colour: colour * (1 - t) + v * t, t being alpha's share of full scale;
 * alpha is what it was. */
HaloStatus paint_below(HaloBuilder *builder, HaloReg in, const Paint *paint, HaloReg *out);

#endif
