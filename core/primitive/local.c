/* Extremes of any samples of a window, with heights, and what takes all of its samples in order. */
#include "halo/local.h"

#include "base/border.h"
#include "halo/numerics.h"
#include "primitive.h"

static bool is_extreme(const HaloLocal *local) { return local->kind <= HALO_LOCAL_GREATEST; }

static double samples_of(const HaloLocal *local)
{
    return is_extreme(local) ? (double)local->members
                             : (double)local->window.width * (double)local->window.height;
}

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    const HaloStatus status = window_shape(step, src, dst);
    if (step->u.local.kind != HALO_LOCAL_ENTROPY) return status;
    dst->numbers = true;
    dst->white = 1.0f;
    return status;
}

/* A result that is one of the samples has their type. */
static HaloDtype holds(const HaloStep *step, const HaloShape *source)
{
    const HaloLocal *local = &step->u.local;
    const bool chosen = (is_extreme(local) && local->flat) || local->kind == HALO_LOCAL_MODE;
    return chosen ? halo_rank_keys(source->dtype, local->window.border, local->window.value) : HALO_F32;
}

static double flops(const HaloStep *step, double samples) { return 2.0 * samples * samples_of(&step->u.local); }

static double core_ns(const HaloStep *step, const HaloShape *src)
{
    const HaloLocal *local = &step->u.local;
    if (is_extreme(local)) return 1.0 + (local->flat ? 0.06 : 0.15) * samples_of(local);
    if (local->kind == HALO_LOCAL_ENTROPY) return 10.0 + 4.0 * (double)local->window.height;
    if (src->dtype == HALO_U8) return 60.0 + 3.0 * (double)local->window.height;
    return 20.0 + 10.0 * (double)local->window.height + 2.0 * samples_of(local);
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    static const char *const kind[] = {"least", "greatest", "mode", "median absolute deviation", "entropy"};
    const HaloLocal *local = &step->u.local;
    const HaloWindow *window = &local->window;
    (void)sound, (void)exact;
    int used = snprintf(text, size, "%s of ", kind[local->kind]);
    if (is_extreme(local))
        used += snprintf(text + used, size - (size_t)used, "%lld of ", (long long)local->members);
    used += snprintf(text + used, size - (size_t)used, "%lld x %lld%s", (long long)window->width,
                     (long long)window->height, is_extreme(local) && !local->flat ? ", with heights" : "");
    halo_snprintf(text + used, size - (size_t)used, ", border %s%s", border_row(window->border)->word,
                  window->nan_ignore ? ", NaN left out" : "");
}

static bool offered(const HaloBackend *backend) { return backend->local != NULL; }

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->local(device, src[0], dst, &step->u.local, step->store);
}

const Primitive primitive_local = {
    .name = "local",
    .stores = true,
    .holds = holds,
    .shape = shape,
    .reads = window_reads,
    .moves = window_moves,
    .flops = flops,
    .core_ns = core_ns,
    .describe = describe,
    .offered = offered,
    .run = run,
};
