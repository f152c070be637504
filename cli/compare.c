/* `halo compare`: how much two files differ, or all of the same name in two folders. */
#include "halo/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch/batch.h"
#include "report/report.h"

#define EXIT_BEYOND 6 /* the difference exceeds a limit */

/* ---- bounds --------------------------------------------------------------------------------------------- */

/* The measures that can have limits: the first ones maxima, the others minima. */
enum {
    MOST_MAX,
    MOST_MEAN,
    MOST_RMSE,
    MOST_DIFFERING,
    MOST_LAG,
    MOST_DELTAE,
    MOST_DELTAE_95,
    MOST_DELTAE_MAX,
    MOST_FLIP,
    LEAST_PSNR,
    LEAST_SSIM,
    LEAST_CORRELATION,
    LEAST_MSSSIM,
    BOUNDS
};
static const char most_names[] = "max|mean|rmse|differing|lag|deltae|deltae95|deltaemax|flip",
                  least_names[] = "psnr|ssim|correlation|msssim";
/* What has to be measured for a limit. */
static const unsigned needs[BOUNDS] = {[MOST_DELTAE] = HALO_COMPARE_DELTAE,
                                       [MOST_DELTAE_95] = HALO_COMPARE_DELTAE,
                                       [MOST_DELTAE_MAX] = HALO_COMPARE_DELTAE,
                                       [MOST_FLIP] = HALO_COMPARE_FLIP,
                                       [LEAST_MSSSIM] = HALO_COMPARE_MSSSIM};

typedef struct Bounds {
    bool any, given[BOUNDS];
    double value[BOUNDS];
} Bounds;

static double measured(const HaloComparison *c, int bound)
{
    const double value[BOUNDS] = {
        c->max,  c->mean, c->rmse, (double)c->differing, fabs(c->lag), c->deltae, c->deltae_95, c->deltae_max,
        c->flip, c->psnr, c->ssim, c->correlation,       c->msssim};
    return value[bound];
}

/* A measure that is not known exceeds its limit. */
static bool is_beyond(const Bounds *bounds, const HaloComparison *c, int bound)
{
    const double value = measured(c, bound), limit = bounds->value[bound];
    return bounds->given[bound] && !(bound < LEAST_PSNR ? value <= limit : value >= limit);
}

/* Is it within the bounds? Where none is given, nothing may differ. */
static bool within(const Bounds *bounds, const HaloComparison *c)
{
    bool well = bounds->any || (c->differing == 0 && c->times == 0);
    for (int i = 0; i < BOUNDS; i++) well = well && !is_beyond(bounds, c, i);
    return well;
}

/* "max is above 1, ssim is below 0.9"; empty where there is no bound, or none is broken. */
static void tell_beyond(const Bounds *bounds, const HaloComparison *c, char *text, size_t size)
{
    char name[HALO_WORD_SIZE];
    size_t used = 0;
    *text = 0;
    for (int i = 0; i < BOUNDS && used < size; i++) {
        if (!is_beyond(bounds, c, i)) continue;
        const bool most = i < LEAST_PSNR;
        halo_word(most ? most_names : least_names, '|', most ? i : i - LEAST_PSNR, name);
        used += (size_t)halo_snprintf(text + used, size - used, "%s%s ", used > 0 ? ", " : "", name);
        if (used >= size) break;
        if (isnan(measured(c, i)))
            used += (size_t)halo_snprintf(text + used, size - used, "is undefined for these files");
        else
            used += (size_t)halo_snprintf(text + used, size - used, "is %s %.6g", most ? "above" : "below",
                                          bounds->value[i]);
    }
}

/* One "max=1" of a list. */
static HaloStatus read_bound(const char *option, const char *text, const char *names, int first, Bounds *bounds)
{
    HaloStatus status = HALO_OK;
    int choice = 0;
    const char *end, *equals = strchr(text, '=');
    char name[HALO_WORD_SIZE];
    if (equals == NULL) HALO_FAIL(HALO_ERR_USAGE, "--%s: expected NAME=NUMBER, found '%.60s'", option, text);
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    status = halo_read_choice(name, names, &choice);
    if (status != HALO_OK) halo_fail_at(status, "--%s", option);
    HALO_TRY(status);
    if (!halo_read_number(equals + 1, &bounds->value[first + choice], &end) || *end != 0)
        HALO_FAIL(HALO_ERR_USAGE, "--%s: %s: expected a number, found '%.60s'", option, name, equals + 1);
    bounds->given[first + choice] = bounds->any = true;
out:
    return status;
}

