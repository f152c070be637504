/* Rank filters: the sample at a given rank of the sorted window. */
#include <math.h>

#include "base/border.h"
#include "halo/numerics.h"
#include "primitive.h"

static double flops(const HaloStep *step, double samples)
{
    const HaloWindow *window = &step->u.rank.window;
    if (step->u.rank.span != NULL) return 2.0 * samples * (double)window->height;
    if (step->u.rank.fraction == 0.0 || step->u.rank.fraction == 1.0) return 16.0 * samples; /* at any size */
    return 8.0 * samples * (double)(window->width + window->height);
}

static double side_of(const HaloRank *rank)
{
    return sqrt((double)rank->window.width * (double)rank->window.height);
}

/* Sorting networks for small windows; counting (u8) and sorted tiles for larger ones. */
static double core_ns(const HaloStep *step, const HaloShape *src)
{
    const HaloRank *rank = &step->u.rank;
    const double side = side_of(rank);
    const bool bytes = src->dtype == HALO_U8, floats = src->dtype == HALO_F32;
    if (rank->span != NULL) return (floats ? 0.2 : 0.1) * (double)rank->window.height;
    if (rank->fraction == 0.0 || rank->fraction == 1.0) return floats ? 2.0 : 1.0;
    if (side <= 3) return floats ? 3.0 : 0.4;
    if (side <= 5) return floats ? 20.0 : 5.0;
    if (bytes) return 20.0;
    return fmin((floats ? 5.0 : 4.0) * side, 70.0);
}

/* For windows that do not fit registers a GPU is less far ahead of a core, since its counts lie in shared
 * memory. */
static double gpu_ns(const HaloStep *step, const HaloShape *src)
{
    const HaloRank *rank = &step->u.rank;
    const double side = side_of(rank);
    if (rank->span != NULL || rank->fraction == 0.0 || rank->fraction == 1.0 || side < 16.0) return 0.0;
    if (src->dtype == HALO_U8) return 0.015 + 0.0011 * side;
    return (src->dtype == HALO_F32 ? 1.0 : 0.75) * (0.05 + 0.0055 * side);
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    const HaloWindow *window = &step->u.rank.window;
    const HaloSpan *span = step->u.rank.span;
    int64_t samples = 0;
    (void)exact;
    for (int64_t j = 0; span != NULL && j < window->height; j++) samples += span[j].to - span[j].from;
    const int used =
        span != NULL ? snprintf(text, size, "sort %lld of %lld x %lld", (long long)samples,
                                (long long)window->width, (long long)window->height)
        : sound      ? snprintf(text, size, "sort %lld", (long long)window->width)
                : snprintf(text, size, "sort %lld x %lld", (long long)window->width, (long long)window->height);
    halo_snprintf(text + used, size - (size_t)used, ", fraction %g, border %s%s%s", step->u.rank.fraction,
                  border_row(window->border)->word, window->nan_ignore ? ", NaN left out" : "",
                  step->u.rank.halves ? ", mean of two in the middle" : "");
}

/* The result is one of the samples. If NaN or a mean of two is possible, it is a float. */
static HaloDtype holds(const HaloStep *step, const HaloShape *source)
{
    return halo_rank_keys(source->dtype, step->u.rank.window.border, step->u.rank.window.value);
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->rank(device, src[0], dst, &step->u.rank, step->store);
}

const Primitive primitive_rank = {
    .name = "rank",
    .stores = true,
    .blind = true,
    .holds = holds,
    .shape = window_shape,
    .reads = window_reads,
    .moves = window_moves,
    .flops = flops,
    .core_ns = core_ns,
    .gpu_ns = gpu_ns,
    .describe = describe,
    .run = run,
};
