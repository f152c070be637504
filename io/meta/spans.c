/* Where marks of a sound go: markers are frames, or the end of the sound; regions and loops are spans, whose
 * ends are borders between two frames, so that a span of twice the rate is twice as long. */
#include <math.h>

#include "apply.h"

/* Where pieces of a sound moved a border; one that lies in what was removed stands at the cut. */
static double edge_of_pieces(const HaloMove *move, double x, bool *cut)
{
    int64_t k = move->pieces - 1;
    while (k > 0 && x < (double)move->piece[k].from) k--;
    const double end = (double)(k + 1 < move->pieces ? move->piece[k + 1].at : move->size[0]);
    const double at = x - (double)move->piece[k].from + (double)move->piece[k].at;
    *cut = *cut || x < (double)move->piece[k].from || at > end;
    return fmin(fmax(at, (double)move->piece[k].at), end);
}

/* The border before frame `x`, in the output; *cut: it stood outside, and is at the nearest end or cut now. The
 * length of a sound at another rate is rounded, and its end is the end still. NAN: times have no place there.
 */
static double move_edge(const HaloChanges *changes, double x, bool *cut)
{
    double width = (double)changes->from.width;
    *cut = false;
    for (int i = 0; i < changes->moves; i++) {
        const HaloMove *move = &changes->move[i];
        const double size = (double)move->size[0];
        double a[6];
        if (halo_move_displaces(move)) return (double)NAN;
        halo_move_affine(move, a);
        const double slack = move->pieces == 0 && fabs(a[0]) != 1.0 ? 1.0 : 1e-9;
        const bool ends = x == width && a[0] > 0;
        x = move->pieces > 0 ? edge_of_pieces(move, x, cut) : a[0] * (a[0] < 0 ? x - 1.0 : x) + a[2];
        *cut = *cut || x < -slack || x > size + slack;
        x = ends && x > size - slack ? size : fmin(fmax(x, 0.0), size);
        width = size;
    }
    return x;
}

static bool is_whole(const HaloChanges *changes, double first, double end)
{
    bool cut[2];
    const double a = move_edge(changes, first, &cut[0]), b = move_edge(changes, end, &cut[1]);
    return !isnan(a) && !isnan(b) && !cut[0] && !cut[1];
}

bool halo_move_mark(const HaloChanges *changes, double frame, double *moved)
{
    const double width = (double)changes->to.width;
    double place[2] = {frame, 0.0};
    bool cut;
    if (frame == (double)changes->from.width) {
        *moved = move_edge(changes, frame, &cut);
        return !isnan(*moved) && !cut;
    }
    const bool there = halo_changes_place(changes, place) || is_whole(changes, frame, frame + 1.0);
    *moved = fmax(0.0, fmin(place[0], width - 1.0));
    return there && width > 0;
}

void halo_move_part(const HaloChanges *changes, double first, double end, double moved[2])
{
    bool cut;
    const double a = rint(move_edge(changes, first, &cut)), b = rint(move_edge(changes, end, &cut));
    moved[0] = fmax(0.0, fmin(fmin(a, b), (double)changes->to.width - 1.0));
    moved[1] = fmax(fmax(a, b), moved[0] + 1.0);
}

bool halo_move_span(const HaloChanges *changes, double first, double end, double moved[2])
{
    double at;
    if (!halo_move_mark(changes, first, &at) || !halo_move_mark(changes, end - 1.0, &at)) return false;
    halo_move_part(changes, first, end, moved);
    return true;
}
