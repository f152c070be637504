/* A file through a plan in bands: rows are read, computed and written a few at a time, so that bands are in
 * memory and never whole images. With more than one job a thread reads ahead and another writes behind.
 *
 * Input and output have two slots each. The input rows of a band are its window; neighbouring windows overlap
 * by what the plan reaches, and those rows are copied from slot to slot. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

typedef struct Flow {
    Slot *slot;
    const HaloPlan *plan;
    HaloReader *reader;
    HaloWriter writer;
    int64_t band, bands;
    Rows *window; /* [bands] */
    int64_t most; /* rows in a window */
    HaloBuf in[2], out[2];
    HaloTimes ms;

    pthread_t reading, writing;
    bool reads_ahead, writes_behind; /* the thread is there */
    pthread_mutex_t lock;            /* of everything below */
    pthread_cond_t moved;
    int64_t read, made, written; /* bands so far; each counter is moved by one thread only */
    HaloStatus failed;           /* the first failure of any thread, and what it said */
    char message[1024];
} Flow;

bool flow_suits(const HaloSession *session, const HaloPlan *plan, const char *output)
{
    return plan->wants_output && plan->reg[plan->input].kind == HALO_IMAGE && bands_possible(plan) &&
           !session->options.verify && strcmp(output, "-") != 0;
}

/* ---- windows -------------------------------------------------------------------------------------------- */

static Rows band_rows(const Flow *flow, int64_t k)
{
    const int64_t height = flow->plan->reg[flow->plan->output].height, from = k * flow->band;
    return (Rows){from, flow->band < height - from ? from + flow->band : height};
}

/* Windows only go forward, leave nothing out, and the last one ends the input: a fault in its last row shows
 * even where no band needs that. */
static HaloStatus plan_windows(Flow *flow)
{
    const HaloPlan *plan = flow->plan;
    Rows *need = calloc((size_t)plan->regs, sizeof *need);
    Rows *window = flow->window = calloc((size_t)flow->bands, sizeof *window);
    if (need == NULL || window == NULL) {
        free(need);
        return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    }
    const int64_t last = flow->bands - 1;
    Rows before = {0, 0};
    for (int64_t k = 0; k <= last; k++) {
        bands_needs(plan, band_rows(flow, k), need);
        window[k] = need[plan->input];
        if (window[k].to < before.to) window[k].to = before.to;
        if (window[k].from > before.to) window[k].from = before.to;
        before = window[k];
    }
    for (int64_t k = last; k-- > 0;)
        if (window[k].from > window[k + 1].from) window[k].from = window[k + 1].from;
    window[last].to = plan->reg[plan->input].height;
    free(need);
    return HALO_OK;
}

static HaloStatus take_slots(Flow *flow)
{
    HaloStatus status = HALO_OK;
    const HaloShape *in = &flow->plan->reg[flow->plan->input], *out = &flow->plan->reg[flow->plan->output];
    for (int64_t k = 0; k < flow->bands; k++) {
        const int64_t rows = flow->window[k].to - flow->window[k].from;
        if (flow->most < rows) flow->most = rows;
    }
    for (int i = 0; i < (flow->bands > 1 ? 2 : 1); i++) {
        flow->in[i] = (HaloBuf){.shape = *in, .cols = in->width, .rows = flow->most};
        flow->out[i] = (HaloBuf){.shape = *out, .cols = out->width, .rows = flow->band};
        HALO_TRY(slot_take(flow->slot, &flow->in[i]));
        HALO_TRY(slot_take(flow->slot, &flow->out[i]));
    }
out:
    return status;
}

/* ---- reading and writing -------------------------------------------------------------------------------- */

/* Window k goes into slot k mod 2, which band k - 2 has left. */
static HaloStatus read_window(Flow *flow, int64_t k)
{
    const double start = now_ms();
    const Rows rows = flow->window[k];
    HaloBuf *to = &flow->in[k % 2];
    int64_t have = rows.from;
    to->y0 = rows.from;
    to->rows = rows.to - rows.from;
    if (k > 0) {
        have = flow->window[k - 1].to;
        memcpy(to->data, halo_at(&flow->in[(k - 1) % 2], 0, rows.from),
               (size_t)((have - rows.from) * to->stride));
    }
    HaloBuf rest = rows_of(to, (Rows){have, rows.to});
    const HaloStatus status = rest.rows > 0 ? load_rows(flow->reader, &rest) : HALO_OK;
    flow->ms.read += now_ms() - start;
    return status;
}

static HaloStatus write_band(Flow *flow, int64_t k)
{
    const double start = now_ms();
    const HaloStatus status = flow->writer.format->write(&flow->writer, &flow->out[k % 2]);
    flow->ms.write += now_ms() - start;
    return status;
}

/* ---- taking turns --------------------------------------------------------------------------------------- */

/* Waits until a counter has come so far; false when something has failed instead. */
static bool wait_for(Flow *flow, const int64_t *counter, int64_t count)
{
    pthread_mutex_lock(&flow->lock);
    while (flow->failed == HALO_OK && *counter < count) pthread_cond_wait(&flow->moved, &flow->lock);
    const bool well = flow->failed == HALO_OK;
    pthread_mutex_unlock(&flow->lock);
    return well;
}

