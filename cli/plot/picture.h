/* An image as it comes, row by row, reduced to what a plot shows; and how it is drawn: in its colours, or by a
 * scale of colours. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "frame.h"
#include "halo/extend.h"
#include "trace.h"

typedef struct Picture {
    HaloShape shape;
    bool peaks;       /* a cell shows the greatest of its samples, not their mean */
    int across, down; /* cells, at most one for each pixel */
    float *cell;      /* [channels][down][across] */
    uint32_t *count;  /* [down][across] samples in it, of a mean */
} Picture;

/* For a panel of this canvas. */
Picture picture_new(const HaloShape *shape, bool peaks, const Canvas *canvas);
void picture_add(Picture *picture, const HaloBuf *rows);
void picture_free(Picture *picture);
/* Of a trace: its bins to the right, its channels up; a cell shows the greatest sample. */
Picture picture_of_trace(const Trace *trace, const Canvas *canvas);

/* The scale of colours of one panel: `lo` is black and `hi` white. */
typedef struct PictureScale {
    double lo, hi;
    const char *unit;
} PictureScale;

/* Draws a channel into its frame, and the scale on its right side; or, `scale` NULL, all channels as colours.
 */
void picture_draw(const Picture *picture, const Frame *frame, int channel, const PictureScale *scale);
/* From the least to the greatest finite cell of all channels. */
PictureScale picture_range(const Picture *picture);
/* Is it in colours, or gray with a full scale? */
bool picture_is_plain(const Picture *picture);

#define PICTURE_BESIDE 12    /* letters for the scale */
#define PICTURE_COLUMNS 4096 /* of a spectrogram: several for each cell, so that their borders hardly move */

#endif
