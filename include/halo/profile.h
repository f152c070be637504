/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * ICC profiles, as Little CMS reads them (io/library/profile.c). */
#ifndef HALO_PROFILE_H
#define HALO_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "halo/fail.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HALO_PROFILE_CURVE 4096 /* entries */
#define HALO_PROFILE_CUBE 65    /* on each side */

/* What leads from samples to sRGB. */
typedef struct HaloProfile {
    int colours;         /* 3, or 1: gray */
    float *curve;        /* [colours][HALO_PROFILE_CURVE]: samples of full scale 1 to light; or NULL */
    double matrix[3][3]; /* from that light to that of sRGB; of three colours */
    float *cube;         /* in place of both: [65][65][65][3], red fastest: samples to coded sRGB; or NULL */
} HaloProfile;

/* HALO_ERR_INPUT for what is no profile of pictures, or no Little CMS; `name` is for messages. */
HaloStatus halo_profile_read(const char *name, const void *bytes, size_t size, HaloProfile *profile);
void halo_profile_free(HaloProfile *profile);

#ifdef __cplusplus
}
#endif
#endif
