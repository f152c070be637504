/* Power spectra of some frames at a time, each in a lane of a vector: every lane has the operations of
 * halo_fourier in their order, so that frames give the same bits whichever lane they are in. */
#include "variant.h"

#include "halo/spectrum.h"

/* As many frames at a time as a register holds. */
#if defined(__AVX512F__)
#define LANES 8
#define LANES_OF(at, apart)                                                                                    \
    ((Lanes){(at)[0], (at)[apart], (at)[2 * (apart)], (at)[3 * (apart)], (at)[4 * (apart)], (at)[5 * (apart)], \
             (at)[6 * (apart)], (at)[7 * (apart)]})
#elif defined(__AVX__)
#define LANES 4
#define LANES_OF(at, apart) ((Lanes){(at)[0], (at)[apart], (at)[2 * (apart)], (at)[3 * (apart)]})
#else
#define LANES 2
#define LANES_OF(at, apart) ((Lanes){(at)[0], (at)[apart]})
#endif
typedef double Lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(LANES * sizeof(double))));

/* A pair of lanes: real and imaginary parts. */
typedef struct Pair {
    Lanes re, im;
} Pair;

/* Pairs of a transform that stay in the first-level cache through all of its stages. */
#define BLOCK 256

/* ---- input ---------------------------------------------------------------------------------------------- */

/* Frames begin `apart` samples from each other. Pairs of weighted samples, in the order of their numbers with
 * the bits reversed. */
static void gather(const double *line, int64_t apart, int64_t n, const double *weight, Pair *z)
{
    for (int64_t i = 0, j = 0; i < n; i++) {
        const double *at = line + 2 * i;
        z[j].re = LANES_OF(at, apart) * weight[2 * i];
        z[j].im = LANES_OF(at + 1, apart) * weight[2 * i + 1];
        int64_t bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j |= bit;
    }
}

/* ---- stages --------------------------------------------------------------------------------------------- */

static CPU_INLINE void butterfly(Pair *a, Pair *b, const double *turn)
{
    const double re = turn[0], im = turn[1];
    const Lanes t_re = re * b->re - im * b->im, t_im = re * b->im + im * b->re;
    b->re = a->re - t_re;
    b->im = a->im - t_im;
    a->re = a->re + t_re;
    a->im = a->im + t_im;
}

static void stage(Pair *z, int64_t n, int64_t size, const double *turn, int64_t m)
{
    const int64_t half = size / 2, apart = m / size;
    for (int64_t from = 0; from < n; from += size)
        for (int64_t k = 0; k < half; k++) butterfly(&z[from + k], &z[from + k + half], turn + 2 * k * apart);
}

/* The stages of `size` and of twice that, in one pass. */
static void two_stages(Pair *z, int64_t n, int64_t size, const double *turn, int64_t m)
{
    const int64_t half = size / 2, apart = m / (2 * size);
    for (int64_t from = 0; from < n; from += 2 * size)
        for (int64_t k = 0; k < half; k++) {
            Pair *const at = z + from + k;
            Pair a = at[0], b = at[half], c = at[size], d = at[size + half];
            butterfly(&a, &b, turn + 4 * k * apart);
            butterfly(&c, &d, turn + 4 * k * apart);
            butterfly(&a, &c, turn + 2 * k * apart);
            butterfly(&b, &d, turn + 2 * (k + half) * apart);
            at[0] = a;
            at[half] = b;
            at[size] = c;
            at[size + half] = d;
        }
}

/* The stages from `size` up to `last`. */
static void stages(Pair *z, int64_t n, int64_t size, int64_t last, const double *turn, int64_t m)
{
    int64_t count = 0;
    for (int64_t s = size; s <= last; s *= 2) count++;
    if (count % 2 == 1) {
        stage(z, n, size, turn, m);
        size *= 2;
    }
    for (; size <= last; size *= 4) two_stages(z, n, size, turn, m);
}

static void transform(Pair *z, int64_t n, const double *turn, int64_t m)
{
    const int64_t block = n < BLOCK ? n : BLOCK;
    for (int64_t from = 0; from < n; from += block) stages(z + from, block, 2, block, turn, m);
    stages(z, n, 2 * block, n, turn, m);
}

/* ---- output --------------------------------------------------------------------------------------------- */

/* |X(k)|^2 from the transform of pairs. */
static CPU_INLINE void power_of(const Pair *a, const Pair *b, const double *turn, Lanes *power)
{
    const double t_re = turn[0], t_im = turn[1];
    const Lanes e_re = 0.5 * (a->re + b->re), e_im = 0.5 * (a->im - b->im);
    const Lanes o_re = 0.5 * (a->re - b->re), o_im = 0.5 * (a->im + b->im);
    const Lanes re = e_re + (t_re * o_im + t_im * o_re), im = e_im - (t_re * o_re - t_im * o_im);
    *power = re * re + im * im;
}

static void powers(const double *line, int64_t apart, const HaloSpectrum *how, double *work, double *power)
{
    const int64_t n = how->window / 2;
    Pair *z = (Pair *)(void *)work;
    for (int f = 0; f < CPU_FRAMES; f += LANES) {
        gather(line + f * apart, apart, n, how->weight, z);
        transform(z, n, how->turn, how->window);
        for (int64_t k = 0; k <= n; k++)
            power_of(&z[k % n], &z[(n - k) % n], how->turn + 2 * k,
                     (Lanes *)(void *)(power + k * CPU_FRAMES + f));
    }
}

static void bands(const double *power, const HaloSpectrum *how, double *out)
{
    const double *weight = how->bank;
    for (int64_t b = 0; b < how->bands; b++) {
        Lanes sum[CPU_FRAMES / LANES] = {{0}};
        for (int64_t k = how->bin[b].from; k < how->bin[b].to; k++, weight++)
            for (int f = 0; f < CPU_FRAMES / LANES; f++)
                sum[f] = sum[f] + *weight * ((const Lanes *)(const void *)(power + k * CPU_FRAMES))[f];
        memcpy(out + b * CPU_FRAMES, sum, sizeof sum);
    }
}

const CpuFourierKernels CPU_TABLE(fourier) = {.powers = powers, .bands = bands};
