/* Points, combinations, channels and gains in f64. */
#include "double/double.h"
#include "halo/combine.h"
#include "halo/fade.h"
#include "halo/mix.h"
#include "halo/numerics.h"

static HaloStatus not_held(const char *name)
{
    return halo_fail(HALO_ERR_BUG, "internal: the source of %s does not hold the samples it needs", name);
}

/* ---- maps ----------------------------------------------------------------------------------------------- */

typedef struct Mapping {
    const HaloMap *map;
    HaloStore store;
} Mapping;

static double *map_piece(const Doubles *d, int64_t x, int64_t frames, double *row, double *other)
{
    const Mapping *how = d->how;
    const int64_t n = frames * d->dst->shape.channels;
    (void)other;
    cpu_double_load(d, d->a, x, frames, row);
    d->device->kernels->doubles->points(row, n, how->map->point, how->map->points);
    for (int64_t i = 0; how->store.num != how->store.den && i < n; i++)
        row[i] = row[i] * (double)how->store.num / (double)how->store.den;
    return row;
}

HaloStatus cpu_double_map(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMap *map,
                          HaloStore store)
{
    const Mapping how = {map, store};
    Doubles d = {.make = map_piece, .a = src, .dst = dst, .how = &how, .name = "a map", .device = device};
    if (!cpu_double_holds(src, dst->x0, dst->cols) || src->shape.channels != dst->shape.channels ||
        map->kind != HALO_MAP_POINTS || dst->shape.alpha >= 0)
        return not_held(d.name);
    return cpu_double_run(&d);
}

/* ---- combinations --------------------------------------------------------------------------------------- */

/* What b gives to frames of a: its own, or those of one frame or channel again and again. */
static void load_other(const Doubles *d, const HaloCombine *how, int64_t x, int64_t frames, double *row)
{
    const HaloBuf *b = d->b;
    const int64_t channels = d->dst->shape.channels, own = b->shape.channels;
    const bool one = how->spread && halo_is_pixel(&b->shape);
    cpu_double_load(d, b, one ? 0 : x + how->bx, one ? 1 : frames, row);
    if (!one && own == channels) return;
    for (int64_t i = frames - 1; i >= 0; i--) /* from the end, so that none is lost before it is spread */
        for (int64_t c = channels - 1; c >= 0; c--)
            row[i * channels + c] = row[(one ? 0 : i * own) + (own == 1 ? 0 : c)];
}

/* Frames of b within the margins of the whole. */
static void keep_margins(const Doubles *d, const HaloCombine *how, int64_t x, int64_t frames, double *row,
                         const double *other)
{
    const int64_t width = d->dst->shape.width, channels = d->dst->shape.channels;
    for (int64_t i = 0; i < frames; i++) {
        if (x + i >= how->left && x + i < width - how->right) continue;
        for (int64_t k = i * channels; k < (i + 1) * channels; k++) row[k] = other[k];
    }
}

static void fit_ends(const Doubles *d, const HaloCombine *how, int64_t x, int64_t frames, double *row,
                     double *frame)
{
    const int64_t width = d->dst->shape.width, channels = d->dst->shape.channels;
    for (int64_t i = 0; i < frames; i++, row += channels) {
        const bool left = x + i < how->left;
        if (!left && x + i < width - how->right) continue;
        const double *tap = how->wide + (left ? x + i : width - 1 - x - i) * how->taps;
        for (int64_t c = 0; c < channels; c++) row[c] = 0.0;
        for (int64_t j = 0; j < how->taps; j++) {
            cpu_double_load(d, d->b, left ? j : width - how->taps + j, 1, frame);
            for (int64_t c = 0; c < channels; c++)
                row[c] = halo_fma_f64(tap[left ? j : how->taps - 1 - j], frame[c], row[c]);
        }
    }
}

static double *combine_piece(const Doubles *d, int64_t x, int64_t frames, double *row, double *other)
{
    const HaloCombine *how = d->how;
    const CpuDoubleKernels *kernels = d->device->kernels->doubles;
    cpu_double_load(d, d->a, x + how->ax, frames, row);
    if (how->kind == HALO_COMBINE_ENDS) {
        fit_ends(d, how, x, frames, row, other);
        return row;
    }
    load_other(d, how, x, frames, other);
    if (how->kind == HALO_COMBINE_KEEP)
        keep_margins(d, how, x, frames, row, other);
    else
        kernels->pair[how->kind](row, other, frames * d->dst->shape.channels, how);
    return row;
}

