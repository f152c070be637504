/* The pages of an input: those inside one file (TIFF, NPY), or images one after the other in a stream (PNM,
 * PNG, raw samples). */
#include <string.h>

#include "file.h"

static bool may_follow(const HaloTables *tables, const uint8_t *head, size_t size)
{
    const HaloFormat *format = load_probed(tables, head, size);
    return format != NULL && format->several != HALO_ONE_IMAGE;
}

/* Opens the page behind the one that `reader` stood at. */
static HaloStatus open_following(const HaloTables *tables, const HaloReader *reader, HaloReader *next)
{
    HaloReader following = {.source = reader->source,
                            .format = reader->format,
                            .options = reader->options,
                            .jobs = reader->jobs,
                            .memory = reader->memory};
    following.options.image++;
    *next = following;
    return load_open_page(tables, next);
}

/* Is the page that begins here complete? It is read ahead, and the source goes back. Other failures are left to
 * the actual reading. */
static HaloStatus is_whole(const HaloTables *tables, const HaloReader *reader, bool *whole)
{
    HaloSource *source = reader->source;
    const int64_t here = halo_source_tell(source);
    HaloReader next = {0};
    HaloStatus status = open_following(tables, reader, &next);
    if (status == HALO_OK && next.info.shape.kind == HALO_IMAGE)
        status = load_skip(&next, next.info.shape.height);
    load_close(&next);
    *whole = status != HALO_ERR_INPUT;
    return halo_source_seek(source, here);
}

HaloStatus load_more(const HaloTables *tables, const HaloReader *reader, bool *more, HaloNotes *notes)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = reader->source;
    const uint8_t *head;
    size_t got, skipped;
    char space;
    *more = reader->info.images > reader->options.image + 1;
    if (load_has_pages(reader) || reader->format->several == HALO_ONE_IMAGE) return HALO_OK;
    if (reader->info.shape.kind == HALO_AUDIO || reader->info.last) return HALO_OK;
    HALO_TRY(halo_source_peek(source, 4096, &head, &got));
    while (!reader->options.has_raw && got > 0 && strchr("\n\r\t ", head[0]) != NULL && head[0] != 0) {
        HALO_TRY(halo_source_read(source, &space, 1, &skipped));
        HALO_TRY(halo_source_peek(source, 4096, &head, &got));
    }
    *more = got > 0 && (reader->options.has_raw || may_follow(tables, head, got));
    /* A file may hold anything after its image, so only a complete image counts as a page; on a pipe further
     * bytes have to be another image, and an incomplete one is an error. */
    if (*more && halo_source_seekable(source)) HALO_TRY(is_whole(tables, reader, more));
    if (got == 0 || *more) return HALO_OK;
    if (!halo_source_seekable(source) && !reader->options.tolerate)
        HALO_FAIL(HALO_ERR_INPUT,
                  "page %lld is not in a format that can follow another image; use --tolerate to ignore it",
                  (long long)reader->options.image + 2);
    if (halo_source_seekable(source) && !reader->options.has_raw)
        halo_note(notes, HALO_NOTE_REST, (uint64_t)(halo_source_size(source) - halo_source_tell(source)));
out:
    return status == HALO_OK ? status : halo_fail_about(status, halo_source_name(source));
}

HaloStatus load_next(const HaloTables *tables, HaloReader *reader)
{
    const HaloReader last = *reader;
    if (!load_has_pages(reader)) {
        load_close(reader);
        return load_named(open_following(tables, &last, reader), reader);
    }
    halo_meta_free(&reader->info.meta);
    reader->info = (HaloInfo){0};
    reader->options.image++;
    return load_named(load_open_next(reader), reader);
}

HaloStatus load_past(const HaloTables *tables, HaloReader *reader, bool *more, HaloNotes *notes)
{
    const bool jumps = load_has_pages(reader) && halo_source_seekable(reader->source);
    HaloStatus status = HALO_OK;
    *more = false;
    if (reader->info.shape.kind == HALO_AUDIO) return HALO_OK;
    if (!jumps) status = load_skip(reader, reader->info.shape.height);
    return status == HALO_OK ? load_more(tables, reader, more, notes) : status;
}

HaloStatus load_count_pages(const HaloTables *tables, HaloReader *reader, int64_t *pages)
{
    HaloStatus status = HALO_OK;
    HaloNotes ignored = {0};
    bool more = true;
    *pages = reader->info.images;
    if (load_has_pages(reader) && *pages > 0) return HALO_OK;
    for (*pages = 0; more; ++*pages) {
        if (*pages > 0) HALO_TRY(load_next(tables, reader));
        HALO_TRY(load_past(tables, reader, &more, &ignored));
    }
out:
    return status;
}
