/* The texts of notes. */
#include "halo/notes.h"
#include "halo/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option_names.h"

/* Singular and plural texts; `%llu` is the count. NULL: halo_note_text makes the text. */
typedef struct Row {
    const char *name;
    const char *one, *many;
} Row;

static const Row rows[HALO_NOTES] = {
    [HALO_NOTE_PAGES] = {"pages", "only the first of several pages is read", NULL},
    [HALO_NOTE_SIZES] = {"sizes", "images from the first one of another size or kind on are left out", NULL},
    [HALO_NOTE_STILL] = {"still", "the still image that is not a frame of the animation is left out", NULL},
    [HALO_NOTE_MISSING] = {"missing", "1 image that the description lists is not in the file",
                           "%llu images that the description lists are not in the file"},
    [HALO_NOTE_LOOKS_LIKE] = {"looks-like", NULL, NULL},
    [HALO_NOTE_REST] = {"rest", "1 byte after the last complete image is left out",
                        "%llu bytes after the last complete image are left out"},
    [HALO_NOTE_CHECKSUM] = {"checksum", "1 chunk with a wrong checksum is left out",
                            "%llu chunks with a wrong checksum are left out"},
    [HALO_NOTE_LARGE] = {"large", "1 chunk that is too large, truncated or one too many is left out",
                         "%llu chunks that are too large, truncated or too many are left out"},
    [HALO_NOTE_NO_END] = {"no-end", "the end marker is missing, but all rows are there", NULL},
    [HALO_NOTE_HEADER] = {"header", "invalid parameters in a header are ignored", NULL},
    [HALO_NOTE_DAMAGED] = {"damaged", NULL, NULL},
    [HALO_NOTE_CUT] = {"cut", "truncated: only the beginning is there", NULL},
    [HALO_NOTE_GAPS] = {"gaps", "1 cell is not a number, or one too many, and counts as a gap",
                        "%llu cells are not numbers, or one too many, and count as gaps"},
    [HALO_NOTE_ROUNDED] = {"rounded", NULL, NULL},
    [HALO_NOTE_ROUNDED_WIDE] = {"rounded-64", NULL, NULL},
    [HALO_NOTE_VANISHED] = {"vanished", "1 sample is too small for a float and became 0: multiply it first",
                            "%llu samples are too small for floats and became 0: multiply them first"},
    [HALO_NOTE_OPERAND] = {"operand",
                           "numbers of a secondary input are rounded to the 24 bits of 32-bit floats", NULL},
    [HALO_NOTE_CLIPPED] = {"clipped", NULL, NULL},
    [HALO_NOTE_NAN] = {"nan", "1 sample is NaN and became 0", "%llu samples are NaN and became 0"},
    [HALO_NOTE_TURNED] = {"turned", "turned as EXIF says, which the output does not pass on", NULL},
    [HALO_NOTE_METADATA] = {"metadata", NULL, NULL},
    [HALO_NOTE_OUTDATED] = {"outdated", NULL, NULL},
    [HALO_NOTE_STRIPPED] = {"stripped", NULL, NULL},
    [HALO_NOTE_KEYWORD] = {"keyword", "1 text with an invalid keyword is left out",
                           "%llu texts with an invalid keyword are left out"},
    [HALO_NOTE_QUIETER] = {"quieter", NULL, NULL},
    [HALO_NOTE_NO_LOUDNESS] = {"no-loudness",
                               "level unchanged: sound shorter than 0.4 s, or silent, has no loudness", NULL},
    [HALO_NOTE_ALPHA] = {"alpha",
                         "the output does not say that its last channel is alpha: --axes=hwc,alpha reads it so",
                         NULL},
    [HALO_NOTE_AXES] = {"axes",
                        "the output is an array of pages: --axes=nhw, with channels nhwc, reads it back", NULL},
    [HALO_NOTE_RATE] = {"rate", NULL, NULL},
    [HALO_NOTE_TILES] = {"tiles", "written without tiles or overviews, which only TIFF has", NULL},
    [HALO_NOTE_QUALITY] = {"quality", "--quality changes nothing in this format, which is lossless", NULL},
    [HALO_NOTE_LOSSY] = {"lossy", "the input is lossless and the output is not: --lossless keeps every sample",
                         NULL},
    [HALO_NOTE_ASSUMED_RATE] =
        {"assumed-rate", "the table states no rate, so that the sound has 1 frame a second: --rate sets it",
         NULL},
    [HALO_NOTE_PROFILES] = {"profiles",
                            "inputs have different ICC profiles, and their samples are combined as they are: "
                            "'halo run --to-srgb' makes sRGB of all that it reads, and 'halo convert "
                            "--to-srgb' of files before",
                            NULL},
    [HALO_NOTE_SPREAD] = {"nan-spread",
                          "a NaN reached a recursive filter, so that everything after it is NaN: fill:linear, "
                          "fill:previous or fill:0 before the filter replaces NaN",
                          NULL},
    [HALO_NOTE_REPLACED] = {"replaced", "1 sample is replaced", "%llu samples are replaced"},
    [HALO_NOTE_UNEVEN] = {"uneven", NULL, NULL},
    [HALO_NOTE_ZONES] = {"zones", NULL, NULL},
    [HALO_NOTE_WHOLE_RATE] = {"whole-rate", NULL, NULL},
    [HALO_NOTE_ANGLE] = {"angle", NULL, NULL},
    [HALO_NOTE_LEVEL] = {"level", NULL, NULL},
    [HALO_NOTE_THROUGH_F32] = {"through-f32", "%llu-bit samples are computed as 32-bit floats", NULL},
    [HALO_NOTE_DIVIDED] = {"divided", "premultiplied colours are divided by alpha", NULL},
    [HALO_NOTE_NARROWED] = {"narrowed", NULL, NULL},
    [HALO_NOTE_THRESHOLD] = {"threshold", NULL, NULL},
    [HALO_NOTE_OVERSHOT] = {"overshot", "1 sample at an edge, where resampling overshoots, is clipped",
                            "%llu samples at edges, where resampling overshoots, are clipped"},
    [HALO_NOTE_SCALED] = {"scaled", NULL, NULL},
};

