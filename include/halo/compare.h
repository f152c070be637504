/* How two pictures or sounds differ (docs/numerics.md, "Comparing"). */
#ifndef HALO_COMPARE_H
#define HALO_COMPARE_H

#include "halo/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Measures that take longer, and are made where they are asked for. */
enum { HALO_COMPARE_DELTAE = 1, HALO_COMPARE_MSSSIM = 2, HALO_COMPARE_FLIP = 4 };

typedef struct HaloCompareMore {
    unsigned measures; /* a set of these */
    double ppd;        /* of FLIP: pixels for each degree of the field of view, 1 to 1000; 0: 67 */
} HaloCompareMore;

/* Differences are in units of the first. */
typedef struct HaloComparison {
    HaloShape shape;     /* of the first */
    int64_t other_width; /* of the second; of sounds, the frames, another perhaps */
    int64_t image;       /* the number of the image in its file, from 1; 0: the only one */
    uint64_t samples, differing;
    int64_t times;          /* of tables: rows that both have, at different times */
    int64_t times_row;      /* the first of them, from 0 on */
    double times_off;       /* in seconds: how much later it is in the second */
    double max, mean, rmse; /* of the magnitudes of the differences */
    int64_t max_x, max_y;   /* where the first of the greatest differences is; -1: none is above 0 */
    int max_channel;
    double psnr;       /* in dB, of full scale; infinite if nothing differs */
    double ssim;       /* NaN: of sound, or of pictures of less than 11 pixels a side */
    unsigned measures; /* which of these there are; each NaN where it is undefined for such pictures: */
    double deltae, deltae_95, deltae_max; /* CIEDE2000: the mean, the 95th percentile, and the maximum */
    double msssim;                        /* NaN: of pictures of less than 176 pixels a side */
    double flip;
    double lag;         /* of sound: the lag of the second, in frames, at the maximum of the correlation, */
    double correlation; /* and that correlation, -1 to 1; NaN: not known */
    HaloNotes notes;    /* what reading the two lost */
} HaloComparison;

/* Compares all images of two files, which have to be of one size, with as many channels; sounds may have
 * different lengths, and the rest of the longer one is compared with silence. `raw` as in HaloJob; `more` NULL:
 * nothing. *item, one for each image, is freed by `free`. HALO_ERR_INPUT, which names both, where they cannot
 * be compared. */
HALO_API HaloStatus halo_compare(HaloSession *session, const char *a, const char *b, const HaloShape *raw,
                                 const HaloCompareMore *more, HaloComparison **item, int *items);

#ifdef __cplusplus
}
#endif
#endif
