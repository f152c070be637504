/* A file through a plan in bands: rows of an image, or frames of a sound, are read, computed and written a few
 * at a time, so that bands are in memory and never all of it. With more than one job a thread reads ahead and
 * another writes behind.
 *
 * Input and output have two buffers each. The input rows of a band are its window (plan/bands.c); the rows that
 * neighbouring windows share are copied from one buffer to the other. Sound may be of unknown length: its plan
 * is made for PLAN_ENDLESS frames, and gets its length when the last window has been read. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/file.h"
#include "flow_rows.h"
#include "job.h"
#include "plan/plan.h"

typedef struct Flow {
    Device *host, *device; /* whose memory rows are read to and written from, and what computes */
    HaloPlan *plan;
    HaloReader *reader;
    HaloWriter *writer; /* NULL: only results are wanted, or */
    HaloBuf *whole;     /* all of the output, which is written later; else NULL */
    Listener *listener; /* who hears the output, in place of a writer; else NULL */
    int64_t band;
    bool endless; /* the reader does not know the length */
    bool live;    /* somebody waits for each block */
    FlowRows rows;
    const HaloBuf *window; /* of the band that is made */
    HaloTimes ms;

    pthread_t reading, writing;
    bool reads_ahead, writes_behind; /* the thread is there */
    pthread_mutex_t lock;            /* of everything below */
    pthread_cond_t moved;
    int64_t read, made, written; /* bands so far; each counter is moved by one thread only */
    int64_t last;       /* the window that ends the input, for all bands from there on; -1: not read yet */
    bool done;          /* no more bands are made */
    HaloFailure failed; /* the first of any thread */
} Flow;

bool flow_suits(const HaloSession *session, const HaloPlan *plan)
{
    return bands_possible(plan) && !session->options.verify;
}

/* ---- reading and writing -------------------------------------------------------------------------------- */

/* Is this all that is needed? The rest is gone through all the same, so that damage there is found, unless the
 * format knows how to leave rows out. */
static HaloStatus end_window(Flow *flow, int64_t k, Rows rows, bool *at_end)
{
    const HaloPlan *plan = flow->plan;
    const int64_t length = rows_length(&plan->reg[plan->input[0].reg]);
    *at_end = rows.to == length;
    if (*at_end) return HALO_OK;
    if (k < (rows_length(&plan->reg[plan->output]) - 1) / flow->band) return HALO_OK;
    *at_end = true;
    return load_skip(flow->reader, length - rows.to);
}

/* Goes on to row `to`, which no band needs what lies before; or, of sound of unknown length, to its end. */
static HaloStatus skip_rows(Flow *flow, HaloBuf *room, int64_t to, int64_t *have)
{
    HaloStatus status = HALO_OK;
    if (!flow->endless) {
        HALO_TRY(load_skip(flow->reader, to - *have));
        *have = to;
    }
    for (int64_t got = 1; *have < to && got > 0; *have += got) {
        got = smaller(flow->rows.room, to - *have);
        flow_rows_set(&flow->rows, room, (Rows){*have, *have + got});
        HALO_TRY(load_rows(flow->reader, room, &got));
    }
out:
    return status;
}

/* Window k goes into buffer k mod 2, which band k - 2 no longer needs. *at_end: it is the last. */
static HaloStatus read_window(Flow *flow, int64_t k, bool *at_end)
{
    HaloStatus status = HALO_OK;
    const double start = now_ms();
    HaloBuf *to = &flow->rows.in[k % 2];
    const HaloBuf *last = &flow->rows.in[(k + 1) % 2];
    int64_t have = k > 0 ? rows_in(last).to : 0;
    Rows rows;
    HALO_TRY(bands_window(flow->plan, flow->band, k, have, &rows));
    if (rows.to - rows.from > flow->rows.room)
        HALO_FAIL(HALO_ERR_BUG, "a band reads more than its window holds");
    if (rows.from > have) {
        HALO_TRY(skip_rows(flow, to, rows.from, &have));
        if (have < rows.from) rows = (Rows){have, have + 1}; /* it ends before */
    }
    flow_rows_set(&flow->rows, to, rows);
    for (int64_t y = to->y0; y < to->y0 + to->rows && k > 0; y++) {
        const HaloBuf kept = flow_rows_of(&flow->rows, to, (Rows){rows.from, have});
        if (y < kept.y0 + kept.rows)
            memcpy(halo_at(&kept, kept.x0, y), halo_at(last, kept.x0, y), (size_t)halo_row_bytes(&kept));
    }
    HaloBuf rest = flow_rows_of(&flow->rows, to, (Rows){have, rows.to});
    int64_t got = rows.to - have;
    if (got > 0) HALO_TRY(load_rows(flow->reader, &rest, &got));
    flow_rows_set(&flow->rows, to, (Rows){rows.from, have + got});
    if (flow->endless)
        *at_end = have + got < rows.to;
    else
        HALO_TRY(end_window(flow, k, rows, at_end));
    if (have + got == 0 && to->shape.kind == HALO_AUDIO) HALO_FAIL(HALO_ERR_INPUT, "holds no samples");
out:
    flow->ms.read += now_ms() - start;
    return status;
}

