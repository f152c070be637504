/* Windows over few columns and many rows: strips of rows become channels of a picture of fewer rows, so that
 * vectors are full. Every channel by itself, as what is made of them has it. */
#include <stdlib.h>
#include <string.h>

#include "halo/numerics.h"
#include "strips.h"

/* As many as make whole squares of every type when they are turned, or of fewer samples in a row more. */
#define STRIPS 16
#define MORE_STRIPS 64
#define FEWER_SAMPLES 8
/* Samples of a band, at least, so that it has worth for threads and stays in a cache. */
#define BAND_SAMPLES (1 << 19)
#define STRIP_WINDOWS 4
/* Rows of strips that a task turns. */
#define TASK_ROWS 64
/* Bytes of a row of all of them. */
#define ROOM (STRIPS * CPU_STRIPS_SAMPLES * (int64_t)sizeof(float))

_Static_assert(MORE_STRIPS *FEWER_SAMPLES <= STRIPS * CPU_STRIPS_SAMPLES, "of more strips a row is no longer");

typedef struct Strips {
    const HaloBuf *src;
    HaloBuf *dst;
    HaloDevice *device;
    const HaloWindow *window;
    int64_t period, strips;
    int64_t first, rows; /* of the band: its first row, and rows of each strip */
    HaloBuf from, to;    /* the band with its strips as channels: what windows read of it, and its result */
} Strips;

static int64_t least_rows(const HaloWindow *window, int64_t period)
{
    return divide_up(STRIP_WINDOWS * window->height, period) * period;
}

bool cpu_has_strips(const HaloBuf *src, const HaloBuf *dst, const HaloWindow *window, int64_t period)
{
    const bool valued = window->border == HALO_BORDER_ZERO || window->border == HALO_BORDER_CONSTANT;
    return !valued && src->cols > 1 && src->cols == src->shape.width && dst->cols == dst->shape.width &&
           src->shape.channels <= CPU_STRIPS_SAMPLES && src->cols <= CPU_STRIPS_SAMPLES / src->shape.channels &&
           src->shape.channels == dst->shape.channels && dst->cols > 0 && src->shape.dtype <= HALO_F32 &&
           dst->shape.dtype <= HALO_F32 && window->height >= 1 &&
           window->height <= BAND_SAMPLES / CPU_STRIPS_SAMPLES / STRIPS &&
           dst->rows >= STRIPS * least_rows(window, period);
}

static int64_t samples_of(const Strips *s) { return s->src->cols * s->src->shape.channels; }

/* ---- turning -------------------------------------------------------------------------------------------- */

/* Row j of all strips, where it lies as far apart as they do; else copied to `room`. */
static const char *rows_of(const Strips *s, int64_t j, char *room, int64_t *pitch)
{
    const HaloBuf *src = s->src;
    const int64_t y = s->first + s->window->oy + j,
                  bytes = samples_of(s) * (int64_t)halo_dtype_size(src->shape.dtype);
    if (y >= 0 && y + (s->strips - 1) * s->rows < src->shape.height) {
        *pitch = s->rows * src->stride;
        return halo_at(src, 0, y);
    }
    *pitch = bytes;
    for (int64_t k = 0; k < s->strips; k++) {
        const int64_t row = halo_border_index(y + k * s->rows, src->shape.height, s->window->border);
        memcpy(room + k * bytes, halo_at(src, 0, row), (size_t)bytes);
    }
    return room;
}

static void join_task(void *context, int64_t index, int worker)
{
    const Strips *s = context;
    const int64_t size = (int64_t)halo_dtype_size(s->src->shape.dtype);
    const int64_t end = least(s->from.rows, (index + 1) * TASK_ROWS);
    char room[ROOM];
    (void)worker;
    for (int64_t j = index * TASK_ROWS; j < end; j++) {
        int64_t pitch;
        const char *const from = rows_of(s, j, room, &pitch);
        char *const to = (char *)s->from.data + j * s->from.stride;
        s->device->kernels->pixels->turn(
            &(CpuTurn){from, pitch, size, size, to, s->strips * size, samples_of(s), s->strips});
    }
}

static void part_task(void *context, int64_t index, int worker)
{
    const Strips *s = context;
    const int64_t size = (int64_t)halo_dtype_size(s->dst->shape.dtype);
    const int64_t end = least(s->to.rows, (index + 1) * TASK_ROWS);
    (void)worker;
    for (int64_t j = index * TASK_ROWS; j < end; j++) {
        const char *const from = (const char *)s->to.data + j * s->to.stride;
        char *const to = halo_at(s->dst, s->dst->x0, s->first + j);
        s->device->kernels->pixels->turn(&(CpuTurn){from, s->strips * size, size, size, to,
                                                    s->rows * s->dst->stride, s->strips,
                                                    s->dst->cols * s->dst->shape.channels});
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
    p.shape.channels *= s->strips;
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
    if (!s->device->asking) cpu_run(s->device, workers, divide_up(s->from.rows, TASK_ROWS), join_task, s);
    HALO_TRY(make(context, &s->from, &s->to, &within));
    cpu_run(s->device, workers, divide_up(s->rows, TASK_ROWS), part_task, s);
out:
    return status;
}

HaloStatus cpu_strips(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloWindow *window,
                      int64_t period, CpuMakeStrips *make, void *context)
{
    HaloStatus status = HALO_OK;
    Strips s = {.src = src, .dst = dst, .device = device, .window = window, .period = period, .strips = STRIPS};
    const int64_t least_strip = least_rows(window, period);
    if (samples_of(&s) < FEWER_SAMPLES && dst->rows >= MORE_STRIPS * least_strip) s.strips = MORE_STRIPS;
    const int64_t fit = BAND_SAMPLES / s.strips / samples_of(&s);
    const int64_t strip = most(least_strip, fit / period * period), end = dst->y0 + dst->rows;
    const int64_t rows = s.strips * (strip + window->height - 1);
    const int64_t bytes = rows * samples_of(&s) * (int64_t)halo_dtype_size(src->shape.dtype);
    const int64_t made = rows * dst->cols * dst->shape.channels * (int64_t)halo_dtype_size(dst->shape.dtype);
    char *room = NULL;
    cpu_heap(device, bytes + made);
    if (!device->asking && (room = malloc((size_t)(bytes + made))) == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for strips of %lld rows", (long long)strip);
    for (s.first = dst->y0; s.first < end; s.first += s.strips * s.rows) {
        s.rows = least(strip, (end - s.first) / s.strips / period * period);
        if (s.rows < least_strip) break;
        HALO_TRY(make_band(&s, make, context, room, room == NULL ? NULL : room + bytes));
    }
    if (s.first < end) { /* what is left makes no strips */
        HaloBuf rest = *dst;
        rest.data = halo_at(dst, dst->x0, s.first);
        rest.y0 = s.first;
        rest.rows = end - s.first;
        HALO_TRY(make(context, src, &rest, window));
    }
out:
    free(room);
    return status;
}
