/* Pipelines: their parameters, their memory, the files they name, and properties that follow from their
 * operations. */
#include <stdlib.h>
#include <string.h>

#include "file/operand.h"
#include "halo/channel_list.h"
#include "halo/place.h"
#include "pipeline.h"

static const HaloParam common[CORE_COMMON] = {
    {.key = "border",
     .type = HALO_PARAM_BORDER,
     .preset = "",
     .choices = HALO_BORDER_CHOICES,
     .help = "what lies outside: zero, constant=V, replicate, reflect, mirror, wrap; or valid: the result is "
             "smaller, keep: samples near the edge stay; default: replicate for pictures, mirror for sound "
             "('halo help border')"},
    {.key = "alpha",
     .type = HALO_PARAM_CHOICE,
     .preset = "",
     .choices = "premul|straight|ignore",
     .help =
         "weight colours by alpha (premul, the default), filter alpha like any channel (straight), or copy "
         "it (ignore); those that choose samples, such as median and dilate, weigh nothing with premul, too"},
    {.key = "nan",
     .type = HALO_PARAM_CHOICE,
     .preset = "propagate",
     .choices = "propagate|ignore|error",
     .help = "propagate: NaN spreads; ignore: NaN is left out and the other weights are renormalized; error: "
             "NaN is refused"},
    {.key = "on",
     .type = HALO_PARAM_TEXT,
     .preset = "",
     .list = HALO_CHANNEL_RUNS,
     .check = halo_check_channels,
     .help =
         "channels that it works on, as if there were no others, counted from 1: 2,3 or 1-3; the others stay "
         "as they are"},
    {.key = "mask",
     .type = HALO_PARAM_SOURCE,
     .preset = "",
     .help =
         "gray file of the same size, or a [pipeline] on the input: where it is 0 samples stay, where it is "
         "white they are the result, and between they mix"},
};

/* An operation's own key comes first: conv has a mask of its own. */
static bool has_own_key(const HaloOp *op, const char *key)
{
    for (int i = 0; i < op->params; i++)
        if (strcmp(op->param[i].key, key) == 0) return true;
    return false;
}

const HaloParam *halo_common_params(const HaloOp *op, int *count)
{
    const int first = op->filter ? 0 : COMMON_ON;
    const bool makes_samples = !op->result && !op->selects;
    *count = (makes_samples ? CORE_COMMON : COMMON_ON) - first;
    if (makes_samples && has_own_key(op, common[COMMON_MASK].key)) (*count)--;
    return common + first;
}

const HaloParam *call_param(const Call *call, int i)
{
    int count;
    return i < call->op->params ? &call->op->param[i]
                                : halo_common_params(call->op, &count) + (i - call->op->params);
}

const HaloValue *call_common(const Call *call, const HaloValue *value, int shared)
{
    int count;
    const int i = shared - (int)(halo_common_params(call->op, &count) - common);
    return i >= 0 && i < count ? &value[call->op->params + i] : NULL;
}

static void free_owned(Owned *owned)
{
    free(owned->text);
    if (owned->mask != NULL) halo_mask_free(owned->mask);
    free(owned->mask);
    operand_release(owned->operand);
    halo_pipeline_free(owned->branch);
    if (owned->file != NULL) halo_source_close(owned->file->source);
    free(owned->file);
}

HaloPipeline *pipeline_hold(const HaloPipeline *pipeline)
{
    HaloPipeline *held = (HaloPipeline *)pipeline; /* its counter alone changes */
    atomic_fetch_add(&held->holders, 1);
    return held;
}

void halo_pipeline_free(HaloPipeline *pipeline)
{
    if (pipeline == NULL || atomic_fetch_sub(&pipeline->holders, 1) > 0) return;
    for (int c = 0; c < pipeline->calls; c++) {
        Call *call = &pipeline->call[c];
        for (int i = 0; i < call->values && call->owned != NULL; i++) free_owned(&call->owned[i]);
        free(call->value);
        free(call->owned);
    }
    free(pipeline->call);
    free(pipeline);
}

static bool is_named_after_input(const Call *call, int i)
{
    const Owned *owned = &call->owned[i];
    return call_param(call, i)->type == HALO_PARAM_SOURCE && owned->branch == NULL && owned->operand == NULL &&
           owned->text != NULL && operand_array(owned->text) == 0;
}

bool pipeline_names_array(const HaloPipeline *pipeline, size_t at)
{
    for (int c = 0; c < pipeline->calls; c++) {
        const Call *call = &pipeline->call[c];
        for (int i = 0; i < call->values; i++) {
            const Owned *owned = &call->owned[i];
            if (owned->branch != NULL && pipeline_names_array(owned->branch, at)) return true;
            if (call_param(call, i)->type == HALO_PARAM_SOURCE && owned->branch == NULL &&
                owned->operand == NULL && owned->text != NULL && operand_array(owned->text) == at)
                return true;
        }
    }
    return false;
}

/* The file that a value was read from; false: there is none, or it has no identity. */
static bool read_of_value(const Owned *owned, HaloRead *read)
{
    const HaloMask *mask = owned->mask;
    HaloRead file = {0};
    if (owned->operand != NULL && owned->operand->file.what != NULL) {
        *read = owned->operand->file;
        return true;
    }
    if (mask != NULL && mask->filed)
        memcpy(file.id, mask->file, sizeof file.id);
    else if (owned->file == NULL || !halo_source_identity(owned->file->source, &file))
        return false;
    *read = (HaloRead){.id = {file.id[0], file.id[1]}, .what = "read by the pipeline"};
    return true;
}

/* The file number *i of this pipeline and its branches. Where there are fewer, *i becomes less by their number.
 */
