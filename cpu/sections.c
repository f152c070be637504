/* Recursive filters: a channel is a task. Sections go over a run of samples two at a time, so that one computes
 * while the other waits for its own sum. */
#include "halo/sections.h"

#include <math.h>
#include <string.h>

#include "device.h"
#include "halo/numerics.h"
#include "primitives.h"

#define RUN HALO_SECTIONS_REST
#define BLOCK HALO_SECTIONS_BLOCK

typedef struct Sections {
    const HaloBuf *src;
    HaloBuf *dst;
    const HaloSections *how;
    HaloStore store;
    int64_t extend, samples;                                     /* ZERO: at either end, and in all */
    int64_t scratch_bytes, at_wide, at_row, at_state, at_states; /* of a worker */
    char *scratch;
    HaloDevice *device;
} Sections;

/* ---- samples -------------------------------------------------------------------------------------------- */

/* n samples of a channel, from frame x on. */
static void load(const Sections *s, int channel, int64_t x, int64_t n, double *to)
{
    const int64_t channels = s->src->shape.channels;
    const char *from =
        (const char *)halo_at(s->src, x, 0) + channel * (int64_t)halo_dtype_size(s->src->shape.dtype);
    s->device->kernels->scan->to_f64[s->src->shape.dtype](from, n, channels, to);
}

/* Stores n results in every channels-th place; n <= RUN. */
static void put(const Sections *s, int channel, int64_t x, int64_t n, const double *from, float *row,
                uint64_t *clipped)
{
    const int64_t channels = s->dst->shape.channels, size = (int64_t)halo_dtype_size(s->dst->shape.dtype);
    char *to = (char *)halo_at(s->dst, x, 0) + channel * size;
    if (s->dst->shape.dtype == HALO_F64) {
        for (int64_t i = 0; i < n; i++) ((double *)(void *)to)[i * channels] = halo_canonical_f64(from[i]);
        return;
    }
    float *const typed = channels == 1 ? (void *)to : (void *)(row + RUN);
    for (int64_t i = 0; i < n; i++) row[i] = halo_canonical((float)from[i]);
    s->device->kernels->rows->store[s->dst->shape.dtype](row, n, s->store, typed, clipped);
    if (channels == 1) return;
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * channels * size, (const char *)typed + i * size, (size_t)size);
}

/* ---- sections ------------------------------------------------------------------------------------------- */

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

static void rest(double *z, int count)
{
    for (int i = 0; i < 2 * count; i++)
        if (fabs(z[i]) < HALO_SECTIONS_LEAST) z[i] = 0.0;
}

/* Samples, in place; no multiple of RUN lies among them but at their start. */
static void filter_run(const HaloSections *how, double *z, double *x, int64_t n)
{
    int k = 0;
    for (; k + 1 < how->count; k += 2) two_sections(how->section + k, z + 2 * k, x, n);
    if (k < how->count) one_section(how->section + k, z + 2 * k, x, n);
}

/* ---- causal --------------------------------------------------------------------------------------------- */

static void filter_causal(const Sections *s, int channel, char *scratch, uint64_t *clipped)
{
    const HaloSections *how = s->how;
    double *const wide = (double *)(void *)(scratch + s->at_wide);
    float *const row = (float *)(void *)(scratch + s->at_row);
    double *z = (double *)(void *)(scratch + s->at_state);
    const int64_t end = s->dst->x0 + s->dst->cols;
    if (how->state != NULL)
        z = how->state + (int64_t)2 * how->count * channel;
    else
        memset(z, 0, sizeof *z * 2 * (size_t)how->count);
    for (int64_t x = s->dst->x0, n; x < end; x += n) {
        n = least(RUN - x % RUN, end - x);
        if (x % RUN == 0) rest(z, how->count);
        load(s, channel, x, n, wide);
        filter_run(how, z, wide, n);
        put(s, channel, x, n, wide, row, clipped);
    }
}

/* ---- forward and backward ------------------------------------------------------------------------------- */

/* Sample numbers include the extensions at both ends. The forward pass keeps only the state at each block's
 * start. The backward pass goes from the last block to the first, and repeats the forward filter on each, so
 * that the forward result is never in memory as a whole. */

static double one_sample(const Sections *s, int channel, int64_t x)
{
    double v;
    load(s, channel, x, 1, &v);
    return v;
}

