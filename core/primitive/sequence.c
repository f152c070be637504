/* Sequential algorithms along time. */
#include "halo/sequence.h"

#include "primitive.h"

static const HaloSequenceKind *kind_of(const HaloStep *step) { return step->u.sequence.kind; }

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    HaloStatus status = HALO_OK;
    *dst = *src[0];
    dst->dtype = primitive_dtype(src, step->sources);
    for (int k = 0; k < step->sources; k++)
        if (src[k]->kind != HALO_AUDIO) HALO_FAIL(HALO_ERR_BUG, "internal: a sequence got an image");
    if (kind_of(step)->shape != NULL) HALO_TRY(kind_of(step)->shape(step->u.sequence.how, src[0], dst));
out:
    return status;
}

static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    HaloSpan span = {part.x0, part.x1};
    if (part_is_empty(part)) return part;
    if (kind_of(step)->whole) return whole_reads(step, k, src, part);
    if (kind_of(step)->reads != NULL) span = kind_of(step)->reads(step->u.sequence.how, k, src, span);
    const int64_t from = smaller(larger(0, span.from), src->width - 1);
    return (Part){from, larger(from + 1, smaller(span.to, src->width)), 0, 1};
}

static Part makes(const HaloStep *step, const HaloShape *dst, Part part)
{
    return kind_of(step)->whole ? whole_makes(step, dst, part) : part;
}

static bool placed(const HaloStep *step, const HaloShape *const src[])
{
    (void)src;
    return kind_of(step)->placed;
}

static void moves(const HaloStep *step, HaloMove *move)
{
    if (kind_of(step)->moves != NULL) kind_of(step)->moves(step->u.sequence.how, move);
}

static double flops(const HaloStep *step, double samples)
{
    (void)step, (void)samples;
    return 0.0;
}

static double core_ns(const HaloStep *step, const HaloShape *src)
{
    (void)src;
    return kind_of(step)->ns;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    (void)sound, (void)exact;
    if (kind_of(step)->describe != NULL)
        kind_of(step)->describe(step->u.sequence.how, text, size);
    else
        snprintf(text, size, "%s", kind_of(step)->name);
}

static bool offered(const HaloBackend *backend) { return backend->sequence != NULL; }

static int64_t keeps(const HaloStep *step, const HaloShape *src)
{
    const HaloSequenceKind *kind = kind_of(step);
    if (kind->state == NULL) return 0;
    return kind->state(step->u.sequence.how, src) * (kind->by_channel ? src->channels : 1);
}

static HaloStatus run_sequence(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                               const HaloBuf *const src[], HaloBuf *dst, const HaloSequence *sequence)
{
    const HaloReplaced *replaced = sequence->replaced;
    const uint64_t before = replaced != NULL ? replaced->count : 0;
    const HaloStatus status = backend->sequence(device, src, step->sources, dst, sequence, step->store);
    if (replaced != NULL) halo_note(step->notes, HALO_NOTE_REPLACED, replaced->count - before);
    return status;
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return run_sequence(backend, device, step, src, dst, &step->u.sequence);
}

static HaloStatus go_on(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                        const HaloBuf *const src[], HaloBuf *dst, void *state)
{
    HaloSequence sequence = step->u.sequence;
    sequence.state = state;
    return run_sequence(backend, device, step, src, dst, &sequence);
}

const Primitive primitive_sequence = {
    .name = "sequence",
    .stores = true,
    .blind = true,
    .shape = shape,
    .reads = reads,
    .makes = makes,
    .moves = moves,
    .placed = placed,
    .flops = flops,
    .core_ns = core_ns,
    .describe = describe,
    .offered = offered,
    .keeps = keeps,
    .run = run,
    .go_on = go_on,
};
