/* The true peak of BS.1770-4: the greatest magnitude of the sound between its samples, on a grid 16 times as
 * fine.
 *
 * What lies between two samples (halo/truepeak.h) is computed where it may come to more than the peak so far: a
 * sound that nowhere exceeds P has a second derivative of at most P (pi f)^2 (Bernstein), f being its rate, so
 * that between points h samples apart it is at most P (pi h)^2 / 8 above the greater of them: 0.308 P half a
 * sample apart, 0.077 P a quarter, 0.019 P an eighth. Where both are below 0.65, 0.9 or 0.97 of the peak so
 * far, nothing between them can be the peak.
 *
 * The points half way between samples are most of the work. They are first computed from 16 samples to each
 * side; the others add no more than their kernel's norm times theirs (Cauchy and Schwarz). */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/truepeak.h"
#include "measure.h"

enum { SIDE = HALO_TRUE_PEAK_SIDE, TAPS = 2 * SIDE, FINE = 16, BLOCK = 2048, NEAR = 16, GROUP = 16 };
#define WORTH 0.65f
static const float worth_between[FINE] = {[FINE / 2] = WORTH, [FINE / 4] = 0.9f, [FINE / 8] = 0.97f};

typedef float Four __attribute__((vector_size(16), aligned(4), may_alias));
typedef float Eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef float Sixteen __attribute__((vector_size(64), aligned(4), may_alias));

#define LOOPS(name) name##_baseline
#define TARGET
#define Taps Four
#define Places Four
#include "truepeak_tmpl.h"
#undef LOOPS
#undef TARGET
#undef Taps
#undef Places

#define LOOPS(name) name##_v3
#define TARGET HALO_SIMD_TARGET_V3
#define Taps Eight
#define Places Eight
#include "truepeak_tmpl.h"
#undef LOOPS
#undef TARGET
#undef Places

#define LOOPS(name) name##_v4
#define TARGET HALO_SIMD_TARGET_V4
#define Places Sixteen
#include "truepeak_tmpl.h"

/* Sums in eight lanes: the order is the same everywhere. */
typedef struct Loops {
    float (*between)(const float *kernel, const float *at);
    void (*between_two)(const float *kernel, const float *other, const float *at, float *value, float *next);
    void (*half_way)(const float *kernel, const float *left, float half[GROUP]);
} Loops;

static const Loops loops_of[] = {
    [HALO_SIMD_BASELINE] = {between_baseline, between_two_baseline, half_way_baseline},
    [HALO_SIMD_V3] = {between_v3, between_two_v3, half_way_v3},
    [HALO_SIMD_V4] = {between_v4, between_two_v4, half_way_v4},
};

struct TruePeak {
    float kernel[FINE][TAPS];
    float far; /* the norm of the kernel half way, beyond the NEAR samples to each side */
    float line[TAPS + BLOCK + GROUP];          /* of one channel: what came before, a block, and zeros; */
    float squares[(TAPS + BLOCK) / GROUP + 1]; /* the sums of its squares, GROUP by GROUP */
    int channels;
    Loops loops;
    float peak;
    float *before; /* [channels][TAPS] */
};

static float greater(float a, float b) { return a > b ? a : b; }

static void make_kernels(TruePeak *state)
{
    for (int p = 1; p < FINE; p++)
        for (int i = 0; i < TAPS; i++)
            state->kernel[p][i] = (float)halo_true_peak_tap(SIDE, HALO_TRUE_PEAK_BETA, (double)p / FINE, i);
    double squares = 0;
    for (int i = 0; i < SIDE - NEAR; i++)
        squares += 2.0 * state->kernel[FINE / 2][i] * state->kernel[FINE / 2][i];
    state->far = (float)sqrt(squares) * 1.0001f;
}

