/* Every file that a command will write, compared with every other and with all that it reads, before anything
 * is written. Files are compared, not names: links and folders may give one file several. */
#include "clashes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "halo/place.h"
#include "resume.h"

typedef struct Use {
    HaloPlace place;
    const CliItem *item; /* whose input or output it is; or NULL */
    const char *path;    /* NULL: only its identity is known */
    const char *what;    /* "--plot", "an input" */
    bool writes;
    size_t number;
} Use;

typedef struct Uses {
    Use *use;
    size_t count, capacity;
} Uses;

/* ---- collecting ----------------------------------------------------------------------------------------- */

static void append(Uses *uses, Use use)
{
    uses->use = cli_grow(uses->use, uses->count, &uses->capacity, sizeof *uses->use);
    uses->use[uses->count] = use;
    uses->use[uses->count].number = uses->count;
    uses->count++;
}

static HaloStatus add(Uses *uses, Use use)
{
    bool is = false;
    HaloStatus status = HALO_OK;
    if (strcmp(use.path, "-") == 0) {
        is = halo_place_of_open(use.writes ? STDOUT_FILENO : STDIN_FILENO, &use.place);
        use.path = use.writes ? "standard output" : "standard input";
    } else {
        status = halo_place_of(use.path, &use.place, &is);
    }
    if (status == HALO_OK && is) append(uses, use);
    return status;
}

static HaloStatus add_named_after(Uses *uses, const HaloPipeline *pipeline, const CliItem *item)
{
    HaloStatus status = HALO_OK;
    for (size_t i = 0; status == HALO_OK && strcmp(item->input, "-") != 0; i++) {
        Use use = {.what = "read by the pipeline"};
        bool is;
        char *path;
        status = halo_pipeline_names(pipeline, item->input, i, &path);
        if (path == NULL) break;
        status = halo_place_of(path, &use.place, &is);
        free(path);
        if (status == HALO_OK && is) append(uses, use);
    }
    return status;
}

static HaloStatus add_reads(Uses *uses, const HaloPipeline *pipeline, const CliBatch *batch)
{
    HaloStatus status = HALO_OK;
    for (size_t k = 0; k < batch->reads; k++)
        append(uses, (Use){.place = {.id = {batch->read[k].id[0], batch->read[k].id[1]}},
                           .what = batch->read[k].what});
    for (size_t i = 0; i < batch->count; i++) {
        const CliItem *item = &batch->item[i];
        if (item->status != HALO_OK) continue;
        HALO_TRY(add(uses, (Use){.path = item->input, .what = "an input"}));
        HALO_TRY(add_named_after(uses, pipeline, item));
    }
out:
    return status;
}

/* Results are printed beside a plot; where the output goes to standard output they go elsewhere. */
static HaloStatus add_writes(Uses *uses, const CliSettings *settings, const CliBatch *batch,
                             const char *journal)
{
    HaloStatus status = HALO_OK;
    const bool piped = settings->output != NULL && strcmp(settings->output, "-") == 0;
    for (size_t i = 0; i < batch->count; i++) {
        const CliItem *item = &batch->item[i];
        if (item->output != NULL)
            HALO_TRY(
                add(uses, (Use){.item = item, .path = item->output, .what = "the output", .writes = true}));
    }
    const bool drawn = settings->plot != NULL && strcmp(settings->plot, "-") != 0; /* else it is printed */
    if (drawn) HALO_TRY(add(uses, (Use){.path = settings->plot, .what = "--plot", .writes = true}));
    if (settings->results != NULL)
        HALO_TRY(add(uses, (Use){.path = settings->results, .what = "--output", .writes = true}));
    if (settings->response != NULL)
        HALO_TRY(add(uses, (Use){.path = settings->response, .what = "--plot-response", .writes = true}));
    if (drawn && !piped) HALO_TRY(add(uses, (Use){.path = "-", .what = "what is printed", .writes = true}));
    if (journal != NULL) HALO_TRY(add(uses, (Use){.path = journal, .what = "the journal", .writes = true}));
out:
    return status;
}

/* ---- comparing ------------------------------------------------------------------------------------------ */

/* What is written comes first. */
static int by_place(const void *a, const void *b)
{
    const Use *x = a, *y = b;
    const int order = halo_place_compare(&x->place, &y->place);
    if (order != 0) return order;
    if (x->writes != y->writes) return x->writes ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static HaloStatus refuse(const Use *a, const Use *b)
{
    const bool alike = b->path != NULL && strcmp(a->path, b->path) == 0;
    if (!b->writes)
        return halo_fail(HALO_ERR_USAGE, "%s is %s: halo never writes over what it reads", a->path, b->what);
    if (a->item == NULL || b->item == NULL)
        return halo_fail(HALO_ERR_USAGE, "%s: %s and %s would be the same file; give each a name of its own",
                         a->path, a->what, b->what);
    if (!alike)
        return halo_fail(HALO_ERR_USAGE, "%s and %s would become %s and %s, which are the same file",
                         a->item->input, b->item->input, a->path, b->path);
    return halo_fail(HALO_ERR_USAGE,
                     "%s and %s would both become %s; --name '{index}_{stem}.{ext}' tells them apart",
                     a->item->input, b->item->input, a->path);
}

/* Of several clashes the first one, in the order of what is written. */
static HaloStatus compare(Uses *uses)
{
    const Use *first = NULL;
    if (uses->count > 1) qsort(uses->use, uses->count, sizeof *uses->use, by_place);
    for (size_t i = 1; i < uses->count; i++) {
        const Use *use = &uses->use[i - 1];
        if (use->writes && halo_place_compare(&use->place, &use[1].place) == 0 &&
            (first == NULL || use->number < first->number))
            first = use;
    }
    return first != NULL ? refuse(first, first + 1) : HALO_OK;
}

HaloStatus cli_refuse_clashes(const CliSettings *settings, const HaloPipeline *pipeline, const CliBatch *batch)
{
    HaloStatus status = HALO_OK;
    Uses uses = {0};
    char *journal = settings->out_dir != NULL ? cli_journal_path(settings) : NULL;
    HALO_TRY(add_writes(&uses, settings, batch, journal));
    if (uses.count == 0) goto out;
    HALO_TRY(add_reads(&uses, pipeline, batch));
    HALO_TRY(compare(&uses));
out:
    for (size_t i = 0; i < uses.count; i++) free(uses.use[i].place.rest);
    free(uses.use);
    free(journal);
    return status;
}
