/* Scans: along x, rows in parallel; along y, slices of columns in parallel, in place after a scan along x. Of a
 * band of rows, or of frames along x, the state holds the totals of those before, and is updated for the next
 * band. */
#include <string.h>

#include "device.h"
#include "halo/scan.h"
#include "packed.h"
#include "primitives.h"
#include "scan.h"

/* Samples of a task along x: of one short row each, handing them out would take as long. */
#define TASK_SAMPLES 16384

/* ---- along x -------------------------------------------------------------------------------------------- */

/* The totals before the tiles of a line, of each channel: G and the totals of this group's tiles. */
typedef struct Before {
    int64_t channels, tiles;
    double groups[CPU_SCAN_CHANNELS];
    double slot[HALO_SCAN_GROUP * CPU_SCAN_CHANNELS];
    double lead[CPU_SCAN_RUNS * CPU_SCAN_CHANNELS]; /* and before the runs of a tile */
} Before;

static void new_group(HaloScanOp op, Before *before)
{
    before->tiles = 0;
    for (int64_t i = 0; i < HALO_SCAN_GROUP * before->channels; i++) before->slot[i] = halo_scan_identity(op);
}

/* E: 32 lanes of 8 slots each, joined by adjacent pairs. */
static double group_prefix(HaloScanOp op, const Before *before, int64_t c)
{
    enum { LANES = 32, SLOTS = HALO_SCAN_GROUP / LANES };
    double lane[LANES];
    for (int l = 0; l < LANES; l++) {
        const double *const slot = before->slot + l * SLOTS * before->channels + c;
        lane[l] = slot[0];
        for (int s = 1; s < SLOTS; s++) lane[l] = halo_scan_join(op, lane[l], slot[s * before->channels]);
    }
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int l = 0; l < width; l++) lane[l] = halo_scan_join(op, lane[2 * l], lane[2 * l + 1]);
    return lane[0];
}

/* What joins before the next tile. */
static void before_tile(HaloScanOp op, Before *before, double *earlier)
{
    const bool full = before->tiles == HALO_SCAN_GROUP;
    for (int64_t c = 0; full && c < before->channels; c++)
        before->groups[c] = halo_scan_join(op, before->groups[c], group_prefix(op, before, c));
    if (full) new_group(op, before);
    for (int64_t c = 0; c < before->channels; c++) {
        const double group = before->tiles > 0 ? group_prefix(op, before, c) : halo_scan_identity(op);
        earlier[c] = halo_scan_join(op, before->groups[c], group);
    }
}

/* The state of channels from c on in a band of frames: G, the totals of tiles, the samples of the last tile. */
typedef struct SoundState {
    double *groups, *slot, *samples;
} SoundState;

static SoundState sound_state(const Scan *s, int64_t c, int64_t channels)
{
    if (s->sound == NULL) return (SoundState){0};
    double *const first = (double *)s->sound + c * (1 + HALO_SCAN_GROUP + HALO_SCAN_TILE);
    return (SoundState){first, first + channels, first + (1 + HALO_SCAN_GROUP) * channels};
}

static void begin_line(HaloScanOp op, int64_t channels, Before *before)
{
    before->channels = channels;
    before->tiles = 0;
    for (int64_t k = 0; k < channels; k++) before->groups[k] = halo_scan_identity(op);
}

/* Continues with tile `tile`, of which there are `n` samples of each channel. */
static void restore_line(int64_t tile, int64_t n, SoundState state, double *x, Before *before)
{
    const int64_t channels = before->channels;
    if (tile == 0 && n == 0) return;
    before->tiles = tile == 0 ? 0 : (tile - 1) % HALO_SCAN_GROUP + 1;
    memcpy(before->groups, state.groups, (size_t)channels * sizeof(double));
    memcpy(before->slot, state.slot, (size_t)(before->tiles * channels) * sizeof(double));
    memcpy(x, state.samples, (size_t)(n * channels) * sizeof(double));
}

/* For a band that begins after n samples of the next tile. */
static void save_line(const Before *before, int64_t n, const double *x, SoundState state)
{
    const int64_t channels = before->channels;
    memcpy(state.groups, before->groups, (size_t)channels * sizeof(double));
    memcpy(state.slot, before->slot, (size_t)(before->tiles * channels) * sizeof(double));
    memcpy(state.samples, x, (size_t)(n * channels) * sizeof(double));
}

/* Row y of `channels` channels from c on: all of them, or one. A band of frames may begin and end in a tile,
 * which then is made from its first sample each time. */
