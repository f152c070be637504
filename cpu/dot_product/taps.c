/* Masks over groups of 2 lines. Row r of outputs meets lines r, r + 1, …, group g has lines g * 2 and on:
 * so rows are of as many kinds, and what of a row's first group lies above its mask meets zeros. */
#include <limits.h>
#include <stdlib.h>

#include "dot_product.h"
#include "halo/whole_taps.h"

/* Tap of a row of the mask, in units; 0 beyond it. */
static int32_t tap_at(const CpuMask *mask, const HaloWholeTaps *whole, int64_t y, int64_t x)
{
    return y < 0 || y >= mask->height ? 0 : halo_whole_tap(whole, mask->tap[y * mask->width + x]);
}

/* Does the instruction hold all sums of two products? */
static bool pairs_fit(const CpuMask *mask, const HaloWholeTaps *whole)
{
    for (int64_t y = -1; y < mask->height; y++)
        for (int64_t x = 0; x < mask->width; x++) {
            const int32_t a = tap_at(mask, whole, y, x), b = tap_at(mask, whole, y + 1, x);
            if (a > INT8_MAX || b > INT8_MAX || labs(a) + labs(b) > 128) return false;
        }
    return true;
}

/* ---- parts of a mask ------------------------------------------------------------------------------------ */

/* What taps above and below 0 come to, of rows [y, y + 2) and [y - 1, y + 1): the larger of either. */
typedef struct Reach {
    int64_t positive, negative;
} Reach;

static void add_row(const CpuMask *mask, const HaloWholeTaps *whole, int64_t y, Reach *reach)
{
    for (int64_t x = 0; x < mask->width; x++) {
        const int32_t tap = tap_at(mask, whole, y, x);
        *(tap > 0 ? &reach->positive : &reach->negative) += tap;
    }
}

/* What band->groups groups from the first on come to, in either kind of rows. */
static Reach reach_of(const CpuMask *mask, const HaloWholeTaps *whole, const DotBand *band)
{
    Reach reach[2] = {{0, 0}, {0, 0}};
    for (int64_t k = 0; k < 2; k++)
        for (int64_t y = 2 * band->first - k; y < 2 * (band->first + band->groups) - k; y++)
            add_row(mask, whole, y, &reach[k]);
    return (Reach){reach[0].positive > reach[1].positive ? reach[0].positive : reach[1].positive,
                   reach[0].negative < reach[1].negative ? reach[0].negative : reach[1].negative};
}

/* Cuts all groups into bands, as few as may be: how many, 0 where a group alone is too much. */
static int64_t cut_bands(const CpuMask *mask, const HaloWholeTaps *whole, int64_t groups, DotBand *band)
{
    int64_t bands = 0;
    for (int64_t g = 0; g < groups; bands++) {
        DotBand *const next = &band[bands];
        *next = (DotBand){.first = g};
        for (Reach reach; g < groups; g++) {
            next->groups++;
            reach = reach_of(mask, whole, next);
            if ((reach.positive - reach.negative) * 255 > UINT16_MAX) {
                next->groups--;
                break;
            }
            next->start = (int16_t)(INT16_MIN - reach.negative * 255);
        }
        if (next->groups == 0) return 0;
    }
    return bands;
}

/* Taps of a column that a part has to have, or adding up parts takes longer than 16 bits save. */
#define LEAST_PAIRS 12

/* Do sums fit 16 bits, or those of parts, which are written to dot->band? It has space for one a group. */
static bool choose_bands(const CpuMask *mask, const HaloWholeTaps *whole, DotMask *dot)
{
    const int64_t groups = mask->height / 2 + 1;
    if (!pairs_fit(mask, whole)) return false;
    dot->is_signed = whole->positive * 255 <= INT16_MAX && whole->negative * 255 >= INT16_MIN;
    if (dot->is_signed || (whole->negative == 0 && whole->positive * 255 <= UINT16_MAX)) {
        dot->band = NULL;
        return true;
    }
    dot->bands = cut_bands(mask, whole, groups, dot->band);
    return dot->bands > 0 && groups * mask->width >= LEAST_PAIRS * dot->bands;
}

