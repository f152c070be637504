/* What an analysis found, as frames of a result. */
#include "found.h"

#include <stdio.h>

#include "halo/sequence.h"

static HaloStatus found_shape(const void *how, const HaloShape *src, HaloShape *dst)
{
    const Found *found = how;
    (void)src;
    dst->width = found->frames;
    dst->rate = found->rate;
    return HALO_OK;
}

static HaloSpan found_reads(const void *how, int k, const HaloShape *src, HaloSpan part)
{
    (void)how, (void)k, (void)src, (void)part;
    return (HaloSpan){0, 1};
}

static void found_describe(const void *how, char *text, size_t size)
{
    snprintf(text, size, "%s", ((const Found *)how)->what);
}

static void found_run(const void *how, const HaloSequencePart *part)
{
    const Found *found = how;
    const double *from = found->value + part->channel * found->frames + part->dst->from;
    for (int64_t i = 0; i < part->dst->to - part->dst->from; i++) part->dst->at[0][i] = from[i];
}

static const HaloSequenceKind kind = {.name = "found",
                                      .by_channel = true,
                                      .placed = true,
                                      .shape = found_shape,
                                      .reads = found_reads,
                                      .ns = 1.0,
                                      .describe = found_describe,
                                      .run = found_run};

HaloStatus found_append(HaloBuilder *builder, HaloReg in, const Found *found, HaloReg *out)
{
    Found *const kept = halo_build_keep(builder, sizeof *kept);
    if (kept == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    *kept = *found;
    return halo_build_sequence(builder, in, &kind, kept, out);
}

double found_sample(const HaloBuf *frames, int64_t i, int c)
{
    const void *at = halo_at(frames, frames->x0 + i, 0);
    return frames->shape.dtype == HALO_F64 ? ((const double *)at)[c] : (double)((const float *)at)[c];
}
