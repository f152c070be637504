/* sRGB samples as linear light. */
#include "colour.h"

#include <stdlib.h>

#include "halo/functions.h"

#define VALUES 65536

bool colours_known(const Pair *pair)
{
    const HaloShape *shape = &pair->a->shape;
    const int colours = shape->channels - (shape->alpha >= 0);
    return shape->kind == HALO_IMAGE && (colours == 1 || colours == 3) && !shape->numbers &&
           !pair->b->shape.numbers;
}

/* IEC 61966-2-1; what lies outside of full scale is clipped. */
static double light_of(double v)
{
    const double x = v < 0.0 ? 0.0 : v > 1.0 ? 1.0 : v;
    return x <= 0.04045 ? x / 12.92 : halo_function_pow((x + 0.055) / 1.055, 2.4);
}

HaloStatus colours_open(const Pair *pair, const HaloBuf *from, double scale, Colours *colours)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &from->shape;
    *colours = (Colours){.from = from, .scale = scale};
    const bool gray = shape->channels - (shape->alpha >= 0) == 1;
    for (int c = 0, next = 0; c < 3; c++) {
        if (next == shape->alpha) next++;
        colours->channel[c] = gray ? (shape->alpha == 0) : next++;
    }
    if (shape->dtype != HALO_U8 && shape->dtype != HALO_U16) return HALO_OK;
    HALO_TRY(halo_memory_hold(pair->memory, VALUES * (int64_t)sizeof(double)));
    colours->light = malloc(VALUES * sizeof(double));
    if (colours->light == NULL) {
        halo_memory_release(pair->memory, VALUES * (int64_t)sizeof(double));
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    }
    const int values = shape->dtype == HALO_U8 ? 256 : VALUES;
    for (int v = 0; v < values; v++) colours->light[v] = light_of((double)v * scale);
out:
    return status;
}

void colours_close(const Pair *pair, Colours *colours)
{
    if (colours->light == NULL) return;
    free(colours->light);
    colours->light = NULL;
    halo_memory_release(pair->memory, VALUES * (int64_t)sizeof(double));
}

void colours_row(const Colours *colours, int64_t y, double *row, double *light)
{
    const int64_t width = colours->from->shape.width, channels = colours->from->shape.channels;
    pair_load(colours->from, 0, y, width * channels, 1.0, row);
    for (int c = 0; c < 3; c++) {
        const double *from = row + colours->channel[c];
        double *to = light + c * width;
        if (colours->light != NULL)
            for (int64_t x = 0; x < width; x++) to[x] = colours->light[(int)from[x * channels]];
        else
            for (int64_t x = 0; x < width; x++) to[x] = light_of(from[x * channels] * colours->scale);
    }
}

double colour_cube_root(double v) { return halo_function_pow(v, 1.0 / 3.0); }
