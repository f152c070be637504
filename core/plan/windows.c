/* The windows of a plan's bands: which rows of the input are in memory for each band. */
#include <stdlib.h>

#include "bands.h"
#include "plan.h"
#include "primitive/primitive.h"

int64_t bands_jump(const HaloPlan *plan)
{
    int64_t most = 0;
    for (int i = 0; i < plan->steps; i++) {
        const Primitive *primitive = primitive_of(&plan->step[i]);
        if (primitive->jumps != NULL) most = larger(most, primitive->jumps(&plan->step[i]));
    }
    return most;
}

typedef struct Windows {
    const Bands *bands;
    const HaloShape *in;
    int64_t made, read; /* all rows of output and input */
    bool endless;
    Rows last;  /* of the input, needed by the last row of the output: with borders that reflect it needs rows
                   further back than those before it */
    Part *need; /* from needs_new */
} Windows;

static Rows of_input(const Windows *w)
{
    const HaloPlan *plan = w->bands->plan;
    return needs_rows(w->in, w->need[plan->input[0].reg]);
}

static Rows needed(const Windows *w, Rows wanted)
{
    needs_of(w->bands, wanted, w->need);
    return of_input(w);
}

static Rows needed_by(const Windows *w, int64_t k)
{
    needs_of_band(w->bands, k, w->need);
    return of_input(w);
}

static HaloStatus open_windows(const Bands *bands, Windows *w)
{
    const HaloPlan *plan = bands->plan;
    *w = (Windows){.bands = bands, .in = &plan->reg[plan->input[0].reg]};
    w->made = rows_length(&plan->reg[plan->output]);
    w->read = rows_length(w->in);
    w->need = needs_new(plan);
    if (w->need == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    w->endless = shape_is_endless(w->in);
    w->last = needed(w, (Rows){w->made - 1, w->made});
    return HALO_OK;
}

/* Of an image: rows that no later band needs are not kept, and not read if the reader can skip them. */
static Rows next_window_of_image(const Windows *w, int64_t k, int64_t before)
{
    const Rows now = needed_by(w, k), later = needed(w, (Rows){bands_output(w->bands, k).from, w->made});
    int64_t from = later.from < later.to ? later.from : before;
    if (now.from < now.to) from = smaller(from, now.from);
    return (Rows){from, larger(larger(before, from), now.to)};
}

/* How far back the last row of the output reads: from the end of the input if that is known, else from the last
 * row that it reads itself. */
static int64_t back(const Windows *w)
{
    if (w->last.from >= w->last.to) return 0;
    return (w->endless ? w->last.to : w->read) - w->last.from;
}

/* A measurement ends with the last band, so one frame more is read to see whether there is another band. Other
 * plans do not wait for it: a live stream would be delayed. */
static bool any_measures(const HaloPlan *plan)
{
    for (int i = 0; i < plan->steps; i++)
        if (plan->step[i].dst < 0) return true;
    return false;
}

/* A window keeps the rows that later bands need; before any output, those of the first band that has output.
 * While the length of sound is unknown, each band may be the last: the input may end right after the first
 * frame of the band, which then needs as many frames before it as the last frame of a sound does. The last
 * window of sound extends to the end of the input, so that damage there is found even if no band needs those
 * frames, unless there are too many. */
static Rows next_window(const Windows *w, int64_t k, int64_t before)
{
    const Bands *bands = w->bands;
    const bool leads = k < bands->lead;
    const Rows out = bands_output(bands, k);
    if (w->in->kind == HALO_IMAGE) return next_window_of_image(w, k, before);
    if (out.from >= w->made) return (Rows){before, before};
    if (bands->back) return needed_by(w, k); /* nothing is kept: rows are read again */
    const Rows first = leads ? needed_by(w, bands->lead) : needed(w, (Rows){out.from, out.from + 1});
    int64_t last = first.from < first.to ? first.from : before;
    Rows window = needed_by(w, k);
    if (window.from == window.to) window = (Rows){before, before};
    if (leads) last = window.from = smaller(window.from, last);
    window.from = smaller(window.from, larger(0, (w->endless ? last : w->read) - back(w)));
    window.to = larger(larger(before, window.from), window.to + (w->endless && any_measures(bands->plan)));
    if (k + 1 >= bands_count(bands) && !w->endless && w->read - window.to <= BANDS_FEW_FRAMES)
        window.to = w->read;
    return window;
}

/* Does the output begin with what the input ends with? */
static bool turns(const Bands *bands)
{
    Windows w;
    if (open_windows(bands, &w) != HALO_OK) return false;
    const bool turn = w.last.from < w.last.to && needed(&w, (Rows){0, 1}).from > w.last.from;
    free(w.need);
    return turn;
}

Bands bands_in(const HaloPlan *plan, int64_t rows, bool seeks)
{
    Bands bands = bands_cut(plan, rows);
    bands.back = seeks && turns(&bands);
    return bands;
}

HaloStatus bands_window(const Bands *bands, int64_t k, int64_t before, Rows *window)
{
    Windows w;
    const HaloStatus status = open_windows(bands, &w);
    if (status == HALO_OK) *window = next_window(&w, k, before);
    free(w.need);
    return status;
}

/* If there are more bands than this, only the first and the last are examined, of those with output and of
 * those without: the others are like them, unless a step skips a varying number of rows. */
#define BANDS_LOOKED_AT 4096

/* Of bands [first, end); *before: where the window before them ends. */
static int64_t widest_of(const Windows *w, int64_t first, int64_t end, int64_t *before)
{
    const bool all = bands_jump(w->bands->plan) > 0;
    int64_t most = 0;
    for (int64_t k = first; k < end; k++) {
        if (!all && k == first + BANDS_LOOKED_AT && end - k > 2) k = end - 2;
        const Rows window = next_window(w, k, *before);
        most = larger(most, window.to - window.from);
        *before = window.to;
    }
    return most;
}

int64_t bands_widest_window(const Bands *bands)
{
    Windows w;
    int64_t before = 0;
    if (open_windows(bands, &w) != HALO_OK) return w.read; /* all of it, if memory is lacking to find out */
    const int64_t lead = widest_of(&w, 0, bands->lead, &before);
    const int64_t most = widest_of(&w, bands->lead, bands_count(bands), &before);
    free(w.need);
    return larger(lead, most);
}
