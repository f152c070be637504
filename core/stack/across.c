/* Sums and similar reductions over a stack, in f64, image by image in order; many pixels at the same time. */
#include <math.h>

#include "halo/program.h"
#include "part.h"

/* What lies in front of the scratch memory that the order takes. */
typedef struct Workspace {
    double value[ACROSS_MOST], middle[ACROSS_MOST], low[ACROSS_MOST], reach[ACROSS_MOST];
} Workspace;

/* ---- one picture after the other ------------------------------------------------------------------------- */

/* Sample i of picture k as f64. */
#define LOAD(Sample)                                                             \
    {                                                                            \
        const Sample *one = (const Sample *)(const void *)(samples + k * pitch); \
        for (int64_t i = 0; i < n; i++) value[i] = (double)one[i];               \
    }

static void load(const Across *across, const char *samples, int64_t pitch, int64_t k, int64_t n,
                 double *restrict value)
{
    if (across->dtype == HALO_U8)
        LOAD(uint8_t)
    else if (across->dtype == HALO_U16)
        LOAD(uint16_t)
    else
        LOAD(float)
}

static void sum(const Across *across, const char *samples, int64_t pitch, int64_t n, double *restrict out)
{
    double value[ACROSS_MOST];
    for (int64_t i = 0; i < n; i++) out[i] = 0.0;
    for (int64_t k = 0; k < across->count; k++) {
        load(across, samples, pitch, k, n, value);
        for (int64_t i = 0; i < n; i++) out[i] += value[i];
    }
}

static void mean(const Across *across, const char *samples, int64_t pitch, int64_t n, double *restrict out)
{
    sum(across, samples, pitch, n, out);
    for (int64_t i = 0; i < n; i++) out[i] /= (double)across->count;
}

/* Of the population: the mean first, then the squares of the distances from it. */
static void deviation(const Across *across, const char *samples, int64_t pitch, int64_t n, Workspace *work,
                      double *restrict out)
{
    double *value = work->value, *middle = work->middle;
    mean(across, samples, pitch, n, middle);
    for (int64_t i = 0; i < n; i++) out[i] = 0.0;
    for (int64_t k = 0; k < across->count; k++) {
        load(across, samples, pitch, k, n, value);
        for (int64_t i = 0; i < n; i++) out[i] += (value[i] - middle[i]) * (value[i] - middle[i]);
    }
    for (int64_t i = 0; i < n; i++) out[i] = sqrt(out[i] / (double)across->count);
}

/* The mean of the samples within a number of deviations of the median; the median itself if there are none. */
static void clipped(const Across *across, const char *samples, int64_t pitch, int64_t n, Workspace *work,
                    double *restrict out)
{
    double *value = work->value, *median = work->low, *reach = work->reach, *taken = work->middle;
    order_make(across, STACK_MEDIAN, samples, pitch, n, work + 1, median);
    deviation(across, samples, pitch, n, work, reach);
    for (int64_t i = 0; i < n; i++) {
        reach[i] *= across->what->clip;
        out[i] = taken[i] = 0.0;
    }
    for (int64_t k = 0; k < across->count; k++) {
        load(across, samples, pitch, k, n, value);
        for (int64_t i = 0; i < n; i++) {
            const bool near = fabs(value[i] - median[i]) <= reach[i];
            out[i] += near ? value[i] : 0.0;
            taken[i] += near ? 1.0 : 0.0;
        }
    }
    for (int64_t i = 0; i < n; i++) out[i] = taken[i] > 0 ? out[i] / taken[i] : median[i];
}

/* Starts with the identity or, where the user gave none, with the first sample that is not NaN; then it is NaN
 * where there is no such sample. */
static void fold(const Across *across, const char *samples, int64_t pitch, int64_t n, double *restrict out)
{
    const HaloFold *how = across->what->fold;
    double value[ACROSS_MOST];
    bool started[ACROSS_MOST];
    const bool from_first = across->what->from_first;
    for (int64_t i = 0; i < n; i++) {
        started[i] = !from_first;
        out[i] = from_first ? (double)NAN : how->identity;
    }
    for (int64_t k = 0; k < across->count; k++) {
        load(across, samples, pitch, k, n, value);
        for (int64_t i = 0; i < n; i++) {
            if (isnan(value[i])) continue;
            const double mapped = halo_program_run(how->map, value[i], 0.0, 0.0);
            out[i] = started[i] ? halo_program_run(how->join, out[i], mapped, 0.0) : mapped;
            started[i] = true;
        }
    }
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

int64_t across_scratch(const Across *across) { return (int64_t)sizeof(Workspace) + order_scratch(across); }

void across_make(const Across *across, const char *samples, int64_t pitch, int64_t n, void *scratch,
                 double *out)
{
    Workspace *work = scratch;
    const StackOp op = across->what->op;
    switch (op) {
    case STACK_MEAN: mean(across, samples, pitch, n, out); break;
    case STACK_SUM: sum(across, samples, pitch, n, out); break;
    case STACK_SD: deviation(across, samples, pitch, n, work, out); break;
    case STACK_CLIPPED: clipped(across, samples, pitch, n, work, out); break;
    case STACK_FOLD: fold(across, samples, pitch, n, out); break;
    case STACK_RANGE:
        order_make(across, STACK_MIN, samples, pitch, n, work + 1, work->low);
        order_make(across, STACK_MAX, samples, pitch, n, work + 1, out);
        for (int64_t i = 0; i < n; i++) out[i] -= work->low[i];
        break;
    default: order_make(across, op, samples, pitch, n, work + 1, out);
    }
}
