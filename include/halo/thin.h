/* For halo's own folders: not installed. Which pixels thinning deletes, of a word of pixels at a time: a bit of
 * each word stands for a pixel. */
#ifndef HALO_THIN_H
#define HALO_THIN_H

#include "halo/numerics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As wide as the registers that hold them. */
#if defined(__CUDACC__)
typedef uint32_t HaloThinBits;
#else
typedef uint64_t HaloThinBits;
#endif

/* The neighbours, clockwise from the one above. */
typedef struct HaloThinRing {
    HaloThinBits at[8];
} HaloThinRing;

#define HALO_THIN_COUNTS 7
/* Bits that are set in one of n words, in two or more, and so on up to `most` or more. */
HALO_FN void halo_thin_count(const HaloThinBits *word, int n, int most, HaloThinBits reached[HALO_THIN_COUNTS])
{
    for (int k = 0; k < most; k++) reached[k] = 0;
    for (int i = 0; i < n; i++) {
        for (int k = most - 1; k > 0; k--) reached[k] |= reached[k - 1] & word[i];
        reached[0] |= word[i];
    }
}

/* Two to six neighbours, one change from 0 to 1 around the pixel, and a 0 among both threes of those above,
 * right, below and left; of the second half, turned round. */
HALO_FN HaloThinBits halo_thin_zhang(const HaloThinRing *ring, int half)
{
    const HaloThinBits *p = ring->at;
    const HaloThinBits n = half == 0 ? p[0] : p[4], e = half == 0 ? p[2] : p[6], s = half == 0 ? p[4] : p[0],
                       w = half == 0 ? p[6] : p[2];
    HaloThinBits rise[8], rises[HALO_THIN_COUNTS], set[HALO_THIN_COUNTS];
    for (int k = 0; k < 8; k++) rise[k] = ~p[k] & p[(k + 1) % 8];
    halo_thin_count(rise, 8, 2, rises);
    halo_thin_count(p, 8, 7, set);
    return set[1] & ~set[6] & rises[0] & ~rises[1] & ~(n & e & s) & ~(e & s & w);
}

/* One region around the pixel, two or three pairs of neighbours that hold one, paired either way, and a 0 where
 * the half asks for it; of the second half, turned round. */
HALO_FN HaloThinBits halo_thin_guo_hall(const HaloThinRing *ring, int half)
{
    const HaloThinBits *p = ring->at;
    HaloThinBits region[4], pair[4], other[4];
    HaloThinBits regions[HALO_THIN_COUNTS], either[HALO_THIN_COUNTS], or_else[HALO_THIN_COUNTS];
    for (int k = 0; k < 4; k++) {
        const HaloThinBits side = p[2 * k], corner = p[2 * k + 1], next = p[(2 * k + 2) % 8];
        region[k] = ~side & (corner | next);
        pair[k] = side | corner;
        other[k] = corner | next;
    }
    halo_thin_count(region, 4, 2, regions);
    halo_thin_count(pair, 4, 4, either);
    halo_thin_count(other, 4, 4, or_else);
    const HaloThinBits keeps = half == 0 ? (p[0] | p[1] | ~p[3]) & p[2] : (p[4] | p[5] | ~p[7]) & p[6];
    return regions[0] & ~regions[1] & either[1] & or_else[1] & ~(either[3] & or_else[3]) & ~keeps;
}

#ifdef __cplusplus
}
#endif
#endif
