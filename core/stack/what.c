/* What is made of a stack: a word, the mean without what lies too far off, or a fold of the user's own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/words.h"
#include "part.h"

static const char words[] = "mean|median|min|max|sum|sd|range"; /* in the order of StackOp */

/* "clip=3" behind "mean:". */
static HaloStatus parse_clip(const char *text, StackWhat *what)
{
    const char *end;
    if (strncmp(text, "clip=", 5) != 0)
        return halo_fail(HALO_ERR_USAGE, "mean: expected clip=N, found '%.60s'", text);
    if (!halo_read_number(text + 5, &what->clip, &end) || *end != 0 || !(what->clip > 0) ||
        !isfinite(what->clip))
        return halo_fail(HALO_ERR_USAGE, "mean: clip: expected a number above 0, found '%.60s'", text + 5);
    what->op = STACK_CLIPPED;
    return HALO_OK;
}

/* The operation `reduce` reads expressions: a plan with it alone holds the fold. */
static HaloStatus parse_fold(HaloSession *session, const char *text, StackWhat *what)
{
    HaloStatus status = HALO_OK;
    const HaloShape one = {HALO_IMAGE, HALO_F32, 1, 1, 1, -1, 1.0f, 0};
    const bool whole = strncmp(text, "reduce:", 7) == 0;
    const size_t room = strlen(text) + 16;
    char *pipeline = malloc(room);
    HaloPipeline *parsed = NULL;
    if (pipeline == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    snprintf(pipeline, room, whole ? "%s" : "reduce:\"%s\"", text);
    HALO_TRY(halo_pipeline_parse(session, pipeline, &parsed));
    HALO_TRY(halo_plan_make(session, parsed, &one, NULL, &what->plan));
    if (what->plan->steps != 1 || what->plan->step[0].primitive != HALO_FOLD)
        HALO_FAIL(HALO_ERR_USAGE, "'%.200s' is more than a reduction", text);
    what->op = STACK_FOLD;
    what->fold = &what->plan->step[0].u.fold;
out:
    halo_pipeline_free(parsed);
    free(pipeline);
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
    return status;
}

void stack_forget(StackWhat *what)
{
    halo_plan_free(what->plan);
    *what = (StackWhat){0};
}
