/* Secondary inputs: reference counts and memory. */
#include <stdlib.h>
#include <string.h>

#include "side.h"

HaloSide *side_new(const char *path)
{
    static _Atomic uint64_t serial;
    HaloSide *side = calloc(1, sizeof *side);
    if (side == NULL) return NULL;
    side->path = malloc(strlen(path) + 1);
    if (side->path == NULL) {
        free(side);
        return NULL;
    }
    strcpy(side->path, path);
    side->pages = 1;
    side->serial = 1 + atomic_fetch_add(&serial, 1);
    pthread_mutex_init(&side->measuring, NULL);
    pthread_mutex_init(&side->reading, NULL);
    atomic_store(&side->holders, 1);
    return side;
}

HaloSide *side_hold(HaloSide *side)
{
    atomic_fetch_add(&side->holders, 1);
    return side;
}

void side_release(HaloSide *side)
{
    if (side == NULL || atomic_fetch_sub(&side->holders, 1) > 1) return;
    pthread_mutex_destroy(&side->measuring);
    pthread_mutex_destroy(&side->reading);
    side_release(side->upright);
    halo_buf_free(&side->data);
    free(side->path);
    free(side);
}
