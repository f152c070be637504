/* What a pipeline does to an input beside its samples: where each place of it goes, which channel each channel
 * of the output was, how light is coded. The plan composes it from its steps (core/plan/changes.c), and one
 * function applies it to the metadata of an input when an output is opened (io/meta/apply.c). */
#ifndef HALO_CHANGES_H
#define HALO_CHANGES_H

#include <math.h>

#include "halo/buffer.h"
#include "halo/gather.h"
#include "halo/mix.h"
#include "halo/speakers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Evenly spaced times: frame k of a result is at start + k * span / steps nanoseconds (halo/series.h). */
typedef struct HaloSpacing {
    int64_t start, span, steps;
} HaloSpacing;
/* What frames of sound stand for in place of time: frame k for start + k * step. */
typedef struct HaloAxis {
    const char *name; /* "frequency" */
    double start, step;
} HaloAxis;

/* Results of spans of a sound, such as levels, which have their middle half a sample after that of their middle
 * sample; or round samples, such as spectra, where the first sample is at 0. */
typedef enum HaloTimed { HALO_NOT_TIMED, HALO_TIMED_SPANS, HALO_TIMED_SAMPLES } HaloTimed;

/* What one step does. Places are counted in samples: the first has its centre at 0, the second at 1. */
typedef struct HaloMove {
    bool transposed;            /* first x and y are exchanged; then, along each axis of the result, */
    double scale[2], offset[2]; /* out = scale * in + offset */
    bool is_affine; /* in place of that: x' = affine[0] x + affine[1] y + affine[2], y' likewise from affine[3]
                       on */
    double affine[6];
    bool bent;              /* no such map leads from the source's positions to the result's */
    const HaloPiece *piece; /* in place of that: [pieces] of a sound; samples in none of them are dropped */
    int64_t pieces;
    int64_t size[2];           /* of the result: positions outside of it are dropped */
    const struct HaloMix *mix; /* what channels are made of; NULL: they are the same, */
    bool mixed;                /* or none is one of the source's */
    const HaloSpacing *times;  /* of the result's frames, whatever the source's were; NULL: they move with it */
    const char *names;         /* of the result's channels, as a row of a table; NULL: the source's */
    HaloTimed timed;           /* are frames results at times of a sound? Tables say which */
    const HaloAxis *axis;      /* of the result, whose positions have no relation to the source's; NULL: time */
    bool lost;                 /* the result's positions and channels have no relation to the source's */
    bool keeps_values;         /* every sample is one of the source's, or a border's */
} HaloMove;

/* Samples are coded in a way that no file can say, such as Lab; or they became sRGB by a profile; or by the
 * input's own, and are as they were where it has none. */
#define HALO_LIGHT_NONE 2
#define HALO_LIGHT_CONVERTED (-2)
#define HALO_LIGHT_PROFILE (-3)

typedef struct HaloChanges {
    HaloShape from, to; /* the input, as the pipeline gets it, and the output */
    bool samples;       /* may any sample differ from the input's? */
    bool stored;        /* may samples that are only moved be written in the type that the file had? */
    bool upright;       /* rows are upright, whatever the orientation in EXIF said */
    int light; /* 1: from sRGB to linear light, -1: the other way, 0: coded as it was, or one of those above */
    int64_t pages; /* of the output; 0: not known */
    int moves;
    HaloMove *move; /* [moves], in order */
} HaloChanges;

/* Has the result no positions of the source? */
static inline bool halo_move_displaces(const HaloMove *move)
{
    return move->lost || move->bent || move->axis != NULL;
}

/* The map of a move without pieces, as HaloMove::affine. */
static inline void halo_move_affine(const HaloMove *move, double a[6])
{
    for (int k = 0; k < 6; k++) a[k] = move->is_affine ? move->affine[k] : 0.0;
    for (int axis = 0; axis < 2 && !move->is_affine; axis++) {
        a[3 * axis + (move->transposed ? !axis : axis)] = move->scale[axis];
        a[3 * axis + 2] = move->offset[axis];
    }
}

/* Maps a position of the input, x and y, to the output; false: it is outside. Of a sound y is 0.
 */