static const char *const metas[HALO_META_KINDS] = {"ICC profile",
                                                   "EXIF",
                                                   "XMP",
                                                   "texts",
                                                   "resolution",
                                                   "colour space",
                                                   "chunks",
                                                   "IPTC",
                                                   "cICP, mDCv or cLLi",
                                                   "pictures",
                                                   "GeoTIFF keys",
                                                   "times of rows",
                                                   "names of columns",
                                                   "spacing and origin",
                                                   "directions of axes",
                                                   "origin"};

static const char *const outdated[HALO_OUTDATED_KINDS] = {
    "markers or loops outside of it",
    "loudness tags",
    "colour profile",
    "takes, tracks or tempo",
    "description of an image stack",
    "GeoTIFF keys (the place on a map)",
    "GDAL's no-data value and metadata",
    "times of rows",
    "spacing and origin",
    "FITS world coordinates (the place in the sky)",
    "spacing of slices (channels are pages between them)"};

const char *halo_note_name(HaloNote kind) { return rows[kind].name; }

bool halo_note_is_loss(HaloNote kind) { return kind < HALO_NOTE_THROUGH_F32; }

const char *halo_meta_name(int i) { return metas[i]; }

static void list_kinds(unsigned set, const char *const *name, int names, char *text, size_t size)
{
    size_t used = strlen(text);
    for (int i = 0; i < names; i++) {
        if ((set >> i & 1) == 0) continue;
        const int n = snprintf(text + used, size - used, "%s%s", text[used - 1] == ' ' ? "" : ", ", name[i]);
        used += (size_t)n < size - used ? (size_t)n : size - used - 1;
    }
}

/* The count of clipped samples, and their share of all. */
static void count_clipped(const HaloNotes *notes, unsigned long long count, char *text, size_t size)
{
    const double share = notes->samples > 0 ? 100.0 * (double)count / (double)notes->samples : 0.0;
    int used = snprintf(text, size, "%llu sample%s clipped", count, count == 1 ? " is" : "s are");
    if (share >= 0.1)
        used +=
            halo_snprintf(text + used, size - (size_t)used, share < 9.95 ? " (%.2g%%)" : " (%.0f%%)", share);
    if (notes->peak > 0)
        halo_snprintf(text + used, size - (size_t)used, ", the peak is %.4g times full scale",
                      (double)notes->peak);
}

