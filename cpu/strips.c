/* Windows of narrow images with many rows: strips of rows become channels of a picture of fewer rows, so that
 * vectors are full. Every channel by itself, as what is made of them has it. */
#include <stdlib.h>
#include <string.h>

#include "halo/numerics.h"
#include "packed.h"
#include "strips.h"

/* Strips come in groups of so many, which make whole squares of every type when they are transposed. */
#define STRIP_GROUP 16
/* Samples in a row of strips: enough for full vectors. */
#define ROW_SAMPLES 128
#define MOST_SAMPLES (STRIP_GROUP * CPU_STRIPS_SAMPLES)
_Static_assert(MOST_SAMPLES >= ROW_SAMPLES, "a row of strips");
/* Samples of a band, at least: enough for threads, and few enough to stay in a cache. */
#define BAND_SAMPLES (1 << 19)
#define STRIP_WINDOWS 4
#define CACHE_LINE 64
#define APART_TRIES 64
/* Rows of strips that a task transposes. */
#define TASK_ROWS 64
typedef struct Strips {
    const HaloBuf *src;
    HaloBuf *dst;
    HaloDevice *device;
    const HaloWindow *window;
    int64_t period;
    int64_t strips;      /* side by side */
    int64_t first, rows; /* of the band: its first row, and rows of each strip */
    HaloBuf from, to;    /* the band with its strips as channels: what windows read of it, and its result */
} Strips;

static int64_t least_rows(const HaloWindow *window, int64_t period)
{
    return divide_up(STRIP_WINDOWS * window->height, period) * period;
}

/* Can rows outside of the image be made of samples of its type? */
static bool has_outside(const HaloBuf *src, const HaloWindow *window)
{
    return halo_rank_keys(src->shape.dtype, window->border, window->value) == src->shape.dtype;
}

bool cpu_has_strips(const HaloBuf *src, const HaloBuf *dst, const HaloWindow *window, int64_t period)
{
    return has_outside(src, window) && src->cols > 0 && src->cols == src->shape.width &&
           dst->cols == dst->shape.width && src->shape.channels <= CPU_STRIPS_SAMPLES &&
           src->cols <= CPU_STRIPS_SAMPLES / src->shape.channels &&
           src->shape.channels == dst->shape.channels && dst->cols > 0 && src->shape.dtype <= HALO_F32 &&
           dst->shape.dtype <= HALO_F32 && window->height >= 1 &&
           window->height <= BAND_SAMPLES / MOST_SAMPLES &&
           dst->rows >= STRIP_GROUP * least_rows(window, period);
}

/* As many strips as fill a row, and as the image has rows for. */
static int64_t count_strips(int64_t samples, int64_t rows, int64_t least_strip)
{
    const int64_t groups = least(ROW_SAMPLES / samples, rows / least_strip) / STRIP_GROUP;
    return most(1, groups) * STRIP_GROUP;
}

static int64_t samples_of(const Strips *s) { return s->src->cols * s->src->shape.channels; }

/* ---- transposing --------------------------------------------------------------------------------------------
 */

/* How many rows of all strips, from row j on and before `end`, lie in the picture as far apart as strips do. */
static int64_t rows_inside(const Strips *s, int64_t j, int64_t end)
{
    const int64_t y = s->first + s->window->oy + j;
    return y < 0 ? 0 : least(end - j, s->src->shape.height - (s->strips - 1) * s->rows - y);
}

/* A row outside that consists of the border's value. */
static void fill_row(const Strips *s, char *row)
{
    const HaloDtype dtype = s->src->shape.dtype;
    const size_t size = halo_dtype_size(dtype);
    const float value = halo_border_value(s->window->border, s->window->value);
    const uint8_t u8 = dtype == HALO_U8 ? (uint8_t)value : 0;
    const uint16_t u16 = dtype == HALO_U16 ? (uint16_t)value : 0;
    const void *const sample = dtype == HALO_U8    ? (const void *)&u8
                               : dtype == HALO_U16 ? (const void *)&u16
                                                   : &value;
    for (int64_t i = 0; i < samples_of(s); i++) memcpy(row + (size_t)i * size, sample, size);
}

/* Row j of all strips, one behind the other. */
static void copy_rows(const Strips *s, int64_t j, char *workspace)
{
    const HaloBuf *src = s->src;
    const int64_t y = s->first + s->window->oy + j;
    const int64_t bytes = samples_of(s) * (int64_t)halo_dtype_size(src->shape.dtype);
    for (int64_t k = 0; k < s->strips; k++) {
        const int64_t row = halo_border_index(y + k * s->rows, src->shape.height, s->window->border);
        if (row >= 0)
            memcpy(workspace + k * bytes, halo_at(src, 0, row), (size_t)bytes);
        else
            fill_row(s, workspace + k * bytes);
    }
}

/* Rows without a gap are transposed together. */
static void join_task(void *context, int64_t index, int worker)
{
    const Strips *s = context;
    const int64_t size = (int64_t)halo_dtype_size(s->src->shape.dtype), samples = samples_of(s);
    const int64_t end = least(s->from.rows, (index + 1) * TASK_ROWS);
    char workspace[MOST_SAMPLES * sizeof(float)];
    (void)worker;
    for (int64_t j = index * TASK_ROWS, count; j < end; j += count) {
        const int64_t inside = rows_inside(s, j, end);
        CpuTranspose how = {
            workspace,        samples * size, size,     size, (char *)s->from.data + j * s->from.stride,
            s->strips * size, samples,        s->strips};
        count = inside > 0 && cpu_is_packed(s->src) ? inside : 1;
        how.rows *= count;
        if (inside > 0) {
            how.from = halo_at(s->src, 0, s->first + s->window->oy + j);
            how.from_pitch = s->rows * s->src->stride;
        } else {
            copy_rows(s, j, workspace);
        }
        s->device->kernels->pixels->transpose(&how);
    }
}

