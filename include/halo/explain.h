/* What would be done to one input, for people and programs: `--explain`. */
#ifndef HALO_EXPLAIN_H
#define HALO_EXPLAIN_H

#include <stdio.h>

#include "halo/buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HALO_EXPLAINED_SOURCES 9

typedef struct HaloExplainedStep {
    char op[128];     /* the operation that it belongs to; "gauss|sobel" of several in one pass */
    char method[128]; /* "convolve 3 x 3, border replicate" */
    int sources;      /* the values it reads, by number, */
    int src[HALO_EXPLAINED_SOURCES];
    int dst;             /* and the one it makes; -1: none */
    HaloDtype dtype;     /* of dst */
    double bytes, flops; /* moved, and computed; for sound of unknown length, for one second of it */
    bool exact;          /* false: an approximation that HALO_PRECISION_FAST allows */
} HaloExplainedStep;

/* A secondary input. */
typedef struct HaloExplainedOperand {
    int value; /* its number */
    char path[256];
    HaloShape shape;
} HaloExplainedOperand;

typedef struct HaloExplanation {
    int in, out;     /* of the values */
    HaloShape input; /* width -1: sound of unknown length */
    int64_t shrunk;  /* the factor by which it is decimated while it is read; 1: not */
    HaloShape output;
    bool wants_output;
    int operands;
    HaloExplainedOperand *operand;
    int steps;
    HaloExplainedStep *step;
    bool fast;           /* HALO_PRECISION_FAST is set */
    const char *backend; /* NULL: there is none, and `why` says so */
    const char *variant; /* of its kernels, "v4"; NULL: there is one kind alone */
    char why[240];
    bool on_host; /* the backend works in host memory */
    int devices;  /* the number of devices that share the bands */
    bool flows;   /* bands are read, computed and written at the same time; else all is in memory at once */
    bool keeps;   /* only reading is in bands; the output is kept and written at the end */
    int64_t bands, band;    /* how many bands, -1: not known; rows, or frames of sound, in each */
    double memory, between; /* bytes needed at most, on (each) GPU of its memory; of these, between the steps */
    double block_ms,
        ahead_ms; /* sound from pipe to pipe: length of a band; what filters need beyond it; else 0 */
} HaloExplanation;

HALO_API void halo_explanation_print(const HaloExplanation *explanation, FILE *to);
HALO_API void halo_explanation_free(HaloExplanation *explanation);

#ifdef __cplusplus
}
#endif
#endif
