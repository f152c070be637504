/* Spacing and origin in ImageJ's description of a TIFF: unit, spacing of pages and place of the origin in
 * pixels are lines of it, that of columns and rows is the resolution of the file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "halo/text.h"
#include "meta.h"

static const char imagej[] = "ImageJ=";

/* The value of a line "key=…"; NULL: there is none. */
static const char *find_line(const char *text, const char *key)
{
    const size_t length = strlen(key);
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0 && line[length] == '=') return line + length + 1;
    }
    return NULL;
}

static double number_of(const char *text, const char *key, double otherwise)
{
    const char *value = find_line(text, key), *end;
    double number;
    return value != NULL && halo_read_number(value, &number, &end) && isfinite(number) ? number : otherwise;
}

static void take_unit(const char *text, char unit[16])
{
    const char *value = find_line(text, "unit");
    const size_t length = value != NULL ? strcspn(value, "\r\n") : 0;
    if (length == 0 || length > 15 || memchr(value, '"', length) != NULL) return;
    memcpy(unit, value, length);
    unit[length] = 0;
    const bool micron = strcmp(unit, "\\u00B5m") == 0 || strcmp(unit, "\xc2\xb5m") == 0 ||
                        strcmp(unit, "micron") == 0 || strcmp(unit, "microns") == 0;
    if (micron) strcpy(unit, "um");
    if (strncmp(unit, "pixel", 5) == 0) unit[0] = 0;
}

/* TIFF's resolution comes as f32. */
static double seven_digits(double value)
{
    char text[32];
    halo_snprintf(text, sizeof text, "%.7g", value);
    halo_read_number(text, &value, NULL);
    return value;
}

void halo_imagej_grid(const HaloMeta *meta, HaloGrid *grid)
{
    const char *text = halo_text_find(meta, "Description");
    *grid = (HaloGrid){0};
    if (text == NULL || strncmp(text, imagej, strlen(imagej)) != 0) return;
    const bool mixed = number_of(text, "channels", 1) > 1; /* channels come before slices */
    const double apart = number_of(text, "spacing", 0), deep = mixed ? 0 : apart;
    const bool flat = meta->resolution[0] > 0 && meta->resolution[1] > 0;
    char unit[16] = "";
    take_unit(text, unit);
    if (!flat && !(apart > 0)) return;
    double spacing[3] = {1, 1, deep}, origin[3];
    static const char *const keys[] = {"xorigin", "yorigin", "zorigin"};
    for (int i = 0; i < 3; i++) {
        if (flat && i < 2) spacing[i] = seven_digits((meta->ratio ? 1 : 1000) / meta->resolution[i]);
        origin[i] = -number_of(text, keys[i], 0) * (i < 2 || deep > 0 ? spacing[i] : 1) + 0.0;
    }
    halo_grid_set(grid, spacing, origin, flat && !meta->ratio ? "mm" : unit);
    const double slices = number_of(text, "slices", 1), frames = number_of(text, "frames", 1);
    const bool sequence = slices >= 1 && slices < 1e9 && frames > 1 && !mixed;
    grid->mixed = grid->known && mixed && apart > 0 && slices > 1;
    grid->depth = grid->known && sequence ? (int64_t)slices : 0;
    if (sequence && grid->known) grid->interval = fmax(0, number_of(text, "finterval", 0));
}

typedef struct Lines {
    char *at;
    size_t used, size;
} Lines;

static void add(Lines *lines, const char *key, double value)
{
    lines->used +=
        (size_t)halo_snprintf(lines->at + lines->used, lines->size - lines->used, "%s=%.17g\n", key, value);
}

/* In pixels, from the other end of the way. */
static void add_origin(Lines *lines, const HaloGrid *grid)
{
    static const char *const keys[] = {"xorigin", "yorigin", "zorigin"};
    for (int i = 0; i < 3; i++)
        if (grid->origin[i] != 0) add(lines, keys[i], -grid->origin[i] / halo_grid_spacing(grid, i));
}

