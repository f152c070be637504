#include "wsola.h"
#include "halo/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halo/sequence.h"

static const double pi = 3.14159265358979323846;

/* The segment of the last frame that was made, and where it and the one before begin in the source. */
typedef struct WsolaState {
    int64_t segment, at, before;
} WsolaState;

/* Memory for a search. */
typedef struct Scratch {
    double *region, *wanted; /* full rate: the samples to search, and what would have followed */
    double *decimated_region, *decimated_wanted; /* sums of `decimation` of them */
    double *product, *energy;                    /* of each candidate */
} Scratch;

static int64_t region_of(const Wsola *how) { return 2 * how->search + how->overlap; }
static int64_t decimated_overlap(const Wsola *how)
{
    return (how->overlap + how->decimation - 1) / how->decimation;
}
static int64_t decimated_places(const Wsola *how) { return 2 * how->search / how->decimation + 1; }
static int64_t fine_places(const Wsola *how) { return 2 * how->decimation + 1; }

static int64_t most_places(const Wsola *how)
{
    const int64_t decimated = decimated_places(how), fine = fine_places(how);
    return decimated > fine ? decimated : fine;
}

/* Both are padded with zeros to whole sums. */
static Scratch scratch_of(const Wsola *how, double *at)
{
    Scratch s;
    s.region = at;
    s.wanted = s.region + region_of(how) + 2 * how->decimation;
    s.decimated_region = s.wanted + how->overlap + how->decimation;
    s.decimated_wanted = s.decimated_region + decimated_places(how) + decimated_overlap(how);
    s.product = s.decimated_wanted + decimated_overlap(how);
    s.energy = s.product + most_places(how);
    return s;
}

static int64_t scratch_bytes(const void *how, const HaloShape *src)
{
    const Wsola *w = how;
    (void)src;
    return (int64_t)sizeof(double) * (region_of(w) + w->overlap + 3 * w->decimation + decimated_places(w) +
                                      2 * decimated_overlap(w) + 2 * most_places(w));
}

static int64_t state_bytes(const void *how, const HaloShape *src)
{
    (void)how, (void)src;
    return sizeof(WsolaState);
}

/* Where segment k would begin at an even tempo. Lengths and ratios are limited so that nothing overflows. */
static int64_t place(const Wsola *how, int64_t k) { return k * how->hop * how->down / how->up; }

/* Frames from `from` on, zeros outside of the source. */
static void copy_frames(const HaloSequenceLines *src, int channel, int64_t from, int64_t count, double *to)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t x = from + i;
        to[i] = x >= src->from && x < src->to ? src->at[channel][x - src->from] : 0.0;
    }
}

static void add_up(const double *x, int64_t sums, int64_t each, double *to)
{
    for (int64_t i = 0; i < sums; i++) {
        double sum = 0.0;
        for (int64_t j = 0; j < each; j++) sum += x[i * each + j];
        to[i] = sum;
    }
}

/* Adds, for each place of the region, the sum of its products with `wanted` and that of its squares: each in
 * two sums, of the even and of the odd samples. */
static void correlate(const double *region, const double *wanted, int64_t count, int64_t places, Scratch *s)
{
    for (int64_t i = 0; i < places; i++) {
        const double *x = region + i;
        double product[2] = {0.0, 0.0}, energy[2] = {0.0, 0.0};
        int64_t j = 0;
        for (; j + 1 < count; j += 2)
            for (int k = 0; k < 2; k++) {
                product[k] += x[j + k] * wanted[j + k];
                energy[k] += x[j + k] * x[j + k];
            }
        if (j < count) {
            product[0] += x[j] * wanted[j];
            energy[0] += x[j] * x[j];
        }
        s->product[i] += product[0] + product[1];
        s->energy[i] += energy[0] + energy[1];
    }
}

/* The index of the greatest normalised correlation; of several, of that nearest to `nominal`, then the first.
 * Places are `step` frames apart, the first is `first`. */
static int64_t best_place(const Scratch *s, int64_t places, int64_t first, int64_t step, int64_t nominal)
{
    int64_t best = nominal;
    double most = -HUGE_VAL;
    for (int64_t i = 0; i < places; i++) {
        const int64_t at = first + i * step, near = llabs(at - nominal);
        const double c = s->product[i], score = s->energy[i] > 0.0 ? c * fabs(c) / s->energy[i] : 0.0;
        if (score > most || (score == most && near < llabs(best - nominal))) {
            best = at;
            most = score;
        }
    }
    return best;
}

static void clear(const Wsola *how, Scratch *s)
{
    memset(s->product, 0, sizeof(double) * (size_t)most_places(how));
    memset(s->energy, 0, sizeof(double) * (size_t)most_places(how));
}

