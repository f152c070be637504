/* From table to table without an operation, cells keep their text: 1.50, NA, integers of any size. */
#include <stdlib.h>

#include "csv.h"

/* A cell that was taken for a gap by --tolerate, and a row that would be empty, which no reader counts. */
static HaloStatus put_gap(HaloWriter *writer, bool last) { return csv_put_text(writer, "nan", 3, last); }

static HaloStatus copy_cell(const HaloReader *reader, HaloWriter *writer, int column, bool alone, bool last)
{
    CsvReader *state = reader->state;
    size_t length = 0;
    double value;
    const char *text = column < state->cells.count ? halo_cell(&state->cells, column, &length) : "";
    if (csv_is_missing(text, length))
        return length == 0 && alone ? put_gap(writer, last) : csv_put_text(writer, text, length, last);
    const CsvNumber read = csv_read_cell(reader->options.comma, text, length, NULL, &value);
    if (read == CSV_NO_NUMBER || read == CSV_TOO_LARGE) return put_gap(writer, last);
    return csv_put_text(writer, text, length, last);
}

static HaloStatus copy_time(const HaloReader *reader, HaloWriter *writer, bool last)
{
    HaloStatus status = HALO_OK;
    CsvReader *state = reader->state;
    const int end = state->time + state->clock;
    for (int c = state->time; c <= end; c++) {
        size_t length = 0;
        const char *text = c < state->cells.count ? halo_cell(&state->cells, c, &length) : "";
        HALO_TRY(csv_put_text(writer, text, length, last && c == end));
    }
out:
    return status;
}

static HaloStatus copy_row(const HaloReader *reader, HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    const CsvReader *state = reader->state;
    const int channels = state->channels, time = csv_time_place(writer);
    for (int c = 0; c < channels; c++) {
        if (c == time) HALO_TRY(copy_time(reader, writer, false));
        HALO_TRY(copy_cell(reader, writer, state->column[c], channels == 1 && time < 0,
                           c + 1 == channels && time != channels));
    }
    if (time == channels) HALO_TRY(copy_time(reader, writer, true));
out:
    return status;
}

HaloStatus csv_copy(HaloReader *reader, HaloWriter *writer, int64_t frames, int64_t *got)
{
    HaloStatus status = HALO_OK;
    CsvReader *state = reader->state;
    HaloNotes *notes = &reader->info.notes;
    const uint64_t rounded = notes->count[HALO_NOTE_ROUNDED_WIDE], vanished = notes->count[HALO_NOTE_VANISHED];
    bool more = true;
    double *frame = malloc((size_t)state->channels * sizeof *frame);
    *got = 0;
    if (frame == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to copy a table");
    state->bits = 64;
    for (; *got < frames; ++*got) {
        HALO_TRY(csv_next_frame(reader, frame, &more)); /* the same errors as those of a computation */
        if (!more) break;
        HALO_TRY(copy_row(reader, writer));
    }
    notes->count[HALO_NOTE_ROUNDED_WIDE] = rounded; /* no digit is lost, */
    notes->count[HALO_NOTE_ZONES] = 0;              /* nor the zone of a time */
    notes->count[HALO_NOTE_VANISHED] = vanished;
    HALO_TRY(csv_send(writer));
out:
    free(frame);
    return status;
}