static void add_lines(Lines *lines, const HaloGrid *grid, int64_t pages)
{
    const bool deep = grid->step[2][2] != 0;
    if (pages > 1) add(lines, "images", (double)pages);
    if (pages > 1) add(lines, "slices", (double)(grid->depth > 0 ? grid->depth : pages));
    if (pages > 1 && grid->depth > 0) {
        add(lines, "frames", (double)(pages / grid->depth));
        lines->used += (size_t)halo_snprintf(lines->at + lines->used, 32, "hyperstack=true\n");
        if (grid->interval > 0) add(lines, "finterval", grid->interval);
    }
    const char *unit = strcmp(grid->unit, "um") == 0 ? "micron" : grid->unit;
    if (*unit != 0) lines->used += (size_t)halo_snprintf(lines->at + lines->used, 32, "unit=%s\n", unit);
    if (deep || pages > 1) add(lines, "spacing", halo_grid_spacing(grid, 2));
    add_origin(lines, grid);
}

/* A grid along axes, which is all that ImageJ has: directions are left out, with a note; then the origin, too.
 */
static HaloGrid straighten(const HaloGrid *grid, int64_t pages, HaloNotes *notes)
{
    HaloGrid straight = *grid;
    if (grid->turned) {
        double spacing[3], origin[3] = {0};
        for (int i = 0; i < 3; i++) spacing[i] = halo_grid_spacing(grid, i);
        halo_grid_set(&straight, spacing, origin, grid->unit);
        halo_note_left_out(notes, HALO_META_DIRECTIONS);
        halo_note_left_out(notes, HALO_META_ORIGIN);
    }
    straight.depth = pages > grid->depth && grid->depth > 0 && pages % grid->depth == 0 ? grid->depth : 0;
    straight.interval = grid->interval;
    return straight;
}

static HaloStatus set_description(HaloMeta *meta, const char *text, size_t size)
{
    for (size_t i = 0; i < meta->texts; i++) {
        if (strcmp(meta->text[i].key, "Description") != 0) continue;
        char *copy = strdup(text);
        if (copy == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for a text of %zu bytes", size);
        free(meta->text[i].value);
        meta->text[i].value = copy;
        return HALO_OK;
    }
    return halo_text_add(meta, "Description", text, size, HALO_UTF_8);
}

/* ImageJ's own description stays, and gets the origin again where that has moved. */
HaloStatus halo_imagej_describe(HaloMeta *meta, int64_t pages, HaloNotes *notes)
{
    HaloStatus status = HALO_OK;
    const char *said = halo_text_find(meta, "Description");
    const size_t more = said != NULL ? strlen(said) : 0;
    const bool own = said != NULL && strncmp(said, imagej, strlen(imagej)) == 0;
    if (!meta->grid.known || (own && find_line(said, "xorigin") != NULL)) return HALO_OK;
    Lines lines = {malloc(1024 + more), 0, 1024 + more};
    if (lines.at == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for a text of %zu bytes", more);
    if (own) {
        memcpy(lines.at, said, more);
        lines.used = more;
        lines.at[more] = 0;
        const HaloGrid grid = straighten(&meta->grid, pages, notes);
        if (find_line(said, "yorigin") == NULL && find_line(said, "zorigin") == NULL) add_origin(&lines, &grid);
    } else {
        const HaloGrid grid = straighten(&meta->grid, pages, notes);
        lines.used = (size_t)halo_snprintf(lines.at, lines.size, "%s1.54f\n", imagej);
        add_lines(&lines, &grid, pages);
        for (int i = 0; i < 2; i++) meta->resolution[i] = 1 / halo_grid_spacing(&grid, i);
        meta->ratio = true;
        memcpy(lines.at + lines.used, said != NULL ? said : "", more + (said != NULL));
    }
    HALO_TRY(set_description(meta, lines.at, lines.used));
out:
    free(lines.at);
    return status;
}

void halo_grid_of_resolution(HaloMeta *meta)
{
    const double *dots = meta->resolution, origin[3] = {0};
    if (meta->grid.known || meta->ratio || (halo_meta_kinds(meta) & HALO_META_RESOLUTION) == 0) return;
    if (dots[0] > 0 && dots[1] > 0)
        halo_grid_set(&meta->grid, (const double[3]){1000 / dots[0], 1000 / dots[1], 0}, origin, "mm");
}
