/* Updates the descriptions of image stacks in TIFF's text after a pipeline: ImageJ's lines ("images=30"),
 * tifffile's JSON ({"shape": …}) and OME-XML. Each gives the number and size of pages, which readers trust more
 * than the directories of the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "halo/text.h"
#include "meta.h"

static const char imagej[] = "ImageJ=";

static bool begins(const char *text, const char *word) { return strncmp(text, word, strlen(word)) == 0; }

/* Does a text describe pages in a way that is not rewritten here? */
static bool is_closed(const char *text)
{
    return begins(text, "{\"shape\"") || (begins(text, "<?xml") && strstr(text, "<OME") != NULL) ||
           begins(text, "<OME");
}

static bool same_pictures(const HaloInfo *info, const HaloChanges *changes)
{
    const HaloShape *from = &changes->from, *to = &changes->to;
    return from->width == to->width && from->height == to->height && from->channels == to->channels &&
           from->dtype == to->dtype && changes->pages == (info->images > 0 ? info->images : 1);
}

int64_t halo_imagej_pages(const char *text)
{
    const char *line = begins(text, imagej) ? strstr(text, "\nimages=") : NULL, *end;
    int64_t pages = 1;
    if (line != NULL) halo_read_int(line + 8, 1, INT64_MAX, &pages, &end);
    return pages;
}

/* Lines about how pages are arranged; and about the range to show, which belongs to the samples. */
static bool is_about_pages(const char *line)
{
    static const char *const keys[] = {"images=", "slices=", "frames=", "channels=", "hyperstack=", "mode="};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (begins(line, keys[i])) return true;
    return false;
}

static bool is_about_place(const char *line)
{
    return begins(line, "xorigin=") || begins(line, "yorigin=") || begins(line, "zorigin=");
}

/* That of slices between which channels lie, which becomes untrue with the order of pages. */
static bool is_mixed(const char *text)
{
    const char *line = strstr(text, "\nchannels="), *end;
    int64_t channels = 1;
    if (line != NULL) halo_read_int(line + 10, 1, INT64_MAX, &channels, &end);
    return channels > 1 && strstr(text, "\nspacing=") != NULL;
}

static bool is_about_samples(const char *line) { return begins(line, "min=") || begins(line, "max="); }

/* ImageJ's lines without those that are no longer true; the number of images follows the first line. */
static HaloStatus rewrite_lines(HaloText *text, int64_t pages, bool arranged, bool shown, bool placed)
{
    const size_t size = strlen(text->value);
    char *made = malloc(size + 64), *to = made;
    const bool spaced = arranged || !is_mixed(text->value);
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for a text of %zu bytes", size);
    for (const char *line = text->value, *next; *line != 0; line = next) {
        const char *end = strchr(line, '\n');
        next = end != NULL ? end + 1 : line + strlen(line);
        const bool goes = (is_about_pages(line) && !arranged) || (is_about_samples(line) && !shown) ||
                          (is_about_place(line) && !placed) || (begins(line, "spacing=") && !spaced);
        if (!goes) {
            memcpy(to, line, (size_t)(next - line));
            to += next - line;
        }
        if (line == text->value && !arranged && pages > 1)
            to += snprintf(to, 64, "images=%lld\nslices=%lld\n", (long long)pages, (long long)pages);
    }
    *to = 0;
    free(text->value);
    text->value = made;
    return HALO_OK;
}

/* Is tifffile's "shape" that of a file whose samples of a pixel lie side by side, as halo writes it? */
static bool states_layout(const char *text, const HaloShape *shape)
{
    int64_t side[3] = {0}, n = 0;
    const char *at = strstr(text, "\"shape\"");
    if (at == NULL || (at = strchr(at, '[')) == NULL) return true;
    for (const char *end = at + 1; *at == '[' || *at == ','; at = end, n++) {
        side[0] = side[1];
        side[1] = side[2];
        for (at++; *at == ' '; at++) {
        }
        if (!halo_read_int(at, 0, INT64_MAX, &side[2], &end)) return false;
    }
    const bool one = shape->channels == 1;
    return (one && n >= 2 && side[1] == shape->height && side[2] == shape->width) ||
           (n >= 3 && side[0] == shape->height && side[1] == shape->width && side[2] == shape->channels);
}

static void drop(HaloMeta *meta, size_t i)
{
    free(meta->text[i].key);
    free(meta->text[i].value);
    memmove(meta->text + i, meta->text + i + 1, (meta->texts - i - 1) * sizeof *meta->text);
    meta->texts--;
}

HaloStatus halo_stack_apply(HaloInfo *info, const HaloChanges *changes, HaloNotes *notes)
{
    HaloStatus status = HALO_OK;
    HaloMeta *meta = &info->meta;
    const bool same = same_pictures(info, changes);
    for (size_t i = meta->texts; i-- > 0;) {
        if (strcmp(meta->text[i].key, "Description") != 0) continue;
        if (begins(meta->text[i].value, imagej)) {
            const bool arranged = changes->pages == halo_imagej_pages(meta->text[i].value);
            if (!arranged && is_mixed(meta->text[i].value)) halo_note_outdated(notes, HALO_OUTDATED_SLICES);
            const bool placed = same_pictures(info, changes) && halo_changes_keep_places(changes);
            HALO_TRY(rewrite_lines(&meta->text[i], changes->pages, arranged, halo_changes_keep_values(changes),
                                   placed));
        } else if (is_closed(meta->text[i].value) &&
                   !(same && states_layout(meta->text[i].value, &changes->to))) {
            halo_note_outdated(notes, HALO_OUTDATED_STACK);
            drop(meta, i);
        }
    }
out:
    return status;
}