/* Do rows of the output go somewhere, band by band? */
static bool hands_on(const Flow *flow) { return flow->writer != NULL || flow->listener != NULL; }

static HaloStatus write_band(Flow *flow, int64_t k)
{
    const double start = now_ms();
    HaloStatus status = HALO_OK;
    if (flow->writer != NULL) HALO_TRY(save_rows(flow->writer, &flow->rows.out[k % 2]));
    if (flow->listener != NULL) listener_hear(flow->listener, &flow->rows.out[k % 2]);
    if (flow->live) HALO_TRY(halo_sink_flush(flow->writer->sink));
out:
    flow->ms.write += now_ms() - start;
    return status;
}

/* ---- taking turns --------------------------------------------------------------------------------------- */

/* Waits until a counter has come so far; false when it never will. */
static bool wait_for(Flow *flow, const int64_t *counter, int64_t count)
{
    pthread_mutex_lock(&flow->lock);
    while (flow->failed.status == HALO_OK && *counter < count && !flow->done)
        pthread_cond_wait(&flow->moved, &flow->lock);
    const bool well = flow->failed.status == HALO_OK && *counter >= count;
    pthread_mutex_unlock(&flow->lock);
    return well;
}

/* Counts one more band, or keeps the failure; false where it failed. */
static bool advance(Flow *flow, int64_t *counter, HaloStatus status)
{
    pthread_mutex_lock(&flow->lock);
    if (status == HALO_OK) {
        ++*counter;
    } else if (flow->failed.status == HALO_OK) {
        halo_failure_keep(&flow->failed, status);
    }
    pthread_cond_broadcast(&flow->moved);
    pthread_mutex_unlock(&flow->lock);
    return status == HALO_OK;
}

/* The next window; false when there are no more. */
static bool read_next(Flow *flow)
{
    bool at_end = false;
    const int64_t k = flow->read;
    const HaloStatus status = read_window(flow, k, &at_end);
    pthread_mutex_lock(&flow->lock);
    if (status == HALO_OK && at_end) {
        flow->last = k;
        flow->read = INT64_MAX - 1; /* all bands find their window read */
    }
    pthread_mutex_unlock(&flow->lock);
    return advance(flow, &flow->read, status) && !at_end;
}

static void *read_ahead(void *context)
{
    Flow *flow = context;
    while (wait_for(flow, &flow->made, flow->read - 1) && read_next(flow)) continue;
    return NULL;
}

static void *write_behind(void *context)
{
    Flow *flow = context;
    for (int64_t k = 0; wait_for(flow, &flow->made, k + 1); k++)
        if (!advance(flow, &flow->written, write_band(flow, k))) break;
    return NULL;
}

/* The failure of whichever thread failed first, as one of this thread. */
static HaloStatus failure(const Flow *flow) { return halo_failure_again(&flow->failed); }

/* BandIo::wait. */
static HaloStatus wait_for_band(void *context, int64_t from)
{
    Flow *flow = context;
    const int64_t k = from / flow->band;
    if (!flow->reads_ahead && flow->read <= k) read_next(flow);
    if (!wait_for(flow, &flow->read, k + 1)) return failure(flow);
    pthread_mutex_lock(&flow->lock);
    const bool ended = flow->last >= 0;
    flow->window = &flow->rows.in[(ended ? smaller(k, flow->last) : k) % 2];
    pthread_mutex_unlock(&flow->lock);
    if (!ended || !flow->endless) return HALO_OK;
    flow->endless = false; /* the reading thread is through with the plan */
    return plan_end_at(flow->plan, rows_in(&flow->rows.in[flow->last % 2]).to);
}

