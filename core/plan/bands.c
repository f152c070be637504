/* Chooses the height of bands: rows of the output that are computed at a time. Operations know nothing of
 * bands; each primitive says which rows it reads. */
#include <math.h>

#include "bands.h"
#include "halo/measures.h"
#include "plan.h"
#include "primitive/primitive.h"

/* Measurements band by band need the rows of the same band. */
static bool measures_elsewhere(const HaloPlan *plan, const HaloStep *step)
{
    const HaloShape *src = &plan->reg[step->src[0]], *made = &plan->reg[plan->output];
    if (step->dst >= 0 || src->kind != HALO_AUDIO) return false;
    return src->width < made->width || src->width - made->width > BANDS_FEW_FRAMES;
}

/* Neighbouring bands share some rows of a value. An intermediate step that rounds to integers would count the
 * samples that it clips in those rows twice, so a plan with such a step runs whole. */
bool bands_possible(const HaloPlan *plan)
{
    if (plan->wants_length && shape_is_endless(&plan->reg[plan->input[0].reg])) return false;
    if (bands_jump(plan) > BANDS_FEW_FRAMES) return false; /* a window holds all rows that its band skips */
    for (int i = 0; i < plan->steps; i++) {
        const HaloStep *step = &plan->step[i];
        if (step->resolve != NULL || needs_all(plan, step) || measures_elsewhere(plan, step)) return false;
        if (step->dst != plan->output && needs_rounding(plan, step)) return false;
    }
    return !needs_last(plan);
}

bool bands_possible_on(const HaloBackend *backend, const HaloPlan *plan)
{
    return bands_possible(plan) && bands_parts_on(backend, plan);
}

static int64_t length_of(const HaloPlan *plan) { return rows_length(&plan->reg[plan->output]); }

/* ---- the choice ----------------------------------------------------------------------------------------- */

/* Where a plan computes statistics of sound a band has to be a node of their tree: 2^k leaves. */
static int64_t whole_leaves(const HaloPlan *plan, int64_t rows)
{
    const int64_t length = length_of(plan);
    bool measures = false;
    for (int i = 0; i < plan->steps && plan->reg[plan->output].kind == HALO_AUDIO; i++)
        measures = measures || measures_leaves(&plan->step[i], &plan->reg[plan->step[i].src[0]]);
    if (rows >= length || !measures) return smaller(rows, length);
    int64_t node = HALO_LEAF;
    while (node < rows) node *= 2;
    return node < length ? node : length;
}

/* In host memory. */
static int64_t memory_at(const HaloPlan *plan, int64_t rows, bool with_in_out)
{
    const Bands bands = bands_cut(plan, rows);
    return bands_memory(&bands, with_in_out);
}

/* The rows of the input from the first to the last that row `at` of the output needs. */
static HaloStatus input_for(const HaloPlan *plan, int64_t at, double *count)
{
    Rows rows;
    const HaloStatus status = needs_of_input(plan, (Rows){at, at + 1}, &rows);
    if (status == HALO_OK) *count = (double)(rows.to - rows.from);
    return status;
}

/* The smallest band: eight times the rows of the input that it needs beyond its share. Its neighbours need
 * those, too, and in smaller bands too much would be computed twice. */
static int64_t least_rows(const HaloPlan *plan)
{
    const int64_t made = length_of(plan), read = rows_length(&plan->reg[plan->input[0].reg]);
    const double share = (double)read / (double)made; /* rows of the input for each of the output */
    double here, near = 0, first = 0;
    if (input_for(plan, made / 2, &here) != HALO_OK) return made;
    /* A branch of a sound may begin far from the sound's first frame, and end before its middle. What the first
     * frames alone need, such as the sound that is mirrored before it, few bands have to wait for. */
    const bool sound = plan->reg[plan->output].kind == HALO_AUDIO;
    if (sound && (input_for(plan, made / 16, &near) != HALO_OK || input_for(plan, 0, &first) != HALO_OK))
        return made;
    const double beyond = fmax(8.0 * (fmax(here, near) - ceil(share)), 2.0 * (first - ceil(share)));
    const double shrinks =
        share > 1.0 ? share : 1.0; /* an image that is enlarged has many rows for each that is read */
    const double least = beyond / shrinks, few = 64.0 / shrinks;
    return larger(1, (int64_t)(least > few ? least : few));
}

/* Bands are small enough for the values between steps to stay in the last-level cache; a single thread, which
 * need not wait for others after each step, gets smaller bands for a nearer cache. */
#define BAND_BYTES (16 << 20)
#define BAND_BYTES_ALONE (4 << 20)