static void say_damaged(const HaloNotes *notes, char *text, size_t size)
{
    const char *of = notes->frames ? "frame" : "row";
    if (notes->whole == 0)
        snprintf(text, size, "damaged: not all of it could be read");
    else if (notes->there == 0)
        snprintf(text, size, "damaged from the first of its %lld %ss on", (long long)notes->whole, of);
    else
        snprintf(text, size, "damaged: the first %lld of %lld %ss could be read", (long long)notes->there,
                 (long long)notes->whole, of);
}

/* The remedy for single columns is one of tables. */
static void say_rounded(const HaloNotes *notes, unsigned long long count, char *text, size_t size)
{
    const char *some = count == 1 ? " is" : "s are", *read = count == 1 ? "it is" : "they are";
    snprintf(text, size,
             "%llu sample%s rounded to the 24 bits of %s-bit float%s as %s read: subtract an offset first%s",
             count, some, count == 1 ? "a 32" : "32", count == 1 ? "" : "s", read,
             notes->table ? " (--columns leaves columns of a table out)" : "");
}

static void say_rounded_wide(const HaloNotes *notes, unsigned long long count, char *text, size_t size)
{
    snprintf(text, size, "%llu integer%s rounded to the 53 bits of %s-bit float%s%s", count,
             count == 1 ? " is" : "s are", count == 1 ? "a 64" : "64", count == 1 ? "" : "s",
             notes->table ? ": --columns leaves columns of a table out" : "");
}

static void say_thresholds(const HaloNotes *notes, char *text, size_t size)
{
    int used = halo_snprintf(text, size, "threshold:%s is at ", notes->method);
    for (int k = 0; k < notes->thresholds; k++)
        used +=
            halo_snprintf(text + used, size - (size_t)used, "%s%.9g", k > 0 ? ", " : "", notes->threshold[k]);
}

/* An interval as resample takes it: "31d", "90s", "0.5s". */
static void say_interval(double seconds, char *text, size_t size)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (seconds >= units[i].seconds && fmod(seconds, units[i].seconds) == 0 && seconds > 60) {
            halo_snprintf(text, size, "%.15g%s", seconds / units[i].seconds, units[i].name);
            return;
        }
    halo_snprintf(text, size, "%.*gs", seconds < 1e6 ? 6 : 15, seconds);
}

static void say_uneven(const HaloNotes *notes, char *text, size_t size)
{
    const char *side = notes->odd_step < 0 ? "earlier than" : "after";
    const bool falls = notes->usual_step < 0;
    char every[40], usual[40];
    say_interval(fabs(notes->usual_step), every, sizeof every);
    halo_snprintf(usual, sizeof usual, "%.*g s", fabs(notes->usual_step) < 1e6 ? 6 : 15,
                  fabs(notes->usual_step));
    if (notes->unsorted)
        halo_snprintf(text, size,
                      "rows are not in the order of time (row %lld comes %.6g s %s the one before it), so that "
                      "operations take them as they stand, %s apart: sort them by their times first; then "
                      "resample:%s makes them even",
                      (long long)notes->odd_row, fabs(notes->odd_step), side, usual, every);
    else
        halo_snprintf(text, size,
                      "rows are not evenly spaced in time (row %lld comes %.6g s %s the one before it), so "
                      "frequencies and durations assume the usual %s: %sresample:%s%s makes them even",
                      (long long)notes->odd_row, fabs(notes->odd_step), side, usual, falls ? "'reverse | " : "",
                      every, falls ? "'" : "");
}

/* "+01:00" */
static void say_zone(int minutes, char text[16])
{
    snprintf(text, 16, "%c%02d:%02d", minutes < 0 ? '-' : '+', abs(minutes) / 60 % 100, abs(minutes) % 60);
}

static void say_zones(const HaloNotes *notes, char *text, size_t size)
{
    char zone[16], other[16];
    say_zone(notes->zone, zone);
    say_zone(notes->other_zone, other);
    snprintf(
        text, size,
        "times of rows have the UTC offsets %s and %s: days, and times that are computed, are those of %s, the "
        "first row's",
        zone, other, zone);
}

