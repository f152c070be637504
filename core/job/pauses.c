/* The pauses of a sound, by the analysis pass of the operation `silence`. */
#include "halo/pauses.h"

#include <stdio.h>
#include <stdlib.h>

#include "file/operand.h"
#include "job.h"

void halo_pauses_free(HaloPauses *pauses)
{
    free(pauses->pause);
    *pauses = (HaloPauses){0};
}

/* Between the spans that are not silent, before the first and behind the last. */
static HaloStatus take_pauses(const AnalysisSpans *spans, HaloPauses *pauses)
{
    int64_t at = 0;
    pauses->shape.width = spans->frames;
    pauses->pause = malloc((size_t)(spans->count + 1) * sizeof *pauses->pause);
    if (pauses->pause == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for the pauses of a sound");
    for (int64_t i = 0; i <= spans->count; i++) {
        const int64_t to = i < spans->count ? spans->span[i].from : spans->frames;
        if (to > at) pauses->pause[pauses->count++] = (HaloPause){at, to};
        if (i < spans->count) at = spans->span[i].to;
    }
    return HALO_OK;
}

HaloStatus halo_pauses_find(HaloSession *session, const char *path, const HaloShape *raw, const char *silence,
                            HaloPauses *pauses)
{
    HaloStatus status = HALO_OK;
    HaloPipeline *pipeline = NULL;
    JobState state = {.memory = &session->memory, .host_only = true};
    const HaloJob job = {.input = path, .raw = raw};
    char text[300];
    *pauses = (HaloPauses){0};
    if (snprintf(text, sizeof text, "silence:%s%sall=1", silence, *silence != 0 ? "," : "") >= (int)sizeof text)
        HALO_FAIL(HALO_ERR_USAGE, "silence: too many parameters");
    HALO_TRY(halo_pipeline_parse(session, text, &pipeline));
    HALO_TRY(job_open_input(session, &job, path, &state));
    pauses->shape = state.reader.info.shape;
    if (pauses->shape.kind != HALO_AUDIO)
        HALO_FAIL(HALO_ERR_INPUT, "this is an image, and only sound has pauses");
    HALO_TRY(image_analyse(session, pipeline, &state));
    HALO_TRY(take_pauses(&state.analysis.pass[0].spans, pauses));
out:
    job_close_input(&state);
    image_close(&state);
    operand_next_input(&state.operands, NULL);
    halo_pipeline_free(pipeline);
    return status == HALO_ERR_INPUT ? halo_fail_about(status, path) : status;
}