static void line_f64(const Scan *s, int64_t y, int64_t c, int64_t channels, double *x, Before *before)
{
    const CpuScanKernels *kernels = s->device->kernels->scan;
    const HaloScanOp op = s->scan->op;
    const int64_t first = s->src->x0, end = first + s->src->cols,
                  apart = channels == 1 ? s->src->shape.channels : 1;
    const int64_t size = (int64_t)halo_dtype_size(s->src->shape.dtype);
    const SoundState state = sound_state(s, c, channels);
    double earlier[CPU_SCAN_CHANNELS], *const lead = before->lead;
    int64_t at = first / HALO_SCAN_TILE * HALO_SCAN_TILE, known = first - at;
    begin_line(op, channels, before);
    if (end > HALO_SCAN_TILE) new_group(op, before); /* the first tile has nothing before it */
    if (s->sound != NULL) restore_line(at / HALO_SCAN_TILE, known, state, x, before);
    for (; at < end; at += HALO_SCAN_TILE, known = 0) {
        const int64_t n = least(end - at, HALO_SCAN_TILE), runs = divide_up(n, HALO_SCAN_RUN);
        double *const made = x + known * channels;
        cpu_scan_load(s, (const char *)halo_at(s->src, at + known, y) + c * size, (n - known) * channels, apart,
                      made);
        if (s->sound != NULL && n < HALO_SCAN_TILE) save_line(before, n, x, state);
        for (int64_t i = n * channels; i < runs * HALO_SCAN_RUN * channels; i++) x[i] = halo_scan_identity(op);
        before_tile(op, before, earlier);
        kernels->tile(op, channels, runs, x, lead, before->slot + before->tiles++ * channels);
        kernels->tile_join(op, channels, s->scan->exclusive, earlier, runs, lead, x);
        cpu_scan_put(s, made, (n - known) * channels, apart,
                     (char *)halo_at(s->dst, at + known, y) + c * CPU_SCAN_ELEMENT);
    }
    if (s->sound != NULL && end % HALO_SCAN_TILE == 0) save_line(before, 0, x, state);
}

static void scan_rows(void *context, int64_t index, int worker)
{
    const Scan *s = context;
    const int64_t first = s->src->y0 + index * s->each, end = least(s->src->y0 + s->src->rows, first + s->each);
    char *const scratch = s->scratch + worker * s->scratch_bytes;
    const int64_t channels = s->src->shape.channels, together = channels <= CPU_SCAN_CHANNELS ? channels : 1;
    for (int64_t y = first; y < end; y++) {
        if (s->integer)
            cpu_scan_row_i64(s, y, scratch, NULL);
        else
            for (int64_t c = 0; c < channels; c += together)
                line_f64(s, y, c, together, (double *)(void *)scratch,
                         (Before *)(void *)(scratch + s->at_before));
    }
    if (s->stream) s->device->kernels->rows->fence();
}

/* ---- along y -------------------------------------------------------------------------------------------- */