/* ---- taps ----------------------------------------------------------------------------------------------- */

/* Taps of one column and neighbouring rows, as the samples of a group lie. */
static int32_t grouped(const CpuMask *mask, const HaloWholeTaps *whole, int64_t y, int64_t x)
{
    uint32_t all = 0;
    for (int k = 0; k < CPU_DOT_LINES; k++)
        all |= ((uint32_t)tap_at(mask, whole, y + k, x) & UINT8_MAX) << (k * CHAR_BIT);
    return (int32_t)(all | all << 16);
}

/* Columns of nothing but zeros are left out. */
static int64_t list_columns(const CpuMask *mask, int64_t *offset)
{
    int64_t columns = 0;
    for (int64_t x = 0; x < mask->width; x++) {
        bool any = false;
        for (int64_t y = 0; y < mask->height; y++) any |= mask->tap[y * mask->width + x] != 0.0f;
        if (any) offset[columns++] = x;
    }
    return columns;
}

/* Does it pay to multiply by the zeros among the taps? The convolution of floats skips them, but takes twice as
 * long for a tap then. */
static bool is_dense(const CpuMask *mask, const DotMask *dot)
{
    int64_t taps = 0;
    for (int64_t k = 0; k < mask->width * mask->height; k++) taps += mask->tap[k] != 0.0f;
    return dot->mask.groups * dot->mask.columns <= 4 * taps;
}

static void group_taps(const CpuMask *mask, const HaloWholeTaps *whole, DotMask *dot, int64_t *offset,
                       int32_t *tap)
{
    CpuDotMask *const taps = &dot->mask;
    const int lines = CPU_DOT_LINES;
    taps->offset = offset;
    for (int k = 0; k < lines; k++) {
        taps->tap[k] = tap;
        for (int64_t g = 0; g < taps->groups; g++)
            for (int64_t c = 0; c < taps->columns; c++) *tap++ = grouped(mask, whole, g * lines - k, offset[c]);
    }
    for (int64_t c = 0; c < taps->columns; c++) offset[c] *= mask->step;
}

HaloStatus cpu_dot_mask_make(HaloDevice *device, const CpuMask *mask, DotMask *dot, bool *can)
{
    const double most = halo_whole_most(HALO_U8, HALO_BORDER_ZERO, 0.0f);
    HaloWholeTaps whole;
    int64_t entries, bytes;
    *dot = (DotMask){0};
    *can =
        halo_whole_taps(mask->tap, mask->width * mask->height, most, &whole) && whole.largest <= INT8_MAX + 1;
    if (!*can) return HALO_OK;
    /* Columns, bands, and of each kind of rows the taps of the mask and of up to 2 rows beside it. */
    if (!halo_mul(mask->height + 2, mask->width, &entries) || !halo_mul(entries, sizeof(int32_t), &bytes) ||
        bytes > INT64_MAX / 4)
        return halo_fail(HALO_ERR_LIMIT, "the mask is too large");
    const int64_t columns = mask->width * (int64_t)sizeof(int64_t),
                  bands = (mask->height / 2 + 1) * (int64_t)sizeof(DotBand);
    cpu_heap(device, columns + bands + bytes);
    dot->workspace = malloc((size_t)(columns + bands + bytes));
    if (dot->workspace == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    dot->band = (DotBand *)(void *)((char *)dot->workspace + columns);
    *can = choose_bands(mask, &whole, dot);
    if (!*can) return HALO_OK;
    dot->mask.groups = mask->height / CPU_DOT_LINES + 1;
    dot->mask.columns = list_columns(mask, dot->workspace);
    *can = is_dense(mask, dot);
    if (!*can) return HALO_OK;
    dot->exponent = whole.exponent;
    dot->most = (whole.positive - whole.negative) * 255;
    group_taps(mask, &whole, dot, dot->workspace,
               (int32_t *)(void *)((char *)dot->workspace + columns + bands));
    return HALO_OK;
}
