/* How far a picture is turned and scaled against another: the magnitudes of spectra do not depend on shifts,
 * and over angles and logarithms of frequencies a rotation and a scale are a shift, which a correlation finds.
 * B. S. Reddy, B. N. Chatterji, "An FFT-based technique for translation, rotation, and scale-invariant image
 * registration", 1996. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "part.h"

/* Rows of the log-polar picture are angles of half a turn, columns frequencies from the lowest to half a cycle
 * for each pixel. */
#define LOWEST (1.0 / 32.0)
#define HIGHEST 0.5
enum { LEAST_SIDE = 256, MOST_SIDE = 4096, ROUNDS = 6 };

static const double pi = 3.141592653589793;

typedef struct Pass {
    const Rotations *work;
    Transformation by;
    const double *spectrum;
    double *to;
    double mean; /* of the log-polar picture */
} Pass;

/* ---- memory ---------------------------------------------------------------------------------------------- */

HaloStatus rotations_open(const Planes *planes, int jobs, Rotations *work)
{
    HaloStatus status = HALO_OK;
    int64_t side = LEAST_SIDE;
    while (side < larger(planes->width, planes->height) && side < MOST_SIDE) side *= 2;
    work->planes = planes;
    HALO_TRY(planes_open(side, side, jobs, planes->pool, planes->memory, &work->polar));
    const int64_t numbers[] = {planes->width * planes->height, planes_size(&work->polar),
                               planes_size(&work->polar), planes_size(&work->polar), planes->height + side};
    int64_t bytes = 0;
    for (int i = 0; i < 5; i++) bytes += numbers[i] * (int64_t)sizeof(double);
    HALO_TRY(halo_memory_hold(planes->memory, bytes));
    work->held = bytes;
    work->picture = malloc((size_t)bytes);
    if (work->picture == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int i = 0; i < 3; i++)
        work->spectrum[i] = (i == 0 ? work->picture : work->spectrum[i - 1]) + numbers[i];
    work->sum = work->spectrum[2] + numbers[3];
out:
    return status;
}

void rotations_close(Rotations *work)
{
    planes_close(&work->polar);
    free(work->picture);
    if (work->held > 0) halo_memory_release(work->planes->memory, work->held);
}

/* ---- pictures -------------------------------------------------------------------------------------------- */

static void sum_row(void *context, int64_t y, int worker)
{
    const Rotations *work = context;
    const double *row = work->picture + y * work->planes->width;
    double sum = 0.0;
    (void)worker;
    for (int64_t x = 0; x < work->planes->width; x++) sum += row[x];
    work->sum[y] = sum;
}

static void centre_row(void *context, int64_t y, int worker)
{
    const Pass *pass = context;
    double *row = pass->work->picture + y * pass->work->planes->width;
    (void)worker;
    for (int64_t x = 0; x < pass->work->planes->width; x++) row[x] -= pass->mean;
}

void rotations_centre(const Rotations *work)
{
    const Planes *planes = work->planes;
    Pass pass = {.work = work};
    double sum = 0.0;
    halo_pool_run(planes->pool, planes->height, sum_row, (void *)work);
    for (int64_t y = 0; y < planes->height; y++) sum += work->sum[y];
    pass.mean = sum / ((double)planes->width * (double)planes->height);
    halo_pool_run(planes->pool, planes->height, centre_row, &pass);
}

/* Catmull and Rom's weights of the samples around a place. */
static void weigh(double t, double weight[4])
{
    weight[0] = t * (t * (1.0 - 0.5 * t) - 0.5);
    weight[1] = t * t * (1.5 * t - 2.5) + 1.0;
    weight[2] = t * (t * (2.0 - 1.5 * t) + 0.5);
    weight[3] = t * t * (0.5 * t - 0.5);
}

/* Samples outside of the picture are 0, its mean. */
static double sample_at(const Rotations *work, double u, double v)
{
    const int64_t width = work->planes->width, height = work->planes->height;
    if (!(u > -2.0 && v > -2.0 && u < (double)width + 1.0 && v < (double)height + 1.0)) return 0.0;
    const int64_t left = (int64_t)floor(u) - 1, top = (int64_t)floor(v) - 1;
    double along[4], down[4], sum = 0.0;
    weigh(u - floor(u), along);
    weigh(v - floor(v), down);
    for (int j = 0; j < 4; j++) {
        if (top + j < 0 || top + j >= height) continue;
        const double *row = work->picture + (top + j) * width;
        double of_row = 0.0;
        for (int i = 0; i < 4; i++)
            if (left + i >= 0 && left + i < width) of_row += along[i] * row[left + i];
        sum += down[j] * of_row;
    }
    return sum;
}

static void show_row(void *context, int64_t y, int worker)
{
    const Pass *pass = context;
    const Planes *planes = pass->work->planes;
    const double angle = pass->by.rotation * (pi / 180.0), c = cos(angle) / pass->by.scale,
                 s = sin(angle) / pass->by.scale;
    const double middle_x = (double)(planes->width - 1) / 2, middle_y = (double)(planes->height - 1) / 2;
    const double down = (double)y - middle_y;
    double *to = pass->to + y * 2 * planes->bins;
    const bool stays = pass->by.rotation == 0.0 && pass->by.scale == 1.0;
    (void)worker;
    if (stays) memcpy(to, pass->work->picture + y * planes->width, sizeof *to * (size_t)planes->width);
    for (int64_t x = 0; x < planes->width && !stays; x++) {
        const double right = (double)x - middle_x;
        to[x] = sample_at(pass->work, middle_x + (c * right + s * down), middle_y + (c * down - s * right));
    }
}

