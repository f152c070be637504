/* MS-SSIM: Z. Wang, E. P. Simoncelli, A. C. Bovik, "Multiscale structural similarity for image quality
 * assessment", 2003: of each channel, and the mean of these. */
#include <math.h>
#include <stdlib.h>

#include "halo/functions.h"
#include "part.h"

enum { SCALES = 5, LEAST = 11 << (SCALES - 1) };

static HaloBuf plane_of(double *samples, int64_t width, int64_t height, float white)
{
    HaloBuf buf = {.shape = {.kind = HALO_IMAGE,
                             .dtype = HALO_F64,
                             .width = width,
                             .height = height,
                             .channels = 1,
                             .alpha = -1,
                             .white = white},
                   .cols = width,
                   .rows = height,
                   .data = samples};
    buf.stride = halo_row_bytes(&buf);
    return buf;
}

/* One channel of all rows; `row` has space for all samples of one. */
static void take_channel(const HaloBuf *from, double scale, int channel, double *row, double *plane)
{
    const int64_t width = from->shape.width, channels = from->shape.channels;
    for (int64_t y = 0; y < from->shape.height; y++) {
        pair_load(from, 0, y, width * channels, scale, row);
        for (int64_t x = 0; x < width; x++) plane[y * width + x] = row[x * channels + channel];
    }
}

/* The means of two by two samples, in place; the last of an odd number counts twice. */
static void halve(HaloBuf *plane)
{
    const int64_t width = plane->shape.width, height = plane->shape.height;
    const int64_t w = (width + 1) / 2, h = (height + 1) / 2;
    double *const v = plane->data;
    for (int64_t y = 0; y < h; y++) {
        const double *upper = v + 2 * y * width, *lower = 2 * y + 1 < height ? upper + width : upper;
        for (int64_t x = 0; x < w; x++) {
            const int64_t left = 2 * x, right = left + 1 < width ? left + 1 : left;
            v[y * w + x] = 0.25 * ((upper[left] + upper[right]) + (lower[left] + lower[right]));
        }
    }
    *plane = plane_of(v, w, h, plane->shape.white);
}

static HaloStatus channel_scales(const Pair *pair, double *product)
{
    static const double weight[SCALES] = {0.0448, 0.2856, 0.3001, 0.2363, 0.1333};
    HaloStatus status = HALO_OK;
    HaloBuf a = *pair->a, b = *pair->b;
    Pair half = *pair;
    half.a = &a;
    half.b = &b;
    *product = 1.0;
    for (int s = 0; s < SCALES; s++) {
        double ssim, contrast;
        HALO_TRY(structure_means(&half, &ssim, &contrast));
        const double v = s < SCALES - 1 ? contrast : ssim;
        *product *= halo_function_pow(v < 0.0 ? 0.0 : v, weight[s]);
        halve(&a);
        halve(&b);
    }
out:
    return status;
}

HaloStatus compare_scales(const Pair *pair, HaloComparison *all)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &pair->a->shape;
    const int64_t pixels = shape->width * shape->height;
    const int64_t bytes = (2 * pixels + shape->width * shape->channels) * (int64_t)sizeof(double);
    double *samples = NULL, sum = 0.0, product;
    all->msssim = (double)NAN;
    if (shape->kind != HALO_IMAGE || shape->width < LEAST || shape->height < LEAST) return HALO_OK;
    HALO_TRY(halo_memory_hold(pair->memory, bytes));
    samples = malloc((size_t)bytes);
    if (samples == NULL) status = halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int c = 0; c < shape->channels && status == HALO_OK; c++) {
        const HaloBuf a = plane_of(samples, shape->width, shape->height, shape->white),
                      b = plane_of(samples + pixels, shape->width, shape->height, shape->white);
        Pair planes = *pair;
        take_channel(pair->a, 1.0, c, samples + 2 * pixels, samples);
        take_channel(pair->b, pair->scale, c, samples + 2 * pixels, samples + pixels);
        planes.a = &a;
        planes.b = &b;
        planes.scale = 1.0;
        status = channel_scales(&planes, &product);
        sum += product;
    }
    if (status == HALO_OK) all->msssim = sum / (double)shape->channels;
    free(samples);
    halo_memory_release(pair->memory, bytes);
out:
    return status;
}
