/* Tables of colours in files. */
#ifndef LUT_H
#define LUT_H

#include "halo/buffer.h"
#include "halo/color.h"
#include "halo/fail.h"

#define LUT_INLINE 64 /* entries in a pipeline's text */

/* Samples from min to max are spread over the entries; values are of full scale 1, unless the reader is told
 * otherwise. */
typedef struct Lut {
    bool cube;
    int size, columns; /* of CURVES: 1 or 3 */
    double min[3], max[3];
    double *value; /* of a cube [size][size][size][3], red fastest; else [size][columns] */
} Lut;

/* Numbers with commas between: the entries of a curve. False: it is something else, such as a path. */
bool lut_parse(const char *text, Lut *lut);
/* The bytes of a .cube file, or of a table of one or three columns. HALO_ERR_INPUT with a message that names
 * the file. */
HaloStatus lut_read(const char *path, const void *bytes, size_t size, Lut *lut);
/* A Hald image: of level n it has n^3 x n^3 pixels, which are the entries of a cube of n^2 on each side, in
 * their order. `path` is for messages. */
HaloStatus lut_from_picture(const char *path, const HaloBuf *picture, Lut *lut);
void lut_free(Lut *lut);

#endif
