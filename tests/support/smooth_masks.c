/* Drawing wide Gaussians. */
#include <math.h>
#include <stdlib.h>

#include "draw.h"
#include "plan/sep_fast.h"
#include "smooth_masks.h"

static float *gaussian(double sigma, double truncate, int64_t *count)
{
    const int64_t radius = (int64_t)ceil(truncate * sigma);
    double sum = 0;
    *count = 2 * radius + 1;
    float *tap = malloc((size_t)*count * sizeof *tap);
    if (tap == NULL) fail_case("host", "not enough memory");
    for (int64_t i = -radius; i <= radius; i++) sum += exp(-0.5 * (double)(i * i) / (sigma * sigma));
    for (int64_t i = -radius; i <= radius; i++)
        tap[i + radius] = (float)(exp(-0.5 * (double)(i * i) / (sigma * sigma)) / sum);
    return tap;
}

void smooth_mask_design(SmoothMask *mask)
{
    mask->plan = calloc(1, sizeof *mask->plan);
    if (mask->plan == NULL) fail_case("host", "not enough memory");
    HaloBuilder builder = {.plan = mask->plan};
    mask->step.u.sep.fast = sep_fast_design(&builder, &mask->step.u.sep);
}

void smooth_mask_free(SmoothMask *mask)
{
    halo_plan_free(mask->plan);
    free(mask->row);
    free(mask->column);
}

SmoothMask smooth_mask_draw(Rng *rng, double least, double most)
{
    const double sigma_x = (double)rng_float(rng, (float)least, (float)most),
                 sigma_y = rng_once_in(rng, 2) ? sigma_x : (double)rng_float(rng, (float)least, (float)most);
    const float scale = rng_once_in(rng, 4) ? rng_float(rng, -3, 3) : 1.0f;
    SmoothMask mask = {.step = {.primitive = HALO_SEP, .store = {1.0f, 1.0f}}};
    HaloSep *sep = &mask.step.u.sep;
    HaloWindow *window = &sep->window;
    sep->tap_x = mask.row = gaussian(sigma_x, 4, &window->width);
    sep->tap_y = mask.column = gaussian(sigma_y, rng_once_in(rng, 4) ? 5 : 4, &window->height);
    for (int64_t i = 0; i < window->width; i++) mask.row[i] *= scale;
    *window = draw_window(rng, window->width, window->height);
    window->value = rng_float(rng, -1, 1);
    sep->affine = rng_once_in(rng, 3);
    sep->scale = rng_float(rng, -2, 2);
    sep->bias = rng_float(rng, -1, 1);
    return mask;
}
