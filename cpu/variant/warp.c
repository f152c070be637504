/* Samples at any places (cpu/warp.c). Loops over the pixels of a chunk: first where they read, then samples
 * into rows, tap by tap, of which vectors are made. */
#include "halo/places.h"
#include "variant.h"

#define CHUNK CPU_WARP_CHUNK

/* ---- places ---------------------------------------------------------------------------------------------- */

static void set_bounds(CpuWarpPlaces *out, int64_t n)
{
    int32_t least_x = out->x[0], most_x = out->x[0], least_y = out->y[0], most_y = out->y[0];
    for (int64_t k = 1; k < n; k++) {
        least_x = out->x[k] < least_x ? out->x[k] : least_x;
        most_x = out->x[k] > most_x ? out->x[k] : most_x;
        least_y = out->y[k] < least_y ? out->y[k] : least_y;
        most_y = out->y[k] > most_y ? out->y[k] : most_y;
    }
    out->least_x = least_x;
    out->most_x = most_x;
    out->least_y = least_y;
    out->most_y = most_y;
}

static CPU_INLINE void set_axis(int taps, const double *at, int32_t *first, int32_t *phase)
{
    for (int k = 0; k < CHUNK; k++) {
        const uint64_t fixed = halo_warp_fixed(at[k]);
        first[k] = halo_warp_first(taps, fixed);
        phase[k] = halo_warp_phase(fixed);
    }
}

static CPU_INLINE void set_places(const HaloWarp *how, const double *u, const double *v, int64_t n,
                                  CpuWarpPlaces *out)
{
    if (how->taps == 1) {
        set_axis(1, u, out->x, out->phase_x);
        set_axis(1, v, out->y, out->phase_y);
    } else {
        set_axis(how->taps, u, out->x, out->phase_x);
        set_axis(how->taps, v, out->y, out->phase_y);
    }
    set_bounds(out, n);
}

static void places(const HaloWarp *how, int64_t x, double apart, double y, int64_t n, CpuWarpPlaces *out)
{
    double u[CHUNK], v[CHUNK];
    const double *m = how->m;
    switch (how->by) {
    case HALO_WARP_AFFINE: {
        const double from_u = halo_warp_row(m, y), from_v = halo_warp_row(m + 3, y);
        for (int k = 0; k < CHUNK; k++) {
            const double at = (double)((int32_t)x + k) + apart;
            u[k] = m[0] * at + from_u;
            v[k] = m[3] * at + from_v;
        }
        break;
    }
    case HALO_WARP_PERSPECTIVE: {
        const double from_u = halo_warp_row(m, y), from_v = halo_warp_row(m + 3, y),
                     from_w = halo_warp_row(m + 6, y);
        for (int k = 0; k < CHUNK; k++) {
            const double at = (double)((int32_t)x + k) + apart, w = m[6] * at + from_w;
            u[k] = (m[0] * at + from_u) / w;
            v[k] = (m[3] * at + from_v) / w;
        }
        break;
    }
    default:
        for (int k = 0; k < CHUNK; k++)
            halo_warp_lens(&how->lens, (double)((int32_t)x + k) + apart, y, &u[k], &v[k]);
        break;
    }
    set_places(how, u, v, n, out);
}

static void places_of_map(const HaloWarp *how, const float *map, int64_t n, CpuWarpPlaces *out)
{
    double u[CHUNK] = {0}, v[CHUNK] = {0};
    for (int64_t k = 0; k < n; k++) {
        u[k] = (double)map[2 * k];
        v[k] = (double)map[2 * k + 1];
    }
    set_places(how, u, v, n, out);
}

/* ---- samples --------------------------------------------------------------------------------------------- */

static CPU_INLINE float sample(const char *at, HaloDtype dtype, int64_t e)
{
    if (dtype == HALO_U8) return (float)((const uint8_t *)at)[e];
    if (dtype == HALO_U16) return (float)((const uint16_t *)(const void *)at)[e];
    return ((const float *)(const void *)at)[e];
}

