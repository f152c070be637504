/* The prefix above blocks of columns. A block has a strip of columns and a band of some runs of 32 rows. In one
 * pass bands start in order, and pass on the prefix above the next band in their group of runs, and above the
 * next group. Many bands of a narrow image would wait for one another: they first compute the totals of all
 * runs, then the prefix above each (scan_groups.cu), then the results. */
#ifndef HALO_CUDA_SCAN_ABOVE_CUH
#define HALO_CUDA_SCAN_ABOVE_CUH

#include "scan.cuh"

template <typename Kind> struct ScanBands {
    using Value = typename Kind::Value;
    using Stored = typename Kind::Stored;
    int64_t strips, bands, groups;
    int runs;                 /* of a band; a group's runs are a multiple */
    ScanGroups<Value> totals; /* of narrow images; no `run`: one pass, */
    unsigned *tickets;
    Stored *inside; /* [band][column]: P above every band, and below the last if it is needed */
    Stored *group;  /* [group][column]: G */
    int skip, band; /* runs missing before the first band, and its number in its group */
};

/* A thread's run of a column. */
struct ScanSpot {
    int64_t band, run, x; /* the band, the run in the picture, and the column */
    int in, rows;         /* the run's number in the band; its rows, 0 if there is no such column */
};

/* The prefix above the run, whose total is `sum`. `total` holds the totals of the band's runs in this column,
 * `pitch` apart. All threads of the block call it. */
template <typename Kind>
__device__ __forceinline__ typename Kind::Value
scan_above(const ScanArgs &a, const ScanBands<Kind> &b, int runs, const ScanSpot &s, typename Kind::Value sum,
           typename Kind::Value *total, int pitch)
{
    using T = typename Kind::Value;
    const int64_t columns = b.totals.columns;
    if (b.totals.run != NULL) {
        if (s.rows == 0) return Kind::identity();
        return Kind::join(b.totals.group[s.run / (HALO_SCAN_GROUP_ROWS / HALO_SCAN_ROWS) * columns + s.x],
                          b.totals.run[s.run * columns + s.x]);
    }
    const int group_bands = HALO_SCAN_GROUP_ROWS / HALO_SCAN_ROWS / runs;
    total[s.in * pitch] = s.run >= 0 ? sum : Kind::identity();
    __syncthreads();
    if (s.x >= columns) return Kind::identity();
    const int64_t place = b.band + s.band,
                  group = place / group_bands; /* both count from the first row's group */
    const bool ends = place % group_bands == group_bands - 1 && s.in == runs - 1;
    typename Kind::Stored *const inside_at = b.inside + s.band * columns + s.x;
    typename Kind::Stored *const group_at = b.group + group * columns + s.x;
    T inside = Kind::identity();
    if (s.band == 0 ? a.state != NULL : place % group_bands != 0) inside = scan_await<Kind>(inside_at, a);
#pragma unroll
    for (int i = 0; i < runs - 1; i++)
        if (i < s.in) inside = Kind::join(inside, total[i * pitch]);
    const bool last = (s.run + 1) * HALO_SCAN_ROWS >= a.height; /* of the picture, or of this band of rows */
    const bool publishes = last ? a.state != NULL && s.rows > 0 : s.in == runs - 1;
    if (publishes && !ends) scan_publish<Kind>(inside_at + columns, Kind::join(inside, sum), a);
    const T above = group == 0 && a.state == NULL ? Kind::identity() : scan_await<Kind>(group_at, a);
    if (publishes && ends) {
        scan_publish<Kind>(group_at + columns, Kind::join(above, Kind::join(inside, sum)), a);
        if (last) scan_publish<Kind>(inside_at + columns, Kind::identity(), a);
    }
    return Kind::join(above, inside);
}

/* Fewer columns than these, in more bands, are not scanned in one pass: each band would wait longer for the one
 * above than the GPU takes for all bands side by side. */
static const int64_t strips_most = 128, bands_least = 64;

static inline bool scan_totals_first(int64_t columns, int64_t rows, int band_runs)
{
    return cuda_ceil_div(columns, CUDA_WARP) < strips_most &&
           cuda_ceil_div(rows, band_runs * HALO_SCAN_ROWS) > bands_least;
}

/* Plans bands of so many runs, and allocates their workspace, after `ahead` bytes of other workspace. */
template <typename Kind>
HaloStatus scan_bands_workspace(HaloDevice *device, const ScanArgs *args, bool totals_first, int64_t ahead,
                                void **workspace, ScanBands<Kind> *b)
{
    const int64_t columns = args->width * args->channels, rows = args->height + b->skip * HALO_SCAN_ROWS,
                  band_rows = b->runs * HALO_SCAN_ROWS;
    int64_t slots;
    void *values;
    b->bands = cuda_ceil_div(rows, band_rows);
    b->groups = (b->band * band_rows + rows) / HALO_SCAN_GROUP_ROWS;
    if (totals_first) return scan_groups_workspace(device, args, ahead, workspace, &b->totals);
    b->totals.columns = columns;
    if (!halo_mul(b->bands + b->groups + 2, columns, &slots))
        return halo_fail(HALO_ERR_LIMIT, "the scan is too large: use --device cpu");
    CUDA_PASS(scan_slots(device, ahead, slots, workspace, &b->tickets, &values));
    b->inside = (typename Kind::Stored *)values;
    b->group = b->inside + (b->bands + 1) * columns;
    return HALO_OK;
}

#endif
