/* Writes arrays to files. */
#include <stdlib.h>

#include "array/array.h"
#include "file/file.h"
#include "plan/plan.h"
#include "public.h"
#include "report/report.h"
#include "run/run.h"

typedef struct Saving {
    HaloSession *work;
    Layout layout;
    HaloPlan *plan; /* of a page: to the type that the format holds */
    HaloInfo like;  /* the array, as if it were a file */
    HaloWriter writer;
    HaloReport report;
    LayoutLost lost; /* by samples that are converted */
} Saving;

/* ---- what is written ------------------------------------------------------------------------------------- */

static HaloStatus make_plan(Saving *saving, const HaloShape *shape)
{
    HaloStatus status = HALO_OK;
    HaloPipeline *nothing = NULL;
    halo_plan_free(saving->plan);
    saving->plan = NULL;
    HALO_TRY(halo_pipeline_parse(saving->work, "", &nothing));
    HALO_TRY(halo_plan_make(saving->work, nothing, shape, saving->writer.format, &saving->plan));
out:
    halo_pipeline_free(nothing);
    return status;
}

/* Pictures of 64 bits are taken as such where the format keeps their values, else as f32. */
static HaloStatus choose_plan(Saving *saving)
{
    HaloStatus status = HALO_OK;
    HaloChanges changes = {0};
    Layout wide = saving->layout;
    layout_widen(&wide);
    HALO_TRY(make_plan(saving, &wide.shape));
    HALO_TRY(plan_changes(saving->plan, &changes));
    if (halo_changes_keep_values(&changes))
        saving->layout = wide;
    else
        HALO_TRY(make_plan(saving, &saving->layout.shape));
out:
    free(changes.move);
    return status;
}

/* So that a format that has the array's type is written in it. Integers that are sound, and no fractions of
 * full scale, are floats. */
static void describe(Saving *saving)
{
    const Layout *layout = &saving->layout;
    const bool is_fraction = layout->scale != 1.0f, is_sound = layout->array.rate > 0 && !is_fraction;
    const HaloType type = is_sound ? layout_type(layout->shape.dtype) : layout->array.type;
    const bool is_real = type >= HALO_TYPE_F16, has_sign = type >= HALO_TYPE_I8 && !is_real;
    saving->like = (HaloInfo){.shape = layout->shape,
                              .bits = 8 * (int)halo_type_size(type),
                              .real = is_real,
                              .stored = is_fraction ? HALO_STORED_USUAL
                                        : is_real   ? HALO_STORED_FLOAT
                                        : has_sign  ? HALO_STORED_SIGNED
                                                    : HALO_STORED_UNSIGNED};
}

/* ---- pages ----------------------------------------------------------------------------------------------- */

#define CONVERTING 0.2 /* of the time of a page */

static HaloStatus write_page(Saving *saving, const HaloBuf *page, int64_t at)
{
    HaloStatus status = HALO_OK;
    HaloSession *work = saving->work;
    HaloWriter *writer = &saving->writer;
    HaloBuf out = {0};
    HaloReport report = {0};
    const double pages = (double)saving->layout.pages, first = (double)at;
    progress_of_part(&work->host, first / pages, (first + CONVERTING) / pages);
    HALO_TRY(run_plan(work, saving->plan, NULL, page, &out, NULL, &report));
    saving->report.clipped += report.clipped;
    progress_of_part(&work->host, (first + CONVERTING) / pages, (first + 1) / pages);
    writer->changes = (HaloChanges){.stored = true};
    HALO_TRY(plan_changes(saving->plan, &writer->changes));
    HALO_TRY(save_begin(writer, &saving->like, false));
    HALO_TRY(save_rows_told(writer, &work->host, &out));
    HALO_TRY(save_end(writer, &saving->like));
out:
    progress_of_part(&work->host, 0, 1);
    free(writer->changes.move);
    writer->changes.move = NULL;
    halo_memory_free(&work->memory, &out);
    return status;
}

static HaloStatus write_pages(Saving *saving)
{
    HaloStatus status = HALO_OK;
    const Layout *layout = &saving->layout;
    const HaloFormat *format = saving->writer.format;
    HaloBuf page = {0};
    if (layout->pages > 1 &&
        (format->several == HALO_ONE_IMAGE ||
         (format->several == HALO_SEVERAL_IN_STREAMS && halo_sink_seekable(saving->writer.sink))))
        HALO_FAIL(HALO_ERR_USAGE, "%s stores one page, and the array has %lld: use TIFF or NPY", format->name,
                  (long long)layout->pages);
    for (int64_t i = 0; i < layout->pages; i++) {
        if (layout->direct)
            page = layout_buffer(layout, i);
        else
            HALO_TRY(convert_in(layout, i, &page, &saving->lost));
        HALO_TRY(write_page(saving, &page, i));
        if (!layout->direct) halo_buf_free(&page);
    }
out:
    if (!layout->direct) halo_buf_free(&page);
    return status;
}

/* ---- the file -------------------------------------------------------------------------------------------- */

static void tell(Saving *saving)
{
    HaloNotes *notes = &saving->report.notes;
    save_report(&saving->writer, &saving->like, &saving->report);
    notes->count[HALO_NOTE_AXES] = 0; /* the program knows what the dimensions are */
    convert_note_lost(&saving->lost, notes);
    report_tell(saving->work, notes);
}

static HaloStatus save_array(Saving *saving, const PublicFile *file)
{
    HaloStatus status = HALO_OK;
    HaloSink *sink = NULL;
    const HaloSinkOptions options = {.force = file->file.replace ? HALO_FORCE_YES : HALO_FORCE_NO};
    const HaloFormat *to;
    if (file->file.write != NULL && file->format == NULL)
        HALO_FAIL(HALO_ERR_USAGE, "the output needs a format, since it has no name");
    HALO_TRY(save_format(saving->work, file->name, file->format, NULL, &to));
    if (file->file.write != NULL)
        HALO_TRY(halo_sink_to_function(file->name, file->file.write, file->file.context, &sink));
    else
        HALO_TRY(halo_sink_open(file->name, &options, &sink));
    saving->writer = (HaloWriter){.format = to,
                                  .sink = sink,
                                  .options = public_write_options(file),
                                  .jobs = saving->work->options.jobs,
                                  .memory = &saving->work->memory};
    status = choose_plan(saving);
    describe(saving);
    if (status == HALO_OK) status = write_pages(saving);
    status = save_close(&saving->writer, status);
    if (status != HALO_OK) goto out;
    status = halo_sink_commit(sink);
    sink = NULL;
    if (status == HALO_OK) tell(saving);
out:
    halo_sink_abandon(sink);
    return status;
}

HaloStatus halo_save(HaloSession *session, const HaloArray *array, const HaloFile *given)
{
    HaloStatus status = HALO_OK;
    PublicFile file = {0};
    Saving saving = {0};
    HALO_TRY(session_check(session));
    HALO_TRY(layout_read(array, "the array", &saving.layout));
    if (saving.layout.array.data == NULL || saving.layout.array.gpu != HALO_HOST)
        HALO_FAIL(HALO_ERR_USAGE, "the array %s",
                  saving.layout.array.data == NULL ? "has no data" : "is on a GPU: copy it first");
    HALO_TRY(public_output(session, given, &file));
    HALO_TRY(session_borrow(session, HALO_HOST, &saving.work));
    atomic_store(&saving.work->memory.held, 0);
    HALO_TRY(save_array(&saving, &file));
out:
    halo_plan_free(saving.plan);
    public_file_close(&file);
    session_return(session, saving.work);
    return status;
}