/* Columns count in elements: channels do not matter here. */
static void scan_slice(void *context, int64_t index, int worker)
{
    const Scan *s = context;
    const CpuScanKernels *kernels = s->device->kernels->scan;
    const HaloDtype dtype = s->src->shape.dtype;
    const HaloScanOp op = s->scan->op;
    const bool exclusive = s->scan->exclusive;
    const int64_t first = index * CPU_SCAN_SLICE, all = s->src->cols * s->src->shape.channels;
    const int64_t n = least(CPU_SCAN_SLICE, all - first);
    void *const workspace = s->scratch + worker * s->scratch_bytes;
    int64_t *carry = s->state != NULL ? (int64_t *)s->state + first : (int64_t *)workspace + CPU_SCAN_SLICE;
    const CpuAbove above = cpu_scan_above(s, first, n, (double *)workspace + CPU_SCAN_SLICE);
    for (int64_t i = 0; s->integer && s->src->y0 == 0 && i < n; i++) carry[i] = halo_scan_identity_i64(op);
    for (int64_t y = s->src->y0; y < s->src->y0 + s->src->rows; y++) {
        char *to = (char *)halo_at(s->dst, s->dst->x0, y) + first * CPU_SCAN_ELEMENT;
        const char *from =
            (const char *)halo_at(s->src, s->src->x0, y) + first * (int64_t)halo_dtype_size(dtype);
        const bool direct = (uintptr_t)to % (uintptr_t)CPU_SCAN_ELEMENT == 0;
        void *const row = direct ? to : workspace;
        if (s->scan->axis == HALO_AXIS_XY && !direct)
            memcpy(row, to, (size_t)(n * CPU_SCAN_ELEMENT));
        else if (s->scan->axis != HALO_AXIS_XY && s->integer)
            cpu_scan_load_i64(s, from, n, 1, row);
        else if (s->scan->axis != HALO_AXIS_XY)
            cpu_scan_load(s, from, n, 1, row);
        if (s->integer)
            kernels->vertical_i64(op, exclusive, row, n, carry);
        else
            kernels->vertical_f64(op, exclusive, y, row, n, &above);
        if (!direct) memcpy(to, row, (size_t)(n * CPU_SCAN_ELEMENT));
    }
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* All of an image, or all across some rows of it; or some frames of a sound of floats. */
static bool lies_as(const HaloBuf *src, const HaloBuf *dst)
{
    const bool all_across = src->x0 == 0 && src->cols == src->shape.width;
    const bool sound = src->shape.kind == HALO_AUDIO && src->shape.dtype > HALO_U16;
    return (all_across || sound) && src->x0 == dst->x0 && dst->cols == src->cols && src->y0 == dst->y0 &&
           src->rows == dst->rows && src->rows > 0;
}

/* Does the scan run down one column of integers whose pixels are contiguous? */
static bool is_column(const Scan *s)
{
    const bool down = s->scan->axis == HALO_AXIS_Y || (s->scan->axis == HALO_AXIS_XY && !s->scan->exclusive);
    return s->integer && down && s->src->cols == 1 && s->state == NULL && cpu_is_packed(s->src) &&
           cpu_is_packed(s->dst);
}

HaloStatus cpu_scan(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloScan *scan)
{
    HaloStatus status = HALO_OK;
    Scan s = {.src = src, .dst = dst, .scan = scan, .device = device};
    const int channels = src->shape.channels;
    void *scratch;
    s.integer = src->shape.dtype <= HALO_U16 && scan->op != HALO_SCAN_PRODUCT;
    if (dst->rows < dst->shape.height) s.state = ((const HaloScanBand *)(const void *)scan)->state;
    if (dst->cols < dst->shape.width) s.sound = ((const HaloScanBand *)(const void *)scan)->state;
    if (src->shape.dtype == HALO_I64 || !lies_as(src, dst) || channels != dst->shape.channels ||
        dst->shape.dtype != (s.integer ? HALO_I64 : HALO_F64))
        HALO_FAIL(HALO_ERR_BUG, "internal: the result of a scan does not suit its source");
    s.stream = cpu_streams(dst);
    s.interleaved = s.integer && channels > 1 && scan->op == HALO_SCAN_SUM && !scan->exclusive;
    const int64_t tile = HALO_SCAN_TILE * (channels <= CPU_SCAN_CHANNELS ? channels : 1);
    s.at_carry = most(most(tile, (1 + CPU_SCAN_ABOVE) * CPU_SCAN_SLICE), channels) * CPU_SCAN_ELEMENT;
    s.at_before = s.at_carry + divide_up(channels * CPU_SCAN_ELEMENT, 64) * 64;
    s.scratch_bytes = s.at_before + (s.integer ? 0 : (int64_t)sizeof(Before));
    const double work = (double)src->cols * (double)src->rows * channels * 4;
    const int workers = cpu_workers(device, work);
    const HaloBuf src_row = cpu_as_one_row(src);
    HaloBuf dst_row = cpu_as_one_row(dst);
    HaloScan along = *scan;
    along.axis = HALO_AXIS_X;
    if (is_column(&s)) { /* exact in any order, so along it as well as down it */
        s.src = src = &src_row;
        s.dst = &dst_row;
        s.scan = scan = &along;
    }
    if (s.integer && scan->axis == HALO_AXIS_XY) return cpu_scan_both_i64(&s, workers);
    if (s.sound == NULL && cpu_scan_is_narrow(&s)) return cpu_scan_narrow(&s, workers);
    HALO_TRY(cpu_scratch_each(device, &s.scratch_bytes, &scratch));
    s.scratch = scratch;
    s.each = most(1, TASK_SAMPLES / most(src->cols * channels, 1));
    if (scan->axis & HALO_AXIS_X) cpu_run(device, workers, divide_up(src->rows, s.each), scan_rows, &s);
    /* What comes down to a single row leaves it as it is. */
    const bool single = scan->axis == HALO_AXIS_XY && !scan->exclusive && src->rows == 1 && s.state == NULL;
    if ((scan->axis & HALO_AXIS_Y) && !single)
        cpu_run(device, workers, divide_up(src->cols * channels, CPU_SCAN_SLICE), scan_slice, &s);
out:
    return status;
}
