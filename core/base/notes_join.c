/* Adds to notes: names of what is left out, and the notes of another file. */
#include <stdio.h>
#include <string.h>

#include "halo/notes.h"

/* Adds a name to a list with commas, unless it is there. "…" ends a list that is full. What is not ASCII cannot
 * be cut anywhere, nor printed as it is. */
static void add_name(char list[sizeof(HaloNotes){0}.texts], const char *name, size_t length)
{
    const size_t size = sizeof(HaloNotes){0}.texts, used = strlen(list);
    char own[48];
    if (length >= sizeof own) length = sizeof own - 1;
    for (size_t i = 0; i < length; i++)
        own[i] = name[i] >= ' ' && name[i] <= '~' && name[i] != ',' ? name[i] : '?';
    own[length] = 0;
    for (const char *at = list; (at = strstr(at, own)) != NULL; at++)
        if ((at == list || at[-1] == ' ') && (at[length] == 0 || at[length] == ',')) return;
    if (used > 3 && strcmp(list + used - 3, "\u2026") == 0) return;
    if (used + length + 8 > size) /* with ", …" */
        snprintf(list + used, size - used, ", \u2026");
    else
        snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", own);
}

void halo_note_text_left_out(HaloNotes *notes, const char *name)
{
    halo_note_left_out(notes, HALO_META_TEXT);
    add_name(notes->texts, name, strlen(name));
}

static void join_names(HaloNotes *notes, const char *more)
{
    while (*more != 0) {
        const size_t length = strcspn(more, ",");
        add_name(notes->texts, more, length);
        more += length;
        more += strspn(more, ", ");
    }
}

/* Adds counts; keeps the maximum of peaks, and the latest of all other values. */
void halo_notes_join(HaloNotes *notes, const HaloNotes *more)
{
    if (more->count[HALO_NOTE_DAMAGED] > 0) { /* numbers are of a single page */
        notes->there = more->there;
        notes->whole = notes->count[HALO_NOTE_DAMAGED] > 0 ? 0 : more->whole;
        notes->frames = more->frames;
    }
    for (int i = 0; i < HALO_NOTES; i++) notes->count[i] += more->count[i];
    if (more->count[HALO_NOTE_THROUGH_F32] > 0) /* bits, not files */
        notes->count[HALO_NOTE_THROUGH_F32] = more->count[HALO_NOTE_THROUGH_F32];
    notes->table |= more->table;
    notes->left_out |= more->left_out;
    join_names(notes, more->texts);
    notes->stripped |= more->stripped;
    notes->outdated |= more->outdated;
    if (more->format != NULL) notes->format = more->format;
    if (more->count[HALO_NOTE_NARROWED] > 0) {
        notes->from = more->from;
        notes->to = more->to;
    }
    notes->samples += more->samples;
    if (more->peak > notes->peak) notes->peak = more->peak;
    if (more->count[HALO_NOTE_THRESHOLD] > 0) {
        notes->method = more->method;
        notes->thresholds = more->thresholds;
        memcpy(notes->threshold, more->threshold, sizeof notes->threshold);
    }
    if (more->count[HALO_NOTE_SCALED] > 0) notes->gain = more->gain;
    if (more->quieter > notes->quieter) notes->quieter = more->quieter;
    if (more->count[HALO_NOTE_ANGLE] > 0) notes->angle = more->angle;
    if (more->count[HALO_NOTE_RATE] + more->count[HALO_NOTE_WHOLE_RATE] > 0) notes->rate = more->rate;
    if (more->count[HALO_NOTE_ZONES] > 0) halo_note_zones(notes, more->zone, more->other_zone);
    if (more->count[HALO_NOTE_UNEVEN] > 0) {
        notes->odd_row = more->odd_row;
        notes->odd_step = more->odd_step;
        notes->usual_step = more->usual_step;
        notes->unsorted = more->unsorted;
    }
    if (more->count[HALO_NOTE_LEVEL] > 0) {
        notes->op = more->op;
        notes->key = more->key;
        notes->level = more->level;
        notes->full_scale = more->full_scale;
    }
}
