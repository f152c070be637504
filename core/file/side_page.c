/* Secondary inputs of several pages: page k of the input uses page k of theirs. */
#include "file.h"
#include "side.h"

/* A pipe cannot be read twice, so only one page of it is supported. */
static HaloStatus refuse_pipe(const HaloSide *side, const HaloReader *reader)
{
    if (side->pages == 1 || halo_source_identity(reader->source, (uint64_t[2]){0})) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "several pages from a pipe: a file can be read page by page");
}

HaloStatus side_count_pages(HaloSide *side, HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HaloNotes ignored = {0};
    bool more;
    side->pages = 1;
    if (reader->info.shape.kind == HALO_AUDIO || reader->format->several == HALO_ONE_IMAGE) return HALO_OK;
    if (reader->info.images > 1) side->pages = reader->info.images;
    if (reader->format->next != NULL) return refuse_pipe(side, reader);
    HALO_TRY(load_more(side->tables, reader, &more, &ignored));
    for (; more; side->pages++) {
        if (side->pages == 2) HALO_TRY(refuse_pipe(side, reader));
        HALO_TRY(load_next(side->tables, reader));
        HALO_TRY(load_past(side->tables, reader, &more, &ignored));
    }
out:
    return status;
}

/* Pages that follow one another are searched from the last one that was found. */
static HaloStatus go_to_page(HaloSide *side, int64_t page, HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HaloNotes ignored = {0};
    bool more;
    pthread_mutex_lock(&side->reading);
    if (side->found.page <= page) {
        reader->options.image = side->found.page;
        HALO_TRY(halo_source_seek(reader->source, side->found.offset));
    }
    HALO_TRY(load_open_page(side->tables, reader));
    while (reader->options.image < page) {
        HALO_TRY(load_past(side->tables, reader, &more, &ignored));
        if (!more) HALO_FAIL(HALO_ERR_INPUT, "has changed while it was being read");
        side->found.offset = halo_source_tell(reader->source);
        side->found.page = reader->options.image + 1;
        HALO_TRY(load_next(side->tables, reader));
    }
out:
    pthread_mutex_unlock(&side->reading);
    return status;
}

static HaloStatus open_page(HaloSide *side, int64_t page, SideReader *to)
{
    HaloStatus status = HALO_OK;
    HaloReadOptions options = side->options;
    *to = (SideReader){.memory = side_memory(side)};
    HALO_TRY(halo_source_open(side->path, &to->source));
    halo_source_count(to->source, &to->memory);
    if (side->format->next != NULL) {
        options.image = page;
        return load_open_as(to->source, side->format, &options, side->jobs, &to->memory, &to->reader);
    }
    to->reader =
        (HaloReader){.source = to->source, .options = options, .jobs = side->jobs, .memory = &to->memory};
    HALO_TRY(go_to_page(side, page, &to->reader));
out:
    return status;
}

HaloStatus side_load_page(HaloSide *side, int64_t page, HaloSide **of_page)
{
    HaloStatus status = HALO_OK;
    SideReader reader = {0};
    HaloSide *made = side_new(side->path);
    *of_page = NULL;
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    made->page = page;
    made->max_memory = side->max_memory;
    HALO_TRY(open_page(side, page, &reader));
    HALO_TRY(load_samples(&reader.reader, &made->data));
    made->notes = reader.reader.info.notes;
    made->orientation = halo_exif_orientation(&reader.reader.info.meta.exif);
    atomic_store(&made->there, true);
    *of_page = made;
    made = NULL;
out:
    side_close(&reader);
    side_release(made);
    return status == HALO_OK ? status : halo_fail_about(status, side->path);
}
