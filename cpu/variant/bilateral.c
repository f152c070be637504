/* Means of the samples that are windows (halo/bilateral.h). Lanes of vectors are neighbouring pixels, so that
 * each has its chain of sums in the order of the window. */
#include "halo/bilateral.h"
#if defined(__GNUC__)
#define CPU_FMA __attribute__((noinline, unused))
#endif
#include "vector.h"

/* Channels that are summed together; of more the weights are made again for every four, and for each that is
 * left. */
#define TOGETHER 4

_Static_assert(2 * CPU_LANES <= CPU_BILATERAL_SLACK, "what is made at a time may reach behind the end");

/* halo_bilateral_weight. */
static CPU_INLINE CpuVector weigh(CpuVector y, CpuVector bend)
{
    const CpuVector t = vector_above_zero(y), s = vector_mul(t, t), u = vector_mul(s, vector_fma(s, s, bend));
    return vector_mul(u, u);
}

/* The pixels of `vectors` vectors from x on, in `own` channels from `first` on, of `channels`. All but x and
 * first, and channels where they are more than own, are constants where this is called. */
static CPU_INLINE void some(const CpuBilateralWindows *windows, int64_t x, int vectors, int64_t channels,
                            int64_t first, int own, bool nan_ignore, float *out)
{
    const HaloBilateral *how = windows->how;
    const int64_t width = how->window.width, pitch = windows->pitch;
    const float *const centre = windows->middle + x;
    const CpuVector bend = vector_of(how->bend);
    CpuVector middle[2][TOGETHER], sum[2][TOGETHER], weight[2];
    CPU_UNROLL for (int v = 0; v < vectors; v++)
    {
        weight[v] = vector_of(0.0f);
        CPU_UNROLL for (int c = 0; c < own; c++)
        {
            middle[v][c] = vector_load(centre + (first + c) * pitch + v * CPU_LANES);
            sum[v][c] = vector_of(0.0f);
        }
    }
    for (int64_t j = 0; j < how->window.height; j++) {
        const float *const start = how->start + j * width, *const line = windows->line[j] + x;
        for (int64_t i = how->span[j].from; i < how->span[j].to; i++) {
            CPU_UNROLL for (int v = 0; v < vectors; v++)
            {
                const float *const at = line + i + v * CPU_LANES;
                CpuVector y = vector_of(start[i]), d[TOGETHER];
                CPU_UNROLL for (int c = 0; c < own; c++) d[c] =
                    vector_sub(vector_load(at + (first + c) * pitch), middle[v][c]);
                if (channels == own) {
                    CPU_UNROLL for (int c = 0; c < own; c++) y = vector_fnma(d[c], d[c], y);
                } else {
                    for (int64_t c = 0; c < channels; c++) {
                        const CpuVector e = vector_sub(vector_load(at + c * pitch),
                                                       vector_load(centre + c * pitch + v * CPU_LANES));
                        y = vector_fnma(e, e, y);
                    }
                }
                const CpuVector w = weigh(y, bend);
                CPU_UNROLL for (int c = 0; c < own; c++) sum[v][c] =
                    vector_fma(w, nan_ignore ? vector_where_number(y, d[c]) : d[c], sum[v][c]);
                weight[v] = vector_add(weight[v], w);
            }
        }
    }
    const CpuVector unscale = vector_of(how->unscale);
    CPU_UNROLL for (int v = 0; v < vectors; v++) CPU_UNROLL for (int c = 0; c < own; c++)
        vector_store(out + (first + c) * pitch + x + v * CPU_LANES,
                     vector_mul(vector_add(middle[v][c], vector_div(sum[v][c], weight[v])), unscale));
}

/* Of more than one channel a vector has chains enough to fill the time that each operation takes. */
static CPU_INLINE void row(const CpuBilateralWindows *windows, int64_t n, int channels, bool nan_ignore,
                           float *out)
{
    const int vectors = channels == 1 ? 2 : 1;
    for (int64_t x = 0; x < n; x += vectors * CPU_LANES)
        some(windows, x, vectors, channels, 0, channels, nan_ignore, out);
}

static CPU_INLINE void row_of_channels(const CpuBilateralWindows *windows, int64_t n, bool nan_ignore,
                                       float *out)
{
    const int64_t channels = windows->channels;
    for (int64_t x = 0; x < n; x += CPU_LANES) {
        int64_t c = 0;
        for (; c + TOGETHER <= channels; c += TOGETHER)
            some(windows, x, 1, channels, c, TOGETHER, nan_ignore, out);
        for (; c < channels; c++) some(windows, x, 1, channels, c, 1, nan_ignore, out);
    }
}

static CPU_INLINE void any_row(const CpuBilateralWindows *windows, int64_t n, bool nan_ignore, float *out)
{
    switch (windows->channels) {
    case 1: row(windows, n, 1, nan_ignore, out); return;
    case 2: row(windows, n, 2, nan_ignore, out); return;
    case 3: row(windows, n, 3, nan_ignore, out); return;
    case 4: row(windows, n, 4, nan_ignore, out); return;
    default: row_of_channels(windows, n, nan_ignore, out); return;
    }
}

static void means(const CpuBilateralWindows *windows, int64_t n, float *out)
{
    if (windows->how->window.nan_ignore)
        any_row(windows, n, true, out);
    else
        any_row(windows, n, false, out);
}

const CpuBilateralKernels CPU_TABLE(bilateral) = {.means = means};
