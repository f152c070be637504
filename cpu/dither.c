/* Pictures of fewer levels. */
#include "halo/dither.h"

#include <math.h>
#include <string.h>

#include "halo/levels.h"
#include "point/pieces.h"
#include "primitives.h"

static float *dither_piece(const Pieces *p, float *row, float *other, int64_t x, int64_t y, int64_t pixels)
{
    const int channels = p->dst->shape.channels, alpha = p->dst->shape.alpha;
    (void)other;
    cpu_pieces_load(p, p->a, x, y, pixels, row);
    for (int64_t i = 0; i < pixels; i++)
        for (int c = 0; c < channels; c++) {
            float *const v = &row[i * channels + c];
            if (c != alpha) *v = halo_dither_level(p->dither, *v, x + i, y, c) * p->dither->unit;
        }
    return row;
}

/* ---- errors ---------------------------------------------------------------------------------------------- */

typedef struct Diffusion {
    const HaloBuf *src;
    HaloBuf *dst;
    const HaloDither *how;
    HaloStore store;
    HaloDevice *device;
    float *row,
        *error[2]; /* errors that come from above, of this row and the next, with a pixel on each side */
} Diffusion;

/* One row of one channel. */
static void diffuse(const Diffusion *d, int channel, const float *above, float *below)
{
    const HaloDither *how = d->how;
    const int channels = d->dst->shape.channels;
    float left = 0.0f;
    for (int64_t x = 0; x < d->dst->cols; x++) {
        float *const v = &d->row[x * channels + channel];
        float *const next = below + (x + 1) * channels + channel;
        const float wanted = (*v * how->scale + above[(x + 1) * channels + channel]) + left;
        const float level = halo_dither_hold(how, halo_round(wanted)), lost = wanted - level;
        const float error = lost - lost == 0.0f ? lost : 0.0f;
        left = error * 0.4375f;
        next[-channels] += error * 0.1875f;
        next[0] += error * 0.3125f;
        next[channels] = error * 0.0625f;
        *v = level * how->unit;
    }
}

static void diffuse_rows(void *context, int64_t task, int worker)
{
    Diffusion *d = context;
    const CpuRowKernels *rows = d->device->kernels->rows;
    const HaloBuf *dst = d->dst;
    const int channels = dst->shape.channels;
    const int64_t n = dst->cols * channels;
    uint64_t clipped = 0;
    (void)task, (void)worker;
    memset(d->error[0], 0, sizeof(float) * (size_t)(n + 2 * channels));
    for (int64_t y = dst->y0; y < dst->y0 + dst->rows; y++) {
        float *const above = d->error[(y - dst->y0) % 2], *const below = d->error[(y - dst->y0 + 1) % 2];
        rows->load[d->src->shape.dtype](halo_at(d->src, dst->x0, y), n, d->row);
        memset(below, 0, sizeof(float) * (size_t)(2 * channels));
        for (int c = 0; c < channels; c++)
            if (c != dst->shape.alpha) diffuse(d, c, above, below);
        rows->store[dst->shape.dtype](d->row, n, d->store, halo_at(dst, dst->x0, y), &clipped);
    }
    cpu_count_clipped(d->device, clipped);
}

static HaloStatus diffuse_all(Diffusion *d)
{
    HaloStatus status = HALO_OK;
    const int64_t n = d->dst->cols * d->dst->shape.channels, wide = n + 2 * d->dst->shape.channels;
    int64_t total = 0, at, error[2];
    void *scratch;
    if (!cpu_reserve(&total, n, sizeof(float), &at) || !cpu_reserve(&total, wide, sizeof(float), &error[0]) ||
        !cpu_reserve(&total, wide, sizeof(float), &error[1]))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for rows of %lld samples", (long long)n);
    HALO_TRY(cpu_scratch(d->device, total, &scratch));
    d->row = (float *)(void *)((char *)scratch + at);
    for (int k = 0; k < 2; k++) d->error[k] = (float *)(void *)((char *)scratch + error[k]);
    cpu_run(d->device, 1, 1, diffuse_rows, d);
out:
    return status;
}

HaloStatus cpu_dither(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloDither *dither,
                      HaloStore store)
{
    Pieces pieces = {.make = dither_piece,
                     .a = src,
                     .dst = dst,
                     .dither = dither,
                     .store = store,
                     .widest = dst->shape.channels,
                     .device = device};
    Diffusion diffusion = {.src = src, .dst = dst, .how = dither, .store = store, .device = device};
    if (!cpu_pieces_hold(src, dst, 0, 0) || src->shape.dtype > HALO_F32 ||
        src->shape.channels != dst->shape.channels)
        return halo_fail(HALO_ERR_BUG, "internal: the source of dithering does not hold the samples it needs");
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    return dither->kind == HALO_DITHER_ERROR ? diffuse_all(&diffusion) : cpu_pieces_run(&pieces);
}
