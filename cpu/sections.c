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
    int64_t extend, samples;                                               /* ZERO: at either end, and in all */
    int64_t scratch_bytes, at_wide, at_row, at_state, at_states, at_lanes; /* of a worker */
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

static void rest(double *z, int count)
{
    for (int i = 0; i < 2 * count; i++)
        if (fabs(z[i]) < HALO_SECTIONS_LEAST) z[i] = 0.0;
}

/* Samples, in place; `first`: the number of the first of them, counted along the way. */
static void filter_block(const Sections *s, double *z, int64_t first, double *x, int64_t count)
{
    for (int64_t i = 0, n; i < count; i += n) {
        n = least(RUN - (first + i) % RUN, count - i);
        if ((first + i) % RUN == 0) rest(z, s->how->count);
        s->device->kernels->sections->run(s->how->section, s->how->count, z, x + i, n);
    }
}

/* The same of lines side by side: z is [count][2][lanes]. */
static void filter_blocks(const Sections *s, double *z, int64_t first, double *const *x, int64_t count)
{
    const CpuSectionKernels *kernels = s->device->kernels->sections;
    double *line[CPU_MAX_SECTION_LANES];
    for (int64_t i = 0, n; i < count; i += n) {
        n = least(RUN - (first + i) % RUN, count - i);
        if ((first + i) % RUN == 0) rest(z, s->how->count * kernels->lanes);
        for (int l = 0; l < kernels->lanes; l++) line[l] = x[l] + i;
        kernels->side_by_side(s->how->section, s->how->count, z, line, n);
    }
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
        s->device->kernels->sections->run(how->section, how->count, z, wide, n);
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
        filter_block(s, z, k * BLOCK, x, count);
    }
}

/* Blocks that are filtered side by side: their lines, and their states in one direction. */
typedef struct Group {
    int64_t first, count; /* blocks [first, first + count), */
    int64_t length;       /* each of as many samples */
    int lanes;            /* lines; those past `count` are the first one again */
    double *line[CPU_MAX_SECTION_LANES];
    double *z; /* [count][2][lanes] */
} Group;

/* The last of blocks [from, to): as many as there are lanes; the very last block, which may be shorter, by
 * itself. */
static Group group_of(const Sections *s, int64_t from, int64_t to, char *scratch)
{
    Group group = {.lanes = s->device->kernels->sections->lanes,
                   .z = (double *)(void *)(scratch + s->at_lanes),
                   .length = least(BLOCK, s->samples - (to - 1) * BLOCK)};
    const bool shorter = group.length < BLOCK;
    group.count = shorter ? 1 : least(group.lanes, to - from);
    group.first = to - group.count;
    for (int l = 0; l < group.lanes; l++)
        group.line[l] = (double *)(void *)(scratch + s->at_wide) + (l < group.count ? l : 0) * BLOCK;
    return group;
}

/* Filters all lines of a group, one way, from the states that `behind` blocks further on in `states`. */
static void filter_group(const Sections *s, const Group *group, double *states, int way, int64_t first)
{
    const int lanes = group->lanes;
    for (int l = 0; l < lanes; l++) {
        const double *z = state_at(s, states, group->first + (l < group->count ? l : 0) + way, way);
        for (int i = 0; i < 2 * s->how->count; i++) group->z[i * lanes + l] = z[i];
    }
    filter_blocks(s, group->z, first, group->line, group->length);
}

/* Backward over the blocks of a group, from the last to the first, each from where the one behind it ended. */
static void filter_in_turn(const Sections *s, const Group *group, double *states)
{
    const size_t bytes = 2 * (size_t)s->how->count * sizeof *states;
    for (int64_t l = group->count - 1; l >= 0; l--) {
        const int64_t k = group->first + l, end = k * BLOCK + group->length;
        double *const back = state_at(s, states, k, 1);
        if (end == s->samples) begin_with(s->how, group->line[l][0], state_at(s, states, k + 1, 1));
        memcpy(back, state_at(s, states, k + 1, 1), bytes);
        filter_block(s, back, s->samples - end, group->line[l], group->length);
    }
}

static void filter_backward(const Sections *s, int channel, HaloSpan blocks, double *states, char *scratch,
                            uint64_t *clipped)
{
    Group group;
    for (int64_t end = blocks.to; end > blocks.from; end = group.first) {
        group = group_of(s, blocks.from, end, scratch);
        for (int64_t l = 0; l < group.count; l++) load_block(s, channel, group.first + l, group.line[l]);
        filter_group(s, &group, states, 0, group.first * BLOCK);
        for (int64_t l = 0; l < group.count; l++) reverse_samples(group.line[l], group.length);
        const int64_t number = s->samples - (group.first * BLOCK + group.length);
        if (s->how->states_known)
            filter_group(s, &group, states, 1, number);
        else
            filter_in_turn(s, &group, states);
        for (int64_t l = 0; l < group.count; l++) {
            reverse_samples(group.line[l], group.length);
            put_block(s, channel, (group.first + l) * BLOCK - s->extend, group.length, group.line[l],
                      (float *)(void *)(scratch + s->at_row), clipped);
        }
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
    const int lanes = device->kernels->sections->lanes;
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
    if (!cpu_reserve(&total, sections->zero_phase ? BLOCK * lanes : RUN, sizeof(double), &s.at_wide) ||
        !cpu_reserve(&total, 2 * RUN, sizeof(float), &s.at_row) ||
        !cpu_reserve(&total, 1, state, &s.at_state) || !cpu_reserve(&total, lanes, state, &s.at_lanes) ||
        !cpu_reserve(&total, states, state, &s.at_states))
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
