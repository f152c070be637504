/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Where paths lead: different names may mean one file, by links, folders and dots (io/bytes/place.c); and the
 * paths that a pipeline makes of an input's (core/pipeline/pipeline.c). */
#ifndef HALO_PLACE_H
#define HALO_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "halo/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A regular file, by device and inode; or one that does not exist yet, by the nearest folder above it that
 * exists, and the rest of its path. */
typedef struct HaloPlace {
    uint64_t id[2];
    char *rest; /* malloc'ed; NULL: the file itself */
} HaloPlace;

/* *is: false if it is not a regular file, such as a pipe, or if that cannot be found out.
 * HALO_ERR_LIMIT without memory, HALO_ERR_OUTPUT where links go round. The caller frees place->rest. */
HaloStatus halo_place_of(const char *path, HaloPlace *place, bool *is);
/* The same of an open file. */
bool halo_place_of_open(int fd, HaloPlace *place);
/* An order of places; 0: the same file. */
int halo_place_compare(const HaloPlace *a, const HaloPlace *b);

/* The i-th of the files that a pipeline reads along with `input` by names made of that one's, such as
 * {stem}.mask.png: a path, which the caller frees; NULL past the last. HALO_ERR_USAGE, HALO_ERR_LIMIT. */
HaloStatus halo_pipeline_names(const HaloPipeline *pipeline, const char *input, size_t i, char **path);

#ifdef __cplusplus
}
#endif
#endif
