/* What runs lost or changed without being asked to: one line for each command, and JSON. */
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "text/json.h"

void cli_noted_add(CliNoted *noted, const HaloNotes *notes)
{
    for (int i = 0; i < HALO_NOTES; i++) noted->inputs[i] += notes->count[i] > 0;
    halo_notes_join(&noted->all, notes);
}

static void add(CliText *line, const char *words)
{
    if (line->length > 0) cli_add(line, "; ", 2);
    cli_add(line, words, strlen(words));
}

char *cli_notes_text(const HaloNotes *notes, bool losses, bool others)
{
    CliText line = {0};
    char buffer[HALO_NOTE_TEXT];
    for (int i = 0; i < HALO_NOTES; i++) {
        const char *text = halo_note_text(notes, (HaloNote)i, buffer);
        if (text != NULL && (halo_note_is_loss((HaloNote)i) ? losses : others)) add(&line, text);
    }
    return line.data;
}

/* "3 of 100 inputs: 12 samples are clipped; 7 of 100 inputs: …" */
static char *text_of_batch(const CliNoted *noted, size_t inputs)
{
    CliText line = {0};
    char buffer[HALO_NOTE_TEXT];
    for (int i = 0; i < HALO_NOTES; i++) {
        const char *text = halo_note_text(&noted->all, (HaloNote)i, buffer);
        if (text == NULL || !halo_note_is_loss((HaloNote)i)) continue;
        char *words = cli_format("%zu of %zu inputs: %s", noted->inputs[i], inputs, text);
        add(&line, words);
        free(words);
    }
    return line.data;
}

/* What keeps samples that are clipped; sound has a peak then. */
static const char *remedy_of(const HaloNotes *notes, bool guarded)
{
    if (notes->count[HALO_NOTE_CLIPPED] == 0) return "";
    if (notes->peak > 0) return guarded ? "" : "; --guard attenuates sound to prevent clipping";
    return "; normalize or depth:f32 avoids clipping";
}

void cli_noted_say(const CliNoted *noted, const CliBatch *batch, bool guarded)
{
    const bool one = batch->count == 1;
    const char *input = one && strcmp(batch->item[0].input, "-") != 0 ? batch->item[0].input : "standard input";
    char *text = one ? cli_notes_text(&noted->all, true, false) : text_of_batch(noted, batch->count);
    if (text != NULL)
        cli_complain("%s%s%s%s", one ? input : "", one ? ": " : "", text, remedy_of(&noted->all, guarded));
    free(text);
}

void cli_record_notes(CliJson *json, const HaloNotes *notes, const size_t *inputs)
{
    char buffer[HALO_NOTE_TEXT];
    json_open(json, "notes", '[');
    for (int i = 0; i < HALO_NOTES; i++) {
        const char *text = halo_note_text(notes, (HaloNote)i, buffer);
        if (text == NULL) continue;
        json_open(json, NULL, '{');
        json_text(json, "kind", halo_note_name((HaloNote)i));
        json_bool(json, "loss", halo_note_is_loss((HaloNote)i));
        if (inputs != NULL) json_uint(json, "inputs", inputs[i]);
        json_uint(json, "count", notes->count[i]);
        json_text(json, "text", text);
        json_close(json, '}');
    }
    json_close(json, ']');
}