static bool holds_ends(const HaloBuf *b, const HaloBuf *dst, const HaloCombine *how)
{
    const int64_t width = dst->shape.width;
    return how->wide != NULL && how->left <= how->taps / 2 && how->right <= how->taps / 2 &&
           (dst->x0 >= how->left || cpu_double_holds(b, 0, how->taps)) &&
           (dst->x0 + dst->cols <= width - how->right || cpu_double_holds(b, width - how->taps, how->taps));
}

HaloStatus cpu_double_combine(HaloDevice *device, const HaloBuf *a, const HaloBuf *b, HaloBuf *dst,
                              const HaloCombine *combine)
{
    const int channels = dst->shape.channels, others = b->shape.channels;
    const bool one = combine->spread && halo_is_pixel(&b->shape);
    const bool known = combine->kind == HALO_COMBINE_KEEP || combine->kind == HALO_COMBINE_ENDS ||
                       device->kernels->doubles->pair[combine->kind] != NULL;
    Doubles d = {.make = combine_piece,
                 .a = a,
                 .b = b,
                 .dst = dst,
                 .how = combine,
                 .each = channels > others ? channels : others,
                 .name = "a combination",
                 .device = device};
    if (combine->kind == HALO_COMBINE_ENDS && dst->shape.width < combine->taps)
        return halo_fail(HALO_ERR_INPUT, "%lld samples are too few: edge=interp fits %lld at each end",
                         (long long)dst->shape.width, (long long)combine->taps);
    if (!known || !cpu_double_holds(a, dst->x0 + combine->ax, dst->cols) || a->shape.channels != channels ||
        (others != channels && !(combine->spread && others == 1)) ||
        !(combine->kind == HALO_COMBINE_ENDS
              ? holds_ends(b, dst, combine)
              : cpu_double_holds(b, one ? 0 : dst->x0 + combine->bx, one ? 1 : dst->cols)))
        return not_held(d.name);
    return cpu_double_run(&d);
}

/* ---- channels and gains --------------------------------------------------------------------------------- */

static double *mix_piece(const Doubles *d, int64_t x, int64_t frames, double *row, double *other)
{
    cpu_double_load(d, d->a, x, frames, other);
    d->device->kernels->doubles->mix(other, frames, d->a->shape.channels, d->how, row);
    return row;
}

/* One row of the buffer. */
static HaloBuf row_of(const HaloBuf *buf, int64_t y)
{
    HaloBuf row = *buf;
    row.data = halo_at(buf, buf->x0, y);
    row.y0 = y;
    row.rows = 1;
    return row;
}

/* Pictures of f64 come here where channels are only selected, which keeps their samples. */
HaloStatus cpu_double_mix(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMix *mix)
{
    HaloStatus status = HALO_OK;
    bool held = dst->y0 >= src->y0 && dst->y0 + dst->rows <= src->y0 + src->rows &&
                mix->channels == dst->shape.channels;
    for (int i = 0; i < mix->begin[mix->channels]; i++)
        held = held && mix->term[i].channel >= 0 && mix->term[i].channel < src->shape.channels;
    for (int64_t y = dst->y0; y < dst->y0 + dst->rows; y++) {
        HaloBuf from, to = row_of(dst, y);
        if (held) from = row_of(src, y);
        Doubles d = {.make = mix_piece,
                     .a = &from,
                     .dst = &to,
                     .how = mix,
                     .each = src->shape.channels,
                     .name = "a mix",
                     .device = device};
        if (!held || !cpu_double_holds(&from, dst->x0, dst->cols)) return not_held(d.name);
        HALO_TRY(cpu_double_run(&d));
    }
out:
    return status;
}

static double *fade_piece(const Doubles *d, int64_t x, int64_t frames, double *row, double *other)
{
    const HaloFade *fade = d->how;
    const CpuDoubleKernels *kernels = d->device->kernels->doubles;
    const int channels = d->dst->shape.channels;
    const int64_t width = d->dst->shape.width, out = width - fade->out, from = most(x, out);
    (void)other;
    cpu_double_load(d, d->a, x, frames, row);
    if (x < fade->in) kernels->fade(row, least(fade->in - x, frames), channels, fade->wide, x, 1, fade->in);
    if (x + frames > out)
        kernels->fade(row + (from - x) * channels, x + frames - from, channels, fade->wide, width - 1 - from,
                      -1, fade->out);
    return row;
}

HaloStatus cpu_double_fade(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloFade *fade)
{
    Doubles d = {.make = fade_piece, .a = src, .dst = dst, .how = fade, .name = "a fade", .device = device};
    if (!cpu_double_holds(src, dst->x0, dst->cols) || src->shape.channels != dst->shape.channels ||
        fade->wide == NULL)
        return not_held(d.name);
    return cpu_double_run(&d);
}
