/* Channel mixing: output channels are sums of input channels. */
#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    const HaloMix *mix = &step->u.mix;
    *dst = *src[0];
    dst->dtype = primitive_dtype(src, 1);
    dst->channels = mix->channels;
    dst->alpha = mix->alpha;
    for (int i = 0; i < mix->begin[mix->channels]; i++)
        if (mix->term[i].channel < 0 || mix->term[i].channel >= src[0]->channels)
            return halo_fail(HALO_ERR_BUG, "internal: a mix reads a channel that does not exist");
    return HALO_OK;
}

static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    (void)step, (void)k, (void)src;
    return part;
}

static bool only_selects(const HaloMix *mix)
{
    for (int c = 0; c < mix->channels; c++)
        if (mix->begin[c + 1] != mix->begin[c] + 1 || mix->term[mix->begin[c]].weight != 1.0f) return false;
    return true;
}

/* Channels that are only selected keep their type. */
static HaloDtype holds(const HaloStep *step, const HaloShape *source)
{
    return only_selects(&step->u.mix) ? source->dtype : HALO_F32;
}

static void moves(const HaloStep *step, HaloMove *move)
{
    move->mix = &step->u.mix;
    move->mixed = false;
    move->keeps_values = step->store.num == step->store.den && only_selects(&step->u.mix);
}

static double flops(const HaloStep *step, double samples)
{
    const HaloMix *mix = &step->u.mix;
    return 2.0 * samples * mix->begin[mix->channels] / mix->channels;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    const HaloMix *mix = &step->u.mix;
    (void)sound, (void)exact;
    snprintf(text, size, "mix %d channel%s of %d terms", mix->channels, halo_s(mix->channels),
             mix->begin[mix->channels]);
}

static bool offered(const HaloBackend *backend) { return backend->mix != NULL; }

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->mix(device, src[0], dst, &step->u.mix, step->store);
}

const Primitive primitive_mix = {
    .name = "mix",
    .stores = true,
    .blind = true,
    .offered = offered,
    .holds = holds,
    .shape = shape,
    .reads = reads,
    .moves = moves,
    .flops = flops,
    .describe = describe,
    .run = run,
};
