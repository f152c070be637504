/* Reads files into arrays. */
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "file/file.h"
#include "halo/struct.h"
#include "public.h"
#include "report/report.h"

typedef struct Loading {
    HaloSource *source;
    HaloReader reader;
    HaloBuf all; /* the pages so far, one below the other */
    int64_t pages;
    HaloNotes notes; /* beside those of the page that is open */
} Loading;

static void close_loading(Loading *loading)
{
    load_close(&loading->reader);
    halo_source_close(loading->source);
}

/* Pictures of 64 bits are given as f32, as they are computed. */
static void narrow_picture(HaloReader *reader)
{
    if (reader->info.shape.kind == HALO_IMAGE) load_narrow(reader);
}

static HaloStatus open_loading(HaloSession *work, const PublicFile *file, Loading *loading)
{
    HaloStatus status = HALO_OK;
    atomic_store(&work->memory.held, 0);
    HALO_TRY(public_open(file, &loading->source));
    halo_source_count(loading->source, &work->memory);
    HALO_TRY(load_open_wide(work, loading->source, NULL, &loading->reader));
    narrow_picture(&loading->reader);
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
    bool more;
    const int64_t height = loading->reader.info.shape.height, images = loading->reader.info.images;
    progress_of_page(&work->host, 0, images);
    HALO_TRY(add_page(work, loading, height));
    for (;;) {
        HALO_TRY(load_more(work->tables, &loading->reader, &more, &loading->notes));
        if (!more) break;
        halo_notes_join(&loading->notes, &loading->reader.info.notes);
        HALO_TRY(load_next(work->tables, &loading->reader));
        narrow_picture(&loading->reader);
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
    HALO_TRY(public_borrow(session, &file, &work));
    HALO_TRY(open_loading(work, &file, &loading));
    const HaloShape *shape = &loading.reader.info.shape;
    if (samples) HALO_TRY(pages ? load_pages(work, &loading) : add_page(work, &loading, shape->height));
    layout_describe(samples ? &loading.all.shape : shape, pages && samples ? loading.pages : 0, &made);
    made.data = loading.all.data;
    HALO_TRY(
        halo_struct_write(array, array->struct_size, &made, sizeof made, "the array", "halo_array_defaults"));
    loading.all.data = NULL;
    halo_notes_join(&loading.notes, &loading.reader.info.notes);
    if (samples) report_tell(work, &loading.notes);
out:
    if (file.name != NULL && status != HALO_OK && status != HALO_ERR_CANCELLED)
        halo_fail_about(status, file.name);
    halo_buf_free(&loading.all);
    close_loading(&loading);
    public_file_close(&file);
    public_return(session, work);
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
