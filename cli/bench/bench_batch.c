/* `halo bench batch`: how close a batch comes to its slowest stage. What a device does is timed on files one
 * after the other, in one thread. Decoding and encoding are timed with every core at
 * work, since one core alone would have the caches and the clock of all: the inputs are copied by a batch
 * without a pipeline, and so are the outputs. In between a batch runs the pipeline. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch/signals.h"
#include "batch/workers.h"
#include "bench.h"
#include "report/progress.h"
#include "text/json.h"
#include "text/page.h"

/* Files timed one by one, after one that is not. */
#define ALONE 32

typedef struct Measured {
    HaloTimes alone; /* milliseconds a file: of files one by one, */
    HaloTimes busy;  /* and of reading inputs and writing outputs on all cores */
    size_t files;
    double seconds; /* of the batch as a whole, */
    double rate;    /* files a second, from when every worker has done one */
    int workers, threads, gpus;
    const char *backend;
    char device[96];
} Measured;

/* ---- files ---------------------------------------------------------------------------------------------- */

static HaloStatus list_files(const CliSettings *settings, const char *folder, CliBatch *batch)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(cli_find_inputs(settings, (const char *const *)settings->word + 2, settings->words - 2, batch));
    for (size_t i = 0; i < batch->count; i++) {
        CliItem *item = &batch->item[i];
        char name[64];
        if (item->status != HALO_OK) HALO_FAIL(item->status, "%s", item->error);
        const char *extension = settings->to != NULL ? settings->to->extensions : halo_extension(item->input);
        snprintf(name, sizeof name, "/%zu.%.*s", i, (int)strcspn(extension, ","), extension);
        const size_t length = strlen(folder) + strlen(name) + 1;
        item->output = cli_alloc(length, 1);
        snprintf(item->output, length, "%s%s", folder, name);
    }
out:
    return status;
}

/* The same files again: `from` input or output of each, to a name beside its output. */
static void list_copies(const CliBatch *batch, bool outputs, CliBatch *copies)
{
    copies->item = cli_alloc(batch->count, sizeof *copies->item);
    copies->count = batch->count;
    for (size_t i = 0; i < batch->count; i++) {
        const CliItem *item = &batch->item[i];
        const char *dot = strrchr(item->output, '.');
        const size_t length = strlen(item->output) + sizeof "-copy";
        copies->item[i].input = cli_copy(outputs ? item->output : item->input);
        copies->item[i].output = cli_alloc(length, 1);
        snprintf(copies->item[i].output, length, "%.*s-copy%s", (int)(dot - item->output), item->output, dot);
    }
}

static void remove_outputs(const CliBatch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        if (batch->item[i].output != NULL) unlink(batch->item[i].output);
}

/* ---- one by one ----------------------------------------------------------------------------------------- */

static void add_times(HaloTimes *sum, const HaloTimes *ms, double share)
{
    sum->read += (ms->read + ms->decode) * share;
    sum->upload += ms->upload * share;
    sum->compute += ms->compute * share;
    sum->download += ms->download * share;
    sum->write += (ms->encode + ms->write) * share;
}

static HaloStatus one_by_one(const CliSettings *settings, const HaloPipeline *pipeline, const CliBatch *batch,
                             Measured *m)
{
    HaloStatus status = HALO_OK;
    HaloSession *session = NULL;
    HaloOptions options = settings->engine;
    const size_t files = batch->count < ALONE ? batch->count : ALONE;
    options.jobs = 1;
    options.files = (int64_t)batch->count;
    HALO_TRY(halo_session_open_with(halo_tables(), &options, &session));
    for (size_t i = 0; i <= files; i++) { /* the first one twice: a device has to start, memory to be touched */
        const CliItem *item = &batch->item[i == 0 ? 0 : i - 1];
        CliOutcome outcome = cli_run_item(settings, session, pipeline, batch, item);
        const HaloTimes *ms = &outcome.report.ms;
        const double share = i == 0 ? 0.0 : 1.0 / (double)files;
        if (outcome.status != HALO_OK) status = halo_fail(outcome.status, "%s", outcome.error);
        add_times(&m->alone, ms, share);
        m->backend = outcome.report.backend;
        memcpy(m->device, outcome.report.device, sizeof m->device);
        cli_outcome_free(&outcome);
        HALO_TRY(status);
    }
out:
    halo_session_close(session);
    return status;
}

