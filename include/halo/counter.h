/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * A binary counter of nodes: the order in which consecutive leaves are joined (docs/numerics.md). Node k covers
 * 2^k leaves, and exists if bit k of their count is set. A new leaf is joined with the last node of its size,
 * the result with the last one of twice the size, and so on. */
#ifndef HALO_COUNTER_H
#define HALO_COUNTER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "halo/measures.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HALO_COUNTER_NODES 64

/* Joins `left` with *right, into *right. */
typedef void HaloJoin(const void *context, const void *left, void *right);

static inline void halo_join_moments(const void *context, const void *left, void *right)
{
    HaloMoments joined = *(const HaloMoments *)left;
    (void)context;
    halo_moments_merge(&joined, (const HaloMoments *)right);
    *(HaloMoments *)right = joined;
}

/* Nodes of `size` bytes lie `stride` bytes apart, from `node` on. The leaf is the one after `count` others; it
 * is changed. */
static inline void halo_counter_add(void *node, size_t stride, size_t size, uint64_t count, void *leaf,
                                    HaloJoin *join, const void *context)
{
    char *at = (char *)node;
    for (; count & 1; count >>= 1, at += stride) join(context, at, leaf);
    memcpy(at, leaf, size);
}

/* The total of `count` leaves: joins the existing nodes from the last to the first. Without leaves *total
 * stays. */
static inline void halo_counter_total(const void *node, size_t stride, size_t size, uint64_t count, void *total,
                                      HaloJoin *join, const void *context)
{
    bool any = false;
    for (const char *at = (const char *)node; count > 0; count >>= 1, at += stride) {
        if ((count & 1) == 0) continue;
        if (any)
            join(context, at, total);
        else
            memcpy(total, at, size);
        any = true;
    }
}

#ifdef __cplusplus
}
#endif
#endif
