/* --total: a binary tree over the numbers of the files, joined as far as the files that are known allow. */
#include "totals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/measures.h"
#include "totals_part.h"

/* ---- groups --------------------------------------------------------------------------------------------- */

static bool alike(const HaloResult *a, const HaloResult *b)
{
    return a->type == b->type && a->shape.kind == b->shape.kind && a->shape.dtype == b->shape.dtype &&
           a->shape.channels == b->shape.channels && a->shape.alpha == b->shape.alpha &&
           a->shape.rate == b->shape.rate && a->shape.white == b->shape.white &&
           a->shape.numbers == b->shape.numbers && a->hist.bins == b->hist.bins && a->hist.own == b->hist.own &&
           (a->hist.own || (a->hist.lo == b->hist.lo && a->hist.hi == b->hist.hi));
}

Group *totals_group(CliTotals *totals, int64_t result, const HaloResult *like, int64_t number)
{
    for (size_t i = 0; i < totals->groups; i++)
        if (totals->group[i].result == result && alike(&totals->group[i].like, like)) return &totals->group[i];
    totals->group = cli_grow(totals->group, totals->groups, &totals->capacity, sizeof *totals->group);
    Group *group = &totals->group[totals->groups++];
    *group = (Group){.result = result, .first = number, .last = -1};
    group->like.type = like->type;
    group->like.shape = like->shape;
    group->like.shape.width = TOTALS_GRID;
    group->like.shape.height = 0;
    group->like.hist = (HaloHistogram){
        .bins = like->hist.bins, .lo = like->hist.lo, .hi = like->hist.hi, .own = like->hist.own};
    return group;
}

/* Ranges that were taken from samples and differ: such histograms cannot be added up. */
bool totals_is_apart(const Group *group) { return group->like.hist.own && isnan(group->like.hist.lo); }

HaloStatus totals_add_counts(HaloHistogram *sum, const HaloHistogram *more)
{
    HaloStatus status = HALO_OK;
    if (sum->own && (sum->lo != more->lo || sum->hi != more->hi)) {
        halo_histogram_free(sum);
        *sum = (HaloHistogram){.bins = more->bins, .lo = NAN, .hi = NAN, .own = true};
        goto out;
    }
    if (sum->count == NULL) HALO_TRY(halo_histogram_alloc(sum, more->channels, more->bins, more->lo, more->hi));
    sum->own = more->own;
    for (int64_t i = 0; i < sum->bins * sum->channels; i++) sum->count[i] += more->count[i];
    for (int c = 0; c < sum->channels; c++) {
        sum->below[c] += more->below[c];
        sum->above[c] += more->above[c];
        sum->nan[c] += more->nan[c];
    }
out:
    return status;
}

void totals_free_node(Node *node, int channels)
{
    for (int c = 0; c < channels; c++) {
        free(node->channel[c].file[0]);
        free(node->channel[c].file[1]);
    }
    free(node->channel);
}

/* ---- the tree ------------------------------------------------------------------------------------------- */

static void take_place(Part *a, Part *b, int which)
{
    char *const file = a->file[which];
    a->file[which] = b->file[which];
    a->number[which] = b->number[which];
    b->file[which] = file; /* freed with b */
}

/* Adds b, whose files come later, to a: of equal extremes the earlier one stays. */
static void join(Part *a, Part *b)
{
    HaloMoments *x = &a->moments, *y = &b->moments;
    const bool has_x = x->count > x->nan, has_y = y->count > y->nan;
    const bool lower = has_y && (!has_x || y->min < x->min), higher = has_y && (!has_x || y->max > x->max);
    const int64_t min_at = lower ? y->min_at : x->min_at, max_at = higher ? y->max_at : x->max_at;
    x->min_at = x->max_at = y->min_at = y->max_at = -1; /* places in different files do not compare */
    halo_moments_merge(x, y);
    x->min_at = min_at;
    x->max_at = max_at;
    if (lower) take_place(a, b, 0);
    if (higher) take_place(a, b, 1);
}

