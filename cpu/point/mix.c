/* Channels made of channels, and gains along time. */
#include "halo/mix.h"

#include "double/double.h"
#include "halo/fade.h"
#include "pieces.h"
#include "primitives.h"

static float *mix_piece(const Pieces *p, float *row, float *other, int64_t x, int64_t y, int64_t pixels)
{
    cpu_pieces_load(p, p->a, x, y, pixels, row);
    p->device->kernels->rows->mix(row, pixels, p->a->shape.channels, p->mix, other);
    return other;
}

/* Do the terms name channels that are there? */
static bool is_well(const HaloMix *mix, int channels)
{
    for (int i = 0; i < mix->begin[mix->channels]; i++)
        if (mix->term[i].channel < 0 || mix->term[i].channel >= channels) return false;
    return true;
}

HaloStatus cpu_mix(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMix *mix, HaloStore store)
{
    if (cpu_is_double(src, dst)) return cpu_double_mix(device, src, dst, mix);
    const int from = src->shape.channels, to = dst->shape.channels;
    Pieces pieces = {.make = mix_piece,
                     .a = src,
                     .dst = dst,
                     .mix = mix,
                     .store = store,
                     .widest = from > to ? from : to,
                     .device = device};
    if (!cpu_pieces_hold(src, dst, 0, 0) || src->shape.dtype > HALO_F32 || mix->channels != to ||
        !is_well(mix, from))
        return halo_fail(HALO_ERR_BUG, "internal: the source does not hold the channels to mix");
    return cpu_pieces_run(&pieces);
}

static float *fade_piece(const Pieces *p, float *row, float *other, int64_t x, int64_t y, int64_t pixels)
{
    const HaloFade *fade = p->fade;
    const CpuRowKernels *rows = p->device->kernels->rows;
    const int channels = p->dst->shape.channels;
    const int64_t width = p->dst->shape.width, out = width - fade->out;
    (void)other;
    cpu_pieces_load(p, p->a, x, y, pixels, row);
    if (x < fade->in) {
        const int64_t count = fade->in - x < pixels ? fade->in - x : pixels;
        rows->fade(row, count, channels, fade->gain, x, 1, fade->in);
    }
    if (x + pixels > out) {
        const int64_t from = x < out ? out : x;
        rows->fade(row + (from - x) * channels, x + pixels - from, channels, fade->gain, width - 1 - from, -1,
                   fade->out);
    }
    return row;
}

HaloStatus cpu_fade(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloFade *fade, HaloStore store)
{
    if (cpu_is_double(src, dst)) return cpu_double_fade(device, src, dst, fade);
    Pieces pieces = {.make = fade_piece,
                     .a = src,
                     .dst = dst,
                     .fade = fade,
                     .store = store,
                     .widest = dst->shape.channels,
                     .device = device};
    if (!cpu_pieces_hold(src, dst, 0, 0) || src->shape.dtype > HALO_F32 ||
        src->shape.channels != dst->shape.channels)
        return halo_fail(HALO_ERR_BUG, "internal: the source of a fade does not hold the samples it needs");
    return cpu_pieces_run(&pieces);
}
