/* Fused steps: the properties of a chain follow from those of its links. */
#include "halo/chain.h"
#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    (void)src;
    *dst = step->u.chain->value[step->u.chain->links];
    return HALO_OK;
}

/* From the last link to the first, adds what each reads. */
static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    const HaloChain *chain = step->u.chain;
    Part need[HALO_CHAIN_LINKS + 1] = {{0}};
    (void)k, (void)src;
    need[chain->links] = part;
    for (int i = chain->links - 1; i >= 0; i--) {
        const HaloStep *link = &chain->link[i];
        for (int s = 0; s < link->sources; s++) {
            const HaloReg r = link->src[s];
            need[r] = part_joined(need[r], primitive_of(link)->reads(link, s, &chain->value[r], need[i + 1]));
        }
    }
    return need[0];
}

double chain_flops(const HaloStep *step, double samples)
{
    const HaloChain *chain = step->u.chain;
    const double channels = chain->value[chain->links].channels;
    double sum = 0;
    for (int i = 0; i < chain->links; i++)
        sum += primitive_of(&chain->link[i])
                   ->flops(&chain->link[i], samples * chain->value[i + 1].channels / channels);
    return sum;
}

void chain_describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    const HaloChain *chain = step->u.chain;
    int used = snprintf(text, size, "in one pass: ");
    for (int i = 0; i < chain->links && used < (int)size; i++) {
        char link[128];
        primitive_of(&chain->link[i])->describe(&chain->link[i], sound, exact, link, sizeof link);
        used += halo_snprintf(text + used, size - (size_t)used, "%s%s", i > 0 ? "; " : "", link);
    }
}

/* The link that depends on a measurement is the last of a chain. It is set in a copy, since the plan stays
 * constant. */
static HaloStatus set(HaloStep *step, const HaloResult *measured, HaloChain *copy)
{
    *copy = *step->u.chain;
    step->u.chain = copy;
    return step->resolve(&copy->link[copy->links - 1], measured);
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->chain(device, src[0], dst, step->u.chain, step->store);
}

const Primitive primitive_chain = {
    .name = "chain",
    .stores = true,
    .shape = shape,
    .reads = reads,
    .set = set,
    .flops = chain_flops,
    .describe = chain_describe,
    .run = run,
};
