/* Questions of a plan that only the samples answer. */
#include "heard.h"

#include <stdlib.h>

#include "plan.h"

HaloStatus halo_build_heard(HaloBuilder *builder, HaloReg in, const HaloSilence *silence, const HaloSpan **span,
                            int64_t *spans)
{
    Heard *heard = builder->session->heard;
    if (heard != NULL && heard->asked < heard->answers) {
        const HeardSpans *answer = &heard->answer[heard->asked++];
        *span = answer->span;
        *spans = answer->count;
        return HALO_OK;
    }
    if (heard != NULL && heard->answers < HEARD_MOST) {
        heard->open = true;
        heard->silence = *silence;
        builder->plan->output = in;
        return halo_fail(HALO_ERR_BUG, "%s: nobody has listened", builder->op);
    }
    if (heard == NULL)
        return halo_fail(HALO_ERR_USAGE,
                         "%s: what it leaves hangs on the samples, so that it is for single files alone",
                         builder->op);
    return halo_fail(HALO_ERR_USAGE, "%s: a pipeline may listen to its samples %d times", builder->op,
                     HEARD_MOST);
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
    for (int i = 0; i < HEARD_MOST; i++) free(heard->answer[i].span);
    *heard = (Heard){0};
}