static void load_continued(const Sections *s, int channel, int64_t from, int64_t count, double *to)
{
    const int64_t last = s->src->shape.width - 1;
    for (int64_t i = 0, n; i < count; i += n) {
        const int64_t x = from + i - s->extend;
        n = 1;
        if (x < 0) {
            to[i] = 2.0 * one_sample(s, channel, 0) - one_sample(s, channel, -x);
        } else if (x > last) {
            to[i] = 2.0 * one_sample(s, channel, last) - one_sample(s, channel, 2 * last - x);
        } else {
            n = least(count - i, last + 1 - x);
            load(s, channel, x, n, to + i);
        }
    }
}

/* As if the first section had been given `x` for ever. */
static void begin_with(const HaloSections *how, double x, double *z)
{
    for (int k = 0; k < how->count; k++) {
        z[2 * k] = how->section[k].z0 * x;
        z[2 * k + 1] = how->section[k].z1 * x;
    }
}

/* Samples, in place; `first`: the number of the first of them, counted along the way. */
static void filter_block(const HaloSections *how, double *z, int64_t first, double *x, int64_t count)
{
    for (int64_t i = 0, n; i < count; i += n) {
        n = least(RUN - (first + i) % RUN, count - i);
        if ((first + i) % RUN == 0) rest(z, how->count);
        filter_run(how, z, x + i, n);
    }
}

static void reverse_samples(double *x, int64_t n)
{
    for (int64_t i = 0, j = n - 1; i < j; i++, j--) {
        const double kept = x[i];
        x[i] = x[j];
        x[j] = kept;
    }
}

/* What the result has of a block, which begins with frame x. */
static void put_block(const Sections *s, int channel, int64_t x, int64_t count, const double *from, float *row,
                      uint64_t *clipped)
{
    const int64_t first = most(x, s->dst->x0), end = least(x + count, s->dst->x0 + s->dst->cols);
    for (int64_t at = first, n; at < end; at += n) {
        n = least(RUN, end - at);
        put(s, channel, at, n, from + (at - x), row, clipped);
    }
}

/* The state at the start of a block on the way there, and behind it, at its end, that on the way back. */
static double *state_at(const Sections *s, double *states, int64_t block, int way)
{
    return states + (2 * block + way) * 2 * s->how->count;
}

static int64_t load_block(const Sections *s, int channel, int64_t block, double *x)
{
    const int64_t count = least(BLOCK, s->samples - block * BLOCK);
    load_continued(s, channel, block * BLOCK, count, x);
    return count;
}

static void filter_forward(const Sections *s, int channel, HaloSpan blocks, double *states, double *x)
{
    const size_t bytes = 2 * (size_t)s->how->count * sizeof *states;
    if (blocks.from == 0) {
        load_continued(s, channel, 0, 1, x);
        begin_with(s->how, x[0], states);
    }
    for (int64_t k = blocks.from; k < blocks.to; k++) {
        double *const z = state_at(s, states, k + 1, 0);
        const int64_t count = load_block(s, channel, k, x);
        memcpy(z, state_at(s, states, k, 0), bytes);
        filter_block(s->how, z, k * BLOCK, x, count);
    }
}

static void filter_backward(const Sections *s, int channel, HaloSpan blocks, double *states, char *scratch,
                            uint64_t *clipped)
{
    const HaloSections *how = s->how;
    const size_t bytes = 2 * (size_t)how->count * sizeof *states;
    double *const x = (double *)(void *)(scratch + s->at_wide), *const z =
                                                                    (double *)(void *)(scratch + s->at_state);
    for (int64_t k = blocks.to - 1; k >= blocks.from; k--) {
        const int64_t count = load_block(s, channel, k, x), end = k * BLOCK + count;
        double *const back = state_at(s, states, k, 1);
        memcpy(z, state_at(s, states, k, 0), bytes);
        filter_block(how, z, k * BLOCK, x, count);
        reverse_samples(x, count);
        if (end == s->samples) begin_with(how, x[0], state_at(s, states, k + 1, 1));
        memcpy(back, state_at(s, states, k + 1, 1), bytes);
        filter_block(how, back, s->samples - end, x, count);
        reverse_samples(x, count);
        put_block(s, channel, k * BLOCK - s->extend, count, x, (float *)(void *)(scratch + s->at_row), clipped);
    }
}

