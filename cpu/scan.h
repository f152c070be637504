/* What the ways to scan share. */
#ifndef CPU_SCAN_H
#define CPU_SCAN_H

#include "device.h"

#define CPU_SCAN_ELEMENT ((int64_t)sizeof(double)) /* i64 and f64 alike */

/* Elements of a slice of columns: they stay in the first-level cache while the scan goes down. */
#define CPU_SCAN_SLICE 1024

typedef struct Scan {
    const HaloBuf *src;
    HaloBuf *dst;
    const HaloScan *scan;
    void *state;    /* of a band of rows (halo/scan.h); NULL: all rows are in memory */
    void *sound;    /* of a band of frames along x; NULL: all frames are in memory */
    CpuAbove above; /* of narrow images */
    int64_t each;   /* rows of a task along x */
    bool integer, stream;
    int64_t scratch_bytes; /* of a worker */
    char *scratch;
    int64_t rows;      /* integers along both axes: of a slice, */
    int64_t *down;     /* and for every slice [channels][cols], what comes down to its first row, */
    bool interleaved;  /* or [cols][channels]: pixels are summed as they lie */
    int64_t at_carry;  /* in a worker's scratch, for each channel; */
    int64_t at_before; /* and there, the totals before a tile of floats */
    HaloDevice *device;
} Scan;

/* n samples from `from` on, `channels` apart, as f64 that the scan joins. */
void cpu_scan_load(const Scan *scan, const void *from, int64_t n, int64_t channels, double *x);
/* Puts n results to every channels-th place. */
void cpu_scan_put(const Scan *scan, const void *from, int64_t n, int64_t channels, char *to);

/* Integers (scan_integers.c): samples as they are joined; row y, to which `down` comes, and goes on from it
 * (NULL: nothing), in a worker's scratch; and all rows along both axes. */
void cpu_scan_load_i64(const Scan *scan, const void *from, int64_t n, int64_t channels, int64_t *x);
void cpu_scan_row_i64(const Scan *scan, int64_t y, char *scratch, int64_t *down);
HaloStatus cpu_scan_both_i64(Scan *scan, int workers);

/* What has come down to the columns [first, first + n) of f64, in the state of a band, or in space for
 * CPU_SCAN_ABOVE · n. */
#define CPU_SCAN_ABOVE 4
CpuAbove cpu_scan_above(const Scan *scan, int64_t first, int64_t n, double *workspace);

/* Results of f64 in rows of few samples (scan_narrow.c). */
bool cpu_scan_is_narrow(const Scan *scan);
HaloStatus cpu_scan_narrow(Scan *scan, int workers);

#endif
