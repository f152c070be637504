/* Algorithms along time, in f64, on the CPU: dynamics, repair, changes of tempo, series. A kind is a row of
 * functions that an operation owns; the primitive cuts sound into parts, converts the samples to lines of f64,
 * calls the kind for each part, and stores what it makes. */
#ifndef HALO_SEQUENCE_H
#define HALO_SEQUENCE_H

#include "halo/buffer.h"
#include "halo/changes.h"
#include "halo/primitive.h"
#include "halo/simd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lines of samples: sample i of line c is at[c][i - from], from <= i < to. A line is a channel. */
typedef struct HaloSequenceLines {
    int channels;
    int64_t from, to;
    int64_t width; /* frames of the whole; of sound that has not ended yet, more than there can be */
    double rate;
    double **at;
} HaloSequenceLines;

/* What `run` gets. Of a kind with `by_channel` each call sees one line of source and result; several run at the
 * same time. */
typedef struct HaloSequencePart {
    const HaloSequenceLines *src[2]; /* [sources]; src[k] holds what `reads` named; src[1] has the lines of
                                        src[0], all the same where it has one channel */
    HaloSequenceLines *dst;          /* the frames to make: dst->at[c][0 ... dst->to - dst->from - 1] */
    int channel;                     /* by_channel: the number of the line, from 0 */
    void *state;                     /* `state` bytes, zeros before frame 0; NULL where the kind has none */
    void *scratch;                   /* `scratch` bytes, not cleared, 64-byte aligned */
    HaloSimd simd;                   /* the vectors that it may use */
} HaloSequencePart;

typedef struct HaloSequenceKind {
    const char *name;
    bool by_channel; /* channels do not depend on each other */
    bool whole;      /* all of the result is made in one call, from all of the source */
    /* The shape of the result: on entry that of source 0. NULL: the same. dtype is ignored. It must be sound:
     * one row. HALO_ERR_INPUT with a message. */
    HaloStatus (*shape)(const void *how, const HaloShape *src, HaloShape *dst);
    /* The frames of source k that frames `part` of the result need, cut to the whole by the caller. NULL: the
     * same frames. A kind without `state` computes any part by itself. */
    HaloSpan (*reads)(const void *how, int k, const HaloShape *src, HaloSpan part);
    /* Bytes of state, of each line where `by_channel`. Parts then are made in order, each from where the last
     * one ended. NULL: none. */
    int64_t (*state)(const void *how, const HaloShape *src);
    /* Bytes of scratch memory for a call, whatever its length. NULL: none. */
    int64_t (*scratch)(const void *how, const HaloShape *src);
    /* Where frames and channels of the source appear in the result. NULL: they stay. */
    void (*moves)(const void *how, HaloMove *move);
    /* What is made of the same samples depends on their number: noise, or blocks that are counted from the
     * beginning. */
    bool placed;
    /* Frames and channels are those of the source: the run notes how many samples differ from it. */
    bool replaces;
    /* Measured nanoseconds of a core for a sample of the result. */
    double ns;
    /* A short description, for --explain. NULL: the name. */
    void (*describe)(const void *how, char *text, size_t size);
    /* Makes dst. Samples are in units of the source. */
    void (*run)(const void *how, const HaloSequencePart *part);
} HaloSequenceKind;

/* How many samples were replaced in the frames up to `upto`, of a kind that says so. */
typedef struct HaloReplaced {
    int64_t upto;
    uint64_t count;
} HaloReplaced;

struct HaloSequence {
    const HaloSequenceKind *kind;
    const void *how; /* the operation's parameters; they belong to the plan */
    void *state;     /* of all lines, one after the other; NULL: zeros */
    HaloReplaced
        *replaced; /* the plan's; calls for a plan come one after the other. NULL: nothing is counted */
};

#ifdef __cplusplus
}
#endif
#endif
