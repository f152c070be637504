/* Dense convolution through the Fourier transform, for --precision fast: tiles that overlap (overlap-save).
 * Two tiles side by side travel as the real and the imaginary part of one: the mask is real, so they do not
 * mix. kissfft transforms. */
#include "fft.h"

#ifdef HALO_HAVE_KISSFFT
#include <kiss_fftnd.h>
#include <stdlib.h>

#include "stencil.h"

typedef struct Fft {
    CpuStencil source; /* for cpu_source_line */
    HaloBuf *dst;
    const HaloConv *conv;
    HaloStore store;
    int width, height;    /* of a transform */
    int64_t n;            /* and its complex numbers */
    int64_t cols, rows;   /* of a tile of outputs */
    int64_t pairs;        /* of tiles side by side */
    kiss_fft_cpx *mask;   /* the mask's spectrum, divided by n */
    kiss_fftnd_cfg *plan; /* [workers][2]: forth and back */
    int workers;
    char *scratch;
    int64_t scratch_bytes, at_space, at_spectrum, at_line, at_out; /* of a worker */
} Fft;

/* ---- sizes ---------------------------------------------------------------------------------------------- */

#define LONGEST 32768 /* of a transform in one dimension, */
#define WIDEST 512    /* and of each of two, where the mask allows: a tile stays in the cache */

/* The power of two that takes least time an output, for `taps` taps over `outputs`. */
static int best_length(int64_t taps, int64_t outputs, int64_t longest)
{
    int best = 1;
    double least = 0;
    if (taps == 1) return 1;
    for (int log = 4; log < 28; log++) {
        const int64_t n = (int64_t)1 << log;
        if (n < taps) continue;
        const double cost = (double)n * log / (double)(n - taps + 1);
        if (best == 1 || cost < least) {
            best = (int)n;
            least = cost;
        }
        if (n >= outputs + taps - 1 || (n >= longest && n >= 2 * taps)) break;
    }
    return best;
}

static HaloStatus lay_out(Fft *f)
{
    const int64_t channels = f->dst->shape.channels, cpx = sizeof(kiss_fft_cpx), real = sizeof(float);
    const int64_t longest = f->conv->window.height == 1 ? LONGEST : WIDEST;
    f->width = best_length(f->conv->window.width, f->dst->cols, longest);
    f->height = best_length(f->conv->window.height, f->dst->rows, longest);
    f->n = (int64_t)f->width * f->height;
    f->cols = f->width - f->conv->window.width + 1;
    f->rows = f->height - f->conv->window.height + 1;
    f->pairs = (f->dst->cols + 2 * f->cols - 1) / (2 * f->cols);
    int64_t line, out;
    if (!halo_mul(2 * (int64_t)f->width, channels, &line) || !halo_mul(2 * f->cols * f->rows, channels, &out) ||
        !cpu_reserve(&f->scratch_bytes, f->n, cpx, &f->at_space) ||
        !cpu_reserve(&f->scratch_bytes, f->n, cpx, &f->at_spectrum) ||
        !cpu_reserve(&f->scratch_bytes, line, real, &f->at_line) ||
        !cpu_reserve(&f->scratch_bytes, out, real, &f->at_out))
        return halo_fail(HALO_ERR_LIMIT, "a mask of %lldx%lld needs more memory than can be addressed",
                         (long long)f->conv->window.width, (long long)f->conv->window.height);
    return HALO_OK;
}

/* ---- transforms ----------------------------------------------------------------------------------------- */

static HaloStatus make_plans(Fft *f)
{
    const int size[2] = {f->height, f->width};
    const int dims = f->height == 1 ? 1 : 2;
    f->plan = calloc((size_t)f->workers * 2, sizeof(kiss_fftnd_cfg));
    f->mask = calloc((size_t)f->n, sizeof *f->mask);
    bool made = f->plan != NULL && f->mask != NULL;
    for (int i = 0; made && i < 2 * f->workers; i++) {
        f->plan[i] = kiss_fftnd_alloc(size + 2 - dims, dims, i % 2, NULL, NULL);
        made = f->plan[i] != NULL;
    }
    return made ? HALO_OK : halo_fail(HALO_ERR_LIMIT, "not enough memory for a transform");
}

static void drop_plans(Fft *f)
{
    for (int i = 0; f->plan != NULL && i < 2 * f->workers; i++) free(f->plan[i]);
    free(f->plan);
    free(f->mask);
}

/* Correlation is multiplication by the conjugate of the mask's spectrum. */
static void transform_mask(Fft *f, kiss_fft_cpx *space)
{
    const HaloConv *conv = f->conv;
    const float share = 1.0f / (float)f->n;
    for (int64_t i = 0; i < f->n; i++) space[i] = (kiss_fft_cpx){0.0f, 0.0f};
    for (int64_t j = 0; j < conv->window.height; j++)
        for (int64_t i = 0; i < conv->window.width; i++)
            space[j * f->width + i].r = conv->tap[j * conv->window.width + i];
    kiss_fftnd(f->plan[0], space, f->mask);
    for (int64_t i = 0; i < f->n; i++) f->mask[i] = (kiss_fft_cpx){f->mask[i].r * share, f->mask[i].i * -share};
}

static void multiply(kiss_fft_cpx *restrict a, const kiss_fft_cpx *restrict b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const float r = a[i].r * b[i].r - a[i].i * b[i].i, m = a[i].r * b[i].i + a[i].i * b[i].r;
        a[i] = (kiss_fft_cpx){r, m};
    }
}

/* ---- a pair of tiles ------------------------------------------------------------------------------------ */

