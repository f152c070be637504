/* What `halo info` shows of metadata: texts, and EXIF of photographs. */
#include "info_texts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/escape.h"
#include "halo/text.h"
#include "text/text.h"

/* Longer texts, such as descriptions of stacks, are cut; JSON has all. */
#define MOST_TEXT 200

static void put_line(FILE *to, const char *name, const char *text)
{
    size_t length = strlen(text);
    const bool cut = length > MOST_TEXT;
    if (cut)
        for (length = MOST_TEXT; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;) length--;
    char *shown = cli_format("%.*s", (int)length, text);
    fputs("  ", to);
    halo_put_escaped(to, name);
    fprintf(to, "%*s ", strlen(name) < 9 ? (int)(9 - strlen(name)) : 0, "");
    halo_put_escaped(to, shown);
    fputs(cut ? "…\n" : "\n", to);
    free(shown);
}

void info_print_texts(FILE *to, const HaloMeta *meta)
{
    for (size_t i = 0; i < meta->texts; i++)
        put_line(to, halo_tag_name(meta->text[i].key), meta->text[i].value);
}

static int by_name(const void *a, const void *b)
{
    const HaloText *const x = *(const HaloText *const *)a, *const y = *(const HaloText *const *)b;
    const int order = strcmp(halo_tag_name(x->key), halo_tag_name(y->key));
    return order != 0 ? order : (x > y) - (x < y);
}

/* An object has each name once: several texts of a name are joined, as ffprobe does. */
void info_record_texts(CliJson *json, const HaloMeta *meta)
{
    const HaloText **text = cli_alloc(meta->texts, sizeof *text);
    for (size_t i = 0; i < meta->texts; i++) text[i] = &meta->text[i];
    qsort(text, meta->texts, sizeof *text, by_name);
    json_open(json, "texts", '{');
    for (size_t i = 0, next; i < meta->texts; i = next) {
        const char *name = halo_tag_name(text[i]->key);
        CliText all = {0};
        for (next = i; next < meta->texts && strcmp(halo_tag_name(text[next]->key), name) == 0; next++) {
            if (next > i) cli_add(&all, "; ", 2);
            cli_add(&all, text[next]->value, strlen(text[next]->value));
        }
        json_text(json, name, all.data != NULL ? all.data : "");
        free(all.data);
    }
    json_close(json, '}');
    free(text);
}

/* ---- photographs ---------------------------------------------------------------------------------------- */

/* "1/250 s" below a third of a second. */
static char *exposure_text(double seconds)
{
    if (seconds < 0.3) return cli_format("1/%.0f s", 1 / seconds);
    return cli_format("%.4g s", seconds);
}

static void add_part(CliText *line, char *part)
{
    if (line->length > 0) cli_add(line, ", ", 2);
    cli_add(line, part, strlen(part));
    free(part);
}

void info_print_photo(FILE *to, const HaloBlob *exif)
{
    HaloPhoto photo;
    CliText line = {0};
    if (!halo_exif_photo(exif, &photo)) return;
    if (photo.camera[0] != 0) put_line(to, "camera", photo.camera);
    if (photo.lens[0] != 0) put_line(to, "lens", photo.lens);
    if (photo.taken[0] != 0) put_line(to, "taken", photo.taken);
    if (photo.exposure > 0) add_part(&line, exposure_text(photo.exposure));
    if (photo.aperture > 0) add_part(&line, cli_format("f/%.3g", photo.aperture));
    if (photo.iso > 0) add_part(&line, cli_format("ISO %.0f", photo.iso));
    if (photo.focal_length > 0) add_part(&line, cli_format("%.4g mm", photo.focal_length));
    if (line.length > 0) put_line(to, "exposure", line.data);
    free(line.data);
    if (!photo.placed) return;
    line = (CliText){0};
    add_part(&line, cli_format("%.6f", photo.latitude));
    add_part(&line, cli_format("%.6f", photo.longitude));
    if (photo.raised) add_part(&line, cli_format("%.1f m", photo.altitude));
    put_line(to, "position", line.data);
    free(line.data);
}

static void record_text(CliJson *json, const char *key, const char *text)
{
    if (text[0] != 0) json_text(json, key, text);
}

static void record_number(CliJson *json, const char *key, double value)
{
    if (value > 0) json_number(json, key, value);
}

void info_record_photo(CliJson *json, const HaloBlob *exif)
{
    HaloPhoto photo;
    if (!halo_exif_photo(exif, &photo)) return;
    json_open(json, "photo", '{');
    record_text(json, "camera", photo.camera);
    record_text(json, "lens", photo.lens);
    record_text(json, "taken", photo.taken);
    record_number(json, "exposure", photo.exposure);
    record_number(json, "aperture", photo.aperture);
    record_number(json, "iso", photo.iso);
    record_number(json, "focal_length", photo.focal_length);
    if (photo.placed) {
        json_number(json, "latitude", photo.latitude);
        json_number(json, "longitude", photo.longitude);
    }
    if (photo.raised) json_number(json, "altitude", photo.altitude);
    json_close(json, '}');
}

/* ---- spacing and origin --------------------------------------------------------------------------------- */

static double spacing_of(const HaloGrid *grid, int axis)
{
    const double *step = grid->step[axis];
    return sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2]);
}

void info_record_grid(CliJson *json, const HaloGrid *grid)
{
    if (!grid->known) return;
    json_open(json, "grid", '{');
    json_open(json, "spacing", '[');
    for (int axis = 0; axis < 3; axis++) json_number(json, NULL, spacing_of(grid, axis));
    json_close(json, ']');
    json_open(json, "origin", '[');
    for (int axis = 0; axis < 3; axis++) json_number(json, NULL, grid->origin[axis]);
    json_close(json, ']');
    json_open(json, "steps", '['); /* along columns, rows and pages */
    for (int i = 0; i < 9; i++) json_number(json, NULL, grid->step[i / 3][i % 3]);
    json_close(json, ']');
    json_text(json, "unit", grid->unit[0] != 0 ? grid->unit : NULL);
    json_bool(json, "patient", grid->patient);
    if (grid->depth > 0) json_int(json, "depth", grid->depth);
    if (grid->interval > 0) json_number(json, "interval", grid->interval);
    json_close(json, '}');
}

void info_print_grid(FILE *to, const HaloGrid *grid)
{
    if (!grid->known) return;
    const bool deep = spacing_of(grid, 2) > 0;
    char unit[24] = "";
    if (grid->unit[0] != 0) snprintf(unit, sizeof unit, " %s", grid->unit);
    fprintf(to, "  spacing   %.6g x %.6g", spacing_of(grid, 0), spacing_of(grid, 1));
    if (deep) fprintf(to, " x %.6g", spacing_of(grid, 2));
    fprintf(to, "%s%s\n", unit, grid->turned ? ", along turned axes" : "");
    fprintf(to, "  origin    %.6g, %.6g, %.6g%s%s\n", grid->origin[0], grid->origin[1], grid->origin[2], unit,
            grid->patient ? " to the left, back and head" : "");
    if (grid->depth > 0)
        fprintf(to, "  volumes   of %lld page%s each\n", (long long)grid->depth, halo_s(grid->depth));
}
