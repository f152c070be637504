/* Questions of a plan that only the samples answer. */
#include "heard.h"

#include "plan.h"

HaloStatus halo_build_heard(HaloBuilder *builder, HaloReg in, float level, int64_t least, int64_t *from,
                            int64_t *to)
{
    Heard *heard = builder->session->heard;
    if (heard != NULL && heard->asked < heard->answers) {
        *from = heard->answer[heard->asked].from;
        *to = heard->answer[heard->asked++].to;
        return HALO_OK;
    }
    if (heard != NULL && heard->answers < HEARD_MOST) {
        heard->open = true;
        heard->level = level;
        heard->least = least;
        builder->plan->output = in;
        return halo_fail(HALO_ERR_BUG, "%s: nobody has listened", builder->op);
    }
    return halo_fail(HALO_ERR_USAGE,
                     heard == NULL
                         ? "%s: what it leaves hangs on the samples, so that it is for single files alone"
                         : "%s: a pipeline may listen to its samples %d times",
                     builder->op, HEARD_MOST);
}
