/* Low-rank approximations of masks. */
#ifndef CORE_LOWRANK_H
#define CORE_LOWRANK_H

#include <stdbool.h>
#include <stdint.h>

/* Masks with a longer shorter side are not tried: decomposing them takes too long. */
#define LOWRANK_SIDE 128

/* Writes tap[height][width] as the sum of `rank` products column[r][height] x row[r][width], all but a
 * millionth of the sum of its magnitudes. Returns the rank; 0 where more than `most` are needed, where a tap is
 * not finite, where the mask is 0 everywhere or too large, or without memory. */
int lowrank_split(const float *tap, int64_t width, int64_t height, int most, float *column, float *row);

#endif
