/* What a backend offers: a table of functions. NULL means "not offered"; a plan finds that out before
 * anything runs. Calls on one device come from one thread at a time. */
#ifndef HALO_BACKEND_H
#define HALO_BACKEND_H

#include "halo/bench.h"
#include "halo/buffer.h"
#include "halo/primitive.h"
#include "halo/result.h"
#include "halo/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HaloDevice HaloDevice; /* each backend has its own */

/* QUEUED: from now on the clock starts behind work that lets the host get ahead: what is timed is what the
 * device does, as in a queue that never runs dry, and not how long the host takes to launch it. For benchmarks.
 */
typedef enum HaloMark { HALO_MARK_START, HALO_MARK_STOP, HALO_MARK_QUEUED } HaloMark;

typedef struct HaloBackend {
    const char *name; /* "cpu", "cuda" */

    /* Devices of this kind that can be used; 0 with the cause in halo_error() when there are none. */
    int (*count)(void);
    /* Begins to start device `index` beside the caller's work, the first time that it is called; true when that
     * is done, well or not: from then on `open` does not take long. NULL: it never does. */
    bool (*started)(int index);
    /* Opens device `index`; `jobs` bounds the threads of a CPU device (0: those of halo_machine()).
     * HALO_ERR_DEVICE. */
    HaloStatus (*open)(int index, int jobs, HaloDevice **device);
    void (*close)(HaloDevice *device);
    /* One line for people: "AMD EPYC, v4, 2 threads". Valid while the device is open. */
    const char *(*describe)(HaloDevice *device);
    /* Bytes of device memory that can be had now. NULL: host memory. */
    int64_t (*memory)(HaloDevice *device);

    /* Gives `buf` (its shape and rectangle are set) stride and data on the device; not cleared. HALO_ERR_LIMIT
     * without host memory, HALO_ERR_DEVICE without device memory. */
    HaloStatus (*alloc)(HaloDevice *device, HaloBuf *buf);
    void (*release)(HaloDevice *device, HaloBuf *buf);
    /* Copies the rectangle of `to` between host and device; both NULL where the device works on host memory,
     * and then plans use host buffers as they are. */
    HaloStatus (*upload)(HaloDevice *device, const HaloBuf *host, HaloBuf *to);
    HaloStatus (*download)(HaloDevice *device, const HaloBuf *from, HaloBuf *host);
    /* Copies the rectangle of `to` between two buffers of the device. NULL where it works on host memory. */
    HaloStatus (*copy)(HaloDevice *device, const HaloBuf *from, HaloBuf *to);
    /* Host memory that samples go to the device from, and come back to, at the rate of the link. NULL: no
     * memory is faster than any other. HALO_ERR_LIMIT where there is none left: any other memory does, more
     * slowly. */
    HaloStatus (*pin)(HaloDevice *device, int64_t bytes, void **memory);
    void (*unpin)(HaloDevice *device, void *memory);
    /* Waits for everything asked of the device, reports what failed in flight, and returns in *clipped (when
     * not NULL) how many samples were clipped while storing, and counts from 0 again. NULL goes on counting. */
    HaloStatus (*finish)(HaloDevice *device, uint64_t *clipped);

    /* How much scratch a primitive takes: between `ask` and `asked` primitives compute nothing and touch no
     * data, and their buffers need not have any; each stops, with HALO_ERR_LIMIT or without, where it has said
     * how much of the device's memory it would take beside its buffers. `asked` ends that and gives the bytes
     * of all of them, less what any step may take, which does not grow with the work. */
    void (*ask)(HaloDevice *device);
    int64_t (*asked)(HaloDevice *device);

    /* The primitives compute the rectangle of `dst` from `src`, whose rectangle holds every sample needed;
     * borders are those of the whole, `src->shape`. They may return before the work is done, but for reduce,
     * fold, powers and hist. Sources are u8, u16 or f32 with any number of channels and any stride. */
    HaloStatus (*conv)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloConv *, HaloStore);
    HaloStatus (*sep)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloSep *, HaloStore);
    HaloStatus (*map)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloMap *, HaloStore);
    HaloStatus (*combine)(HaloDevice *, const HaloBuf *a, const HaloBuf *b, HaloBuf *dst, const HaloCombine *,
                          HaloStore);
    /* Whole buffers only. `want` is a set of HaloWant; counts are always made. out: [channels], host memory. */
    HaloStatus (*reduce)(HaloDevice *, const HaloBuf *src, unsigned want, HaloMoments *out);
    /* Whole buffers only. out: [channels], host memory. */
    HaloStatus (*fold)(HaloDevice *, const HaloBuf *src, const HaloFold *, double *out);
    /* Whole buffers only. The caller allocates `out`; `count` need not be cleared. */
    HaloStatus (*hist)(HaloDevice *, const HaloBuf *src, const HaloHist *, HaloHistogram *out);
    /* Whole buffers only; dst is i64 or f64 as HaloScan says. */
    HaloStatus (*scan)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloScan *);
    HaloStatus (*rank)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloRank *, HaloStore);
    HaloStatus (*mean)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloMean *, HaloStore);
    /* Whole buffers only. */
    HaloStatus (*equalize)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloEqualize *, HaloStore);
    HaloStatus (*pick)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloPick *, HaloStore);
    HaloStatus (*resample)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloResample *, HaloStore);
    HaloStatus (*bilateral)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloBilateral *, HaloStore);
    HaloStatus (*mix)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloMix *, HaloStore);
    HaloStatus (*fade)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloFade *, HaloStore);
    HaloStatus (*sections)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloSections *, HaloStore);
    HaloStatus (*spectrum)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloSpectrum *, HaloStore);
    HaloStatus (*chain)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloChain *, HaloStore);
    /* The minimum and maximum of what the chain makes of a whole buffer, as `reduce` finds them. No sample is
     * kept, and of counts just `count`, and `nan` where it is the same. out: [channels of the chain's result],
     * host memory. */
    HaloStatus (*extremes)(HaloDevice *, const HaloBuf *src, const HaloChain *, HaloMoments *out);

    /* The device's own clock; may be NULL. `mark` notes a moment in its stream of work; `elapsed` waits for
     * both and gives the milliseconds between them. */
    HaloStatus (*mark)(HaloDevice *, HaloMark which);
    HaloStatus (*elapsed)(HaloDevice *, double *ms);
    /* Runs the rungs of a family (NULL: all) and tells of each as it is done. */
    HaloStatus (*ladder)(HaloDevice *, const char *family, HaloRungSeen *seen, void *context);
    /* Measures what the device gives; takes a second or two. May be NULL. */
    HaloStatus (*ceilings)(HaloDevice *, HaloCeilings *out);

    /* Is this convolution done by Fourier transforms, where it may be (`fast`)? May be NULL: none is. */
    bool (*transforms)(const HaloConv *);
    /* What the backend does of the way that `sep->fast` allows: fills `way`; false: it goes exactly. May be
     * NULL: all of it. */
    bool (*coarse)(const HaloSep *sep, HaloSepFast *way);
    /* Does the backend run these steps as one pass, and gain by it? May be NULL: none. */
    bool (*chains)(const HaloShape *src, const HaloShape *dst, const HaloChain *);
    /* Does it find the extremes of what these make in one pass, and gain by it, though what is made of the
     * samples makes them anew? May be NULL: of none. */
    bool (*measures)(const HaloShape *src, const HaloShape *dst, const HaloChain *);
    /* Whole buffers of f32 only: for each channel what folds that sum d * d * d and (d * d) * (d * d) give, d
     * being a sample's distance from k[channel]. third, fourth: [channels], host memory. May be NULL: two folds
     * do. */
    HaloStatus (*powers)(HaloDevice *, const HaloBuf *src, const double *k, double *third, double *fourth);
} HaloBackend;

#ifdef __cplusplus
}
#endif
#endif
