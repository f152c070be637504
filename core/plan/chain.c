/* Fuses neighbouring steps into one pass (halo/chain.h), for backends that can. Results stay the same; values
 * between the fused steps never go through memory. */
#include <stdlib.h>
#include <string.h>

#include "halo/chain.h"
#include "liveness.h"
#include "plan.h"
#include "primitive/primitive.h"

/* A run of steps [first, end) that may become a chain, all of whose sources are `source` or made within. */
typedef struct Group {
    const HaloPlan *plan;
    int first, end;
    HaloReg source;
} Group;

static bool is_plain(const HaloStep *step)
{
    if (step->resolve != NULL || step->approximate) return false;
    switch (step->primitive) {
    case HALO_CONV: return !step->u.conv.fast && !step->u.window.nan_ignore;
    case HALO_SEP: return !step->u.window.nan_ignore;
    case HALO_MEAN: return step->u.mean.kind == HALO_MEAN_PLAIN && !step->u.window.nan_ignore;
    case HALO_MAP: return true;
    case HALO_COMBINE: return !step->u.combine.spread;
    default: return false;
    }
}

/* The number of a value in the chain; -1: it is not of it. */
static int value_of(const Group *group, HaloReg reg)
{
    if (reg == group->source) return 0;
    for (int i = group->first; i < group->end; i++)
        if (group->plan->step[i].dst == reg) return i - group->first + 1;
    return -1;
}

static bool same_size(const HaloShape *a, const HaloShape *b)
{
    return a->width == b->width && a->height == b->height && a->kind == b->kind;
}

/* Can the step after the group be part of it? */
static bool takes_next(const Group *group)
{
    const HaloPlan *plan = group->plan;
    const HaloStep *step = &plan->step[group->end];
    if (group->end - group->first >= HALO_CHAIN_LINKS || !is_plain(step)) return false;
    for (int k = 0; k < step->sources; k++)
        if (value_of(group, step->src[k]) < 0) return false;
    return same_size(&plan->reg[step->dst], &plan->reg[group->source]);
}

static bool stores_plain(const HaloPlan *plan, const HaloStep *step)
{
    return plan->reg[step->dst].dtype == HALO_F32 && step->store.num == 1.0f && step->store.den == 1.0f;
}

/* Is the last step's result the only value used outside of the group, and can a chain hold all others? */
static bool is_closed(const Group *group)
{
    const HaloPlan *plan = group->plan;
    for (int i = group->first; i < group->end - 1; i++) {
        const HaloReg made = plan->step[i].dst;
        if (!stores_plain(plan, &plan->step[i]) || made == plan->output) return false;
        if (plan->live[made].reader >= group->end) return false;
    }
    return true;
}

static void fill(const Group *group, HaloChain *chain)
{
    const HaloPlan *plan = group->plan;
    *chain = (HaloChain){.links = group->end - group->first, .value[0] = plan->reg[group->source]};
    for (int i = 0; i < chain->links; i++) {
        HaloStep *link = &chain->link[i];
        *link = plan->step[group->first + i];
        chain->value[i + 1] = plan->reg[link->dst];
        for (int k = 0; k < link->sources; k++) link->src[k] = value_of(group, link->src[k]);
        link->dst = i + 1;
    }
}

/* The longest chain from a step on that the backend runs; 0 links: none. */
static void find(const HaloPlan *plan, const HaloBackend *backend, int first, HaloChain *chain)
{
    Group group = {.plan = plan, .first = first, .end = first, .source = plan->step[first].src[0]};
    chain->links = 0;
    if (plan->reg[group.source].kind != HALO_IMAGE) return;
    while (group.end < plan->steps && takes_next(&group)) group.end++;
    for (; group.end - first >= 2; group.end--) {
        if (!is_closed(&group)) continue;
        fill(&group, chain);
        if (backend->can_fuse(&chain->value[0], &chain->value[chain->links], chain)) return;
    }
    chain->links = 0;
}

/* ---- and what is set by their extremes ------------------------------------------------------------------- */

static bool asks_for_extremes(const HaloStep *step)
{
    return step->primitive == HALO_REDUCE && step->u.want == HALO_WANT_EXTREMES && step->result < 0 &&
           step->detail == NULL && !step->loudness && !step->refuse_nan;
}

/* Is the group's result read by the two steps behind it alone: one measures its extremes, the other is a map
 * that these set? */
static bool is_for_map(const Group *group)
{
    const HaloPlan *plan = group->plan;
    const int at = group->end;
    if (at == group->first || at - group->first >= HALO_CHAIN_LINKS || at + 1 >= plan->steps) return false;
    const HaloStep *last = &plan->step[at - 1], *measure = &plan->step[at], *map = &plan->step[at + 1];
    if (!asks_for_extremes(measure) || measure->src[0] != last->dst) return false;
    if (map->primitive != HALO_MAP || map->src[0] != last->dst || map->resolve_from != at) return false;
    if (plan->live[last->dst].reader > at + 1) return false;
    return stores_plain(plan, last) && last->dst != plan->output && is_closed(group) &&
           same_size(&plan->reg[map->dst], &plan->reg[group->source]);
}

/* The chain from a step on whose extremes the backend finds without storing samples; it computes them again,
 * with the map that follows. `chain` includes that map. */