static inline bool halo_changes_place(const HaloChanges *changes, double place[2])
{
    for (int i = 0; i < changes->moves; i++) {
        const HaloMove *move = &changes->move[i];
        const double x = place[move->transposed], y = place[!move->transposed];
        if (halo_move_displaces(move)) return false;
        place[0] = move->scale[0] * x + move->offset[0];
        place[1] = move->scale[1] * y + move->offset[1];
        for (int k = 0; k < 2 && move->is_affine; k++)
            place[k] = move->affine[3 * k] * x + move->affine[3 * k + 1] * y + move->affine[3 * k + 2];
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

/* The piece that holds frame `at` of the result. */
static inline const HaloPiece *halo_move_piece(const HaloMove *move, double at)
{
    int64_t low = 0, high = move->pieces;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if ((double)move->piece[middle].at <= at)
            low = middle;
        else
            high = middle;
    }
    return &move->piece[low];
}

/* The moves behind the last one that gave frames an axis; *axis: that one, NULL: there is none. */
static inline int halo_changes_behind_axis(const HaloChanges *changes, const HaloAxis **axis)
{
    int i = changes->moves;
    while (i > 0 && changes->move[i - 1].axis == NULL) i--;
    *axis = i > 0 ? changes->move[i - 1].axis : NULL;
    return i;
}

/* The opposite for sound: the position in the input, whether there or not, that frame `at` of the output stands
 * for; behind an axis, the number of a frame of that. Only where no move between is `lost`. */
static inline double halo_changes_origin(const HaloChanges *changes, int64_t at)
{
    const HaloAxis *axis;
    const int first = halo_changes_behind_axis(changes, &axis);
    double place = (double)at;
    for (int i = changes->moves - 1; i >= first; i--) {
        const HaloMove *move = &changes->move[i];
        const HaloPiece *piece = move->pieces > 0 ? halo_move_piece(move, place) : NULL;
        place = piece != NULL ? place - (double)piece->at + (double)piece->from
                              : (place - move->offset[0]) / move->scale[0];
        if (fabs(place - rint(place)) < 1e-6) place = rint(place); /* a third, three times */
    }
    return place;
}

/* What follows the step that set new times; *times: those, or NULL. */
static inline HaloChanges halo_changes_since_times(const HaloChanges *changes, const HaloSpacing **times)
{
    HaloChanges since = *changes;
    *times = NULL;
    for (int i = changes->moves - 1; i >= 0 && *times == NULL && changes->move[i].axis == NULL; i--) {
        if (changes->move[i].times == NULL) continue;
        *times = changes->move[i].times;
        since.move = changes->move + i + 1;
        since.moves = changes->moves - i - 1;
    }
    return since;
}

/* Has every place of the output one in the input, or on the axis? */
static inline bool halo_changes_are_known(const HaloChanges *changes)
{
    const HaloAxis *axis;
    for (int i = halo_changes_behind_axis(changes, &axis); i < changes->moves; i++)
        if (changes->move[i].lost || changes->move[i].bent || changes->move[i].transposed) return false;
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
        double a[6], was[6];
        if (halo_move_displaces(move)) return false;
        halo_move_affine(move, a);
        if (move->pieces > 0) {
            a[0] = 1.0;
            a[2] = (double)(move->piece->at - move->piece->from);
        }
        for (int k = 0; k < 6; k++) was[k] = m[k];
        for (int k = 0; k < 6; k++) {
            const double *row = a + k / 3 * 3;
            m[k] = row[0] * was[k % 3] + row[1] * was[3 + k % 3] + (k % 3 == 2 ? row[2] : 0.0);
        }
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
 * and y are exchanged in the output, or nearly so. A move that bends counts as none. False: there is no such
 * scale. */
static inline bool halo_changes_scale(const HaloChanges *changes, double scale[2], bool *transposed)
{
    *transposed = false;
    scale[0] = scale[1] = 1.0;
    for (int i = 0; i < changes->moves; i++) {
        const HaloMove *move = &changes->move[i];
        const double *a = move->affine;
        if (move->lost || move->axis != NULL) return false;
        if (move->bent) continue;
        const bool turned =
            move->is_affine ? fabs(a[1]) > fabs(a[0]) && fabs(a[3]) > fabs(a[4]) : move->transposed;
        const double of_x = move->is_affine ? hypot(a[0], a[3]) : fabs(move->scale[turned]),
                     of_y = move->is_affine ? hypot(a[1], a[4]) : fabs(move->scale[!turned]);
        scale[*transposed] *= of_x;
        scale[!*transposed] *= of_y;
        *transposed ^= turned;
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
        if (move->mix != NULL) channel = halo_mix_source(move->mix, channel);
    }
    return channel;
}

/* The loudspeaker of a channel of the output, one bit of WAVE's mask, where the input's are `speakers`; 0:
 * none.
 */
static inline uint32_t halo_changes_speaker(const HaloChanges *changes, uint32_t speakers, int channel)
{
    for (int i = changes->moves - 1; i >= 0; i--) {
        const HaloMove *move = &changes->move[i];
        if (move->lost || move->mixed) return 0;
        if (move->mix == NULL) continue;
        if (move->mix->speakers != 0) return halo_speaker_of(move->mix->speakers, channel);
        channel = halo_mix_source(move->mix, channel);
        if (channel < 0) return 0;
    }
    return speakers == UINT32_MAX ? 0 : halo_speaker_of(speakers, channel);
}

/* Does every position stay in place, at the same scale? */
static inline bool halo_changes_keep_places(const HaloChanges *changes)
{
    for (int i = 0; i < changes->moves; i++) {
        const HaloMove *move = &changes->move[i];
        if (halo_move_displaces(move) || move->transposed || move->is_affine || move->pieces > 0) return false;
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