static bool nth_read(const HaloPipeline *pipeline, size_t *i, HaloRead *read)
{
    for (int c = 0; c < pipeline->calls; c++) {
        const Call *call = &pipeline->call[c];
        for (int v = 0; v < call->values; v++) {
            const Owned *owned = &call->owned[v];
            if (owned->branch != NULL && nth_read(owned->branch, i, read)) return true;
            HaloRead file;
            if (!read_of_value(owned, &file) || (*i)-- > 0) continue;
            *read = file;
            return true;
        }
    }
    return false;
}

bool halo_pipeline_reads(const HaloPipeline *pipeline, size_t i, HaloRead *read)
{
    return nth_read(pipeline, &i, read);
}

/* The same for values whose path has fields of the input's name. */
static const char *nth_name(const HaloPipeline *pipeline, size_t *i)
{
    for (int c = 0; c < pipeline->calls; c++) {
        const Call *call = &pipeline->call[c];
        for (int v = 0; v < call->values; v++) {
            const Owned *owned = &call->owned[v];
            const char *found = owned->branch != NULL ? nth_name(owned->branch, i) : NULL;
            if (found != NULL) return found;
            if (is_named_after_input(call, v) && (*i)-- == 0) return owned->text;
        }
    }
    return NULL;
}

HaloStatus halo_pipeline_names(const HaloPipeline *pipeline, const char *input, size_t i, char **path)
{
    const char *name = nth_name(pipeline, &i);
    *path = NULL;
    return name != NULL ? operand_name(name, input, path) : HALO_OK;
}

HaloStatus pipeline_read_operands(HaloSession *session, const HaloPipeline *pipeline, Operands *operands)
{
    HaloStatus status = HALO_OK;
    for (int c = 0; c < pipeline->calls && status == HALO_OK; c++) {
        const Call *call = &pipeline->call[c];
        for (int v = 0; v < call->values && status == HALO_OK; v++) {
            const Owned *owned = &call->owned[v];
            HaloOperand *operand;
            if (owned->branch != NULL)
                status = pipeline_read_operands(session, owned->branch, operands);
            else if (is_named_after_input(call, v))
                status = operand_of_input(session, operands, owned->text, &operand);
        }
    }
    return status;
}

bool halo_pipeline_measures(const HaloPipeline *pipeline)
{
    for (int c = 0; c < pipeline->calls; c++)
        if (pipeline->call[c].op->result) return true;
    return false;
}

bool halo_pipeline_only_measures(const HaloPipeline *pipeline)
{
    HaloPages pages;
    if (pipeline == NULL) return false;
    const int first = pipeline_pages(pipeline, &pages);
    for (int c = first; c < pipeline->calls; c++)
        if (!pipeline->call[c].op->result) return false;
    return pipeline->calls > first;
}

bool pipeline_changes(const HaloPipeline *pipeline)
{
    HaloPages pages;
    return pipeline->calls > pipeline_pages(pipeline, &pages) && !halo_pipeline_only_measures(pipeline);
}

bool pipeline_pages(const HaloPipeline *pipeline, HaloPages *pages)
{
    const Call *call = pipeline->call;
    return pipeline->calls > 0 && call->op->selects && halo_read_pages(call->value[0].text, pages);
}

int op_light(const HaloOp *op, const HaloValue *value)
{
    return op->light_of != NULL ? op->light_of(value) : op->light;
}

int pipeline_light(const HaloPipeline *pipeline)
{
    int light = 0;
    for (int c = 0; c < pipeline->calls; c++) {
        const Call *call = &pipeline->call[c];
        const int change = op_light(call->op, call->value);
        const bool known = light == HALO_LIGHT_NONE || light <= HALO_LIGHT_CONVERTED;
        if (change == HALO_LIGHT_PROFILE && light != 0)
            light = HALO_LIGHT_CONVERTED;
        else if (change == HALO_LIGHT_NONE || change <= HALO_LIGHT_CONVERTED || (known && change != 0))
            light = change;
        else
            light += change;
    }
    return light;
}

HaloStatus pipeline_check_light(const HaloPipeline *pipeline)
{
    const Call *before = NULL;
    for (int c = 0; c < pipeline->calls; c++) {
        const Call *call = &pipeline->call[c];
        const int change = op_light(call->op, call->value);
        if (change == HALO_LIGHT_PROFILE && before != NULL)
            return halo_fail(HALO_ERR_USAGE,
                             "%s: the profile of the input is of its samples before %s: put it first",
                             call->op->name, before->op->name);
        if (change != 0) before = call;
    }
    return HALO_OK;
}

/* Is value i a file whose samples lie where those of the input do? A pixel, and sound, have no places. */
static bool names_picture(const Call *call, int i)
{
    const HaloParam *param = call_param(call, i);
    const HaloOperand *operand = call->owned[i].operand;
    if (param->type != HALO_PARAM_SOURCE || param->unplaced || call->owned[i].branch != NULL) return false;
    if (operand == NULL) return call->owned[i].text != NULL;
    return operand->data.shape.kind == HALO_IMAGE && !halo_is_pixel(&operand->data.shape);
}

bool pipeline_upright(const HaloPipeline *pipeline)
{
    for (int c = 0; c < pipeline->calls; c++) {
        const Call *call = &pipeline->call[c];
        if (call->op->upright || (call->op->upright_of != NULL && call->op->upright_of(call->value)))
            return true;
        for (int v = 0; v < call->values; v++)
            if (names_picture(call, v) ||
                (call->owned[v].branch != NULL && pipeline_upright(call->owned[v].branch)))
                return true;
    }
    return false;
}
