/* Which reduction a stack gets: one by name, the clipped mean, or a fold by the user's expressions. */
#include <math.h>
#include <string.h>

#include "halo/words.h"
#include "part.h"
#include "pipeline/pipeline.h"

static const char words[] = "mean|median|min|max|sum|sd|range"; /* in the order of StackOp */

/* "clip=3" behind "mean:". */
static HaloStatus parse_clip(const char *text, StackWhat *what)
{
    const char *end;
    if (strncmp(text, "clip=", 5) != 0)
        return halo_fail(HALO_ERR_USAGE, "stack: mean: expected clip=N, found '%.60s'", text);
    if (!halo_read_number(text + 5, &what->clip, &end) || *end != 0 || !(what->clip > 0) ||
        !isfinite(what->clip))
        return halo_fail(HALO_ERR_USAGE, "stack: mean: clip: expected a number above 0, found '%.60s'",
                         text + 5);
    what->op = STACK_CLIPPED;
    return HALO_OK;
}

/* "reduce:…" is a pipeline; anything else the expression alone, of which the operation makes a fold. */
static HaloStatus fold_pipeline(HaloSession *session, const char *text, HaloPipeline **pipeline)
{
    if (strncmp(text, "reduce:", 7) == 0) return halo_pipeline_parse(session, text, pipeline);
    const HaloOp *reduce = halo_find_op_in(session->tables, "reduce");
    if (reduce == NULL) return halo_fail(HALO_ERR_USAGE, "this build cannot compile expressions");
    return pipeline_of(session, reduce, "stack", text, pipeline);
}

/* Was the identity left to its default? */
static bool lacks_identity(const Call *call)
{
    for (int i = 0; i < call->values; i++)
        if (strcmp(call_param(call, i)->key, "identity") == 0) return !call->value[i].given;
    return false;
}

/* A plan with the fold alone holds it. */
static HaloStatus parse_fold(HaloSession *session, const char *text, StackWhat *what)
{
    HaloStatus status = HALO_OK;
    const HaloShape one = {HALO_IMAGE, HALO_F32, 1, 1, 1, -1, 1.0f, 0, false};
    HaloPipeline *parsed = NULL;
    HALO_TRY(fold_pipeline(session, text, &parsed));
    HALO_TRY(halo_plan_make(session, parsed, &one, NULL, &what->plan));
    if (what->plan->steps != 1 || what->plan->step[0].primitive != HALO_FOLD)
        HALO_FAIL(HALO_ERR_USAGE, "stack: expected one reduction, such as mean or reduce:…, found '%.200s'",
                  text);
    what->op = STACK_FOLD;
    what->fold = &what->plan->step[0].u.fold;
    what->from_first = lacks_identity(&parsed->call[0]);
out:
    halo_pipeline_free(parsed);
    return status;
}

HaloStatus stack_parse(HaloSession *session, const char *text, StackWhat *what)
{
    const size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyz");
    int word = 0;
    *what = (StackWhat){0};
    if (strncmp(text, "mean:", 5) == 0) return parse_clip(text + 5, what);
    if (text[letters] != 0 || letters < 2) return parse_fold(session, text, what); /* "a" is an expression */
    const HaloStatus status = halo_read_choice(text, words, &word);
    what->op = (StackOp)word;
    return status == HALO_OK ? status : halo_fail_at(status, "stack");
}

void stack_forget(StackWhat *what)
{
    halo_plan_free(what->plan);
    *what = (StackWhat){0};
}