static HaloStatus begin_band(void *context, Rows in, Rows out, HaloBuf *from, HaloBuf *to)
{
    Flow *flow = context;
    const int64_t k = flow->made;
    const HaloBuf *window = flow->window;
    const Rows there = rows_in(window);
    if (!wait_for(flow, &flow->written, k - 1)) return failure(flow);
    if (in.from < in.to && (in.from < there.from || in.to > there.to))
        return halo_fail(HALO_ERR_BUG, "a band needs what its window does not hold");
    *from = in.from < in.to ? flow_rows_of(&flow->rows, window, in) : *window;
    from->shape = flow->plan->reg[flow->plan->input[0].reg]; /* the length may have become known */
    *to = flow->whole != NULL ? rows_of(flow->whole, out) : (HaloBuf){0};
    if (!hands_on(flow)) return HALO_OK;
    flow->rows.out[k % 2].shape = flow->plan->reg[flow->plan->output];
    set_rows(&flow->rows.out[k % 2], out);
    *to = flow->rows.out[k % 2];
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

/* Where a thread cannot be started this one reads or writes itself: that is no error. */
static void start_threads(Flow *flow, int jobs)
{
    if (jobs == 1 || flow->band >= rows_length(&flow->plan->reg[flow->plan->output])) return;
    flow->reads_ahead = pthread_create(&flow->reading, NULL, read_ahead, flow) == 0;
    if (!hands_on(flow)) return;
    flow->writes_behind = pthread_create(&flow->writing, NULL, write_behind, flow) == 0;
}

/* Waits until all is written, or stops the other threads where the plan has failed. */
static HaloStatus join_threads(Flow *flow, HaloStatus status)
{
    if (status != HALO_OK) advance(flow, NULL, status);
    pthread_mutex_lock(&flow->lock);
    flow->done = true;
    pthread_cond_broadcast(&flow->moved);
    pthread_mutex_unlock(&flow->lock);
    if (flow->reads_ahead) pthread_join(flow->reading, NULL);
    if (flow->writes_behind) pthread_join(flow->writing, NULL);
    return flow->failed.status == HALO_OK ? status : failure(flow);
}

static HaloStatus run_bands(Flow *flow, int jobs, HaloReport *report)
{
    const BandIo io = {.context = flow, .wait = wait_for_band, .begin = begin_band, .end = end_band};
    start_threads(flow, jobs);
    return join_threads(flow, execute_bands(flow->device, flow->plan, flow->band, &io, &report->results,
                                            &report->clipped, &report->ms));
}

/* Sound from pipe to pipe may be played while it is recorded, for hours. In a file it shows only at the end,
 * and from a file it is read faster than it is played. */
bool flow_is_live(const HaloReader *reader, bool to_pipe)
{
    return reader->info.shape.kind == HALO_AUDIO && to_pipe && !halo_source_seekable(reader->source);
}

HaloStatus flow_run(HaloSession *session, Device *device, HaloPlan *plan, HaloReader *reader, const FlowTo *to,
                    HaloReport *report)
{
    HaloStatus status = HALO_OK;
    HaloWriter *writer = to->writer;
    const HaloOptions *options = &session->options;
    int64_t held = 0;
    Flow flow = {.host = &session->host,
                 .device = device,
                 .plan = plan,
                 .reader = reader,
                 .writer = writer,
                 .whole = to->whole,
                 .listener = to->listener,
                 .last = -1};
    pthread_mutex_init(&flow.lock, NULL);
    pthread_cond_init(&flow.moved, NULL);
    flow.endless = reader->info.shape.width < 0;
    HALO_TRY(device_open(flow.host, 0, options->jobs)); /* whose buffers they are */
    flow.live = writer != NULL && flow_is_live(reader, !halo_sink_seekable(writer->sink));
    /* A writer that holds a whole image takes its memory before the bands get theirs. To a pipe the header is
     * written later, when nothing but reading and computing can fail, since bytes in a pipe cannot be taken
     * back. */
    const bool early = writer != NULL && halo_sink_seekable(writer->sink);
    if (early) HALO_TRY(save_begin(writer, &reader->info, &plan->reg[plan->output], flow.endless));
    const int64_t left = halo_memory_left(&session->memory);
    flow.band = flow.live ? bands_for_pipe(flow.device, plan, options, left)
                          : bands_for_flow(flow.device, plan, options, left);
    const int64_t needed = bands_flow_memory(flow.device, plan, flow.band);
    HALO_TRY(halo_memory_hold(&session->memory, needed));
    flow.host->limit = held = needed;
    HALO_TRY(flow_rows_take(&flow.rows, flow.host, flow.device, plan, flow.band, hands_on(&flow),
                            reader->format->columns));
    if (writer != NULL && !early)
        HALO_TRY(save_begin(writer, &reader->info, &plan->reg[plan->output], flow.endless));
    HALO_TRY(run_bands(&flow, options->jobs, report));
    if (writer != NULL) HALO_TRY(save_end(writer, &reader->info, &plan->reg[plan->output]));
    report->ms.read = flow.ms.read;
    report->ms.write = flow.ms.write;
    report->backend = flow.device->backend->name;
    snprintf(report->device, sizeof report->device, "%s", flow.device->describe);
out:
    flow_rows_give(&flow.rows);
    halo_memory_release(&session->memory, held);
    pthread_cond_destroy(&flow.moved);
    pthread_mutex_destroy(&flow.lock);
    return status;
}
