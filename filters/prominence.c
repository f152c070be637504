#include "prominence.h"

#include <math.h>
#include <stdlib.h>

#include "apart.h"
#include "lows.h"

/* A maximum whose samples behind it have not risen above it yet. */
typedef struct Open {
    double value;
    double before; /* the least sample from the last greater one before it on, */
    double behind; /* and up to the next open one, or up to here */
    int64_t frame; /* -1: it is too low to be a peak */
    int64_t rises,
        rises_to; /* lows before it, in search->rises, from the last open one on, as they rise to it */
    int64_t falls, falls_to; /* and behind it, in search->falls, as they fall; of the last one up to the end */
} Open;

/* Open maxima, each no greater than the one below it. The first stands for the beginning. */
typedef struct Search {
    PeakLimits limits;
    int64_t most; /* bytes for each list */
    HaloTable *table;
    double rate, last; /* the sample before */
    int64_t frames;
    int64_t rise; /* the first of equal samples that are greater than the one before; -1: these are not */
    Open *open;   /* [depth] */
    int64_t depth, capacity;
    Lows rises, falls;
    int64_t from; /* lows before the next sample begin here in `rises` */
    Apart apart;
} Search;

static const Open beginning = {
    .value = (double)INFINITY, .before = (double)INFINITY, .behind = (double)INFINITY, .frame = -1};