/* The highest bit in which two numbers differ: half the size of the smallest subtree that has both. */
static int64_t apart(int64_t a, int64_t b)
{
    int64_t bit = 1;
    for (a ^= b; a > 1; a >>= 1) bit <<= 1;
    return bit;
}

/* Joins nodes i and i + 1, which lie beside each other in the tree. */
static void join_nodes(Group *group, size_t i)
{
    Node *a = &group->node[i], *b = &group->node[i + 1];
    for (int c = 0; c < group->like.shape.channels; c++) join(&a->channel[c], &b->channel[c]);
    a->at = b->at;
    totals_free_node(b, group->like.shape.channels);
    memmove(b, b + 1, (--group->nodes - i - 1) * sizeof *b);
}

/* Two subtrees are joined once a later file shows that nothing comes between or behind them in theirs, unless
 * it begins before the first file of this part. */
void totals_push(const CliTotals *totals, Group *group, Node node)
{
    while (group->nodes >= 2 && group->node[group->nodes - 1].at != node.at) {
        const Node *last = &group->node[group->nodes - 1];
        const int64_t bit = apart(last[-1].at, last->at);
        if (bit >= apart(last->at, node.at) || (last->at & ~(2 * bit - 1)) < totals->first) break;
        join_nodes(group, group->nodes - 2);
    }
    group->node = cli_grow(group->node, group->nodes, &group->capacity, sizeof *group->node);
    group->node[group->nodes++] = node;
    /* Another image of the same file follows those before it. */
    if (group->nodes >= 2 && group->node[group->nodes - 2].at == node.at) join_nodes(group, group->nodes - 2);
}

/* No more files come: the nodes that are nearest to each other are joined. */
static void join_all(Group *group)
{
    while (group->nodes > 1) {
        size_t nearest = 0;
        for (size_t i = 1; i + 1 < group->nodes; i++)
            if (apart(group->node[i].at, group->node[i + 1].at) <
                apart(group->node[nearest].at, group->node[nearest + 1].at))
                nearest = i;
        join_nodes(group, nearest);
    }
}

/* ---- files ---------------------------------------------------------------------------------------------- */

static int64_t on_grid(const HaloShape *shape, int64_t at)
{
    if (at < 0 || shape->kind == HALO_AUDIO) return at;
    return at / shape->width * TOTALS_GRID + at % shape->width;
}

static Node node_of(int64_t number, const char *file, const HaloResult *result)
{
    const HaloShape *shape = &result->shape;
    const Node node = {number, cli_alloc((size_t)shape->channels, sizeof *node.channel)};
    for (int c = 0; c < shape->channels; c++) {
        const HaloMoments *m = &result->channel[c].moments;
        Part *part = &node.channel[c];
        *part = (Part){.moments = *m, .number = {-1, -1}};
        part->moments.min_at = on_grid(shape, m->min_at);
        part->moments.max_at = on_grid(shape, m->max_at);
        for (int k = 0; k < 2 && m->count > m->nan; k++) {
            part->number[k] = number;
            part->file[k] = cli_copy(file);
        }
    }
    return node;
}

