/* Resampling of a single row, such as sound: outputs whose taps are the same, and lie over samples further on,
 * stand side by side in the lanes of vectors. So each output is a chain of its own, and nothing is gathered: of
 * the lanes' samples those that belong to one place are transposed into a vector once, for all outputs that
 * read it. */
#include "halo/resample.h"

#include "device.h"
#include "primitives.h"

/* Of these lanes that many, if there are fewer channels than the kernel makes well of each load. */
#define MOST_GROUPS 2
/* Outputs of a lane that should at least be made together, since all of them share what their ends read. */
#define LEAST_RUN 64

typedef struct Line {
    const HaloBuf *src;
    HaloBuf *dst;
    const HaloResampleAxis *how;
    HaloResampleTaps column; /* over the one row */
    HaloStore store;
    int64_t groups, run; /* groups of lanes; outputs of a lane, a multiple of `up` */
    int64_t from, to;    /* outputs between the ends, which read as others do, further on */
    int64_t before, blocks,
        behind; /* tasks: pieces before them, blocks, the rest of these by lanes, and pieces */
    int64_t scratch_bytes, at_turned, at_sums, at_row, at_out; /* of a worker */
    int64_t pitch;                                             /* of rows that come back */
    char *scratch;
    HaloDevice *device;
} Line;

static int64_t lanes_of(const Line *r) { return r->device->kernels->resample->lanes * r->groups; }

/* ---- outputs -------------------------------------------------------------------------------------------- */

/* `count` outputs from `from` on, at most CPU_RESAMPLE_OUTPUTS, and as many more `run` further on, and so on:
 * so many times as `used` says. */
static void make_part(const Line *r, int64_t from, int64_t count, int64_t used, char *scratch,
                      uint64_t *clipped)
{
    const CpuKernels *kernels = r->device->kernels;
    const CpuResampleKernels *resample = kernels->resample;
    const int64_t channels = r->src->shape.channels, lanes = resample->lanes, pitch = lanes * r->groups;
    const int64_t apart =
        r->run / (r->how->up > 0 ? r->how->up : 1) * r->how->down; /* samples, from lane to lane */
    float *const transposed = (float *)(void *)(scratch + r->at_turned), *const sums =
                                                                             (float *)(void *)(scratch +
                                                                                               r->at_sums);
    float *const rows = (float *)(void *)(scratch + r->at_row), *const out =
                                                                    (float *)(void *)(scratch + r->at_out);
    HaloResampleTaps taps[CPU_RESAMPLE_OUTPUTS];
    const void *row[CPU_RESAMPLE_LANES]; /* of a group */
    float *to[CPU_RESAMPLE_LANES];
    const HaloResampleTaps last = halo_resample_at(r->how, from + count - 1);
    const int64_t first = halo_resample_at(r->how, from).first, pixels = last.first + last.count - first;
    for (int64_t o = 0; o < count; o++) {
        taps[o] = halo_resample_at(r->how, from + o);
        taps[o].first -= first;
    }
    for (int64_t g = 0; g < r->groups; g++) {
        for (int64_t l = 0; l < lanes; l++) /* lanes beyond the last make it again */
            row[l] = halo_at(r->src, first + least(g * lanes + l, used - 1) * apart, r->column.first);
        resample->transpose[r->src->shape.dtype](row, pixels * channels, transposed + g * lanes, pitch);
    }
    resample->sums_along(taps, count, channels * r->groups, transposed, sums);
    for (int64_t g = 0; g < r->groups; g++) {
        for (int64_t l = 0; l < lanes; l++) to[l] = rows + least(g * lanes + l, used - 1) * r->pitch;
        resample->transpose_back(sums + g * lanes, pitch, count * channels, to);
    }
    const CpuMask column = {.tap = r->column.tap, .width = 1, .height = 1, .step = 1};
    for (int64_t l = 0; l < used; l++) {
        const float *const line = rows + l * r->pitch;
        kernels->conv->conv(&column, &line, 1, count * channels, out, r->pitch, true);
        kernels->rows->store[r->dst->shape.dtype](out, count * channels, r->store,
                                                  halo_at(r->dst, from + l * r->run, r->dst->y0), clipped);
    }
}

/* All outputs of a lane, and those of `used` lanes. */
static void make_run(const Line *r, int64_t from, int64_t count, int64_t used, char *scratch, uint64_t *clipped)
{
    for (int64_t o = 0; o < count; o += CPU_RESAMPLE_OUTPUTS)
        make_part(r, from + o, least(CPU_RESAMPLE_OUTPUTS, count - o), used, scratch, clipped);
}

/* ---- tasks ---------------------------------------------------------------------------------------------- */

/* Piece `index` of outputs [from, to), which have taps of their own. */
static void make_piece(const Line *r, int64_t from, int64_t to, int64_t index, char *scratch, uint64_t *clipped)
{
    from += index * CPU_RESAMPLE_OUTPUTS;
    make_run(r, from, least(CPU_RESAMPLE_OUTPUTS, to - from), 1, scratch, clipped);
}

