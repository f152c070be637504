/* The members of a backend's table that compute images, for tables that pass them on: X(name, parameters,
 * arguments, the sources, the result or, of what measures, the source once more). DEVICE(d) is what they are
 * passed on to. */
#ifndef HALO_TEST_EACH_PRIMITIVE_H
#define HALO_TEST_EACH_PRIMITIVE_H

#define EACH_PRIMITIVE(X)                                                                                     \
    X(conv, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloConv *how, HaloStore store),         \
      (DEVICE(d), src, dst, how, store), src, src, dst)                                                       \
    X(sep, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloSep *how, HaloStore store),           \
      (DEVICE(d), src, dst, how, store), src, src, dst)                                                       \
    X(map, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloMap *how, HaloStore store),           \
      (DEVICE(d), src, dst, how, store), src, src, dst)                                                       \
    X(combine,                                                                                                \
      (HaloDevice * d, const HaloBuf *a, const HaloBuf *b, HaloBuf *dst, const HaloCombine *how,              \
       HaloStore store),                                                                                      \
      (DEVICE(d), a, b, dst, how, store), a, b, dst)                                                          \
    X(reduce, (HaloDevice * d, const HaloBuf *src, unsigned want, HaloMoments *out),                          \
      (DEVICE(d), src, want, out), src, src, src)                                                             \
    X(fold, (HaloDevice * d, const HaloBuf *src, const HaloFold *how, double *out),                           \
      (DEVICE(d), src, how, out), src, src, src)                                                              \
    X(hist, (HaloDevice * d, const HaloBuf *src, const HaloHist *how, HaloHistogram *out),                    \
      (DEVICE(d), src, how, out), src, src, src)                                                              \
    X(scan, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloScan *how),                          \
      (DEVICE(d), src, dst, how), src, src, dst)                                                              \
    X(rank, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloRank *how, HaloStore store),         \
      (DEVICE(d), src, dst, how, store), src, src, dst)                                                       \
    X(mean, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloMean *how, HaloStore store),         \
      (DEVICE(d), src, dst, how, store), src, src, dst)                                                       \
    X(equalize, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloEqualize *how, HaloStore store), \
      (DEVICE(d), src, dst, how, store), src, src, dst)                                                       \
    X(gather, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloGather *how, HaloStore store),     \
      (DEVICE(d), src, dst, how, store), src, src, dst)                                                       \
    X(resample, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloResample *how, HaloStore store), \
      (DEVICE(d), src, dst, how, store), src, src, dst)                                                       \
    X(bilateral,                                                                                              \
      (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloBilateral *how, HaloStore store),          \
      (DEVICE(d), src, dst, how, store), src, src, dst)                                                       \
    X(mix, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloMix *how, HaloStore store),           \
      (DEVICE(d), src, dst, how, store), src, src, dst)                                                       \
    X(chain, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloChain *how, HaloStore store),       \
      (DEVICE(d), src, dst, how, store), src, src, dst)

#endif