/* Where the segment at `nominal` begins so that it continues what would follow at `wanted`. */
static int64_t find(const Wsola *how, const HaloSequenceLines *src, int64_t nominal, int64_t wanted, Scratch *s)
{
    const int64_t f = how->decimation, first = nominal - how->search, last = nominal + how->search;
    const int64_t sums = decimated_overlap(how);
    clear(how, s);
    for (int c = 0; c < src->channels; c++) {
        copy_frames(src, c, first, (decimated_places(how) + sums - 1) * f, s->region);
        copy_frames(src, c, wanted, sums * f, s->wanted);
        add_up(s->region, decimated_places(how) + sums - 1, f, s->decimated_region);
        add_up(s->wanted, sums, f, s->decimated_wanted);
        correlate(s->decimated_region, s->decimated_wanted, sums, decimated_places(how), s);
    }
    const int64_t about = best_place(s, decimated_places(how), first, f, nominal);
    const int64_t from = about - f > first ? about - f : first, to = about + f < last ? about + f : last;
    if (f == 1) return about;
    clear(how, s);
    for (int c = 0; c < src->channels; c++) {
        copy_frames(src, c, from, to - from + how->overlap, s->region);
        copy_frames(src, c, wanted, how->overlap, s->wanted);
        correlate(s->region, s->wanted, how->overlap, to - from + 1, s);
    }
    return best_place(s, to - from + 1, from, 1, nominal);
}

static double sample(const HaloSequenceLines *src, int channel, int64_t x)
{
    return x >= src->from && x < src->to ? src->at[channel][x - src->from] : 0.0;
}

/* Frames [x, to) of the result, all in the state's segment. */
static void make(const Wsola *how, const WsolaState *state, const HaloSequencePart *part, int64_t x, int64_t to)
{
    const HaloSequenceLines *src = part->src[0];
    const int64_t start = state->segment * how->hop;
    for (int c = 0; c < src->channels; c++)
        for (int64_t i = x; i < to; i++) {
            const int64_t k = i - start;
            double v = sample(src, c, state->at + k);
            if (state->segment > 0 && k < how->overlap) {
                const double old = sample(src, c, state->before + how->hop + k);
                v = old + how->gain[k] * (v - old);
            }
            part->dst->at[c][i - part->dst->from] = v;
        }
}

static void run(const void *parameters, const HaloSequencePart *part)
{
    const Wsola *how = parameters;
    Scratch scratch = scratch_of(how, part->scratch);
    WsolaState *state = part->state;
    for (int64_t x = part->dst->from, to; x < part->dst->to; x = to) {
        const int64_t segment = x / how->hop, end = (segment + 1) * how->hop;
        to = end < part->dst->to ? end : part->dst->to;
        if (segment > state->segment) {
            state->before = state->at;
            state->at = find(how, part->src[0], place(how, segment), state->before + how->hop, &scratch);
            state->segment = segment;
        }
        make(how, state, part, x, to);
    }
}

static HaloStatus shape(const void *parameters, const HaloShape *src, HaloShape *dst)
{
    const Wsola *how = parameters;
    const int64_t n = src->width, up = how->up, down = how->down;
    switch (how->length) {
    case WSOLA_NEAREST: dst->width = (2 * n * up + down) / (2 * down); break;
    case WSOLA_BEFORE_RATE: dst->width = (n - 1) * up / down + 1; break;
    case WSOLA_BEHIND_RATE: dst->width = n * up / down; break;
    }
    if (dst->width < 1) dst->width = 1;
    return HALO_OK;
}

static HaloSpan reads(const void *parameters, int k, const HaloShape *src, HaloSpan part)
{
    const Wsola *how = parameters;
    const int64_t first = part.from / how->hop, last = (part.to - 1) / how->hop;
    const int64_t before = place(how, first > 0 ? first - 1 : 0) + how->hop, begin = place(how, first);
    const int64_t behind = place(how, last > 0 ? last - 1 : 0) + how->hop, end = place(how, last);
    (void)k, (void)src;
    return (HaloSpan){(before < begin ? before : begin) - how->search,
                      (behind > end ? behind : end) + how->search + how->hop + how->overlap + how->decimation};
}

static void moves(const void *parameters, HaloMove *move)
{
    const Wsola *how = parameters;
    move->scale[0] = (double)how->up / (double)how->down;
}

static void describe(const void *parameters, char *text, size_t size)
{
    const Wsola *how = parameters;
    halo_snprintf(text, size, "WSOLA, tempo %.6g, segments every %lld samples, overlap %lld, search %lld",
                  (double)how->down / (double)how->up, (long long)how->hop, (long long)how->overlap,
                  (long long)how->search);
}

static const HaloSequenceKind wsola = {.name = "tempo",
                                       .shape = shape,
                                       .reads = reads,
                                       .state = state_bytes,
                                       .scratch = scratch_bytes,
                                       .moves = moves,
                                       .ns = 15.0,
                                       .describe = describe,
                                       .run = run};

HaloStatus wsola_build(HaloBuilder *builder, HaloReg in, Wsola *how, HaloReg *out)
{
    double *gain = halo_build_keep(builder, (size_t)how->overlap * sizeof *gain);
    if (gain == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t i = 0; i < how->overlap; i++)
        gain[i] = 0.5 - 0.5 * cos(pi * ((double)i + 0.5) / (double)how->overlap);
    how->gain = gain;
    return halo_build_sequence(builder, in, &wsola, how, out);
}
