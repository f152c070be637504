/* Writing sound to a file's bytes and reading it back. */
#ifndef HALO_TEST_SOUND_FILE_H
#define HALO_TEST_SOUND_FILE_H

#include "codec.h"

enum { LOSSLESS_SOUND = 6 };
extern const HaloFormat *const lossless_sound[LOSSLESS_SOUND];

typedef struct Sound {
    HaloInfo info; /* the caller frees info.meta */
    float *at;     /* [frames][channels]; and this */
    int64_t frames;
} Sound;

/* The header of a file of that many frames at 22050 Hz. `real`: its samples are floats. */
HaloInfo sound_info(int bits, bool real, int channels, int64_t frames);
/* `count` samples over the whole range of so many bits, both ends included. */
float *ramp(int bits, int64_t count);

/* Writes a file in two calls. `clipped` may be NULL. */
HaloStatus save_sound_to(const char *name, const HaloFormat *format, const HaloInfo *info, float *samples,
                         int64_t frames, uint64_t *clipped);
/* Its bytes; fails the test where it cannot be written. */
Bytes save_sound(const HaloFormat *format, int bits, bool real, int channels, float *samples, int64_t frames,
                 uint64_t *clipped);

/* Reads in calls of odd sizes. `sound` has nothing to free where the status is an error. */
HaloStatus load_sound_from(HaloSource *source, const HaloFormat *format, bool tolerate, Sound *sound);
HaloStatus load_sound(Bytes file, const HaloFormat *format, bool tolerate, Sound *sound);
/* Fail the test unless it can be read; unless it is refused by a message that has these words. */
Sound must_load_sound(Bytes file, const HaloFormat *format);
void must_refuse_sound(Bytes file, const HaloFormat *format, const char *because);

#endif