/* ---- all at once ---------------------------------------------------------------------------------------- */

/* Through the batch engine; `mean`: of a file. */
static HaloStatus all_at_once(const CliSettings *settings, const HaloPipeline *pipeline, const CliBatch *batch,
                              Measured *m, HaloTimes *mean)
{
    HaloStatus status = HALO_OK;
    CliWorkers *workers = NULL;
    const double begun = cli_seconds();
    double running = begun;
    cli_share_jobs(settings, batch->count, &m->workers, &m->threads);
    HALO_TRY(cli_workers_start(settings, pipeline, batch, &workers));
    if (workers == NULL) HALO_FAIL(HALO_ERR_USAGE, "bench batch needs several files, and -j 2 or more");
    for (size_t i = 0; i < batch->count; i++) {
        CliOutcome outcome = cli_workers_wait(workers, i);
        if (outcome.fate != CLI_RAN)
            status = halo_fail(HALO_ERR_LIMIT, "%s does not fit a worker's share of memory: lower -j",
                               batch->item[i].input);
        else if (outcome.status != HALO_OK)
            status = halo_fail(outcome.status, "%s", outcome.error);
        add_times(mean, &outcome.report.ms, 1.0 / (double)batch->count);
        cli_outcome_free(&outcome);
        HALO_TRY(status);
        if (i + 1 == (size_t)m->workers) running = cli_seconds();
    }
    m->seconds = cli_seconds() - begun;
    m->rate = (double)(batch->count - (size_t)m->workers) / (cli_seconds() - running);
    if (batch->count <= (size_t)m->workers) m->rate = (double)batch->count / m->seconds;
out:
    cli_workers_stop(workers);
    return status;
}

/* Inputs or outputs are copied by all cores at once, and nothing is computed. */
static HaloStatus copy_all(const CliSettings *settings, const HaloPipeline *copy, const CliBatch *batch,
                           bool outputs, HaloTimes *mean)
{
    CliSettings on_cores = *settings;
    CliBatch copies = {0};
    Measured ignored = {0};
    on_cores.engine.device = HALO_DEVICE_CPU;
    list_copies(batch, outputs, &copies);
    cli_signals_scratch_outputs(1, &copies);
    const HaloStatus status = all_at_once(&on_cores, copy, &copies, &ignored, mean);
    remove_outputs(&copies);
    cli_signals_scratch_outputs(1, NULL);
    cli_batch_free(&copies);
    return status;
}