static bool find_measured(const HaloPlan *plan, const HaloBackend *backend, int first, HaloChain *chain)
{
    Group group = {.plan = plan, .first = first, .end = first, .source = plan->step[first].src[0]};
    if (backend->can_fuse_extremes == NULL || plan->reg[group.source].kind != HALO_IMAGE) return false;
    while (group.end < plan->steps && takes_next(&group)) group.end++;
    if (!is_for_map(&group)) return false;
    fill(&group, chain);
    const int last = chain->links;
    if (!backend->can_fuse_extremes(&chain->value[0], &chain->value[last], chain)) return false;
    const HaloStep *map = &plan->step[group.end + 1];
    chain->links++;
    chain->link[last] = *map;
    chain->link[last].src[0] = last;
    chain->link[last].dst = last + 1;
    chain->value[last + 1] = plan->reg[map->dst];
    return backend->can_fuse(&chain->value[0], &chain->value[last + 1], chain);
}

/* ---- a plan of them -------------------------------------------------------------------------------------- */

/* The names of the operations, as they stand in a pipeline. */
static char *names_of(HaloBuilder *builder, const HaloChain *chain)
{
    size_t length = 1;
    for (int i = 0; i < chain->links; i++) length += strlen(chain->link[i].op) + 1;
    char *names = halo_build_keep(builder, length);
    if (names == NULL) return NULL;
    names[0] = 0;
    for (int i = 0; i < chain->links; i++) {
        if (i > 0 && strcmp(chain->link[i].op, chain->link[i - 1].op) == 0) continue;
        if (i > 0) strcat(names, "|");
        strcat(names, chain->link[i].op);
    }
    return names;
}

/* A step of these links. Parameters that depend on a measurement are set by the step before. */
static HaloStatus add_chain(HaloBuilder *builder, HaloPlan *chained, HaloPrimitive primitive,
                            const HaloChain *chain, HaloReg source, HaloReg dst)
{
    const HaloStep *last = &chain->link[chain->links - 1];
    HaloChain *kept = halo_build_keep(builder, sizeof *kept);
    const char *names = names_of(builder, chain);
    if (kept == NULL || names == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    *kept = *chain;
    const HaloStep step = {.primitive = primitive,
                           .op = names,
                           .sources = 1,
                           .src = {source},
                           .dst = dst,
                           .store = last->store,
                           .u.chain = kept,
                           .result = -1,
                           .resolve_from = last->resolve != NULL ? chained->steps - 1 : -1,
                           .resolve = last->resolve};
    return plan_add_step(chained, &step);
}

/* The chain's extremes, but for the map that they set; and all of it. */
static HaloStatus add_measured(HaloBuilder *builder, HaloPlan *chained, const HaloChain *chain, HaloReg source,
                               HaloReg dst)
{
    HaloStatus status = HALO_OK;
    HaloChain before = *chain;
    before.links--;
    HALO_TRY(add_chain(builder, chained, HALO_EXTREMES, &before, source, -1));
    HALO_TRY(add_chain(builder, chained, HALO_CHAIN, chain, source, dst));
out:
    return status;
}

/* Gives `chained` the steps of the plan with its chains in their places; it has no more of a plan. */
static HaloStatus make(HaloBuilder *builder, const HaloBackend *backend, HaloPlan *chained, int *place)
{
    HaloStatus status = HALO_OK;
    const HaloPlan *plan = builder->plan;
    HaloChain chain;
    for (int i = 0; i < plan->steps; i++) {
        place[i] = chained->steps;
        const HaloReg source = plan->step[i].src[0];
        if (find_measured(plan, backend, i, &chain)) {
            i += chain.links;
            HALO_TRY(add_measured(builder, chained, &chain, source, plan->step[i].dst));
            continue;
        }
        find(plan, backend, i, &chain);
        if (chain.links > 0) {
            i += chain.links - 1;
            HALO_TRY(add_chain(builder, chained, HALO_CHAIN, &chain, source, plan->step[i].dst));
        } else {
            HaloStep step = plan->step[i];
            if (step.resolve_from >= 0) step.resolve_from = place[step.resolve_from];
            HALO_TRY(plan_add_step(chained, &step));
        }
    }
out:
    return status;
}

HaloStatus plan_chain(HaloBuilder *builder, const HaloBackend *backend, HaloChained *chained)
{
    HaloStatus status = HALO_OK;
    HaloPlan *plan = builder->plan, made = {0};
    int *place = NULL; /* of each step, among those that are made */
    if (backend == NULL || backend->can_fuse == NULL || plan->steps < 2) return HALO_OK;
    place = calloc((size_t)plan->steps, sizeof *place);
    if (place == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(make(builder, backend, &made, place));
    if (made.steps == plan->steps) goto out;
    chained->plan = malloc(sizeof *chained->plan);
    if (chained->plan == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    *chained->plan = *plan; /* the plan owns all but the steps and what is derived from them */
    chained->plan->steps = made.steps;
    chained->plan->step = made.step;
    chained->plan->live = NULL;
    chained->backend = backend;
    made.step = NULL;
    HALO_TRY(liveness_find(chained->plan));
out:
    free(made.step);
    free(place);
    return status;
}

const HaloPlan *plan_for(const HaloPlan *plan, const HaloBackend *backend)
{
    for (int k = 0; k < 2 && backend != NULL; k++)
        if (plan->chained[k].backend == backend) return plan->chained[k].plan;
    return plan;
}
