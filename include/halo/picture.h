/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Pictures whose samples a plan is made from, such as tables of colours. */
#ifndef HALO_PICTURE_H
#define HALO_PICTURE_H

#include "halo/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Decodes the bytes of a FILE (core/plan/picture.c). *samples lasts until the secondary input that holds it is
 * released by halo_picture_release. */
HaloStatus halo_build_picture(HaloBuilder *builder, const HaloValue *file, HaloOperand **held,
                              const HaloBuf **samples);
void halo_picture_release(HaloOperand *held);

/* The ICC profile of the input; *size 0: it has none. */
void halo_build_profile(const HaloBuilder *builder, const void **bytes, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
