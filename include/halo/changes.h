/* What a pipeline does to an input beside its samples: where each place of it goes, which channel each channel
 * of the output was, how light is coded. The plan composes it from its steps (core/plan/changes.c), and one
 * function applies it to the metadata of an input when an output is opened (io/meta/apply.c). */
#ifndef HALO_CHANGES_H
#define HALO_CHANGES_H

#include <math.h>

#include "halo/buffer.h"
#include "halo/gather.h"
#include "halo/mix.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What one step does. Places are counted in samples: the first has its centre at 0, the second at 1. */
typedef struct HaloMove {
    bool transposed;            /* first x and y are exchanged; then, along each axis of the result, */
    double scale[2], offset[2]; /* out = scale * in + offset */
    const HaloPiece *piece;     /* in place of that: [pieces] of a sound; samples in none of them are dropped */
    int64_t pieces;
    int64_t size[2];           /* of the result: positions outside of it are dropped */
    const struct HaloMix *mix; /* what channels are made of; NULL: they are the same, */
    bool mixed;                /* or none is one of the source's */
    bool lost;                 /* the result's positions and channels have no relation to the source's */
    bool keeps_values;         /* every sample is one of the source's, or a border's */
} HaloMove;

typedef struct HaloChanges {
    HaloShape from, to; /* the input, as the pipeline gets it, and the output */
    bool samples;       /* may any sample differ from the input's? */
    bool stored;        /* may samples that are only moved be written in the type that the file had? */
    bool upright;       /* rows are upright, whatever the orientation in EXIF said */
    int light;          /* 1: from sRGB to linear light, -1: the other way, 0: coded as it was */
    int64_t pages;      /* of the output; 0: not known */
    int moves;
    HaloMove *move; /* [moves], in order */
} HaloChanges;

/* Maps a position of the input, x and y, to the output; false: it is outside. Of a sound y is 0.
 */
static inline bool halo_changes_place(const HaloChanges *changes, double place[2])
{
    for (int i = 0; i < changes->moves; i++) {
        const HaloMove *move = &changes->move[i];
        const double x = place[move->transposed], y = place[!move->transposed];
        if (move->lost) return false;
        place[0] = move->scale[0] * x + move->offset[0];
        place[1] = move->scale[1] * y + move->offset[1];
        if (move->pieces > 0) {
            int64_t k = move->pieces - 1;
            while (k > 0 && x < (double)move->piece[k].from) k--;
            const int64_t end = k + 1 < move->pieces ? move->piece[k + 1].at : move->size[0];
            place[0] = x - (double)move->piece[k].from + (double)move->piece[k].at;
            if (x < (double)move->piece[k].from || !(place[0] < (double)end)) return false;
        }
        for (int axis = 0; axis < 2; axis++)
            if (!(place[axis] > -0.5 && place[axis] < (double)move->size[axis] - 0.5 + 1e-9)) return false;
    }
    return true;
}

/* Places of the output from those of the input, whether there or not: x' = m[0] x + m[1] y + m[2],
 * y' = m[3] x + m[4] y + m[5]. Of pieces of a sound it holds for the first. False: there is no such map. */
static inline bool halo_changes_affine(const HaloChanges *changes, double m[6])
{
    const double none[6] = {1, 0, 0, 0, 1, 0};
    for (int k = 0; k < 6; k++) m[k] = none[k];
    for (int i = 0; i < changes->moves; i++) {
        const HaloMove *move = &changes->move[i];
        const bool pieces = move->pieces > 0;
        double row[2][3];
        if (move->lost) return false;
        for (int axis = 0; axis < 2; axis++)
            for (int k = 0; k < 3; k++) {
                const double scale = pieces && axis == 0 ? 1.0 : move->scale[axis];
                row[axis][k] = scale * m[3 * (move->transposed ? !axis : axis) + k];
            }
        row[0][2] += pieces ? (double)(move->piece->at - move->piece->from) : move->offset[0];
        row[1][2] += move->offset[1];
        for (int k = 0; k < 6; k++) m[k] = row[k / 3][k % 3];
    }
    return true;
}

/* Is every sample of the output one of the input's, in its type, or a border's? */
static inline bool halo_changes_keep_values(const HaloChanges *changes)
{
    for (int i = 0; i < changes->moves; i++)
        if (changes->move[i].lost || !changes->move[i].keeps_values) return false;
    return changes->from.dtype == changes->to.dtype && changes->from.white == changes->to.white;
}

/* The scale from input to output along the input's axes, x and y, if it is the same everywhere; *transposed: x
 * and y are exchanged in the output. False: there is no such scale. */
static inline bool halo_changes_scale(const HaloChanges *changes, double scale[2], bool *transposed)
{
    *transposed = false;
    scale[0] = scale[1] = 1.0;
    for (int i = 0; i < changes->moves; i++) {
        const HaloMove *move = &changes->move[i];
        if (move->lost) return false;
        *transposed ^= move->transposed;
        scale[*transposed] *= fabs(move->scale[0]);
        scale[!*transposed] *= fabs(move->scale[1]);
    }
    return true;
}

/* Does the output begin with the end of the input? */
static inline bool halo_changes_backwards(const HaloChanges *changes)
{
    bool backwards = false;
    for (int i = 0; i < changes->moves; i++) backwards ^= changes->move[i].scale[0] < 0;
    return backwards;
}

/* The channel of the input that a channel of the output holds unchanged, or -1. */
static inline int halo_changes_source(const HaloChanges *changes, int channel)
{
    for (int i = changes->moves - 1; i >= 0 && channel >= 0; i--) {
        const HaloMove *move = &changes->move[i];
        if (move->lost || move->mixed) return -1;
        if (move->mix == NULL) continue;
        const HaloMixTerm *term = &move->mix->term[move->mix->begin[channel]];
        const bool chosen = move->mix->begin[channel + 1] == move->mix->begin[channel] + 1;
        channel = chosen && term->weight == 1.0f ? term->channel : -1;
    }
    return channel;
}

/* Does every position stay in place, at the same scale? */
static inline bool halo_changes_keep_places(const HaloChanges *changes)
{
    for (int i = 0; i < changes->moves; i++) {
        const HaloMove *move = &changes->move[i];
        if (move->lost || move->transposed || move->pieces > 0) return false;
        for (int axis = 0; axis < 2; axis++)
            if (move->scale[axis] != 1.0 || move->offset[axis] != 0.0) return false;
    }
    return changes->from.width == changes->to.width && changes->from.height == changes->to.height &&
           changes->from.kind == changes->to.kind;
}

#ifdef __cplusplus
}
#endif
#endif