HaloStatus true_peak_open(int channels, HaloSimd simd, TruePeak **out)
{
    TruePeak *state = *out = calloc(1, sizeof *state);
    if (state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for the true peak");
    state->channels = channels;
    state->loops = loops_of[simd];
    state->before = calloc((size_t)channels * TAPS, sizeof *state->before);
    if (state->before == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for the true peak");
    make_kernels(state);
    return HALO_OK;
}

void true_peak_close(TruePeak *state)
{
    if (state != NULL) free(state->before);
    free(state);
}

/* `at`: SIDE samples up to the one on the left, and SIDE from the one on the right. Points that are skipped
 * stay 0: they cannot be the peak. */
static void look_between(TruePeak *state, const float *at)
{
    float value[FINE + 1] = {[0] = fabsf(at[SIDE - 1]), [FINE] = fabsf(at[SIDE])};
    value[FINE / 2] = state->loops.between(state->kernel[FINE / 2], at);
    float peak = greater(greater(state->peak, value[FINE / 2]), greater(value[0], value[FINE]));
    for (int step = FINE / 2; step > 1; step /= 2)
        for (int p = 0; p < FINE; p += 2 * step) {
            float *to = value + p, *next = to + step;
            if (greater(greater(to[0], next[0]), next[step]) <= worth_between[step] * peak) continue;
            const int half = p + step / 2;
            state->loops.between_two(state->kernel[half], state->kernel[half + step], at, to + step / 2,
                                     next + step / 2);
            peak = greater(peak, greater(to[step / 2], next[step / 2]));
        }
    state->peak = peak;
}

/* Sums in as many lanes as a group has samples. */
static void add_squares(TruePeak *state, int count)
{
    for (int g = 0; g * GROUP < TAPS + count + GROUP; g++) {
        const float *at = state->line + (size_t)g * GROUP;
        float lane[4] = {0};
        for (int i = 0; i < GROUP; i += 4)
            for (int l = 0; l < 4; l++) lane[l] += at[i + l] * at[i + l];
        state->squares[g] = (lane[0] + lane[1]) + (lane[2] + lane[3]);
    }
}

/* Looks between the pairs of samples of group g, no more than `count`. */
static void look_at_group(TruePeak *state, int g, int count)
{
    const float *at = state->line + (size_t)g * GROUP + 1, *left = at + SIDE - 1;
    const float *kernel = state->kernel[FINE / 2] + SIDE;
    float half[GROUP], squares = FLT_MIN;
    for (int k = 0; k < TAPS / GROUP + 2; k++) squares += state->squares[g + k];
    const float worth = WORTH * state->peak, more = worth - state->far * sqrtf(squares);
    int any = 0;
    state->loops.half_way(kernel, left, half);
    for (int p = 0; p < GROUP; p++)
        any |= (fabsf(half[p]) > more) | (fabsf(left[p]) > worth) | (fabsf(left[p + 1]) > worth);
    for (int p = 0; p < count && any; p++)
        if (fabsf(half[p]) > more || fabsf(left[p]) > worth || fabsf(left[p + 1]) > worth)
            look_between(state, at + p);
}

static float sample_at(HaloDtype dtype, const void *frames, int64_t at)
{
    if (frames == NULL) return 0.0f;
    return dtype == HALO_F64 ? (float)((const double *)frames)[at] : ((const float *)frames)[at];
}

/* One channel of interleaved frames (NULL: silence), a block at most. */
static void add_channel(TruePeak *state, int channel, HaloDtype dtype, const void *frames, int count)
{
    float *before = state->before + (size_t)channel * TAPS, *line = state->line;
    memcpy(line, before, TAPS * sizeof *line);
    for (int i = 0; i < count; i++)
        line[TAPS + i] = sample_at(dtype, frames, (int64_t)i * state->channels + channel);
    memset(line + TAPS + count, 0, GROUP * sizeof *line);
    add_squares(state, count);
    for (int g = 0; g * GROUP < count; g++) look_at_group(state, g, (int)smaller(GROUP, count - g * GROUP));
    memcpy(before, line + count, TAPS * sizeof *line);
}

void true_peak_add(TruePeak *state, HaloDtype dtype, const void *frames, int64_t count)
{
    const int64_t frame = state->channels * (int64_t)halo_dtype_size(dtype);
    for (int64_t done = 0; done < count;) {
        const int part = (int)smaller(BLOCK, count - done);
        for (int c = 0; c < state->channels; c++)
            add_channel(state, c, dtype, (const char *)frames + done * frame, part);
        done += part;
    }
}

double true_peak_end(TruePeak *state)
{
    for (int c = 0; c < state->channels; c++) add_channel(state, c, HALO_F32, NULL, TAPS);
    return 20.0 * log10((double)state->peak);
}
