/* Differences sample by sample: how many, how large, and where the largest is. Runs of a row are summed in f64
 * in order, and so are the runs: results depend on neither the threads nor the machine. */
#include <math.h>
#include <stdlib.h>

#include "part.h"

#define RUN 4096 /* samples; those of a row that are left are its last run */
#define PART 512 /* samples of a run that are loaded at a time */

typedef struct Sums {
    uint64_t differing;
    double sum, squares, max;
    int64_t max_at; /* the first sample of the run with that difference, from the row's beginning */
} Sums;

typedef struct Work {
    const Pair *pair;
    int64_t cols, runs; /* samples of a row, and the runs of it */
    Sums *run;          /* [rows][runs] */
} Work;

/* `count` samples of row y from `first` on; behind the end of a sound silence. How many it has. */
static int64_t load_run(const HaloBuf *from, int64_t first, int64_t y, int64_t count, double scale, double *row)
{
    HaloBuf samples = *from; /* a run may begin amid a pixel */
    samples.shape.width *= from->shape.channels;
    samples.shape.channels = 1;
    const int64_t there = larger(smaller(samples.shape.width - first, count), 0);
    pair_load(&samples, first, y, there, scale, row);
    for (int64_t i = there; i < count; i++) row[i] = 0.0;
    return there;
}

static void add_part(const Pair *pair, int64_t first, int64_t y, int64_t count, Sums *sums)
{
    double a[PART], b[PART];
    const int64_t of_a = load_run(pair->a, first, y, count, 1.0, a),
                  of_b = load_run(pair->b, first, y, count, pair->scale, b);
    for (int64_t i = 0; i < count; i++) {
        const double d = pair_distance(a[i], b[i]);
        sums->differing += d > 0 || i >= smaller(of_a, of_b);
        sums->sum += d;
        sums->squares += d * d;
        if (d > sums->max) sums->max_at = first + i;
        if (d > sums->max) sums->max = d;
    }
}

static void add_run(void *context, int64_t task, int worker)
{
    const Work *work = context;
    const int64_t y = task / work->runs, first = task % work->runs * RUN,
                  end = smaller(first + RUN, work->cols);
    Sums sums = {.max_at = -1};
    for (int64_t at = first; at < end; at += PART) add_part(work->pair, at, y, smaller(PART, end - at), &sums);
    work->run[task] = sums;
    (void)worker;
}

HaloStatus compare_samples(const Pair *pair, HaloComparison *all)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &pair->a->shape;
    Work work = {.pair = pair, .cols = larger(shape->width, pair->b->shape.width) * shape->channels};
    double sum = 0, squares = 0;
    int64_t bytes = 0, held = 0;
    work.runs = (work.cols + RUN - 1) / RUN;
    bytes = shape->height * work.runs * (int64_t)sizeof *work.run;
    HALO_TRY(halo_memory_hold(pair->memory, bytes));
    held = bytes;
    work.run = malloc((size_t)bytes);
    if (work.run == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(progress_run(pair->device, pair->pool, shape->height * work.runs, add_run, &work));
    all->samples = (uint64_t)(shape->height * work.cols);
    all->max_x = all->max_y = all->max_channel = -1;
    for (int64_t k = 0; k < shape->height * work.runs; k++) {
        const Sums *run = &work.run[k];
        all->differing += run->differing;
        sum += run->sum;
        squares += run->squares;
        if (!(run->max > all->max)) continue;
        all->max = run->max;
        all->max_x = run->max_at / shape->channels;
        all->max_y = k / work.runs;
        all->max_channel = (int)(run->max_at % shape->channels);
    }
    all->mean = sum / (double)all->samples;
    all->rmse = sqrt(squares / (double)all->samples);
    all->psnr = all->differing == 0 ? (double)INFINITY : 20.0 * log10((double)shape->white / all->rmse);
out:
    free(work.run);
    halo_memory_release(pair->memory, held);
    return status;
}
