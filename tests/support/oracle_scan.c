/* The oracle of scans, in the order of docs/numerics.md. */
#include <math.h>
#include <stdlib.h>

#include "oracle.h"

static double identity_of(HaloScanOp op)
{
    static const double identity[] = {[HALO_SCAN_SUM] = 0.0,
                                      [HALO_SCAN_MIN] = INFINITY,
                                      [HALO_SCAN_MAX] = -INFINITY,
                                      [HALO_SCAN_PRODUCT] = 1.0,
                                      [HALO_SCAN_SQUARES] = 0.0};
    return identity[op];
}

static double join(HaloScanOp op, double a, double b)
{
    if (op == HALO_SCAN_SUM || op == HALO_SCAN_SQUARES) return a + b;
    if (op == HALO_SCAN_PRODUCT) return a * b;
    if (isnan(a)) return a;
    if (isnan(b)) return b;
    return (op == HALO_SCAN_MIN ? b < a : b > a) ? b : a;
}

/* E_j of docs/numerics.md: the totals of a group's tiles before `tile`, in 256 slots. */
static double group_prefix(HaloScanOp op, const double *total, int64_t group, int64_t tile)
{
    double lane[32];
    for (int l = 0; l < 32; l++)
        for (int s = 0; s < 8; s++) {
            const int64_t slot = group * 256 + l * 8 + s;
            const double v = slot < tile ? total[slot] : identity_of(op);
            lane[l] = s == 0 ? v : join(op, lane[l], v);
        }
    for (int width = 16; width >= 1; width /= 2)
        for (int l = 0; l < width; l++) lane[l] = join(op, lane[2 * l], lane[2 * l + 1]);
    return lane[0];
}

/* One tile of 4096: r[] becomes the prefixes in each run, before[] what lies before each run in the tile;
 * returns the tile's total. */
static double tile_scan(HaloScanOp op, double r[4096], double before[256])
{
    double warp_prefix = identity_of(op);
    for (int i = 0; i < 4096; i++)
        if (i % 16 != 0) r[i] = join(op, r[i - 1], r[i]);
    for (int w = 0; w < 8; w++) {
        double v[32], old[32];
        for (int l = 0; l < 32; l++) v[l] = r[(w * 32 + l) * 16 + 15];
        for (int d = 1; d <= 16; d *= 2) {
            for (int l = 0; l < 32; l++) old[l] = v[l];
            for (int l = d; l < 32; l++) v[l] = join(op, old[l - d], old[l]);
        }
        for (int l = 0; l < 32; l++)
            before[w * 32 + l] = join(op, warp_prefix, l == 0 ? identity_of(op) : v[l - 1]);
        warp_prefix = join(op, warp_prefix, v[31]);
    }
    return warp_prefix;
}

static void scan_line_f64(HaloScanOp op, bool exclusive, double *x, int64_t n)
{
    const int64_t tiles = (n + 4095) / 4096;
    double *const r = oracle_memory(tiles * 4096, sizeof *r);
    double *const before = oracle_memory(tiles * 256, sizeof *before);
    double *const total = oracle_memory(tiles, sizeof *total);
    double groups_before = identity_of(op);
    for (int64_t i = 0; i < tiles * 4096; i++) r[i] = i < n ? x[i] : identity_of(op);
    for (int64_t t = 0; t < tiles; t++) total[t] = tile_scan(op, r + t * 4096, before + t * 256);
    for (int64_t t = 0; t < tiles; t++) {
        if (t > 0 && t % 256 == 0)
            groups_before = join(op, groups_before, group_prefix(op, total, t / 256 - 1, t));
        const double tile_before = join(op, groups_before, group_prefix(op, total, t / 256, t));
        for (int64_t i = t * 4096; i < n && i < (t + 1) * 4096; i++) {
            const double f = join(op, tile_before, before[i / 16]);
            if (exclusive)
                x[i] = i % 16 == 0 ? f : join(op, f, r[i - 1]);
            else
                x[i] = join(op, f, r[i]);
        }
    }
    free(r);
    free(before);
    free(total);
}