/* One more band is through, or the flow has failed; false in the latter case. */
static bool advance(Flow *flow, int64_t *counter, HaloStatus status)
{
    pthread_mutex_lock(&flow->lock);
    if (status == HALO_OK) {
        ++*counter;
    } else if (flow->failed == HALO_OK) {
        flow->failed = status;
        snprintf(flow->message, sizeof flow->message, "%s", halo_error());
    }
    pthread_cond_broadcast(&flow->moved);
    pthread_mutex_unlock(&flow->lock);
    return status == HALO_OK;
}

static void *read_ahead(void *context)
{
    Flow *flow = context;
    for (int64_t k = 0; k < flow->bands && wait_for(flow, &flow->made, k - 1); k++)
        if (!advance(flow, &flow->read, read_window(flow, k))) break;
    return NULL;
}

static void *write_behind(void *context)
{
    Flow *flow = context;
    for (int64_t k = 0; k < flow->bands && wait_for(flow, &flow->made, k + 1); k++)
        if (!advance(flow, &flow->written, write_band(flow, k))) break;
    return NULL;
}

/* This thread's words for what failed in any. */
static HaloStatus failure(const Flow *flow) { return halo_fail(flow->failed, "%s", flow->message); }

static HaloStatus begin_band(void *context, Rows in, Rows out, HaloBuf *from, HaloBuf *to)
{
    Flow *flow = context;
    const int64_t k = flow->made;
    if (!flow->reads_ahead) advance(flow, &flow->read, read_window(flow, k));
    if (!wait_for(flow, &flow->read, k + 1) || !wait_for(flow, &flow->written, k - 1)) return failure(flow);
    HaloBuf *room = &flow->out[k % 2];
    room->y0 = out.from;
    room->rows = out.to - out.from;
    *from = rows_of(&flow->in[k % 2], in);
    *to = *room;
    return HALO_OK;
}

static HaloStatus end_band(void *context)
{
    Flow *flow = context;
    const int64_t k = flow->made;
    advance(flow, &flow->made, HALO_OK);
    if (flow->writes_behind || advance(flow, &flow->written, write_band(flow, k))) return HALO_OK;
    return failure(flow);
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* Threads that cannot be had are no error: the caller reads and writes then. */
static void start_threads(Flow *flow, int jobs)
{
    if (jobs == 1 || flow->bands == 1) return;
    flow->reads_ahead = pthread_create(&flow->reading, NULL, read_ahead, flow) == 0;
    flow->writes_behind = pthread_create(&flow->writing, NULL, write_behind, flow) == 0;
}

/* Waits for what is still to be written, or stops everything where the plan has failed. */
static HaloStatus join_threads(Flow *flow, HaloStatus status)
{
    if (status != HALO_OK) advance(flow, NULL, status);
    if (flow->reads_ahead) pthread_join(flow->reading, NULL);
    if (flow->writes_behind) pthread_join(flow->writing, NULL);
    return flow->failed == HALO_OK ? status : failure(flow);
}

static void give_slots(Flow *flow)
{
    for (int i = 0; i < 2; i++) {
        flow->in[i].rows = flow->most;
        flow->out[i].rows = flow->band;
        if (flow->in[i].data != NULL) slot_give(flow->slot, &flow->in[i]);
        if (flow->out[i].data != NULL) slot_give(flow->slot, &flow->out[i]);
    }
}

HaloStatus flow_run(HaloSession *session, const HaloPlan *plan, HaloReader *reader, const HaloFormat *to,
                    const HaloWriteOptions *write, HaloSink *sink, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    const HaloOptions *options = &session->options;
    const HaloShape *shape = &plan->reg[plan->output];
    Flow flow = {.slot = &session->host, .plan = plan, .reader = reader};
    const Ends ends = {.context = &flow, .begin = begin_band, .end = end_band};
    pthread_mutex_init(&flow.lock, NULL);
    pthread_cond_init(&flow.moved, NULL);
    flow.writer = (HaloWriter){.format = to, .sink = sink, .options = *write, .info = reader->info};
    flow.writer.info.shape = *shape;
    flow.writer.info.meta = save_meta(write, &reader->info.meta);
    flow.band = bands_for_flow(plan, options->band_rows, options->max_memory);
    flow.bands = (shape->height + flow.band - 1) / flow.band;
    HALO_TRY(memory_check(bands_flow_memory(plan, flow.band), options->max_memory));
    HALO_TRY(plan_windows(&flow));
    HALO_TRY(take_slots(&flow));
    HALO_TRY(to->create(&flow.writer));
    start_threads(&flow, options->jobs);
    status = execute_bands(flow.slot, plan, flow.band, &ends, &report->results, &report->clipped, &report->ms);
    HALO_TRY(join_threads(&flow, status));
    flow.writer.info.meta = save_meta(write, &reader->info.meta); /* some may stand behind the samples */
    HALO_TRY(to->finish(&flow.writer));
    report->clipped += flow.writer.clipped;
    report->ms.read = flow.ms.read;
    report->ms.write = flow.ms.write;
    report->backend = flow.slot->backend->name;
    snprintf(report->device, sizeof report->device, "%s", flow.slot->describe);
out:
    to->discard(&flow.writer);
    give_slots(&flow);
    free(flow.window);
    pthread_cond_destroy(&flow.moved);
    pthread_mutex_destroy(&flow.lock);
    return status;
}