static CPU_INLINE void set_offsets(const HaloBuf *src, const CpuWarpPlaces *p, int64_t pixel, int64_t n,
                                   int64_t *offset)
{
    for (int64_t k = 0; k < n; k++) offset[k] = (p->y[k] - src->y0) * src->stride + (p->x[k] - src->x0) * pixel;
}

static CPU_INLINE void nearest(const HaloBuf *src, const CpuWarpPlaces *p, int64_t n, HaloDtype dtype,
                               int64_t channels, float *out)
{
    const char *const base = src->data;
    int64_t offset[CHUNK];
    set_offsets(src, p, channels * (int64_t)halo_dtype_size(dtype), n, offset);
    for (int64_t k = 0; k < n; k++)
        for (int64_t c = 0; c < channels; c++) out[k * channels + c] = sample(base + offset[k], dtype, c);
}

static CPU_INLINE float between(float wx, float wy, float a, float b, float c, float d)
{
    const float ux = 1.0f - wx, uy = 1.0f - wy;
    const float top = halo_fma(wx, b, ux * a), bottom = halo_fma(wx, d, ux * c);
    return halo_fma(wy, bottom, uy * top);
}

static CPU_INLINE void set_weights(const CpuWarpPlaces *p, float *wx, float *wy)
{
    for (int k = 0; k < CHUNK; k++) {
        wx[k] = (float)p->phase_x[k] * (1.0f / HALO_WARP_PHASES);
        wy[k] = (float)p->phase_y[k] * (1.0f / HALO_WARP_PHASES);
    }
}

static CPU_INLINE void linear(const HaloBuf *src, const CpuWarpPlaces *p, int64_t n, HaloDtype dtype,
                              int64_t channels, float *out)
{
    const char *const base = src->data;
    float wx[CHUNK], wy[CHUNK], a[CHUNK] = {0}, b[CHUNK] = {0}, c[CHUNK] = {0}, d[CHUNK] = {0};
    int64_t offset[CHUNK];
    set_offsets(src, p, channels * (int64_t)halo_dtype_size(dtype), n, offset);
    set_weights(p, wx, wy);
    for (int64_t channel = 0; channel < channels; channel++) {
        for (int64_t k = 0; k < n; k++) {
            const char *const at = base + offset[k];
            a[k] = sample(at, dtype, channel);
            b[k] = sample(at, dtype, channel + channels);
            c[k] = sample(at + src->stride, dtype, channel);
            d[k] = sample(at + src->stride, dtype, channel + channels);
        }
        for (int64_t k = 0; k < n; k++)
            out[k * channels + channel] = between(wx[k], wy[k], a[k], b[k], c[k], d[k]);
    }
}

/* [taps][CHUNK] of both axes. */
static CPU_INLINE void set_tap_weights(const HaloWarp *how, const CpuWarpPlaces *p, int64_t n, int taps,
                                       float wx[][CHUNK], float wy[][CHUNK])
{
    if (taps == 2) {
        set_weights(p, wx[1], wy[1]);
        for (int k = 0; k < CHUNK; k++) {
            wx[0][k] = 1.0f - wx[1][k];
            wy[0][k] = 1.0f - wy[1][k];
        }
        return;
    }
    if (taps == 4) {
        for (int k = 0; k < CHUNK; k++) {
            float over[4], down[4];
            halo_warp_cubic((float)p->phase_x[k], over);
            halo_warp_cubic((float)p->phase_y[k], down);
            CPU_UNROLL
            for (int i = 0; i < 4; i++) {
                wx[i][k] = over[i];
                wy[i][k] = down[i];
            }
        }
        return;
    }
    for (int64_t k = 0; k < n; k++)
        for (int i = 0; i < taps; i++) {
            wx[i][k] = how->tap[p->phase_x[k] * taps + i];
            wy[i][k] = how->tap[p->phase_y[k] * taps + i];
        }
}

