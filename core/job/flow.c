/* Runs a file through a plan in bands: rows of an image, or frames of a sound, are read, computed and written a
 * few at a time, so that memory does not grow with the file. With more than one job one thread reads ahead and
 * another writes behind. If there are several devices, each takes bands in order, in a separate thread.
 *
 * Input and output have two buffers each for a device. The input rows of a band are its window (plan/bands.c);
 * the rows that neighbouring windows share are copied from one buffer to the next. Sound may be of unknown
 * length: its plan is made for PLAN_ENDLESS frames, and gets its length when the last window has been read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/file.h"
#include "flow_input.h"
#include "flow_operands.h"
#include "halo/thread.h"
#include "job.h"
#include "plan/plan.h"

typedef struct Flow {
    Device *host; /* whose memory rows are read to and written from */
    Team team;    /* what computes */
    HaloPlan *plan;
    HaloWriter *writer; /* NULL: only results are wanted, or */
    HaloBuf *whole;     /* all of the output, which is written later; else NULL */
    Analyser *analyser; /* takes the output in place of a writer; else NULL */
    bool again;
    Bands bands;
    bool live; /* each block is flushed at once: a stream from pipe to pipe */
    FlowRows rows;
    FlowInput input;
    FlowOperands operands;
    HaloTimes ms;

    pthread_t reading, writing;
    bool reads_ahead, writes_behind; /* the threads were started */
    Sequencer sequencer;             /* of everything below */
    int64_t read, made, written;     /* bands so far, one after the other */
    bool ready[2 * SESSION_GPUS];    /* they are made already, before one that they follow */
    int64_t last; /* the window that ends the input, for all bands from there on; -1: not read yet */
} Flow;

