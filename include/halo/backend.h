/* What a backend offers: a table of functions. NULL means "not offered"; a plan finds that out before
 * anything runs. Calls on one device come from one thread at a time. */
#ifndef HALO_BACKEND_H
#define HALO_BACKEND_H

#include "halo/bench.h"
#include "halo/buffer.h"
#include "halo/fail.h"
#include "halo/groups.h"
#include "halo/local.h"
#include "halo/objects.h"
#include "halo/options.h"
#include "halo/primitive.h"
#include "halo/result.h"
#include "halo/simd.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HaloDevice HaloDevice; /* each backend has its own */

/* QUEUED: from now on the clock starts after enough work for the host to run ahead, so that the device's time
 * is measured, as with a full queue, and not the host's launch overhead. For benchmarks.
 */
typedef enum HaloMark { HALO_MARK_START, HALO_MARK_STOP, HALO_MARK_QUEUED } HaloMark;

typedef struct HaloBackend {
    const char *name; /* "cpu", "cuda" */

    /* The number of usable devices of this kind; 0, with the cause in halo_error(), when there are none. */
    int (*count)(void);
    /* The first call starts device `index` in the background. True once that has ended, with success or not:
     * from then on `open` is fast. NULL: `open` is always fast. */
    bool (*started)(int index);
    /* Opens device `index`; `jobs` bounds the threads of a CPU device (0: those of halo_machine()).
     * HALO_ERR_DEVICE. */
    HaloStatus (*open)(int index, int jobs, HaloDevice **device);
    void (*close)(HaloDevice *device);
    /* A one-line description: "AMD EPYC, v4, 2 threads". Valid while the device is open. */
    const char *(*describe)(HaloDevice *device);
    /* Which of its kernels run here: "v4". NULL: there is one kind alone; it returns NULL where none can run.
     */
    const char *(*variant)(void);
    /* Bytes of device memory that are free now. NULL: host memory. */
    int64_t (*memory)(HaloDevice *device);

    /* Gives `buf` (its shape and rectangle are set) stride and data on the device; not cleared. HALO_ERR_LIMIT
     * without host memory, HALO_ERR_DEVICE without device memory. */
    HaloStatus (*alloc)(HaloDevice *device, HaloBuf *buf);
    void (*release)(HaloDevice *device, HaloBuf *buf);
    /* Copy the rectangle of `to` between host and device; both NULL if the device works on host memory: then
     * plans use host buffers directly. */
    HaloStatus (*upload)(HaloDevice *device, const HaloBuf *host, HaloBuf *to);
    HaloStatus (*download)(HaloDevice *device, const HaloBuf *from, HaloBuf *host);
    /* Copies the rectangle of `to` between two buffers of the device. NULL where it works on host memory. */
    HaloStatus (*copy)(HaloDevice *device, const HaloBuf *from, HaloBuf *to);
    /* Pinned host memory, which is copied to and from the device at the full rate of the link. NULL: all memory
     * is equally fast. HALO_ERR_LIMIT if there is none left: other memory works, more slowly. */
    HaloStatus (*pin)(HaloDevice *device, int64_t bytes, void **memory);
    void (*unpin)(HaloDevice *device, void *memory);
    /* Queues work on a stream of the caller from now on (`theirs`), after all that was queued so far; then on
     * the device's own again, after that. NULL: the device works on host memory. */
    HaloStatus (*follow)(HaloDevice *device, bool theirs, void *stream);
    /* Memory for the device comes from these from now on (HaloOptions::gpu_alloc). NULL as above. */
    void (*set_memory)(HaloDevice *device, const HaloOptions *options);
    /* Waits for all work of the device, reports asynchronous failures, and returns in *clipped (when not NULL)
     * the number of samples that were clipped by stores, which is then reset to 0. NULL: counting goes on. */
    HaloStatus (*finish)(HaloDevice *device, uint64_t *clipped);

    /* Workspace query: between `query_begin` and `query_end` primitives compute nothing and touch no data, and
     * buffers need not have any. Each returns, with HALO_ERR_LIMIT or HALO_OK, once it has reported how much
     * device memory it would take beside its buffers. `query_end` ends the query and gives the bytes of all of
     * them, less an amount that any step may take and that does not grow with the work. */
    void (*query_begin)(HaloDevice *device);
    int64_t (*query_end)(HaloDevice *device);

    /* Can sources of every primitive be f64? Results are f64 then, too, and all between is computed in f64; a
     * map may still convert from any type to any other. False: of f64 there are only results of scans, which
     * maps convert. */
    bool doubles;
    /* Are scans of sound made in parts (halo/scan.h)? */
    bool scans_sound;
    /* The primitives compute the rectangle of `dst` from `src`, whose rectangle holds every sample needed;
     * borders are those of the whole, `src->shape`. All but reduce, fold, powers and hist may return before the
     * work is done. Sources are u8, u16 or f32, with `doubles` f64, too, with any number of channels and any
     * stride. */
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
    HaloStatus (*gather)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloGather *, HaloStore);
    HaloStatus (*resample)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloResample *, HaloStore);
    HaloStatus (*bilateral)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloBilateral *, HaloStore);
    HaloStatus (*mix)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloMix *, HaloStore);
    HaloStatus (*fade)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloFade *, HaloStore);
    HaloStatus (*sections)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloSections *, HaloStore);
    HaloStatus (*spectrum)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloSpectrum *, HaloStore);
    HaloStatus (*sequence)(HaloDevice *, const HaloBuf *const src[], int sources, HaloBuf *dst,
                           const HaloSequence *, HaloStore);
    /* May be NULL: then its steps run on the CPU. */
    HaloStatus (*local)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloLocal *, HaloStore);
    /* Whole buffers only, of one channel beside alpha. May be NULL: then their steps run on the CPU. */
    HaloStatus (*regions)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloRegions *, HaloStore);
    HaloStatus (*distance)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloDistance *, HaloStore);
    /* Are regions found, made and measured in parts? Then `regions` takes rows in order where it has `found`,
     * and `objects` where it has `kept`. */
    bool regions_in_parts;
    /* Adds the next rows of a picture to `how->found`; behind the last ones numbers its regions. NULL: there
     * are no such parts. */
    HaloStatus (*find_regions)(HaloDevice *, const HaloBuf *src, const HaloRegions *how);
    /* Labels of one channel; `of` is a picture of the same size, or NULL. Adds to the list, in host memory.
     * HALO_ERR_INPUT for labels that are none. */
    HaloStatus (*objects)(HaloDevice *, const HaloBuf *labels, const HaloBuf *of, const HaloObjects *,
                          HaloObjectList *out);
    /* Whole buffers only: sorts the pixels of `src` by their labels, which `groups` describes, and those of a
     * label in raster order: into `sorted`, a row of as many pixels, and their numbers into `order`, a row of
     * u32 in the memory of f32. The caller frees the list, even after a failure. HALO_ERR_INPUT for labels that
     * are none. May be NULL. */
    HaloStatus (*sort_groups)(HaloDevice *, const HaloBuf *src, const HaloBuf *labels, const HaloGroups *,
                              HaloBuf *sorted, HaloBuf *order, HaloGroupList *list);
    /* Of a row of pixels, such as these: group k has pixels begin[k] to begin[k + 1], up to HALO_GROUP_MOST.
     * Its moments are those that `reduce` finds in a picture of these alone, but without places, and of
     * integers without the product. out: [groups][channels], host memory. There where `sort_groups` is. */
    HaloStatus (*reduce_groups)(HaloDevice *, const HaloBuf *src, const int64_t *begin, int64_t groups,
                                unsigned want, HaloMoments *out);
    /* Of the gradient (gx, gy) the magnitude where it is a maximum across the edge, else 0. One channel. May be
     * NULL, like those below: then their steps run on the CPU. */
    HaloStatus (*suppress)(HaloDevice *, const HaloBuf *gx, const HaloBuf *gy, HaloBuf *dst, HaloStore);
    /* Whole buffers only, of one channel beside alpha; of `marker` and `labels`, without alpha. */
    HaloStatus (*reconstruct)(HaloDevice *, const HaloBuf *src, const HaloBuf *marker, HaloBuf *dst,
                              const HaloReconstruct *, HaloStore);
    HaloStatus (*thin)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloThin *, HaloStore);
    /* All of one channel; `mask` may be NULL. */
    HaloStatus (*watershed)(HaloDevice *, const HaloBuf *src, const HaloBuf *labels, const HaloBuf *mask,
                            HaloBuf *dst, const HaloWatershed *, HaloStore);
    /* The sources hold the rectangle of `dst`. */
    HaloStatus (*expr)(HaloDevice *, const HaloBuf *const src[], int sources, HaloBuf *dst, const HaloExpr *,
                       HaloStore);
    /* `map`: places, of the rectangle of `dst`; NULL where other parameters give them. */
    HaloStatus (*warp)(HaloDevice *, const HaloBuf *src, const HaloBuf *map, HaloBuf *dst, const HaloWarp *,
                       HaloStore);
    HaloStatus (*color)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloColor *, HaloStore);
    /* Whole buffers, where errors are diffused. */
    HaloStatus (*dither)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloDither *, HaloStore);
    HaloStatus (*chain)(HaloDevice *, const HaloBuf *src, HaloBuf *dst, const HaloChain *, HaloStore);
    /* The minimum and maximum of the chain's result for a whole buffer, as `reduce` finds them. No sample is
     * stored, and of the counts only `count`, and `nan` if it is the same. out: [channels of the chain's
     * result], host memory. */
    HaloStatus (*extremes)(HaloDevice *, const HaloBuf *src, const HaloChain *, HaloMoments *out);

    /* The device's own clock; may be NULL. `mark` records an event in its stream of work; `elapsed` waits for
     * both events and gives the milliseconds between them. */
    HaloStatus (*mark)(HaloDevice *, HaloMark which);
    HaloStatus (*elapsed)(HaloDevice *, double *ms);
    /* Measures the device's ceilings; takes a second or two. May be NULL. */
    HaloStatus (*ceilings)(HaloDevice *, HaloCeilings *out);

    /* Does this convolution run by Fourier transforms, if that is allowed (`fast`)? May be NULL: none does. */
    bool (*uses_fft)(const HaloConv *);
    /* The part of the method that `sep->fast` allows and the backend uses: fills `way`; false: it computes
     * exactly. May be NULL: all of it. */
    bool (*sep_fast)(const HaloSep *sep, HaloSepFast *way);
    /* Can the backend fuse these steps into one pass, and is that faster? May be NULL: never. */
    bool (*can_fuse)(const HaloShape *src, const HaloShape *dst, const HaloChain *);
    /* Can it find the extremes of these steps' result in one pass, and is that faster, although the samples
     * have to be computed again for the step that uses the extremes? May be NULL: never. */
    bool (*can_fuse_extremes)(const HaloShape *src, const HaloShape *dst, const HaloChain *);
    /* Whole buffers of f32 only: for each channel the sums of d * d * d and (d * d) * (d * d), as folds would
     * compute them, d being a sample's distance from k[channel]. third, fourth: [channels], host memory. May be
     * NULL: then two folds are used. */
    HaloStatus (*powers)(HaloDevice *, const HaloBuf *src, const double *k, double *third, double *fourth);
    /* The vectors that loops outside of the backend may use on its host (halo/simd.h). NULL: the baseline's. */
    HaloSimd (*simd)(const HaloDevice *);
} HaloBackend;

#ifdef __cplusplus
}
#endif
#endif