/* What no block is left for: as many lanes as it fills, then the rest of a lane. */
static void make_rest(const Line *r, char *scratch, uint64_t *clipped)
{
    const int64_t from = r->from + r->blocks * lanes_of(r) * r->run, used = (r->to - from) / r->run;
    const int64_t rest = (r->to - from) % r->run;
    if (used > 0) make_run(r, from, r->run, used, scratch, clipped);
    if (rest > 0) make_run(r, r->to - rest, rest, 1, scratch, clipped);
}

static void run_task(void *context, int64_t index, int worker)
{
    const Line *r = context;
    char *scratch = r->scratch + worker * r->scratch_bytes;
    const int64_t lanes = lanes_of(r);
    uint64_t clipped = 0;
    if (index < r->blocks)
        make_run(r, r->from + index * lanes * r->run, r->run, lanes, scratch, &clipped);
    else if (index == r->blocks)
        make_rest(r, scratch, &clipped);
    else if (index - r->blocks - 1 < r->before)
        make_piece(r, r->dst->x0, r->from, index - r->blocks - 1, scratch, &clipped);
    else
        make_piece(r, r->to, r->dst->x0 + r->dst->cols, index - r->blocks - 1 - r->before, scratch, &clipped);
    cpu_count_clipped(r->device, clipped);
}

/* ---- laying out ----------------------------------------------------------------------------------------- */

/* The first output from `from` on, up to `to`, that is cut at neither end; or, `behind`, the first that is cut
 * at the right one. Axes that are not cut have rows for these. */
static int64_t first_between(const HaloResampleAxis *how, int64_t from, int64_t to, bool behind)
{
    const int64_t last = how->size - how->right;
    if (!how->cut) return most(from, least(to, behind ? last : how->left));
    while (from < to) {
        const int64_t middle = from + (to - from) / 2;
        const int64_t row = middle % how->up, first = how->first[row] + middle / how->up * how->down;
        if (behind ? first + how->count[row] > how->length : first >= 0)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

static void choose_tasks(Line *r)
{
    const HaloResampleAxis *how = r->how;
    const int64_t x0 = r->dst->x0, x1 = x0 + r->dst->cols;
    r->groups = r->src->shape.channels == 1 ? MOST_GROUPS : 1;
    r->from = first_between(how, x0, x1, false);
    r->to = first_between(how, r->from, x1, true);
    r->run = how->up > 0 ? divide_up(LEAST_RUN, how->up) * how->up : LEAST_RUN;
    r->blocks = (r->to - r->from) / (lanes_of(r) * r->run);
    r->before = divide_up(r->from - x0, CPU_RESAMPLE_OUTPUTS);
    r->behind = divide_up(x1 - r->to, CPU_RESAMPLE_OUTPUTS);
}

/* False where sizes do not fit 63 bits. */
static bool choose_scratch(Line *r)
{
    const HaloResampleAxis *how = r->how;
    const int64_t each = lanes_of(r) * r->src->shape.channels, outputs = CPU_RESAMPLE_OUTPUTS;
    const double over = (double)how->length / (double)how->size;
    const int64_t pixels = least((int64_t)(over * (double)outputs) + 2 + how->taps, r->src->cols);
    int64_t total = 0;
    r->pitch = divide_up(outputs * r->src->shape.channels + CPU_CONV_SLACK, 16) * 16;
    return cpu_reserve(&total, pixels, each * (int64_t)sizeof(float), &r->at_turned) &&
           cpu_reserve(&total, outputs, each * (int64_t)sizeof(float), &r->at_sums) &&
           cpu_reserve(&total, lanes_of(r), r->pitch * (int64_t)sizeof(float), &r->at_row) &&
           cpu_reserve(&total, 1, r->pitch * (int64_t)sizeof(float), &r->at_out) &&
           ((r->scratch_bytes = total), true);
}

bool cpu_resample_is_line(const HaloBuf *dst, const HaloResample *resample)
{
    return dst->rows == 1 && halo_resample_at(&resample->y, dst->y0).count == 1;
}

HaloStatus cpu_resample_line(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloResample *resample,
                             HaloStore store)
{
    HaloStatus status = HALO_OK;
    Line r = {.src = src,
              .dst = dst,
              .how = &resample->x,
              .column = halo_resample_at(&resample->y, dst->y0),
              .store = store,
              .device = device};
    void *scratch;
    choose_tasks(&r);
    if (!choose_scratch(&r))
        HALO_FAIL(HALO_ERR_LIMIT, "%lld taps need more memory than can be addressed", (long long)r.how->taps);
    const int workers =
        cpu_workers(device, (double)dst->cols * dst->shape.channels * ((double)resample->x.taps + 4.0));
    HALO_TRY(cpu_scratch_each(device, &r.scratch_bytes, &scratch));
    r.scratch = scratch;
    cpu_run(device, workers, r.blocks + 1 + r.before + r.behind, run_task, &r);
out:
    return status;
}