static HaloStatus read_bounds(const char *option, const char *list, const char *names, int first,
                              Bounds *bounds)
{
    HaloStatus status = HALO_OK;
    for (const char *at = list; at != NULL && *at != 0 && status == HALO_OK;) {
        const size_t length = strcspn(at, ",");
        char *one = cli_format("%.*s", (int)length, at);
        status = read_bound(option, one, names, first, bounds);
        free(one);
        at += length + (at[length] == ',');
    }
    return status;
}

/* --measure: the words of a list; all: every measure. */
static HaloStatus read_measures(const char *list, unsigned *measures)
{
    static const char names[] = "deltae|msssim|flip|all";
    for (const char *at = list; at != NULL && *at != 0;) {
        const size_t length = strcspn(at, ",");
        char *one = cli_format("%.*s", (int)length, at);
        int choice = 0;
        const HaloStatus status = halo_read_choice(one, names, &choice);
        free(one);
        if (status != HALO_OK) {
            halo_fail_at(status, "--measure");
            return status;
        }
        *measures |= choice < 3 ? 1u << choice : 7u;
        at += length + (at[length] == ',');
    }
    return HALO_OK;
}

typedef struct Work {
    const CliSettings *settings;
    HaloSession *session;
    HaloCompareMore more;
    bool headed; /* the columns of --csv have their names */
    Bounds bounds;
    CliFates fates;
    bool beyond; /* any pair was */
} Work;

/* ---- pairs ---------------------------------------------------------------------------------------------- */

/* -o: the pipeline "difference", with quotes round a name that holds none of them. */
static HaloStatus write_difference(const Work *work, const char *a, const char *b)
{
    HaloStatus status = HALO_OK;
    const CliSettings *settings = work->settings;
    HaloPipeline *pipeline = NULL;
    HaloReport report = {0};
    const char quote = strchr(b, '"') == NULL ? '"' : '\'';
    char *text = cli_format("difference:%c%s%c", quote, b, quote);
    const HaloJob job = {.input = a,
                         .output = settings->output,
                         .to = settings->to,
                         .raw = settings->raw.kind != 0 ? &settings->raw : NULL,
                         .force = settings->force ? HALO_FORCE_YES : HALO_FORCE_NO,
                         .write = settings->write};
    if (strchr(b, quote) != NULL || strpbrk(b, "{}") != NULL)
        HALO_FAIL(HALO_ERR_USAGE, "-o: '%.200s' has quotes or braces in its name: give another name", b);
    HALO_TRY(halo_pipeline_parse(work->session, text, &pipeline));
    HALO_TRY(halo_run_job(work->session, pipeline, &job, &report));
out:
    halo_report_clear(&report);
    halo_pipeline_free(pipeline);
    free(text);
    return status;
}

static HaloStatus say(Work *work, const char *a, const char *b, const HaloComparison *item, int items)
{
    const CliSettings *settings = work->settings;
    FILE *page = cli_page_open(cli_page_is_raw(settings->json, settings->csv, STDOUT_FILENO));
    for (int i = 0; i < items; i++) {
        const bool well = within(&work->bounds, &item[i]);
        char beyond[400];
        work->beyond = work->beyond || !well;
        if (settings->csv)
            cli_sheet_difference(page, a, b, &item[i], well, !work->headed);
        else if (settings->json)
            cli_record_difference(page, a, b, &item[i], well);
        else if (!settings->quiet) {
            tell_beyond(&work->bounds, &item[i], beyond, sizeof beyond);
            cli_print_difference(page, a, b, &item[i], well, beyond);
        }
        work->headed = true;
    }
    const bool to_pipe = settings->output != NULL && strcmp(settings->output, "-") == 0;
    return cli_page_send(to_pipe ? STDERR_FILENO : STDOUT_FILENO);
}

static void say_notes(const CliSettings *settings, const char *a, const char *b, const HaloComparison *item,
                      int items)
{
    HaloNotes all = {0};
    for (int i = 0; i < items; i++) halo_notes_join(&all, &item[i].notes);
    char *text = settings->quiet ? NULL : cli_notes_text(&all, true, false);
    if (text != NULL) cli_complain("%s, %s: %s", a, b, text);
    free(text);
}

/* -o is refused for files of several images: the pipeline would compare each with the first image of the other.
 */
static HaloStatus check_output(const CliSettings *settings, int items)
{
    if (settings->output == NULL || items == 1) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "-o writes the difference of two images, and this file holds several");
}

/* Compares one pair. A failure is reported and counted, and the others continue; the returned status ends the
 * command. */
