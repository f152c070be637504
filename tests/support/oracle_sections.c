/* The oracle of recursive filters. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "halo/sections.h"
#include "oracle.h"

/* Samples [from, n) of x, in place; z: [count][2]. */
static void go(const HaloSections *how, double *x, int64_t from, int64_t n, double *z)
{
    for (int64_t i = from; i < n; i++) {
        for (int k = 0; k < 2 * how->count; k++)
            if (i % 1024 == 0 && z[k] > -0x1p-600 && z[k] < 0x1p-600) z[k] = 0.0;
        for (int k = 0; k < how->count; k++) {
            const HaloSection *c = &how->section[k];
            const double in = x[i], forward = c->b0 * in, y = forward + z[2 * k];
            const double b1 = c->b1 * in, b2 = c->b2 * in, a1 = c->a1 * y, a2 = c->a2 * y;
            const double sum = b1 + z[2 * k + 1];
            z[2 * k] = sum - a1;
            z[2 * k + 1] = b2 - a2;
            x[i] = y;
        }
    }
}

static void begin(const HaloSections *how, double first, double *z)
{
    for (int k = 0; k < how->count; k++) {
        z[2 * k] = how->section[k].z0 * first;
        z[2 * k + 1] = how->section[k].z1 * first;
    }
}

static void there_and_back(const HaloSections *how, const double *x, int64_t n, int64_t extend, double *out,
                           double *z)
{
    const int64_t all = n + 2 * extend;
    double *there = oracle_memory(all, sizeof *there), *back = oracle_memory(all, sizeof *back);
    for (int64_t i = 0; i < all; i++) {
        const int64_t at = i - extend;
        there[i] = at < 0 ? 2.0 * x[0] - x[-at] : at >= n ? 2.0 * x[n - 1] - x[2 * (n - 1) - at] : x[at];
    }
    begin(how, there[0], z);
    go(how, there, 0, all, z);
    for (int64_t i = 0; i < all; i++) back[i] = there[all - 1 - i];
    begin(how, back[0], z);
    go(how, back, 0, all, z);
    for (int64_t i = 0; i < n; i++) out[i] = back[all - 1 - (i + extend)];
    free(there);
    free(back);
}

uint64_t oracle_sections(const HaloBuf *src, HaloBuf *dst, const HaloSections *how, HaloStore store)
{
    const int64_t n = how->zero_phase ? src->shape.width : dst->x0 + dst->cols;
    double *x = oracle_memory(n, sizeof *x), *out = oracle_memory(n, sizeof *out);
    double *z = oracle_memory(2 * how->count, sizeof *z);
    uint64_t clipped = 0;
    for (int c = 0; c < src->shape.channels; c++) {
        double *const kept = how->state != NULL ? how->state + (ptrdiff_t)2 * how->count * c : z;
        const int64_t from = how->state != NULL ? dst->x0 : 0;
        for (int64_t i = from; i < n; i++) x[i] = out[i] = oracle_wide(src, i, 0, c);
        for (int k = 0; k < 2 * how->count; k++) z[k] = 0.0;
        if (how->zero_phase)
            there_and_back(how, x, n, how->extend < n - 1 ? how->extend : n - 1, out, z);
        else
            go(how, out, from, n, kept);
        for (int64_t i = dst->x0; i < dst->x0 + dst->cols; i++)
            if (dst->shape.dtype == HALO_F64)
                oracle_put_wide(dst, i, 0, c, out[i]);
            else
                clipped += oracle_put(dst, i, 0, c, isnan(out[i]) ? NAN : (float)out[i], store);
    }
    free(x);
    free(out);
    free(z);
    return clipped;
}
