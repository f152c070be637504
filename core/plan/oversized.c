/* Shortens windows that reach far beyond the image. */
#include "oversized.h"

/* ---- separable masks ------------------------------------------------------------------------------------ */

HaloStatus oversized_passes(HaloBuilder *builder, HaloReg src, const HaloSep *sep, HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    HaloStep row = {.primitive = HALO_CONV, .sources = 1, .src = {src}}, column = row;
    row.u.conv = (HaloConv){.window = sep->window, .tap = sep->tap_x};
    row.u.window.height = 1;
    row.u.window.oy = 0;
    HALO_TRY(halo_build_step(builder, &row, &column.src[0]));
    column.u.conv = (HaloConv){.window = sep->window,
                               .tap = sep->tap_y,
                               .affine = sep->affine,
                               .scale = sep->scale,
                               .bias = sep->bias};
    column.u.window.width = 1;
    column.u.window.ox = 0;
    HALO_TRY(halo_build_step(builder, &column, dst));
out:
    return status;
}

/* ---- minima and maxima ---------------------------------------------------------------------------------- */

/* They do not depend on how often a sample occurs in the window. Within two lengths of the image on either side
 * of an output there is a whole period of every border, with all samples and the constant: samples further away
 * only repeat these. */

/* Places [from, to) of a window that holds place 0, the output's own; `length` samples lie in the picture. */
static HaloSpan trimmed(HaloSpan span, int64_t length)
{
    if (span.from > 0 || span.to <= 0) return span;
    return (HaloSpan){larger(span.from, -2 * length), smaller(span.to, 2 * length + 1)};
}

/* Trims each row of a window that is no rectangle. */
static HaloStatus trim_spans(HaloBuilder *builder, const HaloShape *shape, HaloRank *rank)
{
    HaloWindow *window = &rank->window;
    HaloSpan all = {INT64_MAX, INT64_MIN};
    HaloSpan *kept = halo_build_keep(builder, sizeof *kept * (size_t)window->height);
    if (kept == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t j = 0; j < window->height; j++) {
        const HaloSpan row = {rank->span[j].from + window->ox, rank->span[j].to + window->ox};
        kept[j] = trimmed(row, shape->width);
        all = (HaloSpan){smaller(all.from, kept[j].from), larger(all.to, kept[j].to)};
    }
    for (int64_t j = 0; j < window->height; j++) {
        kept[j].from -= all.from;
        kept[j].to -= all.from;
    }
    rank->span = kept;
    window->ox = all.from;
    window->width = all.to - all.from;
    return HALO_OK;
}

HaloStatus oversized_trim(HaloBuilder *builder, const HaloShape *shape, HaloRank *rank)
{
    HaloWindow *window = &rank->window;
    const HaloSpan across = {window->ox, window->ox + window->width}, columns = trimmed(across, shape->width);
    const HaloSpan down = {window->oy, window->oy + window->height}, rows = trimmed(down, shape->height);
    if (rank->fraction != 0.0 && rank->fraction != 1.0) return HALO_OK;
    if (columns.from == across.from && columns.to == across.to && rows.from == down.from && rows.to == down.to)
        return HALO_OK;
    if (rank->span != NULL) return trim_spans(builder, shape, rank);
    window->ox = columns.from;
    window->width = columns.to - columns.from;
    window->oy = rows.from;
    window->height = rows.to - rows.from;
    return HALO_OK;
}
