/* A plan: what will be done to one input, as data. Operations append steps to it (op.h), the executor runs
 * them on a backend, `--explain` prints them. */
#ifndef HALO_PLAN_H
#define HALO_PLAN_H

#include "halo/bilateral.h"
#include "halo/buffer.h"
#include "halo/color.h"
#include "halo/combine.h"
#include "halo/dither.h"
#include "halo/expr.h"
#include "halo/fade.h"
#include "halo/gather.h"
#include "halo/groups.h"
#include "halo/halo.h"
#include "halo/local.h"
#include "halo/mix.h"
#include "halo/morphology.h"
#include "halo/notes.h"
#include "halo/objects.h"
#include "halo/primitive.h"
#include "halo/regions.h"
#include "halo/resample.h"
#include "halo/result.h"
#include "halo/sections.h"
#include "halo/sequence.h"
#include "halo/spectrum.h"
#include "halo/table.h"
#include "halo/warp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int HaloReg; /* a value between steps; plan->reg[r] is its shape */

#define HALO_MAX_SOURCES 9 /* the input of an expression, and eight others */

typedef struct HaloStep HaloStep;

/* Sets a step's parameters from the measurement of an earlier step, just before it runs. */
typedef HaloStatus HaloResolve(HaloStep *step, const HaloResult *measured);

struct HaloStep {
    HaloPrimitive primitive;
    const char *op; /* the operation that it belongs to */
    int sources;
    HaloReg src[HALO_MAX_SOURCES];
    HaloReg dst;     /* -1: none */
    HaloStore store; /* of dst, where the primitive writes samples */
    union {
        HaloWindow window; /* that of conv, sep, rank, mean, bilateral or local, which begin with it */
        HaloConv conv;
        HaloSep sep;
        HaloMap map;
        HaloCombine combine;
        HaloFold fold;
        HaloHist hist;
        HaloScan scan;
        HaloRank rank;
        HaloMean mean;
        HaloBilateral bilateral;
        HaloEqualize equalize;
        HaloGather gather;
        HaloResample resample;
        HaloSections sections;
        HaloSpectrum spectrum;
        HaloSequence sequence;
        HaloTableStep table;
        HaloRegions regions;
        HaloDistance distance;
        HaloObjects objects;
        HaloReconstruct reconstruct;
        HaloThin thin;
        HaloWatershed watershed;
        const HaloExpr *expr; /* belongs to the plan */
        HaloColor color;
        HaloDither dither;
        HaloLocal local;
        HaloWarp warp;
        HaloGroups groups;
        HaloMix mix;
        HaloFade fade;
        const HaloChain *chain; /* of chain and extremes: chain.h; belongs to the plan */
        unsigned want;          /* reduce: a set of HaloWant */
    } u;
    int result;               /* reduce, fold, hist: the index of the result it gives, or -1 */
    const HaloDetail *detail; /* reduce: further details of its result, which need the whole value; or NULL */
    bool revisits;            /* reduce: floats can be run again and again for them instead, in bands */
    bool approximate;         /* not exact, if a backend uses the method that HALO_PRECISION_FAST allows */
    bool loudness;            /* reduce: `resolve` wants that of sound, and its true peak */
    const uint32_t *speakers; /* reduce: of each channel of sound, one bit of WAVE's mask; the plan's */
    HaloNotes *notes;         /* where `resolve` may report notes; the plan's */
    bool refuse_nan;          /* reduce: a NaN in the source fails the input (nan=error) */
    int resolve_from;         /* the step whose result `resolve` gets, or -1 */
    HaloResolve *resolve;
    const char *names;     /* of the channels of dst, as a row of a table; the plan's. NULL: those of src[0] */
    const HaloAxis *axis;  /* of dst; the plan's. NULL: that of src[0] */
    double resolve_arg[2]; /* parameters of `resolve`, such as the range that samples are to fill */
};

/* A secondary input, such as a dark frame: shared by plans, and read completely, unless it is long sound. */
typedef struct HaloOperand HaloOperand;

/* A value that exists before the first step: an input. */
typedef struct HaloInput {
    HaloReg reg;
    HaloOperand *operand; /* NULL: the input that is run, which is the first */
} HaloInput;

/* Where a value is made and read, which tells how long it stays in memory. */
typedef struct HaloLiveness {
    int maker;  /* the step that makes it; -1: it is an input, or nothing makes it */
    int reader; /* the last step that reads it; -1: none */
    int reads;  /* how often it is read; being the output counts as once */
} HaloLiveness;

/* The steps of a plan for a backend that runs chains (chain.h), if it runs any of the plan's. */
typedef struct HaloChained {
    const struct HaloBackend *backend; /* NULL: there are none */
    struct HaloPlan *plan;             /* whose steps alone are its own */
} HaloChained;

/* The predicted time of reading and writing, for the choice of a device. All 0: the input is in memory. */
typedef struct HaloPlanFiles {
    double read, write; /* seconds of a thread */
    double reserved;    /* bytes of the output that can be preallocated while a GPU starts */
    bool flows;         /* it is read, computed and written at the same time */
} HaloPlanFiles;

struct HaloPlan {
    int regs;
    HaloShape *reg;
    int steps;
    HaloStep *step;
    int inputs;
    HaloInput *input;
    HaloShape whole; /* the shape of the input, which is decimated by `shrunk` on each axis while it is read; 1:
                        not */
    int64_t shrunk;
    HaloReg output;
    int results;
    bool wants_length; /* its steps depend on the input's length, which has to be known before the plan is made
                        */
    bool evens;        /* it makes times evenly spaced before anything depends on them */
    bool exceeds;      /* an operation may exceed the range of its samples other than by ringing at edges */
    bool wants_output; /* false: only results are wanted */
    int wanted_dtype;  /* of the output: the HaloDtype that the last `depth` names, or -1: the input's */
    HaloPlanFiles files;
    HaloNotes *notes;   /* of steps that are set by what is measured; kept, or NULL */
    HaloLiveness *live; /* [regs] */
    void **kept;        /* memory the steps point at */
    int kept_count;
    struct PlanArrays
        *arrays;            /* of a plan that halo_plan_open made (core/array); it has nothing else. Or NULL */
    HaloChained chained[2]; /* of the CPU, and of the GPU */
};

#ifdef __cplusplus
}
#endif
#endif
