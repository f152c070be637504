/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Converts 64-bit numbers to f32, and counts those that lose more than a fraction and those that become 0. */
#ifndef HALO_ROUNDED_H
#define HALO_ROUNDED_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "halo/notes.h"

typedef struct HaloLost {
    uint64_t rounded, vanished;
} HaloLost;

/* From 2^23 on floats have no fractions. Below it every number keeps its 24 leading bits, which is what floats
 * are for. */
static inline bool halo_is_rounded(double value, float rounded)
{
    return ((double)rounded != value) & (fabs(value) >= 0x1p23);
}

static inline bool halo_is_vanished(double value, float rounded) { return (rounded == 0.0f) & (value != 0.0); }

static inline float halo_float_of_double(double value, HaloLost *lost)
{
    const float rounded = (float)value;
    lost->rounded += halo_is_rounded(value, rounded);
    lost->vanished += halo_is_vanished(value, rounded);
    return rounded;
}

/* The same of many: what is lost is counted where there are floats that may have lost something. */
static inline void halo_floats_of_doubles(const double *from, float *to, size_t count, HaloLost *lost)
{
    int suspects = 0;
    for (size_t i = 0; i < count; i++) {
        to[i] = (float)from[i];
        suspects |= (fabsf(to[i]) >= 0x1p23f) | (to[i] == 0.0f);
    }
    for (size_t i = 0; i < count && suspects != 0; i++) to[i] = halo_float_of_double(from[i], lost);
}

/* Of a magnitude: does it have more bits than a float? */
static inline bool halo_has_more_bits(uint64_t magnitude)
{
    return magnitude >> 24 != 0 && magnitude >> __builtin_ctzll(magnitude) >> 24 != 0;
}

static inline float halo_float_of_signed(int64_t value, HaloLost *lost)
{
    lost->rounded += halo_has_more_bits(value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    return (float)value;
}

/* To f64, which holds 53 bits. */
static inline bool halo_has_more_bits_than_f64(uint64_t magnitude)
{
    return magnitude >> 53 != 0 && magnitude >> __builtin_ctzll(magnitude) >> 53 != 0;
}

static inline double halo_double_of_unsigned(uint64_t value, HaloLost *lost)
{
    lost->rounded += halo_has_more_bits_than_f64(value);
    return (double)value;
}

static inline double halo_double_of_signed(int64_t value, HaloLost *lost)
{
    lost->rounded += halo_has_more_bits_than_f64(value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    return (double)value;
}

/* `wide`: to f64. */
static inline void halo_note_lost(HaloNotes *notes, const HaloLost *lost, bool wide)
{
    halo_note(notes, wide ? HALO_NOTE_ROUNDED_WIDE : HALO_NOTE_ROUNDED, lost->rounded);
    halo_note(notes, HALO_NOTE_VANISHED, lost->vanished);
}

#endif