static const char *note_text(const HaloNotes *notes, HaloNote kind, char text[HALO_NOTE_TEXT])
{
    const unsigned long long count = notes->count[kind];
    const Row *row = &rows[kind];
    const size_t size = HALO_NOTE_TEXT;
    size_t used;
    if (count == 0) return NULL;
    if (row->one != NULL) {
        snprintf(text, size, count > 1 && row->many != NULL ? row->many : row->one, count);
        return text;
    }
    switch (kind) {
    case HALO_NOTE_LOOKS_LIKE:
        snprintf(text, size, "--raw reads as samples what looks like %s", notes->format);
        break;
    case HALO_NOTE_DAMAGED: say_damaged(notes, text, size); break;
    case HALO_NOTE_ROUNDED: say_rounded(notes, count, text, size); break;
    case HALO_NOTE_ROUNDED_WIDE: say_rounded_wide(notes, count, text, size); break;
    case HALO_NOTE_CLIPPED: count_clipped(notes, count, text, size); break;
    case HALO_NOTE_METADATA:
        snprintf(text, size, "left out, since the output cannot hold it: ");
        list_kinds(notes->left_out & ~(notes->texts[0] != 0 ? HALO_META_TEXT : 0u), metas, HALO_META_KINDS,
                   text, size);
        used = strlen(text);
        if (notes->texts[0] != 0)
            snprintf(text + used, size - used, "%stext%s %s", text[used - 1] == ' ' ? "" : ", ",
                     strchr(notes->texts, ',') != NULL ? "s" : "", notes->texts);
        break;
    case HALO_NOTE_OUTDATED:
        snprintf(text, size, "left out, since it would no longer be true: ");
        list_kinds(notes->outdated, outdated, HALO_OUTDATED_KINDS, text, size);
        break;
    case HALO_NOTE_STRIPPED:
        snprintf(text, size, "colours will look different without what --strip leaves out: ");
        list_kinds(notes->stripped, metas, HALO_META_KINDS, text, size);
        used = strlen(text);
        halo_snprintf(text + used, size - used, "; keep it, or convert to sRGB first%s",
                      (notes->stripped & HALO_META_ICC) != 0
                          ? " (--to-srgb, or the operation icc)"
                          : " ('vips icc_transform IN OUT srgb --embedded')");
        break;
    case HALO_NOTE_NARROWED:
        snprintf(text, size, "%s samples are written as %s", halo_dtype_name(notes->from),
                 halo_dtype_name(notes->to));
        break;
    case HALO_NOTE_QUIETER:
        halo_snprintf(text, size, "%.3g dB quieter than requested, since the true peak would be too high",
                      (double)notes->quieter);
        break;
    case HALO_NOTE_RATE:
        halo_snprintf(text, size, "the output has no sample rate: use --rate=%.10g to read it back",
                      notes->rate);
        break;
    case HALO_NOTE_WHOLE_RATE:
        halo_snprintf(text, size,
                      "the sample rate of %.10g Hz is rounded to %.0f, since the output has whole ones",
                      notes->rate, rint(notes->rate));
        break;
    case HALO_NOTE_UNEVEN: say_uneven(notes, text, size); break;
    case HALO_NOTE_ZONES: say_zones(notes, text, size); break;
    case HALO_NOTE_ANGLE: halo_snprintf(text, size, "turned by %.2f degrees", notes->angle); break;
    case HALO_NOTE_LEVEL:
        halo_snprintf(
            text, size,
            "%s: %s=%.6g is a sample value (0 to %.6g); use %s=%.6g%% if you mean a part of full scale",
            notes->op, notes->key, notes->level, notes->full_scale, notes->key, 100 * notes->level);
        break;
    case HALO_NOTE_THRESHOLD: say_thresholds(notes, text, size); break;
    case HALO_NOTE_SCALED:
        halo_snprintf(text, size, "scaled by %.6g to prevent clipping", (double)notes->gain);
        break;
    default: text[0] = 0;
    }
    return text;
}

const char *halo_note_text(const HaloNotes *notes, HaloNote kind, char text[HALO_NOTE_TEXT])
{
    if (note_text(notes, kind, text) == NULL) return NULL;
    option_names_replace(text, HALO_NOTE_TEXT);
    return text;
}
