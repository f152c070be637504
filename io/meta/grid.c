#include "grid.h"

#include <math.h>
#include <string.h>

#include "apply.h"

void halo_grid_set(HaloGrid *grid, const double spacing[3], const double origin[3], const char *unit)
{
    *grid = (HaloGrid){.known = true};
    for (int axis = 0; axis < 3; axis++) {
        grid->step[axis][axis] = spacing[axis];
        grid->origin[axis] = origin[axis];
    }
    strncpy(grid->unit, unit, sizeof grid->unit - 1);
    halo_grid_check(grid);
}

static double length_of(const double vector[3])
{
    return sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
}

void halo_grid_check(HaloGrid *grid)
{
    bool valid = isfinite(grid->interval) && grid->interval >= 0;
    grid->turned = false;
    for (int axis = 0; axis < 3; axis++) {
        const double length = length_of(grid->step[axis]);
        valid = valid && isfinite(grid->origin[axis]) && isfinite(length) && (length > 0 || axis == 2);
        for (int i = 0; i < 3; i++)
            grid->turned |= i == axis ? grid->step[axis][i] < 0 : grid->step[axis][i] != 0;
    }
    if (!valid) *grid = (HaloGrid){.depth = grid->depth};
}

double halo_grid_spacing(const HaloGrid *grid, int axis)
{
    const double length = length_of(grid->step[axis]);
    return length > 0 ? length : 1.0;
}

double halo_unit_metres(const char *unit)
{
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"m", 1},       {"cm", 1e-2},         {"mm", 1e-3},        {"um", 1e-6},        {"nm", 1e-9},
                 {"pm", 1e-12},  {"A", 1e-10},         {"\xc2\xb5m", 1e-6}, {"\xce\xbcm", 1e-6}, {"km", 1e3},
                 {"in", 0.0254}, {"inch", 0.0254},     {"micron", 1e-6},    {"microns", 1e-6},   {"meter", 1},
                 {"pixel", 0},   {"millimeter", 1e-3}, {"angstrom", 1e-10}, {"micrometer", 1e-6}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, unit) == 0) return units[i].metres;
    return 0;
}

bool halo_grid_is_length(const HaloGrid *grid) { return halo_unit_metres(grid->unit) > 0; }

double halo_grid_factor(const HaloGrid *grid, const char *unit)
{
    const double from = halo_unit_metres(grid->unit), to = halo_unit_metres(unit);
    if (!(from > 0) || !(to > 0) || from == to) return 1.0;
    const double factor = from / to, whole = rint(factor); /* 1e-3 / 1e-6 is not quite 1000 */
    return whole >= 1 && fabs(factor - whole) < 1e-9 * factor ? whole : factor;
}

void halo_grid_move_page(HaloGrid *grid, int64_t page)
{
    const int64_t slice = grid->depth > 0 ? page % grid->depth : page;
    for (int i = 0; i < 3; i++) grid->origin[i] += (double)slice * grid->step[2][i];
}

/* A place p of the input is origin + x * step[0] + y * step[1]; the pipeline maps (x, y) by an affine map,
 * whose inverse gives the steps and the origin of the output. */
static void move_steps(HaloGrid *grid, const double a[6])
{
    const double d = a[0] * a[4] - a[1] * a[3];
    const double x[3] = {a[4] / d, -a[1] / d, (a[1] * a[5] - a[4] * a[2]) / d};
    const double y[3] = {-a[3] / d, a[0] / d, (a[3] * a[2] - a[0] * a[5]) / d};
    for (int i = 0; i < 3; i++) {
        const double column = grid->step[0][i], row = grid->step[1][i];
        grid->step[0][i] = x[0] * column + y[0] * row;
        grid->step[1][i] = x[1] * column + y[1] * row;
        grid->origin[i] += x[2] * column + y[2] * row;
    }
    halo_grid_check(grid);
}

void halo_grid_apply(HaloInfo *info, const HaloChanges *changes, HaloNotes *notes)
{
    HaloGrid *grid = &info->meta.grid;
    double a[6];
    if (changes->pages !=
        info->images) { /* they need not begin and end with a volume, nor follow one another */
        grid->depth = grid->depth == 1 ? 1 : 0;
        grid->interval = 0;
    }
    if (!grid->known) return;
    if (halo_changes_keep_places(changes)) return;
    if (halo_changes_affine(changes, a)) {
        move_steps(grid, a);
    } else {
        *grid = (HaloGrid){0};
        halo_note_outdated(notes, HALO_OUTDATED_GRID);
    }
}
