/* Fourier transforms of pictures: rows in pairs, as the real and the imaginary parts of one, then columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "part.h"

static const double pi = 3.141592653589793;

#define COLUMNS 8 /* at a time, which share the lines of the cache */

HaloStatus planes_open(int64_t width, int64_t height, int jobs, HaloPool *pool, HaloMemory *memory,
                       Planes *planes)
{
    HaloStatus status = HALO_OK;
    *planes = (Planes){.width = width, .height = height, .bins = width / 2 + 1, .pool = pool, .memory = memory};
    HALO_TRY(dft_open(width, &planes->along));
    HALO_TRY(dft_open(height, &planes->down));
    const int64_t row = 2 * width + dft_scratch(&planes->along),
                  column = COLUMNS * 2 * height + dft_scratch(&planes->down);
    planes->of_worker = larger(row, column);
    const int64_t bytes = planes->of_worker * jobs * (int64_t)sizeof(double);
    HALO_TRY(halo_memory_hold(memory, bytes));
    planes->held = bytes;
    planes->scratch = malloc((size_t)bytes);
    if (planes->scratch == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
out:
    return status;
}

void planes_close(Planes *planes)
{
    dft_close(&planes->along);
    dft_close(&planes->down);
    free(planes->scratch);
    if (planes->held > 0) halo_memory_release(planes->memory, planes->held);
}

int64_t planes_size(const Planes *planes) { return 2 * planes->bins * planes->height; }

typedef struct Pass {
    const Planes *planes;
    double *spectrum;
} Pass;

/* ---- the window ------------------------------------------------------------------------------------------ */

/* Of one axis, at sample i of n: it rises over the outer quarters as the square of a sine (J. W. Tukey). */
static double rise(int64_t i, int64_t n)
{
    const double from_side = ((double)smaller(i, n - 1 - i) + 0.5) / (double)n;
    return from_side < 0.25 ? pow(sin(2.0 * pi * from_side), 2.0) : 1.0;
}

static double mean_of(const Planes *planes, const double *picture)
{
    double sum = 0.0;
    for (int64_t y = 0; y < planes->height; y++)
        for (int64_t x = 0; x < planes->width; x++) sum += picture[y * 2 * planes->bins + x] - picture[0];
    return picture[0] + sum / ((double)planes->width * (double)planes->height);
}

HaloStatus planes_window(const Planes *planes, double *picture)
{
    const double mean = mean_of(planes, picture);
    double *along = malloc(sizeof *along * (size_t)planes->width);
    if (along == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t x = 0; x < planes->width; x++) along[x] = rise(x, planes->width);
    for (int64_t y = 0; y < planes->height; y++) {
        double *row = picture + y * 2 * planes->bins;
        const double down = rise(y, planes->height);
        for (int64_t x = 0; x < planes->width; x++) row[x] = (row[x] - mean) * (along[x] * down);
    }
    free(along);
    return HALO_OK;
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

/* With Z the transform of a + i b and Y the conjugate of Z(-k), those of a and b are (Z + Y) / 2 and (Z - Y) /
 * 2i. */
static void separate(const double *z, int64_t n, int64_t bins, double *a, double *b)
{
    for (int64_t k = 0; k < bins; k++) {
        const double *p = z + 2 * k, *q = z + 2 * ((n - k) % n);
        const double re = p[0], im = p[1], re_back = q[0], im_back = -q[1];
        a[2 * k] = 0.5 * (re + re_back);
        a[2 * k + 1] = 0.5 * (im + im_back);
        if (b == NULL) continue;
        b[2 * k] = 0.5 * (im - im_back);
        b[2 * k + 1] = 0.5 * (re_back - re);
    }
}

static void rows_forward(void *context, int64_t task, int worker)
{
    const Pass *pass = context;
    const Planes *planes = pass->planes;
    const int64_t n = planes->width, pitch = 2 * planes->bins;
    double *const z = planes->scratch + worker * planes->of_worker, *const a =
                                                                        pass->spectrum + 2 * task * pitch;
    double *const b = 2 * task + 1 < planes->height ? a + pitch : NULL;
    for (int64_t x = 0; x < n; x++) {
        z[2 * x] = a[x];
        z[2 * x + 1] = b != NULL ? b[x] : 0.0;
    }
    dft_run(&planes->along, z, false, z + 2 * n);
    separate(z, n, planes->bins, a, b);
}

static void rows_back(void *context, int64_t task, int worker)
{
    const Pass *pass = context;
    const Planes *planes = pass->planes;
    const int64_t n = planes->width, bins = planes->bins, pitch = 2 * bins;
    double *const z = planes->scratch + worker * planes->of_worker, *const a =
                                                                        pass->spectrum + 2 * task * pitch;
    double *const b = 2 * task + 1 < planes->height ? a + pitch : NULL;
    for (int64_t k = 0; k < n; k++) {
        const int64_t at = k < bins ? k : n - k;
        const double sign = k < bins ? 1.0 : -1.0;
        const double b_re = b != NULL ? b[2 * at] : 0.0, b_im = b != NULL ? sign * b[2 * at + 1] : 0.0;
        z[2 * k] = a[2 * at] - b_im;
        z[2 * k + 1] = sign * a[2 * at + 1] + b_re;
    }
    dft_run(&planes->along, z, true, z + 2 * n);
    for (int64_t x = 0; x < n; x++) {
        a[x] = z[2 * x];
        if (b != NULL) b[x] = z[2 * x + 1];
    }
}

/* ---- columns -------------------------------------------------------------------------------------------- */

static void columns(const Pass *pass, int64_t task, int worker, bool inverse)
{
    const Planes *planes = pass->planes;
    const int64_t height = planes->height, pitch = 2 * planes->bins, first = task * COLUMNS;
    const int64_t count = smaller(COLUMNS, planes->bins - first);
    double *const z = planes->scratch + worker * planes->of_worker;
    for (int64_t y = 0; y < height; y++)
        for (int64_t c = 0; c < count; c++)
            memcpy(z + 2 * (c * height + y), pass->spectrum + y * pitch + 2 * (first + c), 2 * sizeof(double));
    for (int64_t c = 0; c < count; c++)
        dft_run(&planes->down, z + 2 * c * height, inverse, z + 2 * COLUMNS * height);
    for (int64_t y = 0; y < height; y++)
        for (int64_t c = 0; c < count; c++)
            memcpy(pass->spectrum + y * pitch + 2 * (first + c), z + 2 * (c * height + y), 2 * sizeof(double));
}

static void columns_forward(void *context, int64_t task, int worker) { columns(context, task, worker, false); }
static void columns_back(void *context, int64_t task, int worker) { columns(context, task, worker, true); }

/* ---- both ----------------------------------------------------------------------------------------------- */

void planes_forward(const Planes *planes, double *spectrum)
{
    Pass pass = {planes, spectrum};
    halo_pool_run(planes->pool, (planes->height + 1) / 2, rows_forward, &pass);
    halo_pool_run(planes->pool, (planes->bins + COLUMNS - 1) / COLUMNS, columns_forward, &pass);
}

void planes_back(const Planes *planes, double *spectrum)
{
    Pass pass = {planes, spectrum};
    halo_pool_run(planes->pool, (planes->bins + COLUMNS - 1) / COLUMNS, columns_back, &pass);
    halo_pool_run(planes->pool, (planes->height + 1) / 2, rows_back, &pass);
}
