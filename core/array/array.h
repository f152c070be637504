/* Arrays in the caller's memory as halo's buffers: what they mean, and copies where their layout differs. */
#ifndef CORE_ARRAY_H
#define CORE_ARRAY_H

#include "base/memory.h"
#include "core.h"
#include "halo/rounded.h"

/* What a caller's array is. */
typedef struct Layout {
    HaloArray array; /* as the caller describes it, with axes and strides filled in */
    HaloShape shape; /* of one page, as it is computed with */
    int64_t pages;
    int dim[3];  /* the dimension that is rows, columns (or frames), channels; -1: none */
    bool direct; /* a page is such a buffer as it lies: its type is native, and only rows have gaps */
    float scale; /* from the array's values to the buffer's; 1: they are the same */
} Layout;
enum { LAYOUT_ROWS, LAYOUT_COLUMNS, LAYOUT_CHANNELS };

/* layout.c: `name` of the array, for messages. HALO_ERR_USAGE for what is not an array. */
HaloStatus layout_read(const HaloArray *array, const char *name, Layout *layout);
/* Sound and series of 64 bits are computed in f32, as HALO_PRECISION_SINGLE has it. */
void layout_narrow(Layout *layout);
/* Pictures of numbers that f32 does not hold all become f64, where they are only moved or compared. */
void layout_widen(Layout *layout);
/* The array that a result of this shape is, of so many pages, in C order with the axes of `like`. */
HaloStatus layout_of_result(const HaloShape *shape, const Layout *like, Layout *result);
/* The array holds samples of this shape, as results have it: 64-bit ones of pictures, too. */
void layout_set_shape(Layout *layout, const HaloShape *shape);
/* The array that samples of this shape are, in C order; `pages` 0: without a dimension of pages. */
void layout_describe(const HaloShape *shape, int64_t pages, HaloArray *array);
/* Is it like the one that was planned for? HALO_ERR_USAGE. */
HaloStatus layout_match(const Layout *planned, const Layout *layout, const char *name);
/* Page `page` of the array, with rows, columns and channels by their strides. */
char *layout_page(const Layout *layout, int64_t page);
/* The page as a buffer; of arrays that are `direct`. */
HaloBuf layout_buffer(const Layout *layout, int64_t page);
HaloType layout_type(HaloDtype dtype);
/* The array lies elsewhere from now on: in C order without gaps. */
void layout_move(Layout *layout, void *data);

/* overlap.c: HALO_ERR_USAGE where elements of an output share memory by its strides. */
HaloStatus layout_check_output(const Layout *layout, const char *name);
/* Do the arrays lie in ranges of memory that overlap? */
bool layout_overlaps(const Layout *a, const Layout *b);
/* Copies an array in host memory, and moves it to the copy, which the caller frees. */
HaloStatus layout_copy(Layout *layout, HaloMemory *memory, void **copy);

/* What conversions lose: of samples that become f32, and of those that become f64. */
typedef struct LayoutLost {
    HaloLost single, wide;
} LayoutLost;

/* convert.c: copies a page to a buffer, converting its samples, and back; *lost counts what that loses. */
HaloStatus convert_in(const Layout *layout, int64_t page, HaloBuf *buf, LayoutLost *lost);
void convert_note_lost(const LayoutLost *lost, HaloNotes *notes);
void convert_out(const HaloBuf *buf, const Layout *layout, int64_t page);

#endif
