/* Updates texts that refer to times or levels after a pipeline: chapters (CHAPTER001=HH:MM:SS.mmm in Vorbis
 * comments), loops of games (LOOPSTART, LOOPLENGTH, LOOPEND, in frames), ReplayGain and R128 gains. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "halo/text.h"
#include "halo/words.h"
#include "meta.h"

static bool begins(const char *key, const char *word)
{
    for (; *word != 0; key++, word++)
        if ((*key >= 'a' && *key <= 'z' ? *key - 32 : *key) != *word) return false;
    return true;
}

static bool is(const char *key, const char *word) { return begins(key, word) && key[strlen(word)] == 0; }

static bool is_loudness(const char *key)
{
    return begins(key, "REPLAYGAIN_") || is(key, "R128_TRACK_GAIN") || is(key, "R128_ALBUM_GAIN");
}

/* The number of a chapter, 0 to 999, and what follows it: "" for its time, "NAME", "URL". -1: it is none. */
static int chapter_of(const char *key, const char **behind)
{
    int number = 0;
    if (!begins(key, "CHAPTER")) return -1;
    for (key += 7; *key >= '0' && *key <= '9' && number < 1000; key++) number = 10 * number + (*key - '0');
    *behind = key;
    return number < 1000 ? number : -1;
}

static HaloStatus set_value(HaloText *text, const char *value)
{
    char *copy = strdup(value);
    if (copy == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for a text");
    free(text->value);
    text->value = copy;
    return HALO_OK;
}

/* "01:02:03.500" */
static bool read_clock(const char *text, double *seconds)
{
    const char *end;
    int64_t hours, minutes;
    double rest;
    if (!halo_read_int(text, 0, 100000, &hours, &end) || *end != ':' ||
        !halo_read_int(end + 1, 0, 59, &minutes, &end) || *end != ':' ||
        !halo_read_number(end + 1, &rest, &end) || !(rest >= 0 && rest < 61))
        return false;
    *seconds = 3600.0 * (double)hours + 60.0 * (double)minutes + rest;
    return true;
}

void halo_print_clock(double seconds, char text[48])
{
    const long long ms = (long long)rint(seconds * 1000.0);
    snprintf(text, 48, "%02lld:%02lld:%02lld.%03lld", ms / 3600000, ms / 60000 % 60, ms / 1000 % 60, ms % 1000);
}

/* The time of a chapter in the output; false: it is outside. A time that cannot be parsed stays. */
static bool move_chapter(const HaloChanges *changes, const char *value, char moved[48])
{
    const double end = (double)changes->from.width;
    double seconds, frame;
    snprintf(moved, 48, "%.47s", value);
    if (!read_clock(value, &seconds)) return true;
    frame = seconds * changes->from.rate;
    if (frame > end && frame - end <= 0.0005 * changes->from.rate) frame = end; /* rounded to milliseconds */
    if (!halo_move_mark(changes, frame, &frame)) return false;
    halo_print_clock(frame / changes->to.rate, moved);
    return true;
}

static bool chapter_is_gone(const HaloMeta *meta, const HaloChanges *changes, int number)
{
    char moved[48];
    const char *behind;
    for (size_t i = 0; i < meta->texts; i++)
        if (chapter_of(meta->text[i].key, &behind) == number && *behind == 0)
            return !move_chapter(changes, meta->text[i].value, moved);
    return false;
}

/* ---- loops ---------------------------------------------------------------------------------------------- */

static bool number_of(const HaloMeta *meta, const char *key, int64_t *number)
{
    const char *end;
    for (size_t i = 0; i < meta->texts; i++)
        if (is(meta->text[i].key, key)) return halo_read_int(meta->text[i].value, 0, INT64_MAX, number, &end);
    return false;
}

/* The first frame of the loop in the output and the one behind it; false: there is no loop, or not any more. */
static bool move_loop(const HaloMeta *meta, const HaloChanges *changes, double loop[2])
{
    int64_t start, length, end = changes->from.width;
    if (!number_of(meta, "LOOPSTART", &start)) return false;
    if (number_of(meta, "LOOPLENGTH", &length))
        end = start + (length < changes->from.width ? length : changes->from.width);
    else
        number_of(meta, "LOOPEND", &end);
    return halo_move_span(changes, (double)start, (double)end, loop);
}

static bool is_loop(const char *key)
{
    return is(key, "LOOPSTART") || is(key, "LOOPLENGTH") || is(key, "LOOPEND");
}

static HaloStatus set_loop(HaloText *text, const double loop[2])
{
    char value[32];
    const double number = is(text->key, "LOOPSTART")    ? loop[0]
                          : is(text->key, "LOOPLENGTH") ? loop[1] - loop[0]
                                                        : loop[1];
    snprintf(value, sizeof value, "%.0f", number);
    return set_value(text, value);
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

static HaloStatus apply_text(const HaloMeta *meta, HaloText *text, const HaloChanges *changes,
                             const double *loop, bool *gone)
{
    const char *behind = "";
    char moved[48];
    const int chapter = chapter_of(text->key, &behind);
    if (is_loop(text->key)) {
        *gone = loop == NULL;
        return *gone ? HALO_OK : set_loop(text, loop);
    }
    if (chapter < 0) return HALO_OK;
    *gone = chapter_is_gone(meta, changes, chapter);
    if (*gone || *behind != 0) return HALO_OK;
    move_chapter(changes, text->value, moved);
    return set_value(text, moved);
}

static void forget(HaloText *text)
{
    free(text->key);
    free(text->value);
    *text = (HaloText){0};
}

/* Names of chapters are looked up by their old times, so chapters are removed last. */
HaloStatus halo_tags_apply(HaloMeta *meta, const HaloChanges *changes, HaloNotes *notes)
{
    HaloStatus status = HALO_OK;
    HaloMeta before = {0};
    double loop[2];
    size_t kept = 0;
    const bool stays = halo_changes_keep_places(changes);
    HALO_TRY(halo_meta_copy(&(HaloMeta){.text = meta->text, .texts = meta->texts}, &before));
    const bool loops = move_loop(&before, changes, loop);
    for (size_t i = 0; i < meta->texts; i++) {
        const bool loud = changes->samples && is_loudness(meta->text[i].key);
        bool gone = false;
        if (!stays) HALO_TRY(apply_text(&before, &meta->text[i], changes, loops ? loop : NULL, &gone));
        if (loud || gone) halo_note_outdated(notes, loud ? HALO_OUTDATED_LOUDNESS : HALO_OUTDATED_MARKERS);
        if (loud || gone) forget(&meta->text[i]);
    }
    for (size_t i = 0; i < meta->texts; i++)
        if (meta->text[i].key != NULL) meta->text[kept++] = meta->text[i];
    meta->texts = kept;
out:
    halo_meta_free(&before);
    return status;
}