static void filter_forward_backward(const Sections *s, int channel, char *scratch, uint64_t *clipped)
{
    const HaloSections *how = s->how;
    const int64_t width = s->src->shape.width, all = halo_sections_blocks(how, width);
    const HaloSpan blocks = halo_sections_span(how, width, s->dst->x0, s->dst->x0 + s->dst->cols);
    double *const x = (double *)(void *)(scratch + s->at_wide);
    double *states = (double *)(void *)(scratch + s->at_states);
    if (how->states != NULL) states = how->states + channel * (all + 1) * 4 * how->count;
    if (how->states == NULL) filter_forward(s, channel, (HaloSpan){0, all}, states, x);
    if (how->forward_only)
        filter_forward(s, channel, blocks, states, x);
    else
        filter_backward(s, channel, how->states == NULL ? (HaloSpan){blocks.from, all} : blocks, states,
                        scratch, clipped);
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

static void run_task(void *context, int64_t channel, int worker)
{
    const Sections *s = context;
    char *const scratch = s->scratch + worker * s->scratch_bytes;
    uint64_t clipped = 0;
    if (s->how->zero_phase)
        filter_forward_backward(s, (int)channel, scratch, &clipped);
    else
        filter_causal(s, (int)channel, scratch, &clipped);
    cpu_count_clipped(s->device, clipped);
}

static bool holds(const Sections *s)
{
    const HaloBuf *src = s->src, *dst = s->dst;
    if (src->rows != 1 || dst->rows != 1 || src->shape.channels != dst->shape.channels ||
        src->shape.dtype == HALO_I64 || dst->shape.dtype == HALO_I64 || s->how->count < 1)
        return false;
    if (s->how->zero_phase && s->how->states == NULL) return src->x0 == 0 && src->cols == src->shape.width;
    if (s->how->zero_phase) {
        const int64_t width = src->shape.width;
        const HaloSpan blocks = halo_sections_span(s->how, width, dst->x0, dst->x0 + dst->cols);
        const HaloSpan frames = halo_sections_frames(s->how, width, blocks);
        return frames.from >= src->x0 && frames.to <= src->x0 + src->cols;
    }
    return dst->x0 >= src->x0 && dst->x0 + dst->cols <= src->x0 + src->cols &&
           (s->how->state != NULL || dst->x0 == 0);
}

HaloStatus cpu_sections(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSections *sections,
                        HaloStore store)
{
    HaloStatus status = HALO_OK;
    Sections s = {.src = src, .dst = dst, .how = sections, .store = store, .device = device};
    const int64_t state = 2 * sections->count * (int64_t)sizeof(double);
    int64_t total = 0, states = 0;
    void *scratch;
    if (dst->cols < 1 || dst->rows < 1) goto out;
    if (!holds(&s) && !device->querying)
        HALO_FAIL(HALO_ERR_BUG, "internal: the source of a biquad cascade does not hold the samples it needs");
    s.samples = dst->cols;
    if (sections->zero_phase) {
        s.extend = halo_sections_extent(sections, src->shape.width);
        s.samples = src->shape.width + 2 * s.extend;
        if (sections->states == NULL) states = 2 * (halo_sections_blocks(sections, src->shape.width) + 1);
    }
    if (!cpu_reserve(&total, sections->zero_phase ? BLOCK : RUN, sizeof(double), &s.at_wide) ||
        !cpu_reserve(&total, 2 * RUN, sizeof(float), &s.at_row) ||
        !cpu_reserve(&total, 1, state, &s.at_state) || !cpu_reserve(&total, states, state, &s.at_states))
        HALO_FAIL(HALO_ERR_LIMIT, "%lld samples need more memory than can be addressed", (long long)s.samples);
    s.scratch_bytes = total;
    HALO_TRY(cpu_scratch_each(device, &s.scratch_bytes, &scratch));
    s.scratch = scratch;
    const double work = (double)(sections->states != NULL ? dst->cols : s.samples) * sections->count * 12.0 *
                        src->shape.channels;
    cpu_run(device, cpu_workers(device, work), src->shape.channels, run_task, &s);
out:
    return status;
}
