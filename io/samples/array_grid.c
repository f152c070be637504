/* What the dimensions of an array are in space. */
#include <string.h>

#include "array.h"
#include "meta/grid.h"

/* The direction of a grid that each dimension leads along: 0 of columns, 1 of rows, 2 of the pages of a volume;
 * -1: none. */
static void find_directions(const HaloAxes *axes, int direction[HALO_MOST_AXES])
{
    int pages = -1;
    for (int i = 0; i < axes->count; i++) {
        direction[i] = axes->letter[i] == 'w' ? 0 : axes->letter[i] == 'h' ? 1 : -1;
        if (axes->letter[i] == 'n') pages = i;
    }
    if (pages >= 0) direction[pages] = 2;
}

bool halo_array_arrange_grid(const HaloArrayHead *head, const HaloArrayLayout *layout, HaloGrid *grid)
{
    const HaloGrid file = *grid;
    int from[HALO_MOST_AXES], to[HALO_MOST_AXES];
    bool places = true, volumes = false, timed = false;
    int64_t slices = 1;
    if (head->axes.count == 0) return true;
    find_directions(&head->axes, from);
    find_directions(&layout->axes, to);
    grid->depth = 0;
    memset(grid->step, 0, sizeof grid->step);
    memcpy(grid->step[2], file.step[2], sizeof file.step[2]); /* of a single slice, which no dimension is */
    for (int i = 0; i < head->dims; i++)
        if (from[i] == 2) memset(grid->step[2], 0, sizeof file.step[2]);
    for (int i = 0; i < head->dims; i++) {
        const bool pages = layout->axes.letter[i] == 'n' || layout->axes.letter[i] == 't';
        const bool slice = to[i] == 2 && from[i] >= 0;
        if (to[i] >= 0 && from[i] >= 0) memcpy(grid->step[to[i]], file.step[from[i]], sizeof file.step[0]);
        if (to[i] >= 0 && to[i] < 2) places = places && from[i] >= 0;
        if (!pages) continue;
        if (slice) slices = head->dim[i];
        if (slice && from[i] == 2) grid->depth = file.depth;
        places = places && (slice || from[i] < 0 || head->dim[i] == 1);
        volumes = volumes || !slice;
        timed = timed || head->axes.letter[i] == 't';
    }
    if (volumes) grid->depth = slices;
    if (!timed) grid->interval = 0;
    if (grid->known && places) halo_grid_check(grid);
    if (places && grid->known == file.known) return true;
    *grid = (HaloGrid){.depth = places ? grid->depth : 0};
    return !file.known;
}