void rotations_show(const Rotations *work, Transformation by, double *to)
{
    Pass pass = {.work = work, .by = by, .to = to};
    halo_pool_run(work->planes->pool, work->planes->height, show_row, &pass);
}

/* ---- the log-polar picture ------------------------------------------------------------------------------- */

static double window(int64_t i, int64_t n)
{
    const double s = sin(pi * ((double)i + 0.5) / (double)n);
    return s * s;
}

static void window_row(void *context, int64_t y, int worker)
{
    const Pass *pass = context;
    const Planes *planes = pass->work->planes;
    double *row = pass->to + y * 2 * planes->bins;
    (void)worker;
    for (int64_t x = 0; x < planes->width; x++) row[x] *= window(y, planes->height) * window(x, planes->width);
}

/* The magnitude in a bin; those of the other half are the same. */
static double magnitude(const Pass *pass, int64_t k, int64_t l)
{
    const Planes *planes = pass->work->planes;
    const int64_t row = l < 0 ? l + planes->height : l >= planes->height ? l - planes->height : l;
    const double *z = pass->spectrum + 2 * (row * planes->bins + smaller(k, planes->bins - 1));
    return sqrt(z[0] * z[0] + z[1] * z[1]);
}

/* Magnitudes times frequencies, between bins linearly; those of an angle, and their sum. */
static void polar_row(void *context, int64_t a, int worker)
{
    const Pass *pass = context;
    const Planes *planes = pass->work->planes, *polar = &pass->work->polar;
    const double angle = pi * (double)a / (double)polar->height;
    const double c = cos(angle) * (double)planes->width, s = sin(angle) * (double)planes->height;
    double *to = pass->to + a * 2 * polar->bins, sum = 0.0;
    (void)worker;
    for (int64_t r = 0; r < polar->width; r++) {
        const double frequency = LOWEST * pow(HIGHEST / LOWEST, (double)r / (double)polar->width);
        const double u = fabs(frequency * c), v = c < 0.0 ? -frequency * s : frequency * s;
        const int64_t k = (int64_t)floor(u), l = (int64_t)floor(v);
        const double along = u - floor(u), down = v - floor(v);
        const double above = (1.0 - along) * magnitude(pass, k, l) + along * magnitude(pass, k + 1, l),
                     below = (1.0 - along) * magnitude(pass, k, l + 1) + along * magnitude(pass, k + 1, l + 1);
        to[r] = frequency * ((1.0 - down) * above + down * below);
        sum += to[r];
    }
    pass->work->sum[planes->height + a] = sum;
}

static void weigh_row(void *context, int64_t a, int worker)
{
    const Pass *pass = context;
    const Planes *polar = &pass->work->polar;
    double *row = pass->to + a * 2 * polar->bins;
    (void)worker;
    for (int64_t r = 0; r < polar->width; r++) row[r] = (row[r] - pass->mean) * window(r, polar->width);
}

void rotations_polar(const Rotations *work, Transformation by, double *space, int which)
{
    const Planes *planes = work->planes, *polar = &work->polar;
    Pass pass = {.work = work, .spectrum = space, .to = space};
    double sum = 0.0;
    rotations_show(work, by, space);
    halo_pool_run(planes->pool, planes->height, window_row, &pass);
    planes_forward(planes, space);
    pass.to = work->spectrum[which];
    halo_pool_run(planes->pool, polar->height, polar_row, &pass);
    for (int64_t a = 0; a < polar->height; a++) sum += work->sum[planes->height + a];
    pass.mean = sum / ((double)polar->width * (double)polar->height);
    halo_pool_run(planes->pool, polar->height, weigh_row, &pass);
    planes_forward(polar, pass.to);
}

/* ---- the search ------------------------------------------------------------------------------------------ */

/* What is left is looked for again, since a small rotation is taken for too small a one: both spectra are
 * interpolated at the same places. */
HaloStatus rotations_find(const Rotations *work, double *space, Transformation *found, bool *is_found)
{
    HaloStatus status = HALO_OK;
    const Planes *polar = &work->polar;
    *found = (Transformation){.scale = 1.0};
    for (int round = 0; round < ROUNDS; round++) {
        HaloShift shift = {0};
        rotations_polar(work, *found, space, 1);
        HALO_TRY(
            correlate(polar, false, work->spectrum[0], work->spectrum[1], work->spectrum[2], &shift, is_found));
        if (!*is_found || (shift.x == 0.0 && shift.y == 0.0)) break;
        found->rotation += 180.0 * shift.y / (double)polar->height;
        found->scale *= pow(HIGHEST / LOWEST, -shift.x / (double)polar->width);
    }
out:
    return status;
}

void halo_shift_matrix(const HaloShift *shift, int64_t width, int64_t height, double matrix[6])
{
    const double angle = shift->rotation * (pi / 180.0), c = shift->scale * cos(angle),
                 s = shift->scale * sin(angle), x = (double)(width - 1) / 2, y = (double)(height - 1) / 2;
    const double m[6] = {c, -s, x + shift->x - (c * x - s * y), s, c, y + shift->y - (s * x + c * y)};
    const double moved[6] = {1, 0, shift->x, 0, 1, shift->y};
    memcpy(matrix, shift->rotation == 0.0 && shift->scale == 1.0 ? moved : m, sizeof m);
}
