/* Pictures of regions. */
#include "patterns.h"

#include <math.h>

#include "draw.h"
#include "oracle.h"

typedef bool Pattern(Rng *rng, int64_t x, int64_t y, const HaloShape *shape, double density);

static bool noise(Rng *rng, int64_t x, int64_t y, const HaloShape *shape, double density)
{
    (void)x, (void)y, (void)shape;
    return rng_unit(rng) < density;
}

static bool comb(Rng *rng, int64_t x, int64_t y, const HaloShape *shape, double density)
{
    (void)rng;
    const int64_t spine = (int64_t)(density * (double)shape->height);
    return x % 2 == 0 || y == spine;
}

static bool checks(Rng *rng, int64_t x, int64_t y, const HaloShape *shape, double density)
{
    (void)rng, (void)shape, (void)density;
    return (x + y) % 2 == 0;
}

/* One arm, a pixel wide, a pixel from the next: rings whose ends are joined to the ones inside. */
static bool spiral(Rng *rng, int64_t x, int64_t y, const HaloShape *shape, double density)
{
    (void)rng, (void)density;
    const int64_t right = shape->width - 1 - x, below = shape->height - 1 - y;
    int64_t ring = x < y ? x : y;
    ring = right < ring ? right : ring;
    ring = below < ring ? below : ring;
    const bool joint = x == ring && y == ring + 1; /* the gap in a ring, and the bridge to the next */
    return ring % 2 == 0 ? !joint : joint;
}

static Pattern *const pattern[] = {noise, noise, noise, comb, checks, spiral};

static float sample_of(Rng *rng, bool set, HaloDtype dtype)
{
    const float special[] = {NAN, -0.0f, 0.0f};
    if (!set) return dtype == HALO_F32 ? special[rng_between(rng, 0, 2)] : 0.0f;
    if (dtype == HALO_F32) return rng_once_in(rng, 20) ? INFINITY : rng_float(rng, -300.0f, 300.0f);
    return (float)rng_between(rng, 1, dtype == HALO_U8 ? 255 : 65535);
}

TestBuf draw_pattern(Rng *rng, HaloShape shape)
{
    const double density = rng_once_in(rng, 4) ? (double)rng_between(rng, 0, 1) : rng_unit(rng);
    Pattern *const of = pattern[rng_between(rng, 0, sizeof pattern / sizeof *pattern - 1)];
    TestBuf buf = testbuf_make(&shape, test_whole(&shape), rng);
    for (int64_t y = 0; y < shape.height; y++)
        for (int64_t x = 0; x < shape.width; x++)
            for (int c = 0; c < shape.channels; c++)
                oracle_put(&buf.view, x, y, c, sample_of(rng, of(rng, x, y, &shape, density), shape.dtype),
                           (HaloStore){1, 1});
    return buf;
}

HaloShape draw_plane(Rng *rng, int64_t most)
{
    HaloShape shape = draw_shape(rng, most);
    shape.channels = 1;
    shape.alpha = -1;
    if (rng_once_in(rng, 6)) {
        shape.channels = 2;
        shape.alpha = (int)rng_between(rng, 0, 1);
    }
    return shape;
}
