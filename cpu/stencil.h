/* What dense and separable convolution share: outputs made from rows of f32, `mask` rows high.
 *
 * Dense, a line is a source row, converted, with the border at both ends, and `mask` is the whole mask.
 * Separable, a line is the row pass of that, and `mask` is the column of taps. */
#ifndef CPU_STENCIL_H
#define CPU_STENCIL_H

#include "device.h"

typedef struct CpuStencil {
    /* What to compute. */
    const HaloBuf *src;
    HaloBuf *dst;
    int64_t ox, oy;
    HaloBorder border;
    float value;       /* of samples outside, where the border has a value of its own */
    CpuMask mask;      /* over lines */
    CpuMask row;       /* the row pass; tap is NULL where there is none */
    const CpuRun *run; /* all taps but zeros, where those may be left out; or NULL */
    int64_t runs;
    bool looks;  /* the short way, without zeros or as if NaN counted, is for windows without odd samples: */
    float least; /* infinities, NaN, and what is not 0 but less than this */
    bool affine;
    float scale, bias;
    bool nan_ignore;
    float total; /* what all taps weigh */
    /* Separable, what weighs the samples that are no NaN: as the taps, or ones where total is 0; and what a
     * whole row of that weighs. */
    CpuMask weigh, weigh_row;
    float row_total;
    HaloStore store;

    /* How, as cpu_stencil_run lays it out. */
    int64_t reach;       /* pixels a source line is longer than its outputs */
    int64_t tile_cols;   /* outputs of a task: columns (of the tiles at the ends: `left` and `right`), */
    int64_t slice_rows;  /* rows, */
    int64_t strip;       /* of which this many are made at a time, */
    int64_t band;        /* meeting this many rows of the mask at a time */
    int64_t left, right; /* columns whose taps reach beyond what lies in `src`; 0: tiles are all alike */
    int64_t middle;      /* tiles between them */
    int64_t tiles, slices;
    bool in_place;                                      /* the tiles between read the source where it is */
    bool stream;                                        /* results go past the caches */
    bool direct;                                        /* sums go right to where floats are */
    int64_t source_pitch, out_pitch, line_pitch, lines; /* elements; rows in the ring of lines */
    int64_t cells;                                      /* of CPU_CELL elements, in a line */
    int64_t scratch_bytes, at_line, at_ring, at_source, at_out, at_spare, at_weight; /* of a worker */
    int64_t at_part, at_mark, at_odd, at_weight_ring, at_weighed, at_value, at_there;
    char *scratch;
    HaloDevice *device;
} CpuStencil;

/* Runs it. HALO_ERR_BUG where `src` does not hold what is needed, HALO_ERR_LIMIT without memory. */
HaloStatus cpu_stencil_run(HaloDevice *device, CpuStencil *stencil);

/* One task of it: tile index % tiles of slice index / tiles. */
void cpu_stencil_task(void *stencil, int64_t index, int worker);

/* `cols` + reach pixels of source row y (of the whole, or beyond it) as f32 for outputs from column x on. */
void cpu_source_line(const CpuStencil *stencil, int64_t x, int64_t y, int64_t cols, float *line);

/* The same of samples as what they are, where they lie or in `line`; what is outside is a number of their type,
 * too, and goes through `workspace`. */
const void *cpu_source_samples(const CpuStencil *stencil, int64_t x, int64_t y, int64_t cols, float *workspace,
                               void *line);

/* What a window over `src` reads, for primitives that take the source's lines and do the rest themselves. */
CpuStencil cpu_window_stencil(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloWindow *window);

/* Does it lie one pixel behind the other, in one column? */
bool cpu_is_column(const HaloBuf *buf);
/* Do both lie one pixel behind the other, in one column? Then as lines they are the same bytes. */
bool cpu_are_columns(const HaloBuf *src, const HaloBuf *dst);
HaloBuf cpu_as_line(const HaloBuf *column);
HaloWindow cpu_transposed(const HaloWindow *window);

/* Whether the rectangle of `src` holds every sample that the rectangle of `dst` needs. */
bool cpu_holds_needed(const CpuStencil *stencil);

#endif
