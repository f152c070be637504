/* Any bytes as a table: numbers and names, or a mistake; and what is written of the names is read as the same
 * names. */
#include <stdlib.h>
#include <string.h>

#include "csv/csv.h"

extern const HaloFormat halo_format_csv;

static void read_names_again(const char *names, int count)
{
    static HaloCells cells;
    HaloSource *source;
    if (halo_source_from_memory(names, strlen(names), &source) != HALO_OK) return;
    if (halo_cells_of(&cells, source, ',') != HALO_OK) abort();
    /* A single name may be empty, and then there is no cell. */
    if (cells.count != count && !(count == 1 && cells.count == 0)) abort();
    halo_cells_free(&cells);
    halo_source_close(source);
}

static void read_table(const uint8_t *bytes, size_t size, bool tolerate)
{
    static float samples[1 << 14];
    HaloSource *source;
    if (halo_source_from_memory(bytes, size, &source) != HALO_OK) return;
    HaloReader reader = {.format = &halo_format_csv, .source = source, .options = {.tolerate = tolerate}};
    if (csv_open(&reader) == HALO_OK) {
        const HaloShape *shape = &reader.info.shape;
        if (shape->channels < 1 || shape->channels > CSV_MOST_COLUMNS) abort();
        HaloBuf rows = {.shape = *shape, .cols = (1 << 14) / shape->channels, .rows = 1, .data = samples};
        int64_t got = 1;
        for (size_t i = 0; i < reader.info.meta.texts; i++)
            read_names_again(reader.info.meta.text[i].value, shape->channels);
        while (got > 0) {
            if (csv_read(&reader, &rows, &got) != HALO_OK) break;
            if (got < 0 || got > rows.cols) abort();
        }
    }
    csv_close(&reader);
    halo_meta_free(&reader.info.meta);
    halo_source_close(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    read_table(bytes, size, false);
    read_table(bytes, size, true);
    return 0;
}
