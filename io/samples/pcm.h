/* Samples of sound as files hold them (pcm.c), integers of 8 to 32 bits and floats of 32 and 64, to and from
 * f32 and f64. */
#ifndef HALO_IO_PCM_H
#define HALO_IO_PCM_H

#include "halo/format.h"

typedef struct HaloPcm {
    int bits;    /* 8, 16, 24, 32, 64 */
    bool real;   /* floats: 32 or 64 bits */
    bool big;    /* byte order */
    bool raised; /* integers without sign: 0 stands in the middle of the range */
} HaloPcm;

/* The nearest that a file of integers and floats can hold to what another one held. */
HaloPcm halo_pcm_like(int bits, bool real);
/* The rate of an output whose format has whole ones up to `most`, rounded with a note. HALO_ERR_INPUT where it
 * has none; frames that are frequencies or lags have no rate. */
HaloStatus halo_pcm_whole_rate(HaloWriter *writer, double most, double *rate);
static inline int64_t halo_pcm_size(const HaloPcm *pcm) { return pcm->bits / 8; }

/* Does f32 lose some of its samples? */
static inline bool halo_pcm_is_wide(const HaloPcm *pcm) { return pcm->bits > (pcm->real ? 32 : 24); }

/* To f32 integers of up to 24 bits arrive exactly; `from` and `to` may not overlap. Adds to *rounded how many
 * floats lose more than a fraction (rounded.h); what fades away to 0 is no loss of a sound. */
void halo_pcm_unpack(const HaloPcm *pcm, const uint8_t *from, float *to, int64_t count, uint64_t *rounded);
/* All of them arrive exactly. */
void halo_pcm_unpack_f64(const HaloPcm *pcm, const uint8_t *from, double *to, int64_t count);
/* From f32 or f64: rounds half to even and saturates; adds to *clipped what integers could not hold. */
void halo_pcm_pack(const HaloPcm *pcm, HaloDtype dtype, const void *from, uint8_t *to, int64_t count,
                   uint64_t *clipped);

/* One sample as an integer of `bits` bits. */
int64_t halo_pcm_quantise(double sample, int bits, uint64_t *clipped);

#endif