static void scan_column_f64(HaloScanOp op, bool exclusive, double *x, int64_t n)
{
    double group = identity_of(op), inside = group; /* G and P */
    for (int64_t first = 0; first < n; first += 32) {
        const double before = join(op, group, inside);
        double r = 0.0;
        for (int64_t i = first; i < n && i < first + 32; i++) {
            const double previous = r, v = x[i];
            r = i == first ? v : join(op, previous, v);
            if (exclusive)
                x[i] = i == first ? before : join(op, before, previous);
            else
                x[i] = join(op, before, r);
        }
        inside = join(op, inside, r);
        if (first % 4096 != 4096 - 32) continue;
        group = join(op, group, inside);
        inside = identity_of(op);
    }
}

static void scan_i64(HaloScanOp op, bool exclusive, int64_t *x, int64_t n)
{
    int64_t acc = op == HALO_SCAN_MIN ? INT64_MAX : op == HALO_SCAN_MAX ? INT64_MIN : 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t v = x[i];
        if (exclusive) x[i] = acc;
        if (op == HALO_SCAN_SUM || op == HALO_SCAN_SQUARES) acc += v;
        if (op == HALO_SCAN_MIN && v < acc) acc = v;
        if (op == HALO_SCAN_MAX && v > acc) acc = v;
        if (!exclusive) x[i] = acc;
    }
}

/* One line of a channel of dst, in place: n samples, `step` of dst's samples apart along x or y. */
static void scan_line(HaloBuf *dst, int64_t line, int c, bool along_y, const HaloScan *scan)
{
    const int64_t n = along_y ? dst->shape.height : dst->shape.width;
    double *const real = oracle_memory(n, sizeof *real);
    int64_t *const whole = oracle_memory(n, sizeof *whole);
    for (int64_t i = 0; i < n; i++) {
        const void *const at = halo_at(dst, along_y ? line : i, along_y ? i : line);
        if (dst->shape.dtype == HALO_I64)
            whole[i] = ((const int64_t *)at)[c];
        else
            real[i] = ((const double *)at)[c];
    }
    if (dst->shape.dtype == HALO_I64)
        scan_i64(scan->op, scan->exclusive, whole, n);
    else if (along_y)
        scan_column_f64(scan->op, scan->exclusive, real, n);
    else
        scan_line_f64(scan->op, scan->exclusive, real, n);
    for (int64_t i = 0; i < n; i++) {
        void *const at = halo_at(dst, along_y ? line : i, along_y ? i : line);
        if (dst->shape.dtype == HALO_I64)
            ((int64_t *)at)[c] = whole[i];
        else
            ((double *)at)[c] = real[i];
    }
    free(real);
    free(whole);
}

void oracle_scan(const HaloBuf *src, HaloBuf *dst, const HaloScan *scan)
{
    const int64_t width = src->shape.width, height = src->shape.height;
    for (int c = 0; c < src->shape.channels; c++) {
        for (int64_t p = 0; p < width * height; p++) {
            void *const at = halo_at(dst, p % width, p / width);
            const double v = oracle_wide(src, p % width, p / width, c);
            const double joins = scan->op == HALO_SCAN_SQUARES ? v * v : v; /* both exact */
            if (dst->shape.dtype == HALO_I64)
                ((int64_t *)at)[c] = (int64_t)joins;
            else
                ((double *)at)[c] = joins;
        }
        if (scan->axis & HALO_AXIS_X)
            for (int64_t y = 0; y < height; y++) scan_line(dst, y, c, false, scan);
        if (scan->axis & HALO_AXIS_Y)
            for (int64_t x = 0; x < width; x++) scan_line(dst, x, c, true, scan);
        if (dst->shape.dtype == HALO_I64) continue;
        for (int64_t p = 0; p < width * height; p++) {
            double *const at = (double *)halo_at(dst, p % width, p / width) + c;
            union {
                uint64_t bits;
                double value;
            } nan = {0x7ff8000000000000u};
            if (isnan(*at)) *at = nan.value;
        }
    }
}
