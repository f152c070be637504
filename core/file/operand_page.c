/* Secondary inputs of several pages: page k of the input uses page k of theirs. */
#include "file.h"
#include "operand.h"

/* A pipe cannot be read twice, so only one page of it is supported. */
static HaloStatus refuse_pipe(const HaloOperand *operand, const HaloReader *reader)
{
    if (operand->pages == 1 || halo_source_identity(reader->source, &(HaloRead){0})) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "several pages from a pipe: use a file, which can be read page by page");
}

HaloStatus operand_count_pages(HaloOperand *operand, HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HaloNotes ignored = {0};
    bool more;
    operand->pages = 1;
    if (reader->info.shape.kind == HALO_AUDIO || reader->format->several == HALO_ONE_IMAGE) return HALO_OK;
    if (reader->info.images > 1) operand->pages = reader->info.images;
    operand->has_pages = load_has_pages(reader);
    if (operand->has_pages) return refuse_pipe(operand, reader);
    HALO_TRY(load_more(operand->tables, reader, &more, &ignored));
    for (; more; operand->pages++) {
        if (operand->pages == 2) HALO_TRY(refuse_pipe(operand, reader));
        HALO_TRY(load_next(operand->tables, reader));
        HALO_TRY(load_past(operand->tables, reader, &more, &ignored));
    }
out:
    return status;
}

/* Pages that follow one another are searched from the last one that was found. */
static HaloStatus go_to_page(HaloOperand *operand, int64_t page, HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HaloNotes ignored = {0};
    bool more;
    pthread_mutex_lock(&operand->reading);
    if (operand->found.page <= page) {
        reader->options.image = operand->found.page;
        HALO_TRY(halo_source_seek(reader->source, operand->found.offset));
    }
    HALO_TRY(load_open_page(operand->tables, reader));
    while (reader->options.image < page) {
        HALO_TRY(load_past(operand->tables, reader, &more, &ignored));
        if (!more) HALO_FAIL(HALO_ERR_INPUT, "has changed while it was being read");
        operand->found.offset = halo_source_tell(reader->source);
        operand->found.page = reader->options.image + 1;
        HALO_TRY(load_next(operand->tables, reader));
    }
out:
    pthread_mutex_unlock(&operand->reading);
    return status;
}

static HaloStatus open_page(HaloOperand *operand, int64_t page, OperandReader *to)
{
    HaloStatus status = HALO_OK;
    HaloReadOptions options = operand->options;
    *to = (OperandReader){.memory = operand_memory(operand)};
    HALO_TRY(halo_source_open(operand->path, &to->source));
    halo_source_count(to->source, &to->memory);
    if (operand->has_pages) {
        options.image = page;
        return load_open_as(to->source, operand->format, &options, operand->jobs, &to->memory, &to->reader);
    }
    to->reader =
        (HaloReader){.source = to->source, .options = options, .jobs = operand->jobs, .memory = &to->memory};
    HALO_TRY(go_to_page(operand, page, &to->reader));
out:
    return status;
}

HaloStatus operand_load_page(HaloOperand *operand, int64_t page, HaloOperand **of_page)
{
    HaloStatus status = HALO_OK;
    OperandReader reader = {0};
    HaloOperand *made = operand_new(operand->path);
    *of_page = NULL;
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    made->page = page;
    made->max_memory = operand->max_memory;
    HALO_TRY(open_page(operand, page, &reader));
    HALO_TRY(load_samples(&reader.reader, &made->data));
    made->notes = reader.reader.info.notes;
    const HaloBlob *icc = &reader.reader.info.meta.icc;
    HALO_TRY(operand_set_profile(made, load_profile(icc), icc));
    made->orientation = halo_exif_orientation(&reader.reader.info.meta.exif);
    atomic_store(&made->there, true);
    *of_page = made;
    made = NULL;
out:
    operand_close(&reader);
    operand_release(made);
    return status == HALO_OK ? status : halo_fail_about(status, operand->path);
}
