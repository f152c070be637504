/* Masks over groups of 2 or 4 lines. Row r of outputs meets lines r, r + 1, …, group g has lines g * 2 and on:
 * so rows are of as many kinds, and what of a row's first group lies above its mask meets zeros. */
#include <stdlib.h>

#include "dots.h"
#include "halo/whole_taps.h"

/* Tap of a row of the mask, in units; 0 beyond it. */
static int32_t tap_at(const CpuMask *mask, const HaloWholeTaps *whole, int64_t y, int64_t x)
{
    return y < 0 || y >= mask->height ? 0 : halo_whole_tap(whole, mask->tap[y * mask->width + x]);
}

/* Do all sums of two products fit 16 bits, as the instruction saturates them, and those of all products, as
 * numbers with a sign or without? */
static bool fits_bytes(const CpuMask *mask, const HaloWholeTaps *whole, bool *is_signed)
{
    *is_signed = whole->positive * 255 <= INT16_MAX && whole->negative * 255 >= INT16_MIN;
    if (!*is_signed && (whole->negative < 0 || whole->positive * 255 > UINT16_MAX)) return false;
    for (int64_t y = -1; y < mask->height; y++)
        for (int64_t x = 0; x < mask->width; x++) {
            const int32_t a = tap_at(mask, whole, y, x), b = tap_at(mask, whole, y + 1, x);
            if (a > INT8_MAX || b > INT8_MAX || labs(a) + labs(b) > 128) return false;
        }
    return true;
}

static CpuDotsKind choose_kind(const CpuDotKernels *kernels, const CpuMask *mask, const HaloWholeTaps *whole,
                               HaloDtype dtype, bool *is_signed)
{
    if (dtype != HALO_U8) return CPU_DOTS_WORDS;
    if (fits_bytes(mask, whole, is_signed)) return CPU_DOTS_BYTES;
    return whole->largest <= INT8_MAX && kernels->has(CPU_DOTS_FOURS) ? CPU_DOTS_FOURS : CPU_DOTS_WORDS;
}

/* Taps of one column and neighbouring rows, as the samples of a group lie. */
static int32_t grouped(const CpuMask *mask, const HaloWholeTaps *whole, CpuDotsKind kind, int64_t y, int64_t x)
{
    const int lines = cpu_dots_lines(kind), bits = kind == CPU_DOTS_WORDS ? 16 : 8;
    uint32_t all = 0;
    for (int k = 0; k < lines; k++)
        all |= ((uint32_t)tap_at(mask, whole, y + k, x) & ((1u << bits) - 1)) << (k * bits);
    return (int32_t)(kind == CPU_DOTS_BYTES ? all | all << 16 : all);
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

static void group_taps(const CpuMask *mask, const HaloWholeTaps *whole, Dots *dots, int64_t *offset,
                       int32_t *tap)
{
    CpuDots *const taps = &dots->taps;
    const int lines = cpu_dots_lines(dots->kind);
    taps->columns = list_columns(mask, offset);
    taps->offset = offset;
    for (int k = 0; k < lines; k++) {
        taps->tap[k] = tap;
        for (int64_t g = 0; g < taps->groups; g++)
            for (int64_t c = 0; c < taps->columns; c++)
                *tap++ = grouped(mask, whole, dots->kind, g * lines - k, offset[c]);
    }
    for (int64_t c = 0; c < taps->columns; c++) offset[c] *= mask->step;
}

HaloStatus cpu_dots_make(HaloDevice *device, const CpuMask *mask, HaloDtype dtype, Dots *dots, bool *can)
{
    const double most = halo_whole_most(dtype, HALO_BORDER_ZERO, 0.0f);
    HaloWholeTaps whole;
    int64_t entries, bytes;
    *dots = (Dots){0};
    *can = halo_whole_taps(mask->tap, mask->width * mask->height, most, &whole) && whole.largest <= INT16_MAX;
    if (!*can) return HALO_OK;
    dots->kind = choose_kind(device->kernels->dots, mask, &whole, dtype, &dots->is_signed);
    const int lines = cpu_dots_lines(dots->kind);
    dots->taps.groups = (mask->height + 2 * lines - 2) / lines;
    dots->exponent = whole.exponent;
    dots->most = (whole.positive - whole.negative) * 255;
    dots->more = dtype == HALO_U16 ? (int32_t)((whole.positive + whole.negative) * 32768) : 0;
    if (!halo_mul(lines * dots->taps.groups, mask->width, &entries) ||
        !halo_mul(entries + mask->width, sizeof(int64_t), &bytes))
        return halo_fail(HALO_ERR_LIMIT, "the mask is too large");
    cpu_heap(device, bytes);
    dots->room = malloc((size_t)bytes);
    if (dots->room == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    int64_t *const offset = dots->room;
    group_taps(mask, &whole, dots, offset, (int32_t *)(void *)(offset + mask->width));
    return HALO_OK;
}
