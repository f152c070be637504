/* Means over few columns and many rows: strips of rows become channels of a picture of fewer rows, so that
 * vectors are full. The order of sums down the columns depends on where a row lies in its run, and in runs of
 * runs: strips are as many rows apart as these take to come round. */
#include <stdlib.h>
#include <string.h>

#include "halo/means.h"
#include "mean.h"

/* As many as make whole squares of every type when they are turned. */
#define STRIPS 16
/* Samples in a row, at most, and where rows that are less short do well by themselves; of those of a band, at
 * least, so that it has worth for threads and stays in a cache. */
#define ROW_SAMPLES 32
#define ROW_FEWER 16
#define BAND_SAMPLES (1 << 19)
#define STRIP_WINDOWS 4
/* Rows of strips that a task turns. */
#define TASK_ROWS 64

typedef struct Strips {
    const HaloBuf *src;
    HaloBuf *dst;
    HaloDevice *device;
    HaloBorder border;
    int64_t oy, height, period;
    int64_t first, rows; /* of the band: its first row, and rows of each strip */
    HaloBuf from, to;    /* the band with its strips as channels: what windows read of it, and its result */
} Strips;

/* Rows after which runs of rows, and runs of runs, begin anew together. */
static int64_t period_of(int64_t height)
{
    int64_t period = 1;
    while (height > 1) {
        const int64_t run = halo_mean_run(height);
        period *= run;
        height = halo_mean_between(height, run - 1);
    }
    return period;
}

static int64_t least_rows(int64_t height)
{
    return divide_up(STRIP_WINDOWS * height, period_of(height)) * period_of(height);
}

bool cpu_mean_has_strips(const CpuMean *m)
{
    const HaloBuf *src = m->source.src, *dst = m->dst;
    const HaloWindow *w = &m->window;
    const bool valued = w->border == HALO_BORDER_ZERO || w->border == HALO_BORDER_CONSTANT;
    const bool deviates = m->kind != HALO_MEAN_PLAIN;
    const bool costly = m->whole ? !deviates : deviates || w->nan_ignore;
    const int64_t most_samples = costly ? ROW_SAMPLES : ROW_FEWER;
    return !valued && src->cols == src->shape.width && dst->cols == dst->shape.width &&
           src->cols * src->shape.channels <= most_samples &&
           w->height <= BAND_SAMPLES / ROW_SAMPLES / STRIPS && dst->rows >= STRIPS * least_rows(w->height);
}

static int64_t samples_of(const Strips *s) { return s->src->cols * s->src->shape.channels; }

/* ---- turning -------------------------------------------------------------------------------------------- */

/* Row j of all strips, where it lies as far apart as they do; else copied to `room`. */
static const char *rows_of(const Strips *s, int64_t j, char *room, int64_t *pitch)
{
    const HaloBuf *src = s->src;
    const int64_t y = s->first + s->oy + j, bytes = samples_of(s) * (int64_t)halo_dtype_size(src->shape.dtype);
    if (y >= 0 && y + (STRIPS - 1) * s->rows < src->shape.height) {
        *pitch = s->rows * src->stride;
        return halo_at(src, 0, y);
    }
    *pitch = bytes;
    for (int64_t k = 0; k < STRIPS; k++) {
        const int64_t row = halo_border_index(y + k * s->rows, src->shape.height, s->border);
        memcpy(room + k * bytes, halo_at(src, 0, row), (size_t)bytes);
    }
    return room;
}

static void join_task(void *context, int64_t index, int worker)
{
    const Strips *s = context;
    const int64_t size = (int64_t)halo_dtype_size(s->src->shape.dtype);
    const int64_t end = least(s->from.rows, (index + 1) * TASK_ROWS);
    char room[STRIPS * ROW_SAMPLES * sizeof(float)];
    (void)worker;
    for (int64_t j = index * TASK_ROWS; j < end; j++) {
        int64_t pitch;
        const char *const from = rows_of(s, j, room, &pitch);
        char *const to = (char *)s->from.data + j * s->from.stride;
        s->device->kernels->pixels->turn(
            &(CpuTurn){from, pitch, size, size, to, STRIPS * size, samples_of(s), STRIPS});
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
        s->device->kernels->pixels->turn(&(CpuTurn){from, STRIPS * size, size, size, to,
                                                    s->rows * s->dst->stride, STRIPS,
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
    p.shape.channels *= STRIPS;
    p.shape.alpha = -1;
    p.stride = p.cols * p.shape.channels * (int64_t)halo_dtype_size(p.shape.dtype);
    p.data = data;
    return p;
}

static HaloStatus make_band(Strips *s, const HaloMean *mean, HaloStore store, void *from, void *to)
{
    HaloStatus status = HALO_OK;
    HaloMean within = *mean;
    within.window.oy = 0;
    s->from = picture(s, s->src, s->rows + s->height - 1, from);
    s->to = picture(s, s->dst, s->rows, to);
    const int workers = cpu_workers(s->device, (double)s->from.rows * (double)s->from.stride);
    if (!s->device->asking) cpu_run(s->device, workers, divide_up(s->from.rows, TASK_ROWS), join_task, s);
    HALO_TRY(cpu_mean(s->device, &s->from, &s->to, &within, store));
    cpu_run(s->device, workers, divide_up(s->rows, TASK_ROWS), part_task, s);
out:
    return status;
}

HaloStatus cpu_mean_strips(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMean *mean,
                           HaloStore store)
{
    HaloStatus status = HALO_OK;
    const int64_t height = mean->window.height, least_strip = least_rows(height);
    Strips s = {.src = src, .dst = dst, .device = device, .oy = mean->window.oy, .height = height};
    s.border = mean->window.border;
    s.period = period_of(height);
    const int64_t fit = BAND_SAMPLES / STRIPS / samples_of(&s);
    const int64_t strip = most(least_strip, fit / s.period * s.period), end = dst->y0 + dst->rows;
    const int64_t samples = STRIPS * samples_of(&s) * (strip + height - 1);
    const int64_t bytes = samples * (int64_t)halo_dtype_size(src->shape.dtype),
                  made = samples * (int64_t)halo_dtype_size(dst->shape.dtype);
    char *room = NULL;
    cpu_heap(device, bytes + made);
    if (!device->asking && (room = malloc((size_t)(bytes + made))) == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for strips of %lld rows", (long long)strip);
    for (s.first = dst->y0; s.first < end; s.first += STRIPS * s.rows) {
        s.rows = least(strip, (end - s.first) / STRIPS / s.period * s.period);
        if (s.rows < least_strip) break;
        HALO_TRY(make_band(&s, mean, store, room, room == NULL ? NULL : room + bytes));
    }
    if (s.first < end) { /* what is left makes no strips */
        HaloBuf rest = *dst;
        rest.data = halo_at(dst, dst->x0, s.first);
        rest.y0 = s.first;
        rest.rows = end - s.first;
        HALO_TRY(cpu_mean(device, src, &rest, mean, store));
    }
out:
    free(room);
    return status;
}
