/* Second-order sections (halo/sections.h), in f64, each operation rounded. One section waits for its own sums;
 * vectors therefore go over what does not wait: the sections of a cascade, each a sample behind the one before
 * it, or blocks whose states are known. */
#include "halo/sections.h"

#include "variant.h"

#if defined(__AVX512F__)
#define LANES 8
#elif defined(__AVX__)
#define LANES 4
#else
#define LANES 2
#endif

typedef double Wide __attribute__((vector_size(8 * LANES)));
typedef int64_t Mask __attribute__((vector_size(8 * LANES)));

/* ---- one line ------------------------------------------------------------------------------------------- */

static inline double step_of(const HaloSection *c, double x, double *z0, double *z1)
{
    const double y = c->b0 * x + *z0;
    *z0 = (c->b1 * x + *z1) - c->a1 * y;
    *z1 = c->b2 * x - c->a2 * y;
    return y;
}

static void one_section(const HaloSection *section, double *z, double *x, int64_t n)
{
    const HaloSection c = *section;
    double z0 = z[0], z1 = z[1];
    for (int64_t i = 0; i < n; i++) x[i] = step_of(&c, x[i], &z0, &z1);
    z[0] = z0;
    z[1] = z1;
}

static void two_sections(const HaloSection *section, double *z, double *x, int64_t n)
{
    const HaloSection c = section[0], d = section[1];
    double z0 = z[0], z1 = z[1], w0 = z[2], w1 = z[3];
    for (int64_t i = 0; i < n; i++) x[i] = step_of(&d, step_of(&c, x[i], &z0, &z1), &w0, &w1);
    z[0] = z0;
    z[1] = z1;
    z[2] = w0;
    z[3] = w1;
}

typedef struct Cascade {
    Wide b0, b1, b2, a1, a2, z0, z1, y;
} Cascade;

/* x moves to lane 0, and every lane to the next. */
static CPU_INLINE Wide shifted(Wide y, double x)
{
#if LANES == 8
    return __builtin_shufflevector((Wide){x}, y, 0, 8, 9, 10, 11, 12, 13, 14);
#elif LANES == 4
    return __builtin_shufflevector((Wide){x}, y, 0, 4, 5, 6);
#else
    return __builtin_shufflevector((Wide){x}, y, 0, 2);
#endif
}

static CPU_INLINE void step_all(Cascade *c, double x)
{
    const Wide v = shifted(c->y, x);
    c->y = c->b0 * v + c->z0;
    c->z0 = (c->b1 * v + c->z1) - c->a1 * c->y;
    c->z1 = c->b2 * v - c->a2 * c->y;
}

/* The same where some lanes have no sample, because theirs lie before the line or behind it. */
static void step_some(Cascade *c, double x, int from, int to)
{
    const Wide z0 = c->z0, z1 = c->z1;
    Mask on;
    for (int k = 0; k < LANES; k++) on[k] = k >= from && k < to ? -1 : 0;
    step_all(c, x);
    c->z0 = (Wide)(((Mask)c->z0 & on) | ((Mask)z0 & ~on));
    c->z1 = (Wide)(((Mask)c->z1 & on) | ((Mask)z1 & ~on));
}

/* Up to LANES sections: at step t lane k takes sample t - k. */
static void cascade(const HaloSection *section, int count, double *z, double *x, int64_t n)
{
    Cascade c = {0};
    const int last = count - 1;
    for (int k = 0; k < count; k++) {
        c.b0[k] = section[k].b0;
        c.b1[k] = section[k].b1;
        c.b2[k] = section[k].b2;
        c.a1[k] = section[k].a1;
        c.a2[k] = section[k].a2;
        c.z0[k] = z[2 * k];
        c.z1[k] = z[2 * k + 1];
    }
    int64_t t = 0;
    for (; t < last; t++) step_some(&c, x[t], 0, (int)t + 1);
    double *const out = x - last;
    for (; t < n; t++) {
        step_all(&c, x[t]);
        out[t] = c.y[last];
    }
    for (; t < n + last; t++) {
        step_some(&c, 0.0, (int)(t - n) + 1, count);
        out[t] = c.y[last];
    }
    for (int k = 0; k < count; k++) {
        z[2 * k] = c.z0[k];
        z[2 * k + 1] = c.z1[k];
    }
}

static void run(const HaloSection *section, int count, double *z, double *x, int64_t n)
{
    for (int k = 0; k < count;) {
        const int left = count - k, some = left < LANES ? left : LANES;
        if (LANES > 2 && some > 2 && n >= 2 * LANES) {
            cascade(section + k, some, z + 2 * k, x, n);
            k += some;
        } else if (left > 1) {
            two_sections(section + k, z + 2 * k, x, n);
            k += 2;
        } else {
            one_section(section + k, z + 2 * k, x, n);
            k++;
        }
    }
}

/* ---- lines side by side --------------------------------------------------------------------------------- */

#define PIECE 64 /* samples of a line that are transposed at a time */

/* `count` sections, a constant where this is called, over samples of all lines. */
static CPU_INLINE void some_sections(const HaloSection *section, int count, Wide *z, Wide *v, int64_t n)
{
    Wide z0[4], z1[4];
    CPU_UNROLL for (int k = 0; k < count; k++)
    {
        z0[k] = z[2 * k];
        z1[k] = z[2 * k + 1];
    }
    CPU_LOOP for (int64_t i = 0; i < n; i++)
    {
        Wide x = v[i];
        CPU_UNROLL for (int k = 0; k < count; k++)
        {
            const HaloSection *c = &section[k];
            const Wide y = c->b0 * x + z0[k];
            z0[k] = (c->b1 * x + z1[k]) - c->a1 * y;
            z1[k] = c->b2 * x - c->a2 * y;
            x = y;
        }
        v[i] = x;
    }
    CPU_UNROLL for (int k = 0; k < count; k++)
    {
        z[2 * k] = z0[k];
        z[2 * k + 1] = z1[k];
    }
}

static void side_by_side(const HaloSection *section, int count, void *z, double *const *line, int64_t n)
{
    Wide v[PIECE], *const state = z;
    for (int64_t from = 0, some; from < n; from += some) {
        some = least(PIECE, n - from);
        for (int64_t i = 0; i < some; i++)
            CPU_UNROLL for (int l = 0; l < LANES; l++) v[i][l] = line[l][from + i];
        int k = 0;
        for (; k + 4 <= count; k += 4) some_sections(section + k, 4, state + 2 * k, v, some);
        for (; k + 2 <= count; k += 2) some_sections(section + k, 2, state + 2 * k, v, some);
        for (; k < count; k++) some_sections(section + k, 1, state + 2 * k, v, some);
        for (int64_t i = 0; i < some; i++)
            CPU_UNROLL for (int l = 0; l < LANES; l++) line[l][from + i] = v[i][l];
    }
}

const CpuSectionKernels CPU_TABLE(sections) = {.lanes = LANES, .run = run, .side_by_side = side_by_side};
