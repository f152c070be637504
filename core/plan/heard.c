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
    builder->session->heard->about = HEARD_RESULTS;
    return status;
}

bool heard_turns(const HaloBuilder *builder, HaloReg reg)
{
    return heard_measures(builder, reg) && builder->session->heard->turns &&
           !shape_is_endless(halo_build_shape(builder, reg));
}

/* Room for them; it counts as held. */
static HaloStatus take_states(HaloBuilder *builder, const HaloSections *how, const HaloShape *shape,
                              HeardAnswer *answer)
{
    HaloStatus status = HALO_OK;
    HaloMemory *memory = &builder->session->memory;
    const int64_t states = halo_sections_blocks(how, shape->width) + 1,
                  each = 4 * (int64_t)sizeof(double) * how->count;
    const int64_t bytes = states * each * shape->channels;
    HALO_TRY(halo_memory_hold(memory, bytes - answer->held));
    answer->held = bytes;
    free(answer->states);
    answer->states = calloc((size_t)bytes, 1);
    if (answer->states == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
out:
    return status;
}

/* Planning stops at this step, which is done for what it finds: from the first frame to the last, or from the
 * last to the first. */
static HaloStatus find_states(HaloBuilder *builder, const HaloStep *step)
{
    HaloStatus status = HALO_OK;
    Heard *heard = builder->session->heard;
    HaloReg out;
    heard->about = HEARD_STATES;
    heard->open = false; /* until it is complete */
    HALO_TRY(halo_build_step(builder, step, &out));
    if (!step->u.sections.there) {
        const int64_t width = halo_build_shape(builder, out)->width;
        const HaloPick turn = {.width = width,
                               .height = 1,
                               .x0 = width - 1,
                               .step_x = -1,
                               .step_y = 1,
                               .border = HALO_BORDER_ZERO};
        HALO_TRY(halo_build_pick(builder, out, &turn, &out));
    }
    builder->plan->output = out;
    heard->open = true;
    HALO_FAIL(HALO_ERR_BUG, "%s: nobody has gone there and back", builder->op);
out:
    return status;
}

HaloStatus heard_sections(HaloBuilder *builder, HaloStep *step, HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    Heard *heard = builder->session->heard;
    HaloSections *how = &step->u.sections;
    const HaloReg in = step->src[0];
    const HeardAnswer *there, *back;
    HALO_TRY(next_answer(builder, in, &there));
    how->there = there == NULL;
    if (there == NULL) {
        HeardAnswer *open = &heard->answer[heard->answers];
        heard->open = false;
        HALO_TRY(take_states(builder, how, halo_build_shape(builder, in), open));
        how->states = open->states;
        return find_states(builder, step);
    }
    how->states = there->states;
    HALO_TRY(next_answer(builder, in, &back));
    if (back == NULL) return find_states(builder, step);
    HALO_TRY(halo_build_step(builder, step, dst));
out:
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
    heard->about = HEARD_SILENCE;
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

void heard_free(Heard *heard, HaloMemory *memory)
{
    for (int i = 0; i < HEARD_MOST; i++) {
        free(heard->answer[i].spans.span);
        free(heard->answer[i].states);
        halo_memory_release(memory, heard->answer[i].held);
        halo_results_free(&heard->answer[i].results);
        heard->answer[i] = (HeardAnswer){0};
    }
    heard->answers = 0;
}