static void part_task(void *context, int64_t index, int worker)
{
    const Strips *s = context;
    const int64_t size = (int64_t)halo_dtype_size(s->dst->shape.dtype);
    const int64_t samples = s->dst->cols * s->dst->shape.channels;
    const int64_t end = least(s->to.rows, (index + 1) * TASK_ROWS);
    (void)worker;
    for (int64_t j = index * TASK_ROWS, count; j < end; j += count) {
        count = cpu_is_packed(s->dst) ? end - j : 1;
        s->device->kernels->pixels->transpose(&(CpuTranspose){
            (const char *)s->to.data + j * s->to.stride, s->strips * size, size, size,
            halo_at(s->dst, s->dst->x0, s->first + j), s->rows * s->dst->stride, s->strips, count * samples});
    }
}

/* ---- bands ---------------------------------------------------------------------------------------------- */

/* Such a picture of `rows` rows, the first of which lies where the band's does in the runs of rows. */
static HaloBuf picture(const Strips *s, const HaloBuf *of, int64_t rows, void *data)
{
    HaloBuf p = *of;
    p.y0 = s->first % s->period;
    p.rows = rows;
    p.shape.height = p.y0 + rows;
    p.shape.channels *= (int)s->strips;
    p.shape.alpha = -1;
    p.stride = p.cols * p.shape.channels * (int64_t)halo_dtype_size(p.shape.dtype);
    p.data = data;
    return p;
}

static HaloStatus make_band(Strips *s, CpuMakeStrips *make, void *context, void *from, void *to)
{
    HaloStatus status = HALO_OK;
    HaloWindow within = *s->window;
    within.oy = 0;
    s->from = picture(s, s->src, s->rows + within.height - 1, from);
    s->to = picture(s, s->dst, s->rows, to);
    const int workers = cpu_workers(s->device, (double)s->from.rows * (double)s->from.stride);
    if (!s->device->querying) cpu_run(s->device, workers, divide_up(s->from.rows, TASK_ROWS), join_task, s);
    HALO_TRY(make(context, &s->from, &s->to, &within));
    cpu_run(s->device, workers, divide_up(s->rows, TASK_ROWS), part_task, s);
out:
    return status;
}

/* How few sets of a cache are used by lines that lie so many bytes apart: the power of two in that distance. */
static int64_t evenness(int64_t bytes)
{
    const int64_t lines = bytes / CACHE_LINE;
    return lines == 0 ? INT64_MAX : lines & -lines;
}

/* Rows of a strip: `rows`, or some fewer, so that strips do not lie a power of two apart. */
static int64_t apart(int64_t rows, int64_t stride, int64_t period, int64_t least_strip)
{
    int64_t best = rows;
    for (int64_t k = 1; k < APART_TRIES && rows - k * period >= least_strip; k++)
        if (evenness((rows - k * period) * stride) < evenness(best * stride)) best = rows - k * period;
    return best;
}

HaloStatus cpu_strips(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloWindow *window,
                      int64_t period, CpuMakeStrips *make, void *context)
{
    HaloStatus status = HALO_OK;
    Strips s = {.src = src, .dst = dst, .device = device, .window = window, .period = period};
    const int64_t least_strip = least_rows(window, period);
    s.strips = count_strips(samples_of(&s), dst->rows, least_strip);
    const int64_t fit = BAND_SAMPLES / s.strips / samples_of(&s);
    const int64_t strip = most(least_strip, fit / period * period), end = dst->y0 + dst->rows;
    const int64_t rows = s.strips * (strip + window->height - 1);
    const int64_t bytes = rows * samples_of(&s) * (int64_t)halo_dtype_size(src->shape.dtype);
    const int64_t made = rows * dst->cols * dst->shape.channels * (int64_t)halo_dtype_size(dst->shape.dtype);
    char *workspace = NULL;
    cpu_heap(device, bytes + made);
    if (!device->querying && (workspace = malloc((size_t)(bytes + made))) == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for strips of %lld rows", (long long)strip);
    for (s.first = dst->y0; s.first < end; s.first += s.strips * s.rows) {
        s.strips = count_strips(samples_of(&s), end - s.first, least_strip); /* fewer at the end */
        s.rows = least(strip, (end - s.first) / s.strips / period * period);
        if (s.rows < least_strip) break;
        s.rows = apart(s.rows, src->stride, period, least_strip);
        HALO_TRY(make_band(&s, make, context, workspace, workspace == NULL ? NULL : workspace + bytes));
    }
    if (s.first < end) { /* what is left makes no strips */
        HaloBuf rest = *dst;
        rest.data = halo_at(dst, dst->x0, s.first);
        rest.y0 = s.first;
        rest.rows = end - s.first;
        HALO_TRY(make(context, src, &rest, window));
    }
out:
    free(workspace);
    return status;
}
