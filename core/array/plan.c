/* Plans for arrays: opened for their shapes, closed, described. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halo/struct.h"
#include "part.h"
#include "run/analyse.h"
#include "run/run.h"

static const char *name_of(size_t at, char name[40])
{
    if (at == 0) return "the input";
    snprintf(name, 40, "array @%zu", at + 1);
    return name;
}

/* ---- planning -------------------------------------------------------------------------------------------- */

HaloStatus arrays_plan(const PlanArrays *arrays, HaloSession *work, const HaloBuf *in, HaloPlan **plan)
{
    Operands operands = {.array = arrays->operand, .arrays = arrays->count - 1};
    const PlanRequest request = {
        .pipeline = arrays->pipeline, .page = -1, .to = &plan_to_array, .operands = &operands};
    return plan_for_samples(work, &request, in, plan);
}

HaloStatus arrays_output(const PlanArrays *arrays, const HaloPlan *plan, Layout *output)
{
    *output = (Layout){0};
    if (!plan->wants_output || halo_pipeline_only_measures(arrays->pipeline)) return HALO_OK;
    return layout_of_result(&plan->reg[plan->output], &arrays->input[0], output);
}

/* ---- opening --------------------------------------------------------------------------------------------- */

static HaloStatus add_operand(PlanArrays *arrays, size_t at, const char *name)
{
    const Layout *layout = &arrays->input[at];
    char text[24];
    snprintf(text, sizeof text, "@%zu", at + 1);
    HaloOperand *operand = arrays->operand[at - 1] = operand_new(text);
    if (operand == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    operand->array = true;
    operand->pages = 1;
    operand->orientation = 1;
    operand->data.shape = layout->shape;
    operand->data.cols = layout->shape.width;
    operand->data.rows = layout->shape.height;
    atomic_store(&operand->there, true);
    if (layout->pages != 1 && layout->pages != arrays->input[0].pages)
        return halo_fail(HALO_ERR_USAGE,
                         "%s has %lld pages, and the input has %lld: it has to have as many, or one", name,
                         (long long)layout->pages, (long long)arrays->input[0].pages);
    if (layout->array.gpu != arrays->input[0].array.gpu)
        return halo_fail(HALO_ERR_USAGE, "%s is not in the memory that the input is in: copy it there", name);
    return HALO_OK;
}

static void free_arrays(PlanArrays *arrays)
{
    if (arrays == NULL) return;
    for (size_t i = 1; i < arrays->count && arrays->operand != NULL; i++)
        operand_release(arrays->operand[i - 1]);
    free(arrays->operand);
    free(arrays->input);
    halo_plan_free(arrays->plan);
    halo_pipeline_free(arrays->pipeline);
    free(arrays);
}

static HaloStatus read_inputs(PlanArrays *arrays, const HaloArray inputs[])
{
    HaloStatus status = HALO_OK;
    char text[40];
    for (size_t i = 0; i < arrays->count; i++) {
        /* Elements of an array of structs are as large as the caller's compiler made them. */
        const HaloArray *input = (const HaloArray *)((const char *)inputs + i * inputs->struct_size);
        HALO_TRY(layout_read(input, name_of(i, text), &arrays->input[i]));
        if (arrays->session->options.precision == HALO_PRECISION_SINGLE) layout_narrow(&arrays->input[i]);
        if (i > 0) HALO_TRY(add_operand(arrays, i, name_of(i, text)));
    }
out:
    return status;
}

static HaloStatus check_surplus(const PlanArrays *arrays)
{
    for (size_t at = 2; at <= arrays->count; at++)
        if (!pipeline_names_array(arrays->pipeline, at))
            return halo_fail(
                HALO_ERR_USAGE,
                "%zu arrays were given, and the pipeline does not name @%zu: leave it out, or use it "
                "as in subtract:@%zu",
                arrays->count, at, at);
    return HALO_OK;
}

/* Plans with the data where planning for the shape alone is not sufficient, to know the output. */
static HaloStatus plan_first(PlanArrays *arrays)
{
    HaloStatus status = HALO_OK;
    HaloSession *work = NULL;
    HaloPlan *now = NULL;
    HaloBuf in = {.shape = arrays->input[0].shape};
    LayoutLost lost = {0}; /* which each run counts */
    HALO_TRY(session_borrow(arrays->session, arrays->input[0].array.gpu, &work));
    HALO_TRY(arrays_plan(arrays, work, &in, &arrays->plan));
    if (arrays->plan != NULL) HALO_TRY(arrays_output(arrays, arrays->plan, &arrays->output));
    if (arrays->plan != NULL && arrays->plan->notes != NULL) { /* threads may not share its notes */
        now = arrays->plan;
        arrays->plan = NULL;
    }
    if (now != NULL || arrays->plan != NULL || arrays->input[0].array.data == NULL ||
        arrays->input[0].array.gpu != HALO_HOST)
        goto out;
    if (arrays->input[0].pages > 1)
        HALO_FAIL(
            HALO_ERR_USAGE,
            "the size of the output depends on the samples, so arrays of several sounds are run one by one");
    HALO_TRY(convert_in(&arrays->input[0], 0, &in, &lost));
    HALO_TRY(arrays_plan(arrays, work, &in, &now));
    if (now != NULL) HALO_TRY(arrays_output(arrays, now, &arrays->output));
out:
    halo_buf_free(&in);
    halo_plan_free(now);
    session_return(arrays->session, work);
    return status;
}

HaloStatus halo_plan_open(HaloSession *session, const HaloPipeline *pipeline, const HaloArray inputs[],
                          size_t count, HaloPlan **plan)
{
    HaloStatus status = HALO_OK;
    PlanArrays *arrays = NULL;
    if (plan == NULL) return halo_fail(HALO_ERR_USAGE, "plan is NULL");
    *plan = NULL;
    HALO_TRY(session_check(session));
    if (pipeline == NULL || inputs == NULL || count == 0 || count > 1000000)
        HALO_FAIL(HALO_ERR_USAGE, "%s", pipeline == NULL ? "the pipeline is NULL" : "there is no input");
    arrays = calloc(1, sizeof *arrays);
    if (arrays == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    arrays->session = session;
    arrays->pipeline = pipeline_hold(pipeline);
    arrays->count = count;
    arrays->input = calloc(count, sizeof *arrays->input);
    arrays->operand = calloc(count, sizeof *arrays->operand);
    if (arrays->input == NULL || arrays->operand == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(read_inputs(arrays, inputs));
    HALO_TRY(check_surplus(arrays));
    if (pipeline_pages(pipeline, &(HaloPages){0}))
        HALO_FAIL(HALO_ERR_USAGE, "pages: it selects pages of files; of an array, give those that you want");
    HALO_TRY(plan_first(arrays));
    *plan = calloc(1, sizeof **plan);
    if (*plan == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    (*plan)->arrays = arrays;
out:
    if (status != HALO_OK) free_arrays(arrays);
    return status;
}

void halo_plan_close(HaloPlan *plan)
{
    if (plan == NULL) return;
    free_arrays(plan->arrays);
    free(plan);
}

/* ---- describing ------------------------------------------------------------------------------------------ */

HaloStatus arrays_check_plan(const HaloPlan *plan)
{
    if (plan == NULL || plan->arrays == NULL) return halo_fail(HALO_ERR_USAGE, "the plan is NULL");
    return session_check(plan->arrays->session);
}

HaloStatus halo_plan_output(const HaloPlan *plan, size_t at, HaloArray *array)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(arrays_check_plan(plan));
    const PlanArrays *arrays = plan->arrays;
    if (at > 0 || halo_pipeline_only_measures(arrays->pipeline))
        HALO_FAIL(HALO_ERR_USAGE, "there is no output %zu: %s", at,
                  at > 0 ? "a pipeline has one, number 0" : "the pipeline only measures");
    if (arrays->output.array.dims == 0)
        HALO_FAIL(HALO_ERR_USAGE,
                  "the size of the output depends on the samples: open the plan with the input's data");
    status = halo_struct_write(array, array == NULL ? 0 : array->struct_size, &arrays->output.array,
                               sizeof arrays->output.array, "the array", "halo_array_defaults");
out:
    return status;
}

HaloStatus halo_plan_explain(const HaloPlan *plan, char **text)
{
    HaloStatus status = HALO_OK;
    HaloSession *work = NULL;
    size_t size;
    if (text == NULL) return halo_fail(HALO_ERR_USAGE, "text is NULL");
    *text = NULL;
    HALO_TRY(arrays_check_plan(plan));
    if (plan->arrays->plan == NULL)
        HALO_FAIL(HALO_ERR_USAGE,
                  "the plan depends on the samples: 'halo run --explain' explains it for a file");
    HALO_TRY(session_borrow(plan->arrays->session, plan->arrays->input[0].array.gpu, &work));
    FILE *to = open_memstream(text, &size);
    if (to == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    halo_plan_print(work, plan->arrays->plan, to);
    if (fclose(to) != 0) status = halo_fail(HALO_ERR_LIMIT, "not enough memory");
out:
    if (plan != NULL && plan->arrays != NULL) session_return(plan->arrays->session, work);
    return status;
}
