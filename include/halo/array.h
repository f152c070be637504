/* Arrays in memory, in and out: how their elements lie and what they mean. Part of halo.h. */
#ifndef HALO_ARRAY_H
#define HALO_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "halo/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What halo computes with are u8, u16 and f32, and, of sound and series, f64. The others are converted to f32
 * on the way in, or, of sound and series, to f64 where f32 does not hold them; results are then f32 or f64. */
typedef enum HaloType {
    HALO_TYPE_U8 = 1,
    HALO_TYPE_U16 = 2,
    HALO_TYPE_U32 = 3,
    HALO_TYPE_I8 = 4,
    HALO_TYPE_I16 = 5,
    HALO_TYPE_I32 = 6,
    HALO_TYPE_I64 = 7, /* also of sums of integers that a scan makes */
    HALO_TYPE_F16 = 8,
    HALO_TYPE_F32 = 9,
    HALO_TYPE_F64 = 10
} HaloType;

#define HALO_MAX_DIMS 6
#define HALO_HOST (-1)       /* HaloArray::gpu: in host memory */
#define HALO_NONE (-1)       /* HaloArray::alpha: no channel is alpha */
#define HALO_NO_SCALE (-1.0) /* HaloArray::white: numbers without units, as temperatures are */

/* An array of 1 to HALO_MAX_DIMS dimensions. Begin with halo_array_defaults(). */
typedef struct HaloArray {
    size_t struct_size; /* sizeof(HaloArray) where the program was compiled */
    void *data;         /* of the first element; NULL where an array is only described */
    HaloType type;
    int dims;
    int64_t size[HALO_MAX_DIMS]; /* elements along each dimension, 1 or more */
    int64_t
        stride[HALO_MAX_DIMS]; /* bytes from one to the next, also negative; all 0: in C order without gaps */
    /* What each dimension is, one letter each: pages n, z or t; rows h or y; columns w or x; channels c, as in
     * "hwc", "zyx", "nchw"; of sound and series frames t and channels c, "t", "tc" or "ct". Empty: of pictures
     * w, hw and, with up to 4 channels, hwc and nhwc; of sound t and tc. */
    char axes[HALO_MAX_DIMS + 2];
    double rate;  /* frames per second: sound, or a series; 0: pictures */
    double white; /* full scale, such as 255. 0: of u8 255, of u16 65535, of sound 1 (i8, i16 and i32 become
                     fractions of their greatest magnitude), of other pictures none; HALO_NO_SCALE: none, as of
                     a series */
    int alpha;    /* the channel that is alpha, from 0, or HALO_NONE */
    int gpu;      /* the GPU whose memory `data` is in, from 0, or HALO_HOST */
} HaloArray;

/* All zero but struct_size, alpha (HALO_NONE) and gpu (HALO_HOST). NULL is fine. */
HALO_API void halo_array_defaults(HaloArray *array);
/* Bytes of one element; 0 for an unknown type. */
HALO_API size_t halo_type_size(HaloType type);
/* "u8", "f32"; NULL for an unknown type. */
HALO_API const char *halo_type_name(HaloType type);

#ifdef __cplusplus
}
#endif
#endif