HaloStatus cli_totals_add(CliTotals *totals, size_t number, const char *file, const HaloResults *results)
{
    HaloStatus status = HALO_OK;
    int64_t measurement = 0;
    for (int i = 0; i < results->count; i++, measurement++) {
        const HaloResult *result = &results->item[i];
        if (i > 0 && result->image != result[-1].image) measurement = 0;
        if (result->type != HALO_RESULT_STATS && result->type != HALO_RESULT_HIST) continue;
        Group *group = totals_group(totals, measurement, result, (int64_t)number);
        group->files += group->last != (int64_t)number;
        group->last = (int64_t)number;
        if (result->type == HALO_RESULT_STATS)
            totals_push(totals, group, node_of((int64_t)number, file, result));
        else
            HALO_TRY(totals_add_counts(&group->like.hist, &result->hist));
    }
out:
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* All channels together. Of equal extremes the one in the earlier file counts, then the one at the earlier
 * position. */
static void join_channel(Part *all, const Part *channel)
{
    Part more = *channel;
    HaloMoments *x = &all->moments;
    const HaloMoments *y = &channel->moments;
    const bool both = x->count > x->nan && y->count > y->nan;
    const bool lower =
        both && x->min == y->min &&
        (more.number[0] < all->number[0] || (more.number[0] == all->number[0] && y->min_at < x->min_at));
    const bool higher =
        both && x->max == y->max &&
        (more.number[1] < all->number[1] || (more.number[1] == all->number[1] && y->max_at < x->max_at));
    const int64_t min_at = y->min_at, max_at = y->max_at;
    join(all, &more);
    if (lower) {
        x->min_at = min_at;
        take_place(all, &more, 0);
    }
    if (higher) {
        x->max_at = max_at;
        take_place(all, &more, 1);
    }
}

static Part part_none(void) { return (Part){.moments = halo_moments_none(), .number = {-1, -1}}; }

static void print_stats(FILE *to, const Group *group, bool json)
{
    const HaloShape *shape = &group->like.shape;
    HaloResult result = group->like;
    const char *(*place)[2] = cli_alloc((size_t)shape->channels + 1, sizeof *place);
    const CliSubject whole = {.files = group->files, .place = (const char *const(*)[2])place};
    const Part *channel = group->node[0].channel;
    Part all = part_none();          /* its names are the channels' */
    result.detail = (HaloDetail){0}; /* percentiles and loudness are of a file: they do not add up */
    result.loudness = (HaloLoudness){NAN, NAN, NAN, NULL};
    result.channel = cli_alloc((size_t)shape->channels, sizeof *result.channel);
    for (int c = 0; c < shape->channels; c++) {
        halo_stats_from_moments(&channel[c].moments, shape->dtype, &result.channel[c]);
        for (int k = 0; k < 2; k++) place[c][k] = channel[c].file[k];
        if (c != shape->alpha) join_channel(&all, &channel[c]);
    }
    halo_stats_from_moments(&all.moments, shape->dtype, &result.all);
    for (int k = 0; k < 2; k++) place[shape->channels][k] = all.file[k];
    if (json)
        cli_record_result(to, &whole, &result);
    else
        cli_print_result(to, &whole, &result);
    free(result.channel);
    free(place);
}

static void print_group(FILE *to, const Group *group, bool json)
{
    const CliSubject whole = {.files = group->files};
    HaloResult like = group->like;
    if (totals_is_apart(group)) like.shape.channels = 0; /* of which there is something to say */
    if (group->like.type == HALO_RESULT_STATS)
        print_stats(to, group, json);
    else if (json)
        cli_record_result(to, &whole, &like);
    else
        cli_print_result(to, &whole, &like);
}

HaloStatus cli_totals_whole(const CliTotals *totals)
{
    for (size_t i = 0; totals != NULL && i < totals->groups; i++)
        if (totals_is_apart(&totals->group[i])) return halo_fail(HALO_ERR_INPUT, "--total: " CLI_TOTALS_APART);
    return HALO_OK;
}

static int in_order(const void *a, const void *b)
{
    const Group *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return x->result < y->result ? -1 : x->result > y->result;
}

void cli_totals_print(FILE *to, CliTotals *totals, bool json)
{
    if (totals->groups > 0) qsort(totals->group, totals->groups, sizeof *totals->group, in_order);
    for (size_t i = 0; i < totals->groups; i++) {
        join_all(&totals->group[i]);
        print_group(to, &totals->group[i], json);
    }
}

CliTotals *cli_totals_new(size_t first)
{
    CliTotals *totals = cli_alloc(1, sizeof *totals);
    totals->first = (int64_t)first;
    return totals;
}

void cli_totals_free(CliTotals *totals)
{
    for (size_t i = 0; totals != NULL && i < totals->groups; i++) {
        Group *group = &totals->group[i];
        for (size_t n = 0; n < group->nodes; n++) totals_free_node(&group->node[n], group->like.shape.channels);
        free(group->node);
        halo_histogram_free(&group->like.hist);
    }
    if (totals != NULL) free(totals->group);
    free(totals);
}