typedef struct Pair {
    int64_t x, y; /* the first output of the left one, of the whole */
    int64_t cols, rows;
    kiss_fft_cpx *space, *spectrum;
    float *line, *out;
} Pair;

/* Samples of channel c: the left tile to the real part, the right one to the imaginary part. */
static void gather(const Fft *f, const Pair *p, int c)
{
    const int channels = f->dst->shape.channels;
    const int64_t ahead = f->cols * channels;
    for (int64_t j = 0; j < f->height; j++) {
        kiss_fft_cpx *row = p->space + j * f->width;
        if (j >= p->rows + f->conv->window.height - 1) { /* below the last output */
            for (int64_t i = 0; i < f->width; i++) row[i] = (kiss_fft_cpx){0.0f, 0.0f};
            continue;
        }
        const int64_t samples = p->cols + f->conv->window.width - 1;
        cpu_source_line(&f->source, p->x, p->y + j + f->conv->window.oy, p->cols, p->line);
        for (int64_t i = samples * channels; i < (f->cols + f->width) * channels; i++) p->line[i] = 0.0f;
        for (int64_t i = 0; i < f->width; i++)
            row[i] = (kiss_fft_cpx){p->line[i * channels + c], p->line[i * channels + c + ahead]};
    }
}

/* The outputs of channel c, to their places among the others. */
static void scatter(const Fft *f, const Pair *p, int c)
{
    const int channels = f->dst->shape.channels;
    for (int64_t j = 0; j < p->rows; j++) {
        const kiss_fft_cpx *row = p->space + j * f->width;
        float *out = p->out + j * 2 * f->cols * channels + c;
        for (int64_t i = 0; i < f->cols; i++) {
            out[i * channels] = row[i].r;
            out[(i + f->cols) * channels] = row[i].i;
        }
    }
}

static void store(const Fft *f, const Pair *p)
{
    const CpuRowKernels *rows = f->source.device->kernels->rows;
    const int64_t pitch = 2 * f->cols * f->dst->shape.channels, n = p->cols * f->dst->shape.channels;
    uint64_t clipped = 0;
    for (int64_t j = 0; j < p->rows; j++) {
        float *out = p->out + j * pitch;
        if (f->conv->affine) rows->affine(out, n, f->conv->scale, f->conv->bias);
        rows->store[f->dst->shape.dtype](out, n, f->store, halo_at(f->dst, p->x, p->y + j), &clipped);
    }
    cpu_count_clipped(f->source.device, clipped);
}

static void run_pair(void *context, int64_t index, int worker)
{
    const Fft *f = context;
    char *scratch = f->scratch + worker * f->scratch_bytes;
    const int64_t x = index % f->pairs * 2 * f->cols, y = index / f->pairs * f->rows;
    const Pair p = {.x = f->dst->x0 + x,
                    .y = f->dst->y0 + y,
                    .cols = least(2 * f->cols, f->dst->cols - x),
                    .rows = least(f->rows, f->dst->rows - y),
                    .space = (kiss_fft_cpx *)(void *)(scratch + f->at_space),
                    .spectrum = (kiss_fft_cpx *)(void *)(scratch + f->at_spectrum),
                    .line = (float *)(void *)(scratch + f->at_line),
                    .out = (float *)(void *)(scratch + f->at_out)};
    for (int c = 0; c < f->dst->shape.channels; c++) {
        gather(f, &p, c);
        kiss_fftnd(f->plan[2 * worker], p.space, p.spectrum);
        multiply(p.spectrum, f->mask, f->n);
        kiss_fftnd(f->plan[2 * worker + 1], p.spectrum, p.space);
        scatter(f, &p, c);
    }
    store(f, &p);
}

HaloStatus cpu_fft(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv, HaloStore store)
{
    HaloStatus status = HALO_OK;
    void *scratch;
    Fft f = {.dst = dst, .conv = conv, .store = store};
    f.source = cpu_window_stencil(device, src, dst, &conv->window);
    f.source.mask = (CpuMask){conv->tap, conv->window.width, conv->window.height, src->shape.channels};
    if (dst->cols < 1 || dst->rows < 1) goto out;
    if (!cpu_holds_needed(&f.source))
        HALO_FAIL(HALO_ERR_BUG, "internal: the source of a convolution does not hold the samples it needs");
    HALO_TRY(lay_out(&f));
    f.workers = cpu_workers(device, (double)dst->cols * (double)dst->rows * 1000.0);
    cpu_heap(device,
             (2 * (int64_t)f.workers + 1) * f.n * (int64_t)sizeof(kiss_fft_cpx)); /* plans, and the mask */
    HALO_TRY(cpu_scratch_each(device, &f.scratch_bytes, &scratch));
    f.scratch = scratch;
    HALO_TRY(make_plans(&f));
    transform_mask(&f, (kiss_fft_cpx *)(void *)(f.scratch + f.at_space));
    cpu_run(device, f.workers, f.pairs * ((dst->rows + f.rows - 1) / f.rows), run_pair, &f);
out:
    drop_plans(&f);
    return status;
}

bool cpu_fft_takes(const HaloConv *conv)
{
    return conv->fast && !conv->window.nan_ignore && conv->window.width > 1 && conv->window.width < 1 << 24 &&
           conv->window.height < 1 << 24;
}

#else
#include "primitives.h"

bool cpu_fft_takes(const HaloConv *conv)
{
    (void)conv;
    return false;
}

HaloStatus cpu_fft(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv, HaloStore store)
{
    return cpu_conv(device, src, dst, conv, store);
}
#endif
