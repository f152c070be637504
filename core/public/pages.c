/* The pages of several arrays as buffers. */
#include "pages.h"

#include <stdlib.h>

#include "device/progress.h"
#include "report/report.h"
#include "session.h"

void pages_free(Pages *pages)
{
    for (int64_t i = 0; i < pages->count && pages->own != NULL; i++)
        if (pages->own[i]) halo_buf_free(&pages->page[i]);
    free(pages->layout);
    free(pages->page);
    free(pages->own);
}

static HaloStatus read_layouts(const HaloArray inputs[], size_t count, Pages *pages)
{
    HaloStatus status = HALO_OK;
    char name[40];
    if (inputs == NULL || count == 0 || count > 1000000) HALO_FAIL(HALO_ERR_USAGE, "there is no input");
    pages->layout = calloc(count, sizeof *pages->layout);
    if (pages->layout == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    pages->arrays = count;
    for (size_t i = 0; i < count; i++) {
        /* Elements of an array of structs are as large as the caller's compiler made them. */
        const HaloArray *input = (const HaloArray *)((const char *)inputs + i * inputs->struct_size);
        snprintf(name, sizeof name, "array %zu", i + 1);
        HALO_TRY(layout_read(input, name, &pages->layout[i]));
        if (pages->layout[i].array.data == NULL || pages->layout[i].array.gpu != HALO_HOST)
            HALO_FAIL(HALO_ERR_USAGE, "%s %s", name,
                      pages->layout[i].array.data == NULL ? "has no data" : "is on a GPU: copy it first");
        pages->count += pages->layout[i].pages;
    }
out:
    return status;
}

static HaloStatus open_page(const Layout *layout, int64_t page, Pages *pages, int64_t at)
{
    pages->own[at] = !layout->direct;
    if (!layout->direct) return convert_in(layout, page, &pages->page[at], &pages->lost);
    pages->page[at] = layout_buffer(layout, page);
    return HALO_OK;
}

HaloStatus pages_open(HaloSession *work, const HaloArray inputs[], size_t count, bool wide, Pages *pages)
{
    HaloStatus status = HALO_OK;
    int64_t at = 0;
    HALO_TRY(read_layouts(inputs, count, pages));
    pages->page = calloc((size_t)pages->count, sizeof *pages->page);
    pages->own = calloc((size_t)pages->count, sizeof *pages->own);
    if (pages->page == NULL || pages->own == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (size_t i = 0; i < count; i++) {
        if (wide) layout_widen(&pages->layout[i]);
        for (int64_t page = 0; page < pages->layout[i].pages; page++, at++) {
            if (progress_is_due(&work->host)) HALO_TRY(progress_tell(&work->host, 0));
            HALO_TRY(open_page(&pages->layout[i], page, pages, at));
        }
    }
out:
    return status;
}

void pages_tell_lost(const HaloSession *work, const Pages *pages, uint64_t clipped)
{
    HaloNotes notes = {0};
    convert_note_lost(&pages->lost, &notes);
    halo_note(&notes, HALO_NOTE_CLIPPED, clipped);
    report_tell(work, &notes);
}