int64_t bands_choose(const HaloPlan *plan, const HaloOptions *options)
{
    const int64_t wish = options->band_rows, bytes = options->jobs == 1 ? BAND_BYTES_ALONE : BAND_BYTES;
    const int64_t length = length_of(plan);
    if (!bands_possible(plan)) return length;
    if (wish > 0) return whole_leaves(plan, wish);
    const int64_t least = least_rows(plan);
    int64_t rows = length; /* a single step has nothing in between */
    while (rows > least && memory_at(plan, rows, false) > bytes) rows = (rows + 1) / 2;
    return whole_leaves(plan, rows);
}

int64_t bands_in_parts(const HaloPlan *plan, int64_t rows, double parts)
{
    if (parts <= 1.0 || !bands_possible(plan)) return rows;
    const int64_t part = (int64_t)ceil((double)length_of(plan) / parts);
    return smaller(rows, whole_leaves(plan, larger(part, least_rows(plan))));
}

/* At least one band for each device. */
static int64_t most_rows(Team team, const HaloPlan *plan)
{
    return (length_of(plan) + team.count - 1) / team.count;
}

int64_t bands_for_team(Team team, const HaloPlan *plan, int64_t wish, int64_t memory)
{
    int64_t rows = most_rows(team, plan);
    if (!bands_possible_on(team.device->backend, plan)) return length_of(plan);
    if (wish > 0) rows = smaller(rows, wish);
    while (rows > 1 && bands_whole_memory(team.device, plan, rows, true) > memory) rows = (rows + 1) / 2;
    return whole_leaves(plan, rows);
}

/* ---- from file to file ---------------------------------------------------------------------------------- */

/* The bytes of a band of rows from a file, input and output included: few enough to be computed and written
 * while they are in the cache. A GPU is given more, since every band is launched and waited for. */
#define FLOW_BYTES (4 << 20)
#define FLOW_BYTES_GPU (32 << 20)

int64_t bands_in_flow(Team team, const Bands *bands) { return smaller(2 * team.count, bands_count(bands)); }

/* Does a measurement need more memory while it runs, by what it finds? */
static bool grows_with_finds(const HaloPlan *plan)
{
    bool grows = false;
    for (int i = 0; i < plan->steps; i++) {
        const Measure *measure = primitive_of(&plan->step[i])->measure;
        grows = grows || (measure != NULL && measure->grows);
    }
    return grows;
}

int64_t bands_for_flow(Team team, const HaloPlan *plan, const HaloOptions *options, bool seeks, int64_t memory)
{
    const Device *device = team.device;
    const bool apart = device->backend->upload != NULL; /* it has device memory */
    const int64_t most = apart ? FLOW_BYTES_GPU : FLOW_BYTES;
    const int64_t there = apart ? team_memory(team, options->share) : 0;
    int64_t rows = most_rows(team, plan);
    if (options->band_rows > 0) return whole_leaves(plan, options->band_rows);
    const int64_t least = least_rows(plan);
    while (rows > least && memory_at(plan, rows, true) > most) rows = (rows + 1) / 2;
    while (rows > larger(1, least / 8) && memory_at(plan, rows, true) > 16 * most)
        rows = (rows + 1) / 2; /* twice the work is better than so much memory */
    while (apart && rows > 1 && bands_whole_memory(device, plan, rows, true) > there) rows = (rows + 1) / 2;
    if (grows_with_finds(plan)) memory /= 2;
    while (rows > 1 && bands_flow_memory(team, plan, rows, seeks) > memory) rows = (rows + 1) / 2;
    return whole_leaves(plan, rows);
}

/* Blocks need not be nodes of the tree of statistics: frames wait until there is a leaf of them
 * (run/measure_band.c). */
int64_t bands_for_pipe(Team team, const HaloPlan *plan, const HaloOptions *options, int64_t memory)
{
    const int64_t rows = bands_for_flow(team, plan, options, false, memory);
    const int latency_ms = options->latency_ms > 0 ? options->latency_ms : 100;
    const double most = plan->reg[plan->output].rate * latency_ms / 1000.0;
    if (options->band_rows > 0 || most >= (double)rows) return rows;
    return larger(1, (int64_t)most);
}

/* After the end of the input nothing has to be waited for. */
HaloStatus bands_ahead(const HaloPlan *plan, int64_t rows, int64_t *ahead)
{
    Rows need;
    const HaloShape *in = &plan->reg[plan->input[0].reg], *out = &plan->reg[plan->output];
    const HaloStatus status = needs_of_input(plan, (Rows){0, rows}, &need);
    const double share = in->rate != out->rate ? in->rate / out->rate : 1.0;
    *ahead = status == HALO_OK ? larger(0, need.to - (int64_t)((double)rows * share)) : 0;
    return status;
}
