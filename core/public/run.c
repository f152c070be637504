/* Runs files for programs. */
#include "job/job.h"
#include "public.h"
#include "report/report.h"

static HaloStatus run_job(HaloSession *work, const HaloPipeline *pipeline, const PublicFile *in,
                          const PublicFile *out, HaloReport *own)
{
    HaloJob job = {.input = in->name, .bytes = in->file.bytes, .size = in->file.size};
    if (out != NULL) {
        job.output = out->name;
        job.give = out->file.write;
        job.give_context = out->file.context;
        job.to = out->format;
        job.force = out->file.replace ? HALO_FORCE_YES : HALO_FORCE_NO;
        job.write = public_write_options(out);
    }
    return halo_run_job(work, pipeline, &job, own);
}

HaloStatus halo_run(HaloSession *session, const HaloPipeline *pipeline, const HaloFile *in, const HaloFile *out,
                    HaloReport **report)
{
    HaloStatus status = HALO_OK;
    HaloSession *work = NULL;
    HaloReport own = {0};
    PublicFile input = {0}, output = {0};
    if (report != NULL) *report = NULL;
    HALO_TRY(session_check(session));
    if (pipeline == NULL) HALO_FAIL(HALO_ERR_USAGE, "the pipeline is NULL");
    HALO_TRY(public_input(session, in, &input));
    if (out != NULL) HALO_TRY(public_output(session, out, &output));
    HALO_TRY(public_borrow(session, &input, &work));
    HALO_TRY(run_job(work, pipeline, &input, out != NULL ? &output : NULL, &own));
    HALO_TRY(report_give(work, &own, report));
out:
    public_return(session, work);
    public_file_close(&input);
    public_file_close(&output);
    return status;
}
