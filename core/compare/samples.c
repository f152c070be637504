/* Converts samples of any type to f64. */
#include <math.h>

#include "part.h"

#define LOAD(Sample) \
    for (int64_t i = 0; i < n; i++) row[i] = (double)((const Sample *)samples)[i] * scale;

void pair_load(const HaloBuf *from, int64_t x, int64_t y, int64_t n, double scale, double *row)
{
    const void *samples = halo_at(from, x, y);
    switch (from->shape.dtype) {
    case HALO_U8: LOAD(uint8_t) break;
    case HALO_U16: LOAD(uint16_t) break;
    case HALO_F32: LOAD(float) break;
    case HALO_I64: LOAD(int64_t) break;
    default: LOAD(double)
    }
}

double pair_distance(double a, double b)
{
    const double d = fabs(a - b);
    if (a == b || (isnan(a) && isnan(b))) return 0.0; /* infinities, too */
    return isnan(d) ? INFINITY : d;
}