static HaloStatus measure(const CliSettings *settings, const CliBatch *batch, Measured *m)
{
    HaloStatus status = HALO_OK;
    HaloSession *session = NULL;
    HaloPipeline *pipeline = NULL, *copy = NULL;
    HaloTimes in = {0}, out = {0}, ignored = {0};
    HALO_TRY(halo_session_open_with(halo_tables(), &settings->engine, &session));
    HALO_TRY(halo_pipeline_parse(session, settings->word[1], &pipeline));
    HALO_TRY(halo_pipeline_parse(session, "", &copy));
    HALO_TRY(one_by_one(settings, pipeline, batch, m));
    HALO_TRY(copy_all(settings, copy, batch, false, &in));
    HALO_TRY(all_at_once(settings, pipeline, batch, m, &ignored));
    m->busy = (HaloTimes){.read = in.read, .write = m->alone.write};
    /* Samples without a header cannot be read again: then the time of one core has to do. */
    if (copy_all(settings, copy, batch, true, &out) == HALO_OK) m->busy.write = out.write;
out:
    halo_pipeline_free(copy);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
    return status;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

typedef struct Stage {
    const char *name, *key;
    double ms, rate; /* of a file; files a second of all that do this at the same time */
} Stage;

enum { READ, UPLOAD, COMPUTE, DOWNLOAD, WRITE, PROCESSOR, STAGES };

static double rate_of(double ms, double lanes) { return ms > 0 ? lanes * 1e3 / ms : 0; }

/* The processor's cores share what runs on them; a GPU has one link each way and one engine for all. */
static void lay_out(const Measured *m, Stage stage[STAGES])
{
    const bool on_gpu = strcmp(m->backend, "cpu") != 0;
    const double cores = m->workers, gpus = on_gpu ? m->gpus : cores;
    const HaloTimes *ms = &m->alone, *busy = &m->busy;
    const double processor = busy->read + busy->write + (on_gpu ? 0 : ms->compute);
    stage[READ] = (Stage){"read and decode", "read", busy->read, rate_of(busy->read, cores)};
    stage[UPLOAD] = (Stage){"upload", "upload", ms->upload, rate_of(ms->upload, gpus)};
    stage[COMPUTE] = (Stage){"compute", "compute", ms->compute, rate_of(ms->compute, gpus)};
    stage[DOWNLOAD] = (Stage){"download", "download", ms->download, rate_of(ms->download, gpus)};
    stage[WRITE] = (Stage){"encode and write", "write", busy->write, rate_of(busy->write, cores)};
    stage[PROCESSOR] = (Stage){"all on the cores", "cores", processor, rate_of(processor, cores)};
}

static double slowest(const Stage stage[STAGES])
{
    double least = 0;
    for (int i = 0; i < STAGES; i++)
        if (stage[i].rate > 0 && (least == 0 || stage[i].rate < least)) least = stage[i].rate;
    return least;
}

static void record(FILE *to, const char *pipeline, const Measured *m, const Stage stage[STAGES])
{
    CliJson json = {.to = to};
    json_open(&json, NULL, '{');
    json_text(&json, "type", "batch");
    json_text(&json, "pipeline", pipeline);
    json_int(&json, "files", (int64_t)m->files);
    json_int(&json, "workers", m->workers);
    json_text(&json, "backend", m->backend);
    json_text(&json, "device", m->device);
    json_open(&json, "ms", '{');
    for (int i = 0; i < STAGES; i++) json_number(&json, stage[i].key, stage[i].ms);
    json_close(&json, '}');
    json_number(&json, "seconds", m->seconds);
    json_number(&json, "files_per_second", m->rate);
    json_number(&json, "of_slowest", m->rate / slowest(stage));
    json_close(&json, '}');
    json_end_line(&json);
}

static void print(FILE *to, const Measured *m, const Stage stage[STAGES])
{
    fprintf(to, "%zu files, %d at a time, %s (%s)\n", m->files, m->workers, m->backend, m->device);
    fprintf(to, "%-20s %12s %12s\n", "stage", "ms a file", "files/s");
    for (int i = 0; i < STAGES; i++)
        if (stage[i].ms > 0) fprintf(to, "%-20s %12.3f %12.1f\n", stage[i].name, stage[i].ms, stage[i].rate);
    fprintf(to, "%-20s %12.3f %12.1f  %.2f of the slowest stage; %.2f s in all\n", "the batch", 1e3 / m->rate,
            m->rate, m->rate / slowest(stage), m->seconds);
}

HaloStatus cli_bench_batch(const CliSettings *asked)
{
    HaloStatus status = HALO_OK;
    CliSettings settings = *asked;
    CliBatch batch = {0};
    Stage stage[STAGES];
    char folder[4096];
    const char *parent = getenv("TMPDIR");
    Measured m = {.gpus = 1};
    bool made = false;
    settings.force = true; /* its own outputs, time after time */
    if (settings.words < 3)
        HALO_FAIL(HALO_ERR_USAGE, "name a pipeline and files: halo bench batch gauss:2 photos/*.png");
    if (snprintf(folder, sizeof folder, "%s/halo-bench-XXXXXX", parent != NULL ? parent : "/tmp") >=
            (int)sizeof folder ||
        mkdtemp(folder) == NULL)
        HALO_FAIL(HALO_ERR_OUTPUT, "cannot make a folder for outputs in %s", parent != NULL ? parent : "/tmp");
    made = true;
    cli_signals_scratch(folder);
    HALO_TRY(list_files(&settings, folder, &batch));
    cli_signals_scratch_outputs(0, &batch);
    m.files = batch.count;
    if (settings.engine.device == HALO_DEVICE_ALL)
        m.gpus = halo_tables()->backend[halo_tables()->backends - 1]->count();
    HALO_TRY(measure(&settings, &batch, &m));
    lay_out(&m, stage);
    FILE *page = cli_page_open(settings.json);
    if (settings.json)
        record(page, settings.word[1], &m, stage);
    else
        print(page, &m, stage);
    HALO_TRY(cli_page_send(STDOUT_FILENO));
out:
    remove_outputs(&batch);
    cli_signals_scratch_outputs(0, NULL);
    cli_batch_free(&batch);
    if (made) rmdir(folder);
    cli_signals_scratch(NULL);
    return status;
}
