/* Questions of a plan that only the samples answer. */
#include "heard.h"

#include <stdlib.h>

#include "plan.h"

/* The answer to the next question; NULL: planning stops here. */
static HaloStatus next_answer(HaloBuilder *builder, HaloReg in, const HeardAnswer **answer)
{
    Heard *heard = builder->session->heard;
    *answer = NULL;
    if (heard->asked < heard->answers) {
        *answer = &heard->answer[heard->asked++];
        return HALO_OK;
    }
    if (heard->answers == HEARD_MOST)
        return halo_fail(HALO_ERR_USAGE, "%s: a pipeline may listen to its samples %d times", builder->op,
                         HEARD_MOST);
    heard->open = true;
    builder->plan->output = in;
    return HALO_OK;
}

bool heard_measures(const HaloBuilder *builder, HaloReg reg)
{
    const Heard *heard = builder->session->heard;
    return heard != NULL && heard->measures && halo_build_shape(builder, reg)->kind == HALO_AUDIO;
}

HaloStatus heard_result(HaloBuilder *builder, HaloReg in, const HaloResult **known)
{
    const HeardAnswer *answer;
    const HaloStatus status = next_answer(builder, in, &answer);
    *known = answer != NULL ? &answer->results.item[answer->results.count - 1] : NULL;
    builder->session->heard->about_results = true;
    return status;
}

HaloStatus halo_build_heard(HaloBuilder *builder, HaloReg in, const HaloSilence *silence, const HaloSpan **span,
                            int64_t *spans)
{
    HaloStatus status = HALO_OK;
    Heard *heard = builder->session->heard;
    const HeardAnswer *answer;
    if (heard == NULL)
        HALO_FAIL(HALO_ERR_USAGE,
                  "%s: what it leaves hangs on the samples, so that it is for single files alone", builder->op);
    HALO_TRY(next_answer(builder, in, &answer));
    heard->about_results = false;
    heard->silence = *silence;
    if (answer == NULL) HALO_FAIL(HALO_ERR_BUG, "%s: nobody has listened", builder->op);
    *span = answer->spans.span;
    *spans = answer->spans.count;
out:
    return status;
}

bool heard_add(HeardSpans *spans, HaloSpan span)
{
    if (spans->count == spans->room) {
        const int64_t room = 2 * spans->room + 4;
        HaloSpan *grown = realloc(spans->span, (size_t)room * sizeof *grown);
        if (grown == NULL) return false;
        spans->span = grown;
        spans->room = room;
    }
    spans->span[spans->count++] = span;
    return true;
}

void heard_free(Heard *heard)
{
    for (int i = 0; i < HEARD_MOST; i++) {
        free(heard->answer[i].spans.span);
        halo_results_free(&heard->answer[i].results);
        heard->answer[i] = (HeardAnswer){0};
    }
    heard->answers = 0;
}
