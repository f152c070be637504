/* Scans: tiles of a line, and rows going down. */
#include "variant.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define OP HALO_SCAN_SUM
#define NAME sum
#include "scan_tmpl.h"

#define OP HALO_SCAN_MIN
#define NAME min
#include "scan_tmpl.h"

#define OP HALO_SCAN_MAX
#define NAME max
#include "scan_tmpl.h"

#define OP HALO_SCAN_PRODUCT
#define NAME product
#include "scan_tmpl.h"

static void tile(HaloScanOp op, int64_t channels, int64_t runs, double *x, double *lead, double *total)
{
    switch (op) {
    case HALO_SCAN_SUM:
    case HALO_SCAN_SQUARES: tile_sum(channels, runs, x, lead, total); break;
    case HALO_SCAN_MIN: tile_min(channels, runs, x, lead, total); break;
    case HALO_SCAN_MAX: tile_max(channels, runs, x, lead, total); break;
    case HALO_SCAN_PRODUCT: tile_product(channels, runs, x, lead, total); break;
    }
}

static void tile_join(HaloScanOp op, int64_t channels, bool exclusive, const double *before, int64_t runs,
                      const double *lead, double *x)
{
    switch (op) {
    case HALO_SCAN_SUM:
    case HALO_SCAN_SQUARES: tile_join_sum(channels, exclusive, before, runs, lead, x); break;
    case HALO_SCAN_MIN: tile_join_min(channels, exclusive, before, runs, lead, x); break;
    case HALO_SCAN_MAX: tile_join_max(channels, exclusive, before, runs, lead, x); break;
    case HALO_SCAN_PRODUCT: tile_join_product(channels, exclusive, before, runs, lead, x); break;
    }
}

static void vertical_f64(HaloScanOp op, bool exclusive, int64_t y, double *x, int64_t n, const CpuAbove *above)
{
    switch (op) {
    case HALO_SCAN_SUM:
    case HALO_SCAN_SQUARES: down_sum(exclusive, y, x, n, above); break;
    case HALO_SCAN_MIN: down_min(exclusive, y, x, n, above); break;
    case HALO_SCAN_MAX: down_max(exclusive, y, x, n, above); break;
    case HALO_SCAN_PRODUCT: down_product(exclusive, y, x, n, above); break;
    }
}

static void narrow(const CpuNarrowScan *n, HaloScanOp op, bool exclusive, int64_t y, int64_t rows, double *x)
{
    switch (op) {
    case HALO_SCAN_SUM:
    case HALO_SCAN_SQUARES: narrow_sum(n, exclusive, y, rows, x); break;
    case HALO_SCAN_MIN: narrow_min(n, exclusive, y, rows, x); break;
    case HALO_SCAN_MAX: narrow_max(n, exclusive, y, rows, x); break;
    case HALO_SCAN_PRODUCT: narrow_product(n, exclusive, y, rows, x); break;
    }
}

/* ---- integers: exact, so in any order ------------------------------------------------------------------- */

static inline void line(HaloScanOp op, bool exclusive, int64_t *restrict x, int64_t n, int64_t *carry)
{
    int64_t acc = *carry;
    for (int64_t i = 0; i < n; i++) {
        const int64_t joined = halo_scan_join_i64(op, acc, x[i]);
        x[i] = exclusive ? acc : joined;
        acc = joined;
    }
    *carry = acc;
}

static void line_i64(HaloScanOp op, bool exclusive, int64_t *x, int64_t n, int64_t *carry)
{
    switch (op) {
    case HALO_SCAN_MIN: line(HALO_SCAN_MIN, exclusive, x, n, carry); break;
    case HALO_SCAN_MAX: line(HALO_SCAN_MAX, exclusive, x, n, carry); break;
    default: line(HALO_SCAN_SUM, exclusive, x, n, carry);
    }
}

static inline void down(HaloScanOp op, bool exclusive, int64_t *restrict x, int64_t n, int64_t *restrict carry)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t acc = carry[i], joined = halo_scan_join_i64(op, acc, x[i]);
        x[i] = exclusive ? acc : joined;
        carry[i] = joined;
    }
}

static void vertical_i64(HaloScanOp op, bool exclusive, int64_t *x, int64_t n, int64_t *carry)
{
    switch (op) {
    case HALO_SCAN_MIN: down(HALO_SCAN_MIN, exclusive, x, n, carry); break;
    case HALO_SCAN_MAX: down(HALO_SCAN_MAX, exclusive, x, n, carry); break;
    default: down(HALO_SCAN_SUM, exclusive, x, n, carry);
    }
}

#define WINDOW 16 /* GCC leaves loops as long as this to its vectoriser, and takes shorter ones apart */

#if defined(__AVX2__)
#define EIGHT(from) _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(from)))
#endif
#define SAMPLE uint8_t
#define TYPE u8
#define NARROW uint16_t
#include "sums_tmpl.h"

#if defined(__AVX2__)
#define EIGHT(from) _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(from)))
#endif
#define SAMPLE uint16_t
#define TYPE u16
#define NARROW uint32_t
#include "sums_tmpl.h"

#if defined(__AVX2__)
static CPU_INLINE __m256i four_bytes(const uint8_t *from)
{
    int32_t word;
    memcpy(&word, from, sizeof word);
    return _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(word));
}
#define FOUR(from) four_bytes(from)
#endif
#define SAMPLE uint8_t
#define TYPE u8
#include "sums_pixels_tmpl.h"

#if defined(__AVX2__)
#define FOUR(from) _mm256_cvtepu16_epi64(_mm_loadl_epi64((const __m128i *)(const void *)(from)))
#endif
#define SAMPLE uint16_t
#define TYPE u16
#include "sums_pixels_tmpl.h"

/* ---- samples -------------------------------------------------------------------------------------------- */

#define NAME u8_to_f64
#define SAMPLE uint8_t
#define WIDE double
#include "widen_tmpl.h"

#define NAME u16_to_f64
#define SAMPLE uint16_t
#define WIDE double
#include "widen_tmpl.h"

#define NAME f32_to_f64
#define SAMPLE float
#define WIDE double
#include "widen_tmpl.h"

#define NAME f64_to_f64
#define SAMPLE double
#define WIDE double
#include "widen_tmpl.h"

#define NAME u8_to_i64
#define SAMPLE uint8_t
#define WIDE int64_t
#include "widen_tmpl.h"

#define NAME u16_to_i64
#define SAMPLE uint16_t
#define WIDE int64_t
#include "widen_tmpl.h"

const CpuScanKernels CPU_TABLE(scan) = {
    .to_f64 =
        {[HALO_U8] = u8_to_f64, [HALO_U16] = u16_to_f64, [HALO_F32] = f32_to_f64, [HALO_F64] = f64_to_f64},
    .to_i64 = {u8_to_i64, u16_to_i64},
    .tile = tile,
    .tile_join = tile_join,
    .line_i64 = line_i64,
    .sums = {sums_u8, sums_u16},
    .pixel_sums = {pixel_sums_u8, pixel_sums_u16},
    .columns = {columns_u8, columns_u16},
    .vertical_f64 = vertical_f64,
    .narrow = narrow,
    .vertical_i64 = vertical_i64,
};
