/* Reads files into arrays, and writes arrays to files. */
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "file/file.h"
#include "halo/struct.h"
#include "plan/plan.h"
#include "public.h"
#include "run/run.h"

/* ---- reading --------------------------------------------------------------------------------------------- */

typedef struct Loading {
    HaloSource *source;
    HaloReader reader;
    HaloBuf all; /* the pages so far, one below the other */
    int64_t pages;
} Loading;

static void close_loading(Loading *loading)
{
    load_close(&loading->reader);
    halo_source_close(loading->source);
}

static HaloStatus open_loading(HaloSession *work, const PublicFile *file, Loading *loading)
{
    HaloStatus status = HALO_OK;
    atomic_store(&work->memory.held, 0);
    HALO_TRY(public_open(file, &loading->source));
    halo_source_count(loading->source, &work->memory);
    HALO_TRY(load_open_wide(work, loading->source, NULL, &loading->reader));
    const HaloShape *shape = &loading->reader.info.shape;
    if (shape->kind == HALO_IMAGE && shape->dtype == HALO_F64) load_narrow(&loading->reader);
out:
    return status;
}

static bool same_kind(const HaloShape *a, const HaloShape *b)
{
    return a->dtype == b->dtype && a->width == b->width && a->channels == b->channels && a->alpha == b->alpha;
}