static CPU_INLINE void weighted(const HaloWarp *how, const HaloBuf *src, const CpuWarpPlaces *p, int64_t n,
                                int taps, HaloDtype dtype, int64_t channels, float *out)
{
    float wx[HALO_WARP_TAPS][CHUNK] = {0}, wy[HALO_WARP_TAPS][CHUNK] = {0}, row[CHUNK], sum[CHUNK],
          v[CHUNK] = {0};
    int64_t offset[CHUNK];
    set_offsets(src, p, channels * (int64_t)halo_dtype_size(dtype), n, offset);
    set_tap_weights(how, p, n, taps, wx, wy);
    for (int64_t channel = 0; channel < channels; channel++) {
        for (int j = 0; j < taps; j++) {
            const char *const base = (const char *)src->data + j * src->stride;
            for (int i = 0; i < taps; i++) {
                for (int64_t k = 0; k < n; k++) v[k] = sample(base + offset[k], dtype, i * channels + channel);
                for (int k = 0; k < CHUNK; k++)
                    row[k] = halo_warp_add(i == 0 ? 0.0f : row[k], wx[i][k], v[k], i);
            }
            for (int k = 0; k < CHUNK; k++) sum[k] = halo_warp_add(j == 0 ? 0.0f : sum[k], wy[j][k], row[k], j);
        }
        for (int64_t k = 0; k < n; k++) out[k * channels + channel] = sum[k];
    }
}

/* ---- bytes of three and four channels, from words -------------------------------------------------------- */

/* Up to four taps: with six the arrays would be larger than frames are to be. */
#define WORD_TAPS 4
#define MOST_WORDS 4 /* of four bytes, of a row of taps */

static CPU_INLINE float byte_of(const uint32_t word[MOST_WORDS][CHUNK], int byte, int k)
{
    return (float)(int32_t)(word[byte / 4][k] >> 8 * (byte % 4) & 255);
}

/* Up to two bytes more are read than taps need, of three channels. */
static CPU_INLINE void weighted_words(const HaloWarp *how, const HaloBuf *src, const CpuWarpPlaces *p,
                                      int64_t n, int taps, int channels, float *out)
{
    const int words = (taps * channels + 3) / 4;
    uint32_t word[WORD_TAPS][MOST_WORDS][CHUNK];
    float wx[WORD_TAPS][CHUNK] = {0}, wy[WORD_TAPS][CHUNK] = {0}, made[4][CHUNK];
    set_tap_weights(how, p, n, taps, wx, wy);
    if (n < CHUNK) memset(word, 0, sizeof word);
    for (int64_t k = 0; k < n; k++) {
        const char *const at =
            (const char *)src->data + (p->y[k] - src->y0) * src->stride + (p->x[k] - src->x0) * channels;
        for (int j = 0; j < taps; j++)
            for (int w = 0; w < words; w++) memcpy(&word[j][w][k], at + j * src->stride + 4 * w, 4);
    }
    for (int channel = 0; channel < channels; channel++)
        for (int k = 0; k < CHUNK; k++) {
            float sum = 0.0f;
            CPU_UNROLL
            for (int j = 0; j < taps; j++) {
                float row = 0.0f;
                CPU_UNROLL
                for (int i = 0; i < taps; i++)
                    row = halo_warp_add(row, wx[i][k], byte_of(word[j], i * channels + channel, k), i);
                sum = halo_warp_add(sum, wy[j][k], row, j);
            }
            made[channel][k] = sum;
        }
    for (int64_t k = 0; k < n; k++)
        for (int channel = 0; channel < channels; channel++) out[k * channels + channel] = made[channel][k];
}

/* Does the source have a pixel more behind those that are read? */
static bool has_more(const CpuWarpSource *from, const CpuWarpPlaces *p)
{
    return p->most_x + from->how->taps < from->src->x0 + from->src->cols;
}

static CPU_INLINE void of_words(const CpuWarpSource *from, const CpuWarpPlaces *p, int64_t n, int channels,
                                float *out)
{
    if (from->how->taps == 2)
        weighted_words(from->how, from->src, p, n, 2, channels, out);
    else
        weighted_words(from->how, from->src, p, n, 4, channels, out);
}

