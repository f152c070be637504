/* What a pipeline keeps, and what it says of itself. */
#include <stdlib.h>

#include "file/side.h"
#include "pipeline.h"

static void free_kept(Kept *kept)
{
    free(kept->text);
    if (kept->mask != NULL) halo_mask_free(kept->mask);
    free(kept->mask);
    side_release(kept->side);
    halo_pipeline_free(kept->branch);
}

void halo_pipeline_free(HaloPipeline *pipeline)
{
    if (pipeline == NULL) return;
    for (int c = 0; c < pipeline->calls; c++) {
        Call *call = &pipeline->call[c];
        for (int i = 0; i < call->values && call->kept != NULL; i++) free_kept(&call->kept[i]);
        free(call->value);
        free(call->kept);
    }
    free(pipeline->call);
    free(pipeline);
}

/* The i-th of the files from here on, or how many fewer are left to pass. */
static bool nth_read(const HaloPipeline *pipeline, size_t *i, HaloRead *read)
{
    for (int c = 0; c < pipeline->calls; c++) {
        const Call *call = &pipeline->call[c];
        for (int v = 0; v < call->values; v++) {
            const Kept *kept = &call->kept[v];
            if (kept->branch != NULL && nth_read(kept->branch, i, read)) return true;
            const bool masked = kept->mask != NULL && kept->mask->filed;
            if (!masked && (kept->side == NULL || kept->side->file.what == NULL)) continue;
            if ((*i)-- > 0) continue;
            *read = masked ? (HaloRead){{kept->mask->file[0], kept->mask->file[1]}, "read by the pipeline"}
                           : kept->side->file;
            return true;
        }
    }
    return false;
}

bool halo_pipeline_reads(const HaloPipeline *pipeline, size_t i, HaloRead *read)
{
    return nth_read(pipeline, &i, read);
}

bool pipeline_has_sides(const HaloPipeline *pipeline)
{
    for (int c = 0; c < pipeline->calls; c++) {
        const Call *call = &pipeline->call[c];
        for (int v = 0; v < call->values; v++) {
            if (call_param(call, v)->type != HALO_PARAM_SOURCE) continue;
            if (call->kept[v].branch == NULL || pipeline_has_sides(call->kept[v].branch)) return true;
        }
    }
    return false;
}

HaloStatus pipeline_read_sides(HaloSession *session, const HaloPipeline *pipeline)
{
    HaloStatus status = HALO_OK;
    for (int c = 0; c < pipeline->calls && status == HALO_OK; c++) {
        const Call *call = &pipeline->call[c];
        for (int v = 0; v < call->values && status == HALO_OK; v++) {
            const Kept *kept = &call->kept[v];
            HaloSide *side;
            if (call_param(call, v)->type != HALO_PARAM_SOURCE) continue;
            if (kept->branch != NULL)
                status = pipeline_read_sides(session, kept->branch);
            else if (kept->side == NULL)
                status = side_of_input(session, kept->text, &side);
        }
    }
    return status;
}

bool halo_pipeline_only_measures(const HaloPipeline *pipeline)
{
    for (int c = 0; c < pipeline->calls; c++)
        if (!pipeline->call[c].op->result) return false;
    return pipeline->calls > 0;
}

bool pipeline_changes(const HaloPipeline *pipeline)
{
    return pipeline->calls > 0 && !halo_pipeline_only_measures(pipeline);
}

bool pipeline_recodes(const HaloPipeline *pipeline)
{
    int light = 0;
    for (int c = 0; c < pipeline->calls; c++) light += pipeline->call[c].op->light;
    return light != 0;
}
