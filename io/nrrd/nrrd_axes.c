/* What the axes of an NRRD are: columns, rows, pages and channels, and where they lead in space. */
#include <math.h>
#include <string.h>

#include "halo/words.h"
#include "meta/grid.h"
#include "nrrd.h"

/* A first axis that is no domain, or one that holds a colour or vector, is channels; -1: none is. */
static int channel_axis(const NrrdHead *head)
{
    const NrrdAxis *first = &head->axis[0];
    if (head->axes < 3 && first->kind != NRRD_COLOUR) return -1;
    for (int i = 0; i < head->axes; i++)
        if (head->axis[i].kind == NRRD_COLOUR) return i;
    const bool undirected = head->directed && isnan(first->direction[0]);
    return first->kind == NRRD_LIST || (undirected && first->kind == NRRD_UNKNOWN) ? 0 : -1;
}

/* Axes beside those of channels that may be columns, rows or slices. Time is none, unless fewer than two others
 * are left. */
static bool is_timed(const NrrdHead *head, int channels)
{
    int others = 0;
    for (int i = 0; i < head->axes; i++) others += i != channels && head->axis[i].kind != NRRD_TIME;
    return others >= 2;
}

/* Letters, and the axes of columns, rows and slices; an array keeps its slowest dimension first. Pages of
 * length 1 are left out. */
static HaloStatus name_axes(const NrrdHead *head, HaloArrayHead *array, int spatial[3])
{
    const int channels = channel_axis(head);
    const bool timed = is_timed(head, channels);
    int named = 0;
    char letter[NRRD_MOST_AXES + 1];
    int64_t size[NRRD_MOST_AXES + 1];
    int count = 0;
    for (int i = 0; i < 3; i++) spatial[i] = -1;
    for (int i = 0; i < head->axes; i++) {
        const bool time = timed && head->axis[i].kind == NRRD_TIME;
        letter[count] = i == channels ? 'c' : time || named > 2 ? 't' : "whn"[named];
        if (letter[count] != 'c' && letter[count] != 't') spatial[named++] = i;
        size[count] = head->axis[i].size;
        if ((letter[count] != 'n' && letter[count] != 't') || size[count] > 1) count++;
    }
    if (named == 1) { /* a line is a picture of one row */
        size[count] = 1;
        letter[count++] = 'h';
    }
    if (count > HALO_MOST_AXES || named < 1)
        return halo_fail(HALO_ERR_INPUT, "an NRRD of %d axes; halo reads up to three of pages", head->axes);
    array->dims = array->axes.count = count;
    for (int i = 0; i < count; i++) {
        array->dim[i] = size[count - 1 - i];
        array->axes.letter[i] = letter[count - 1 - i];
    }
    array->axes.alpha = channels >= 0 && head->axis[channels].alpha && head->axis[channels].size == 4;
    return HALO_OK;
}

/* Seconds from one volume to the next; 0: not said. Of several such axes that of the fastest. */
static double interval_of(const NrrdHead *head)
{
    const int channels = channel_axis(head), skipped = is_timed(head, channels) ? 0 : head->axes;
    for (int i = skipped; i < head->axes; i++) {
        const NrrdAxis *axis = &head->axis[i];
        if (axis->kind != NRRD_TIME || axis->size < 2 || isnan(axis->spacing)) continue;
        const double seconds = halo_find_word("ms|msec|millisecond", '|', axis->unit) >= 0   ? 1e-3
                               : halo_find_word("us|usec|microsecond", '|', axis->unit) >= 0 ? 1e-6
                                                                                             : 1;
        return fabs(axis->spacing) * seconds;
    }
    return 0;
}

static void set_directions(const NrrdHead *head, const int spatial[3], HaloGrid *grid)
{
    *grid = (HaloGrid){.known = true, .patient = head->patient};
    memcpy(grid->unit, head->space_unit, sizeof grid->unit);
    for (int axis = 0; axis < 3; axis++) {
        const double *direction = spatial[axis] >= 0 ? head->axis[spatial[axis]].direction : NULL;
        for (int i = 0; i < 3 && direction != NULL && !isnan(direction[0]); i++)
            grid->step[axis][i] = direction[i] * head->sign[i];
        grid->origin[axis] = isnan(head->origin[axis]) ? 0 : head->origin[axis] * head->sign[axis];
    }
    halo_grid_check(grid);
}

static void set_spacings(const NrrdHead *head, const int spatial[3], HaloGrid *grid)
{
    double spacing[3] = {1, 1, 0}, origin[3] = {0};
    bool said = false;
    const char *unit = "";
    for (int axis = 0; axis < 3; axis++) {
        const NrrdAxis *a = spatial[axis] >= 0 ? &head->axis[spatial[axis]] : NULL;
        if (a == NULL) continue;
        if (!isnan(a->spacing)) spacing[axis] = a->spacing;
        if (!isnan(a->first)) origin[axis] = a->first;
        said = said || !isnan(a->spacing);
        if (*unit == 0) unit = a->unit;
    }
    if (said) halo_grid_set(grid, spacing, origin, unit);
}

HaloStatus nrrd_array(const NrrdHead *head, HaloArrayHead *array, HaloGrid *grid)
{
    int spatial[3];
    *array = (HaloArrayHead){.kind = head->kind, .size = head->size, .little = !head->big, .counts = true};
    const HaloStatus status = name_axes(head, array, spatial);
    if (status != HALO_OK) return status;
    if (head->directed)
        set_directions(head, spatial, grid);
    else
        set_spacings(head, spatial, grid);
    if (grid->known) grid->interval = interval_of(head);
    if (grid->known) halo_grid_check(grid);
    if (!grid->known) *grid = (HaloGrid){0};
    return HALO_OK;
}