bool flow_suits(const HaloSession *session, const HaloPlan *plan)
{
    return bands_possible(plan) && !session->options.verify;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

/* Are rows of the output passed on band by band? */
static bool hands_on(const Flow *flow) { return flow->writer != NULL || flow->analyser != NULL; }

static HaloStatus write_band(Flow *flow, int64_t k)
{
    const double start = now_ms();
    HaloStatus status = HALO_OK;
    if (k < flow->bands.lead) return HALO_OK;
    if (flow->writer != NULL) HALO_TRY(save_rows(flow->writer, &flow->rows.out[k % flow->rows.count]));
    if (flow->analyser != NULL) analyser_take(flow->analyser, &flow->rows.out[k % flow->rows.count]);
    if (flow->live) HALO_TRY(halo_sink_flush(flow->writer->sink));
out:
    flow->ms.write += now_ms() - start;
    return status;
}

/* ---- reading ahead and writing behind ------------------------------------------------------------------- */

/* The next window; false when there are no more. */
static bool read_next(Flow *flow)
{
    bool at_end = false;
    const int64_t k = flow->read;
    const double start = now_ms();
    const HaloStatus status = flow_input_window(&flow->input, k, &at_end);
    flow->ms.read += now_ms() - start;
    pthread_mutex_lock(&flow->sequencer.lock);
    if (status == HALO_OK && at_end) {
        flow->last = k;
        flow->read = INT64_MAX - 1; /* all bands find their window read */
    }
    pthread_mutex_unlock(&flow->sequencer.lock);
    return sequencer_advance(&flow->sequencer, &flow->read, status) && !at_end;
}

/* The number of bands that have to be done before the buffers of band k are free. */
static int64_t bands_before(const Flow *flow, int64_t k) { return k - flow->rows.count + 1; }

static void *read_ahead(void *context)
{
    Flow *flow = context;
    while (sequencer_wait(&flow->sequencer, &flow->made, bands_before(flow, flow->read)) && read_next(flow))
        continue;
    return NULL;
}

static void *write_behind(void *context)
{
    Flow *flow = context;
    for (int64_t k = 0; sequencer_wait(&flow->sequencer, &flow->made, k + 1); k++)
        if (!sequencer_advance(&flow->sequencer, &flow->written, write_band(flow, k))) break;
    return NULL;
}

/* The window that ends the input; -1: it has not been read. */
static int64_t last_window(Flow *flow)
{
    pthread_mutex_lock(&flow->sequencer.lock);
    const int64_t last = flow->last;
    pthread_mutex_unlock(&flow->sequencer.lock);
    return last;
}

/* BandIo::wait. */
static HaloStatus wait_for_band(void *context, int64_t k)
{
    Flow *flow = context;
    if (!flow->reads_ahead && flow->read <= k) read_next(flow);
    if (!sequencer_wait(&flow->sequencer, &flow->read, k + 1)) return sequencer_failure(&flow->sequencer);
    const int64_t last = last_window(flow);
    if (last < 0 || !flow->input.endless) return HALO_OK;
    flow->input.endless = false; /* the reading thread no longer uses the plan */
    return plan_end_at(flow->plan, rows_in(&flow->rows.in[last % flow->rows.count]).to);
}

static HaloStatus begin_band(void *context, int64_t k, Rows in, Rows out, HaloBuf *from, HaloBuf *to)
{
    Flow *flow = context;
    const int64_t last = last_window(flow);
    const HaloBuf *window = &flow->rows.in[(last >= 0 ? smaller(k, last) : k) % flow->rows.count];
    HaloBuf *made = &flow->rows.out[k % flow->rows.count];
    const Rows there = rows_in(window);
    if (!sequencer_wait(&flow->sequencer, hands_on(flow) ? &flow->written : &flow->made, bands_before(flow, k)))
        return sequencer_failure(&flow->sequencer);
    if (in.from < in.to && (in.from < there.from || in.to > there.to))
        return halo_fail(HALO_ERR_BUG, "internal: a band needs rows outside its window");
    *from = in.from < in.to ? flow_rows_of(&flow->rows, window, in) : *window;
    from->shape = flow->plan->reg[flow->plan->input[0].reg]; /* the length may have become known */
    *to = (HaloBuf){0};
    if (out.from >= out.to) return HALO_OK;
    if (flow->whole != NULL) *to = rows_of(flow->whole, out);
    if (!hands_on(flow)) return HALO_OK;
    made->shape = flow->plan->reg[flow->plan->output];
    set_rows(made, out);
    *to = *made;
    return HALO_OK;
}

/* BandIo::operand. */
static HaloStatus give_operand(void *context, int at, Rows rows, HaloBuf *from)
{
    Flow *flow = context;
    return flow_operands_rows(&flow->operands, at, rows, from);
}

/* Advances `made` past all bands that are ready in order: a band may be ready before the one it follows. */
static void count_made(Flow *flow, int64_t k)
{
    pthread_mutex_lock(&flow->sequencer.lock);
    flow->ready[k % flow->rows.count] = true;
    while (flow->ready[flow->made % flow->rows.count]) flow->ready[flow->made++ % flow->rows.count] = false;
    pthread_cond_broadcast(&flow->sequencer.moved);
    pthread_mutex_unlock(&flow->sequencer.lock);
}

static HaloStatus end_band(void *context, int64_t k)
{
    Flow *flow = context;
    count_made(flow, k);
    if (!hands_on(flow) || flow->writes_behind) return HALO_OK;
    return sequencer_advance(&flow->sequencer, &flow->written, write_band(flow, k))
               ? HALO_OK
               : sequencer_failure(&flow->sequencer);
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* If a thread cannot be started, the device's own thread reads or writes: that is no error. */
/* To pass blocks of so few frames, such as rows of a table, from thread to thread takes longer than to read and
 * write them. */
#define FEW_FRAMES 256

static void start_threads(Flow *flow, int jobs)
{
    if (jobs == 1 || bands_count(&flow->bands) == 1) return;
    if (flow->live && flow->bands.rows < FEW_FRAMES) return;
    flow->reads_ahead = halo_thread_start(&flow->reading, read_ahead, flow);
    if (!hands_on(flow)) return;
    flow->writes_behind = halo_thread_start(&flow->writing, write_behind, flow);
}

/* Waits until all is written, or stops the other threads where the plan has failed. */
static HaloStatus join_threads(Flow *flow, HaloStatus status)
{
    if (status != HALO_OK) sequencer_advance(&flow->sequencer, NULL, status);
    sequencer_end(&flow->sequencer);
    if (flow->reads_ahead) pthread_join(flow->reading, NULL);
    if (flow->writes_behind) pthread_join(flow->writing, NULL);
    return sequencer_failure(&flow->sequencer);
}

static HaloStatus run_bands(Flow *flow, int jobs, HaloReport *report)
{
    const bool on_host = flow->team.device->backend->upload == NULL;
    const BandIo io = {.context = flow,
                       .sequencer = &flow->sequencer,
                       .wait = wait_for_band,
                       .begin = begin_band,
                       .end = end_band,
                       .again = flow->again,
                       .operand = on_host ? give_operand : NULL};
    start_threads(flow, jobs);
    if (!flow->reads_ahead || (hands_on(flow) && !flow->writes_behind)) flow->team.count = 1; /* in order */
    return join_threads(
        flow, execute_bands(flow->team, &flow->bands, &io, &report->results, &report->clipped, &report->ms));
}

/* Sound from pipe to pipe may be played while it is recorded, for hours. An output file appears only at its
 * end, and an input file is read faster than it is played, so those are not live; nor is a table whose times
 * have all been read. */
bool flow_is_live(const HaloReader *reader, bool to_pipe)
{
    return reader->info.shape.kind == HALO_AUDIO && to_pipe && !halo_source_seekable(reader->source) &&
           reader->info.meta.time.frames == 0;
}

HaloStatus flow_run(HaloSession *session, Team team, HaloPlan *plan, HaloReader *reader, const FlowTo *to,
                    HaloReport *report)
{
    HaloStatus status = HALO_OK;
    HaloWriter *writer = to->writer;
    const HaloOptions *options = &session->options;
    int64_t held = 0;
    Flow flow = {.host = &session->host,
                 .team = team,
                 .plan = plan,
                 .writer = writer,
                 .whole = to->whole,
                 .analyser = to->analyser,
                 .again = to->again,
                 .last = -1};
    sequencer_open(&flow.sequencer);
    flow.input = (FlowInput){reader, &flow.bands, &flow.rows, reader->info.shape.width < 0};
    HALO_TRY(device_open(flow.host, 0, options->jobs)); /* whose buffers they are */
    flow.live = writer != NULL && flow_is_live(reader, !halo_sink_seekable(writer->sink));
    /* A writer that holds a whole image allocates its memory before the bands. To a pipe the header is
     * written later, when nothing but reading and computing can fail, since bytes in a pipe cannot be taken
     * back. */
    const bool early = writer != NULL && halo_sink_seekable(writer->sink);
    if (writer != NULL) HALO_TRY(plan_changes(plan, &writer->changes));
    if (early) HALO_TRY(save_begin(writer, &reader->info, flow.input.endless));
    const int64_t left = halo_memory_left(&session->memory);
    bool seeks = false;
    if (!flow.input.endless) HALO_TRY(load_seek(reader, 0, &seeks));
    const int64_t band = flow.live ? bands_for_pipe(team, plan, options, left)
                                   : bands_for_flow(team, plan, options, seeks, left);
    const int64_t needed = bands_flow_memory(team, plan, band, seeks);
    flow.bands = bands_in(plan, band, seeks);
    if (team.device->backend->upload == NULL) HALO_TRY(flow_operands_open(&flow.operands, &flow.bands));
    HALO_TRY(halo_memory_hold(&session->memory, needed));
    flow.host->limit = held = needed;
    HALO_TRY(
        flow_rows_take(&flow.rows, flow.host, team, &flow.bands, hands_on(&flow), reader->format->columns));
    if (writer != NULL && !early) HALO_TRY(save_begin(writer, &reader->info, flow.input.endless));
    HALO_TRY(run_bands(&flow, options->jobs, report));
    if (writer != NULL) HALO_TRY(plan_changes(plan, &writer->changes)); /* the length may have become known */
    if (writer != NULL) HALO_TRY(save_end(writer, &reader->info));
    report->ms.read = flow.ms.read;
    report->ms.write = flow.ms.write;
    report->backend = team.device->backend->name;
    team_describe(flow.team, report->device, sizeof report->device);
out:
    flow_rows_give(&flow.rows);
    flow_operands_close(&flow.operands);
    halo_memory_release(&session->memory, held);
    sequencer_close(&flow.sequencer);
    return status;
}
