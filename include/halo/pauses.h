/* Where a sound is silent. */
#ifndef HALO_PAUSES_H
#define HALO_PAUSES_H

#include "halo/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HaloPause {
    int64_t from, to; /* frames */
} HaloPause;

typedef struct HaloPauses {
    HaloShape shape; /* of the sound; its width is known */
    int64_t count;
    HaloPause *pause; /* [count], in order; freed by halo_pauses_free */
} HaloPauses;

/* Finds the pauses that `silence`, the parameters of the operation of that name ("-45dB,min=500ms"; "": its
 * defaults), would remove with all=1. `raw` as for halo_file_info. Uses memory that does not grow with the
 * length of the file. HALO_ERR_USAGE, HALO_ERR_INPUT: it is no sound, or cannot be read. */
HALO_API HaloStatus halo_pauses_find(HaloSession *session, const char *path, const HaloShape *raw,
                                     const char *silence, HaloPauses *pauses);
HALO_API void halo_pauses_free(HaloPauses *pauses);

#ifdef __cplusplus
}
#endif
#endif