static HaloStatus compare_pair(Work *work, const CliItem *first, const char *b)
{
    HaloStatus status = HALO_OK, outcome = first->status;
    const CliSettings *settings = work->settings;
    HaloComparison *item = NULL;
    int items = 0;
    if (outcome == HALO_OK)
        outcome = halo_compare(work->session, first->input, b, settings->raw.kind != 0 ? &settings->raw : NULL,
                               &work->more, &item, &items);
    if (outcome == HALO_OK) outcome = check_output(settings, items);
    if (outcome == HALO_OK && settings->output != NULL) outcome = write_difference(work, first->input, b);
    if (outcome != HALO_OK) {
        char *error = first->error != NULL ? cli_copy(first->error) : cli_failure(first, outcome);
        cli_complain("%s", error);
        free(error);
    } else {
        status = say(work, first->input, b, item, items);
        say_notes(settings, first->input, b, item, items);
    }
    cli_count_fate(&work->fates, outcome);
    free(item);
    return status;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The rest of a path behind the folder that was named. */
static const char *below(const char *path, const char *folder)
{
    path += strlen(folder);
    while (*path == '/') path++;
    return path;
}

static char *beside(const char *folder, const char *name)
{
    const size_t length = strlen(folder);
    return cli_format("%s%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/", name);
}

/* Files that only the second folder has are failures, too. */
static HaloStatus find_lonely(Work *work, const CliSettings *all, const char *a, const char *b)
{
    HaloStatus status = HALO_OK;
    CliBatch others = {0};
    HALO_TRY(cli_find_inputs(all, &b, 1, &others));
    for (size_t i = 0; i < others.count; i++) {
        char *name = beside(a, below(others.item[i].input, b));
        if (others.item[i].status == HALO_OK && access(name, F_OK) != 0) {
            cli_complain("%s: there is no %s to compare it with", others.item[i].input, name);
            cli_count_fate(&work->fates, HALO_ERR_INPUT);
        }
        free(name);
    }
out:
    cli_batch_free(&others);
    return status;
}

static HaloStatus compare_folders(Work *work, const char *a, const char *b)
{
    HaloStatus status = HALO_OK;
    CliBatch batch = {0};
    CliSettings all = *work->settings;
    all.recursive = true;
    if (all.output != NULL)
        HALO_FAIL(HALO_ERR_USAGE, "-o writes the difference of two files, and these are folders");
    HALO_TRY(cli_find_inputs(&all, &a, 1, &batch));
    for (size_t i = 0; i < batch.count; i++) {
        char *name = beside(b, below(batch.item[i].input, a));
        status = compare_pair(work, &batch.item[i], name);
        free(name);
        HALO_TRY(status);
    }
    HALO_TRY(find_lonely(work, &all, a, b));
out:
    cli_batch_free(&batch);
    return status;
}

static HaloStatus compare_all(Work *work)
{
    HaloStatus status = HALO_OK;
    const CliSettings *settings = work->settings;
    const char *const *word = (const char *const *)settings->word;
    if (settings->words != 2)
        HALO_FAIL(HALO_ERR_USAGE, "expected two files or two folders, and %zu %s given", settings->words,
                  settings->words == 1 ? "is" : "are");
    HALO_TRY(read_bounds("at-most", settings->at_most, most_names, 0, &work->bounds));
    HALO_TRY(read_bounds("at-least", settings->at_least, least_names, LEAST_PSNR, &work->bounds));
    HALO_TRY(read_measures(settings->measure, &work->more.measures));
    for (int i = 0; i < BOUNDS; i++)
        if (work->bounds.given[i]) work->more.measures |= needs[i];
    work->more.ppd = settings->ppd;
    HALO_TRY(halo_session_open_with(halo_tables(), &settings->engine, &work->session));
    if (is_folder(word[0]) != is_folder(word[1]))
        HALO_FAIL(HALO_ERR_USAGE, "'%.200s' is a folder, and '%.200s' is not", word[!is_folder(word[0])],
                  word[is_folder(word[0])]);
    if (is_folder(word[0])) return compare_folders(work, word[0], word[1]);
    const CliItem first = {.input = cli_copy(word[0])};
    status = compare_pair(work, &first, word[1]);
    free(first.input);
out:
    return status;
}

int cli_compare(const CliSettings *settings)
{
    Work work = {.settings = settings};
    cli_ink_setup(STDOUT_FILENO, settings->no_color);
    const HaloStatus status = compare_all(&work);
    if (status != HALO_OK && status != HALO_ERR_PIPE) cli_complain("compare: %s", halo_error());
    halo_session_close(work.session);
    const int code = status != HALO_OK ? (int)status : cli_fates_exit(&work.fates);
    return code == 0 && work.beyond ? EXIT_BEYOND : code;
}