/* Appends the page that the reader stands at. */
static HaloStatus add_page(HaloSession *work, Loading *loading, int64_t height)
{
    HaloStatus status = HALO_OK;
    HaloBuf page = {0};
    HaloBuf *all = &loading->all;
    HALO_TRY(load_samples_told(&loading->reader, &work->host, &page));
    if (loading->pages == 0) {
        *all = page;
        loading->pages = 1;
        return HALO_OK;
    }
    if (!same_kind(&page.shape, &all->shape) || page.shape.height != height)
        HALO_FAIL(HALO_ERR_INPUT, "page %lld is of another size or type than the first: load them one by one",
                  (long long)loading->pages + 1);
    const size_t old = (size_t)(all->stride * height * loading->pages), more = (size_t)(page.stride * height);
    void *grown = realloc(all->data, old + more);
    if (grown == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for %lld pages", (long long)loading->pages + 1);
    all->data = grown;
    memcpy((char *)grown + old, page.data, more);
    loading->pages++;
out:
    halo_buf_free(&page);
    return status;
}

static HaloStatus load_pages(HaloSession *work, Loading *loading)
{
    HaloStatus status = HALO_OK;
    HaloNotes notes = {0};
    bool more;
    const int64_t height = loading->reader.info.shape.height, images = loading->reader.info.images;
    progress_of_page(&work->host, 0, images);
    HALO_TRY(add_page(work, loading, height));
    for (;;) {
        HALO_TRY(load_more(work->tables, &loading->reader, &more, &notes));
        if (!more) break;
        HALO_TRY(load_next(work->tables, &loading->reader));
        progress_of_page(&work->host, loading->pages, images > loading->pages ? images : 0);
        HALO_TRY(add_page(work, loading, height));
    }
out:
    progress_of_part(&work->host, 0, 1);
    return status;
}

static HaloStatus load(HaloSession *session, const HaloFile *given, bool samples, bool pages, HaloArray *array)
{
    HaloStatus status = HALO_OK;
    HaloSession *work = NULL;
    PublicFile file = {0};
    Loading loading = {0};
    HaloArray made;
    HALO_TRY(session_check(session));
    if (array == NULL) HALO_FAIL(HALO_ERR_USAGE, "the array is NULL");
    HALO_TRY(public_input(session, given, &file));
    HALO_TRY(session_borrow(session, HALO_HOST, &work));
    HALO_TRY(open_loading(work, &file, &loading));
    const HaloShape *shape = &loading.reader.info.shape;
    if (samples) HALO_TRY(pages ? load_pages(work, &loading) : add_page(work, &loading, shape->height));
    layout_describe(samples ? &loading.all.shape : shape, pages && samples ? loading.pages : 0, &made);
    made.data = loading.all.data;
    HALO_TRY(
        halo_struct_write(array, array->struct_size, &made, sizeof made, "the array", "halo_array_defaults"));
    loading.all.data = NULL;
out:
    if (file.name != NULL && status != HALO_OK && status != HALO_ERR_CANCELLED)
        halo_fail_about(status, file.name);
    halo_buf_free(&loading.all);
    close_loading(&loading);
    public_file_close(&file);
    session_return(session, work);
    return status;
}

HaloStatus halo_info(HaloSession *session, const HaloFile *file, HaloArray *array)
{
    return load(session, file, false, false, array);
}

HaloStatus halo_load(HaloSession *session, const HaloFile *file, bool pages, HaloArray *array)
{
    return load(session, file, true, pages, array);
}

/* ---- writing --------------------------------------------------------------------------------------------- */

#define CONVERTING 0.2 /* of the time of a page */

/* A page in the type that the format holds: page `at` of `pages`. */
static HaloStatus write_page(HaloSession *work, const HaloBuf *page, int64_t at, int64_t pages,
                             HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    HaloPipeline *nothing = NULL;
    HaloPlan *plan = NULL;
    HaloBuf out = {0};
    HaloReport report = {0};
    const HaloInfo like = {.shape = page->shape,
                           .bits = 8 * (int)halo_dtype_size(page->shape.dtype),
                           .real = page->shape.dtype > HALO_U16};
    HALO_TRY(halo_pipeline_parse(work, "", &nothing));
    HALO_TRY(halo_plan_make(work, nothing, &page->shape, writer->format, &plan));
    progress_of_part(&work->host, (double)at / (double)pages, ((double)at + CONVERTING) / (double)pages);
    HALO_TRY(run_plan(work, plan, NULL, page, &out, NULL, &report));
    progress_of_part(&work->host, ((double)at + CONVERTING) / (double)pages, (double)(at + 1) / (double)pages);
    writer->changes = (HaloChanges){0};
    HALO_TRY(plan_changes(plan, &writer->changes));
    HALO_TRY(save_begin(writer, &like, false));
    HALO_TRY(save_rows_told(writer, &work->host, &out));
    HALO_TRY(save_end(writer, &like));
out:
    progress_of_part(&work->host, 0, 1);
    free(writer->changes.move);
    writer->changes.move = NULL;
    halo_memory_free(&work->memory, &out);
    halo_plan_free(plan);
    halo_pipeline_free(nothing);
    return status;
}

static HaloStatus write_pages(HaloSession *work, const Layout *layout, HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    HaloBuf page = {0};
    if (layout->pages > 1 &&
        (writer->format->several == HALO_ONE_IMAGE ||
         (writer->format->several == HALO_SEVERAL_IN_STREAMS && halo_sink_seekable(writer->sink))))
        HALO_FAIL(HALO_ERR_USAGE, "%s stores one page, and the array has %lld: use TIFF or NPY",
                  writer->format->name, (long long)layout->pages);
    for (int64_t i = 0; i < layout->pages; i++) {
        if (layout->direct)
            page = layout_buffer(layout, i);
        else
            HALO_TRY(convert_in(layout, i, &page));
        HALO_TRY(write_page(work, &page, i, layout->pages, writer));
        if (!layout->direct) halo_buf_free(&page);
    }
out:
    if (!layout->direct) halo_buf_free(&page);
    return status;
}

static HaloStatus save_array(HaloSession *work, const Layout *layout, const PublicFile *file)
{
    HaloStatus status = HALO_OK;
    HaloSink *sink = NULL;
    HaloWriter writer = {0};
    const HaloSinkOptions options = {.force = file->file.replace ? HALO_FORCE_YES : HALO_FORCE_NO};
    const HaloFormat *to;
    if (file->file.write != NULL && file->format == NULL)
        HALO_FAIL(HALO_ERR_USAGE, "the output needs a format, since it has no name");
    HALO_TRY(save_format(work, file->name, file->format, NULL, &to));
    if (file->file.write != NULL)
        HALO_TRY(halo_sink_to_function(file->name, file->file.write, file->file.context, &sink));
    else
        HALO_TRY(halo_sink_open(file->name, &options, &sink));
    writer = (HaloWriter){.format = to,
                          .sink = sink,
                          .options = public_write_options(file),
                          .jobs = work->options.jobs,
                          .memory = &work->memory};
    status = save_close(&writer, write_pages(work, layout, &writer));
    if (status != HALO_OK) goto out;
    status = halo_sink_commit(sink);
    sink = NULL;
out:
    halo_sink_abandon(sink);
    return status;
}

HaloStatus halo_save(HaloSession *session, const HaloArray *array, const HaloFile *given)
{
    HaloStatus status = HALO_OK;
    HaloSession *work = NULL;
    PublicFile file = {0};
    Layout layout;
    HALO_TRY(session_check(session));
    HALO_TRY(layout_read(array, "the array", &layout));
    if (layout.array.data == NULL || layout.array.gpu != HALO_HOST)
        HALO_FAIL(HALO_ERR_USAGE, "the array %s",
                  layout.array.data == NULL ? "has no data" : "is on a GPU: copy it first");
    HALO_TRY(public_output(session, given, &file));
    HALO_TRY(session_borrow(session, HALO_HOST, &work));
    atomic_store(&work->memory.held, 0);
    HALO_TRY(save_array(work, &layout, &file));
out:
    public_file_close(&file);
    session_return(session, work);
    return status;
}
