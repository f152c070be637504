/* The sample at a place of the sorted window. */
#include <stddef.h>

#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *a, const HaloShape *b, HaloShape *dst)
{
    const HaloRank *rank = &step->u.rank;
    (void)b;
    return window_shape(a, rank->width, rank->height, rank->border, dst);
}

static HaloReach reach(const HaloStep *step)
{
    const HaloRank *rank = &step->u.rank;
    return window_reach(rank->width, rank->height, rank->ox, rank->oy, rank->border);
}

static double flops(const HaloStep *step, double samples)
{
    return 8.0 * samples * (double)(step->u.rank.width + step->u.rank.height);
}

static void describe(const HaloStep *step, bool sound, bool exact, char *room, size_t size)
{
    const HaloRank *rank = &step->u.rank;
    (void)exact;
    const int used =
        sound ? snprintf(room, size, "sort %lld", (long long)rank->width)
              : snprintf(room, size, "sort %lld x %lld", (long long)rank->width, (long long)rank->height);
    halo_snprintf(room + used, size - (size_t)used, ", take %g, border %s%s", rank->fraction,
                  window_border(rank->border), rank->nan_ignore ? ", NaN left out" : "");
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step, const HaloBuf *a,
                      const HaloBuf *b, HaloBuf *dst)
{
    (void)b;
    return backend->rank(device, a, dst, &step->u.rank);
}

const Primitive primitive_rank = {
    .name = "rank",
    .store = offsetof(HaloStep, u.rank.store),
    .shape = shape,
    .reach = reach,
    .flops = flops,
    .describe = describe,
    .run = run,
};
