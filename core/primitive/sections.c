/* Recursive filters along time (biquad cascades). */
#include <math.h>

#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    (void)step;
    *dst = *src[0];
    dst->dtype = primitive_dtype(src, 1);
    if (src[0]->kind == HALO_AUDIO) return HALO_OK;
    return halo_fail(HALO_ERR_BUG, "internal: a recursive filter got an image");
}

/* The state holds what came before. */
static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    const HaloSections *how = &step->u.sections;
    if (!how->zero_phase || part_is_empty(part)) return part;
    if (how->states == NULL) return whole_reads(step, k, src, part);
    const HaloSpan blocks = halo_sections_span(how, src->width, part.x0, part.x1);
    const HaloSpan frames = halo_sections_frames(how, src->width, blocks);
    return (Part){frames.from, frames.to, 0, 1};
}

static double ways(const HaloStep *step) { return step->u.sections.zero_phase ? 2.0 : 1.0; }

static double flops(const HaloStep *step, double samples)
{
    return 9.0 * ways(step) * samples * (double)step->u.sections.count;
}

/* Each sum depends on the one before: a latency of twelve cycles, which two sections can share. */
static double core_ns(const HaloStep *step, const HaloShape *src)
{
    (void)src;
    return 1.5 + 4.0 * ways(step) * (double)((step->u.sections.count + 1) / 2);
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    const HaloSections *sections = &step->u.sections;
    (void)sound, (void)exact;
    snprintf(text, size, "%d recursive section%s, %s", sections->count, halo_s(sections->count),
             sections->zero_phase ? "forward and backward" : "causal");
}

static bool offered(const HaloBackend *backend) { return backend->sections != NULL; }

static int64_t keeps(const HaloStep *step, const HaloShape *src)
{
    const HaloSections *sections = &step->u.sections;
    return sections->zero_phase ? 0 : (int64_t)sizeof(double) * 2 * sections->count * src->channels;
}

/* A NaN in the input makes NaN of everything after it, so that the last frame tells; in host memory alone. */
static void note_nan(const HaloBackend *backend, const HaloStep *step, const HaloBuf *dst)
{
    if (step->notes == NULL || backend->upload != NULL || dst->cols < 1) return;
    const void *last = halo_at(dst, dst->x0 + dst->cols - 1, dst->y0);
    bool found = false;
    for (int c = 0; c < dst->shape.channels; c++)
        found = found || (dst->shape.dtype == HALO_F32 && isnan(((const float *)last)[c])) ||
                (dst->shape.dtype == HALO_F64 && isnan(((const double *)last)[c]));
    if (found) step->notes->count[HALO_NOTE_SPREAD] = 1;
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    const HaloStatus status = backend->sections(device, src[0], dst, &step->u.sections, step->store);
    if (status == HALO_OK) note_nan(backend, step, dst);
    return status;
}

static HaloStatus go_on(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                        const HaloBuf *const src[], HaloBuf *dst, void *state)
{
    HaloSections sections = step->u.sections;
    sections.state = state;
    const HaloStatus status = backend->sections(device, src[0], dst, &sections, step->store);
    if (status == HALO_OK) note_nan(backend, step, dst);
    return status;
}

const Primitive primitive_sections = {
    .name = "sections",
    .stores = true,
    .shape = shape,
    .reads = reads,
    .flops = flops,
    .core_ns = core_ns,
    .describe = describe,
    .offered = offered,
    .keeps = keeps,
    .run = run,
    .go_on = go_on,
};