static HaloStatus add_open(Search *search, Open open)
{
    if (search->depth == search->capacity) {
        const int64_t more = 2 * search->capacity + 64;
        if (more * (int64_t)sizeof open > search->most)
            return halo_fail(HALO_ERR_LIMIT,
                             "more memory than is allowed is needed to find peaks; --max-memory "
                             "sets the limit");
        Open *grown = realloc(search->open, (size_t)more * sizeof *grown);
        if (grown == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to find peaks");
        search->open = grown;
        search->capacity = more;
    }
    search->open[search->depth++] = open;
    return HALO_OK;
}

/* ---- a peak whose sides are known ----------------------------------------------------------------------- */

/* Where the line through a low and its neighbour is at a level. */
static double place(const Low *low, int step, double level)
{
    const double frame = (double)low->frame;
    if (low->value == -INFINITY && level > -INFINITY) return frame - step; /* all of the way is steep */
    return low->value < level ? frame - step * ((level - low->value) / (low->beside - low->value)) : frame;
}

/* Where samples first fall to a level, from a maximum on, to the right and to the left. It is the last open
 * one. */
static double right_of(const Search *search, const Open *open, double level)
{
    const int64_t at = lows_falling(&search->falls, open->falls, search->falls.count, level, true);
    return at < search->falls.count ? place(&search->falls.low[at], 1, level) : (double)open->frame;
}

/* Before an equal one its own lows come. */
static double left_of(const Search *search, const Open *open, double level)
{
    for (const Open *at = open; at > search->open && at->value == open->value; at--) {
        const int64_t end = lows_rising(&search->rises, at->rises, at->rises_to, level, true);
        if (end > at->rises) return place(&search->rises.low[end - 1], -1, level);
    }
    return (double)open->frame;
}

static HaloStatus add_row(Search *search, const ApartPeak *peak)
{
    if (!(peak->prominence >= search->limits.prominence && peak->width >= search->limits.width)) return HALO_OK;
    const double row[PEAK_COLUMNS] = {(double)peak->frame, (double)peak->frame / search->rate, peak->value,
                                      peak->prominence, peak->width};
    return halo_table_add(search->table, row);
}

static HaloStatus report(Search *search, const Open *open)
{
    const double prominence = open->value - fmax(open->before, open->behind),
                 level = open->value - 0.5 * prominence;
    ApartPeak own = {.frame = open->frame, .value = open->value, .kept = true};
    ApartPeak *peak = search->limits.distance > 1 ? apart_find(&search->apart, open->frame) : &own;
    if (peak == NULL) return HALO_OK;
    peak->prominence = prominence;
    peak->width = level < open->value ? right_of(search, open, level) - left_of(search, open, level) : 0.0;
    peak->known = true;
    return peak == &own ? add_row(search, peak) : HALO_OK;
}

/* ---- maxima --------------------------------------------------------------------------------------------- */

/* What comes after the last open maximum is greater: both its sides are known. Lows that were between it and
 * the one below, or behind it, stay where they are the lowest from there, or from here. */
static HaloStatus close_last(Search *search)
{
    HaloStatus status = HALO_OK;
    const Open *last = &search->open[search->depth - 1];
    Open *below = &search->open[search->depth - 2];
    Lows *rises = &search->rises, *falls = &search->falls;
    if (last->frame >= 0) HALO_TRY(report(search, last));
    if (search->depth > 2) {
        const int64_t lower = lows_falling(falls, last->falls, falls->count, below->behind, false);
        below->falls = lows_join(falls, below->falls, below->falls_to, lower);
    } else {
        falls->count = 0;
    }
    below->behind = fmin(below->behind, last->behind);
    const double least = search->from < rises->count ? rises->low[search->from].value : (double)INFINITY;
    const int64_t end = lows_rising(rises, last->rises, last->rises_to, least, false);
    search->from = lows_join(rises, last->rises, end, search->from);
    search->depth--;
out:
    return status;
}

/* The last of the lows is the sample before, which has this value. */
static HaloStatus open_maximum(Search *search, int64_t frame, double value)
{
    HaloStatus status = HALO_OK;
    while (search->open[search->depth - 1].value < value) HALO_TRY(close_last(search));
    Open *last = &search->open[search->depth - 1];
    const int64_t end = --search->rises.count, falls = search->falls.count;
    Open open = {value,        last->behind, value, value >= search->limits.height ? frame : -1,
                 search->from, end,          falls, 0};
    if (last->value == value) open.before = fmin(open.before, last->before);
    last->falls_to = falls;
    search->from = end;
    if (open.frame >= 0 && search->limits.distance > 1) HALO_TRY(apart_add(&search->apart, frame, value));
    HALO_TRY(add_open(search, open));
out:
    return status;
}

/* At a NaN, and at the end: nothing there is related to what comes behind. */
static HaloStatus close_all(Search *search)
{
    HaloStatus status = HALO_OK;
    while (search->depth > 1) HALO_TRY(close_last(search));
    search->open[0] = beginning;
    search->rises.count = search->falls.count = search->from = 0;
out:
    return status;
}

/* Closes the gaps between stretches of lows. */
static void close_gaps(Search *search)
{
    Lows *rises = &search->rises, *falls = &search->falls;
    int64_t rise = 0, fall = 0;
    for (Open *open = search->open; open < search->open + search->depth; open++) {
        const int64_t end = open + 1 < search->open + search->depth ? open->falls_to : falls->count;
        const int64_t rises_to = lows_move(rises, open->rises, open->rises_to, rise),
                      falls_to = lows_move(falls, open->falls, end, fall);
        open->rises = rise;
        open->falls = fall;
        open->rises_to = rise = rises_to;
        open->falls_to = fall = falls_to;
    }
    falls->count = fall;
    rises->count = lows_move(rises, search->from, rises->count, rise);
    search->from = rise;
}

/* Space for a low in each list. */
static HaloStatus reserve(Search *search)
{
    HaloStatus status = HALO_OK;
    Lows *rises = &search->rises, *falls = &search->falls;
    if (rises->count < rises->capacity && falls->count < falls->capacity) return HALO_OK;
    close_gaps(search);
    HALO_TRY(lows_reserve(rises, search->most));
    HALO_TRY(lows_reserve(falls, search->most));
out:
    return status;
}

static HaloStatus add_low(Search *search, double v)
{
    HaloStatus status = HALO_OK;
    Lows *rises = &search->rises, *falls = &search->falls;
    Open *last = &search->open[search->depth - 1];
    HALO_TRY(reserve(search));
    while (rises->count > search->from && rises->low[rises->count - 1].value >= v) rises->count--;
    if (rises->count > search->from && rises->low[rises->count - 1].frame == search->frames - 1)
        rises->low[rises->count - 1].beside = v;
    rises->low[rises->count++] = (Low){search->frames, v, v};
    if (!(v < last->behind)) goto out;
    last->behind = v;
    if (search->depth > 1) falls->low[falls->count++] = (Low){search->frames, v, search->last};
out:
    return status;
}

/* Maxima are greater than both neighbours; of equal samples side by side the middle, or left of the middle. Of
 * zeros it does not matter which sign that one has. */
static HaloStatus add_sample(Search *search, double v)
{
    HaloStatus status = HALO_OK;
    const double before = search->last;
    if (search->rise >= 0 && v < before)
        HALO_TRY(open_maximum(search, (search->rise + search->frames - 1) / 2, before + 0.0));
    search->rise = before < v ? search->frames : v == before ? search->rise : -1;
    HALO_TRY(isnan(v) ? close_all(search) : add_low(search, v));
    search->last = v;
    search->frames++;
out:
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

static HaloStatus take_apart(Search *search, int64_t horizon)
{
    HaloStatus status = HALO_OK;
    ApartPeak peak;
    HALO_TRY(apart_decide(&search->apart, horizon));
    for (int64_t at = 0; apart_take(&search->apart, &at, &peak);) HALO_TRY(add_row(search, &peak));
out:
    return status;
}

HaloStatus peak_search_open(const void *how, int64_t most, void **state)
{
    HaloStatus status = HALO_OK;
    Search *search = calloc(1, sizeof *search);
    *state = search;
    if (search == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to find peaks");
    search->limits = *(const PeakLimits *)how;
    search->most = most / 4;
    search->apart = (Apart){.distance = search->limits.distance, .most = most / 4};
    search->last = (double)NAN;
    search->rise = -1;
    HALO_TRY(add_open(search, beginning));
out:
    return status;
}

HaloStatus peak_search_add(void *state, const HaloTableLine *line, HaloTable *table)
{
    HaloStatus status = HALO_OK;
    Search *search = state;
    search->table = table;
    search->rate = line->rate;
    for (int64_t i = 0; i < line->frames; i++) {
        HALO_TRY(add_sample(search, halo_table_sample(line, i)));
        if (apart_is_full(&search->apart))
            HALO_TRY(take_apart(search, search->rise >= 0 ? search->rise : search->frames));
    }
out:
    return status;
}

static int by_frame(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Peaks have come in the order in which their sides became known. */
HaloStatus peak_search_end(void *state, HaloTable *table)
{
    HaloStatus status = HALO_OK;
    Search *search = state;
    search->table = table;
    HALO_TRY(close_all(search));
    if (search->limits.distance > 1) HALO_TRY(take_apart(search, INT64_MAX));
    if (table->rows > 0) qsort(table->cell, (size_t)table->rows, PEAK_COLUMNS * sizeof(double), by_frame);
out:
    return status;
}

void peak_search_close(void *state)
{
    Search *search = state;
    if (search == NULL) return;
    free(search->open);
    free(search->rises.low);
    free(search->falls.low);
    free(search->apart.peak);
    free(search);
}