/* ---- choices --------------------------------------------------------------------------------------------- */

static CPU_INLINE void of_channels(const CpuWarpSource *from, const CpuWarpPlaces *p, int64_t n,
                                   HaloDtype dtype, int64_t channels, float *out)
{
    if (from->how->taps == 1)
        nearest(from->src, p, n, dtype, channels, out);
    else
        linear(from->src, p, n, dtype, channels, out);
}

static CPU_INLINE void of_type(const CpuWarpSource *from, const CpuWarpPlaces *p, int64_t n, HaloDtype dtype,
                               float *out)
{
    const int64_t channels = from->src->shape.channels;
    if (from->how->taps == 4)
        weighted(from->how, from->src, p, n, 4, dtype, channels, out);
    else if (from->how->taps == 6)
        weighted(from->how, from->src, p, n, 6, dtype, channels, out);
    else if (channels == 1)
        of_channels(from, p, n, dtype, 1, out);
    else if (channels == 3)
        of_channels(from, p, n, dtype, 3, out);
    else
        of_channels(from, p, n, dtype, channels, out);
}

static void inside(const CpuWarpSource *from, const CpuWarpPlaces *p, int64_t n, float *out)
{
    const HaloShape *shape = &from->src->shape;
    const bool bytes = shape->dtype == HALO_U8 && (from->how->taps == 2 || from->how->taps == WORD_TAPS);
    if (bytes && shape->channels == 3 && has_more(from, p)) {
        of_words(from, p, n, 3, out);
        return;
    }
    if (bytes && shape->channels == 4) {
        of_words(from, p, n, 4, out);
        return;
    }
    switch (shape->dtype) {
    case HALO_U8: of_type(from, p, n, HALO_U8, out); return;
    case HALO_U16: of_type(from, p, n, HALO_U16, out); return;
    default: of_type(from, p, n, HALO_F32, out); return;
    }
}

/* ---- borders --------------------------------------------------------------------------------------------- */

static float sample_at(const CpuWarpSource *from, int32_t x, int32_t y, int64_t c)
{
    const HaloBuf *src = from->src;
    if (x < 0 || y < 0) return from->outside;
    return sample((const char *)src->data + (y - src->y0) * src->stride, src->shape.dtype,
                  (x - src->x0) * src->shape.channels + c);
}

static void pixel(const CpuWarpSource *from, const HaloWarpAxis *x, const HaloWarpAxis *y, float *out)
{
    const int taps = from->how->taps;
    const bool outside = halo_warp_is_outside(x, y, taps);
    for (int64_t c = 0; c < from->src->shape.channels; c++) {
        float sum = 0.0f;
        for (int j = 0; j < taps && !outside; j++) {
            float row = 0.0f;
            for (int i = 0; i < taps; i++)
                row = halo_warp_add(row, x->weight[i], sample_at(from, x->index[i], y->index[j], c), i);
            sum = halo_warp_add(sum, y->weight[j], row, j);
        }
        out[c] = outside ? from->outside : sum;
    }
}

static void set_one_axis(const HaloWarp *how, int32_t first, int32_t phase, int64_t n, HaloWarpAxis *axis)
{
    halo_warp_weights(how, how->taps, phase, axis->weight);
    for (int i = 0; i < how->taps; i++)
        axis->index[i] = (int32_t)halo_border_index((int64_t)first + i, n, how->border);
}

static void anywhere(const CpuWarpSource *from, const CpuWarpPlaces *p, int64_t n, float *out)
{
    const HaloShape *shape = &from->src->shape;
    HaloWarpAxis x, y;
    for (int64_t k = 0; k < n; k++) {
        set_one_axis(from->how, p->x[k], p->phase_x[k], shape->width, &x);
        set_one_axis(from->how, p->y[k], p->phase_y[k], shape->height, &y);
        pixel(from, &x, &y, out + k * shape->channels);
    }
}

const CpuWarpKernels CPU_TABLE(warp) = {places, places_of_map, inside, anywhere};
