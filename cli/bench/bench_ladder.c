/* `halo bench ladder`: the teaching kernels, rung by rung, as a table or as JSON. Rows appear as they are
 * measured. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "halo/ladder.h"
#include "help/describe.h"
#include "text/json.h"
#include "text/page.h"

/* What later rows need to know of the rows before them. */
typedef struct Ladder {
    const CliSettings *settings;
    const char *family; /* of the row before */
    double first_rate;  /* elements a millisecond of the family's first rung; 0: not timed */
    HaloStatus status;  /* of printing; once it fails nothing more is printed */
} Ladder;

/* ---- the GPU -------------------------------------------------------------------------------------------- */

static HaloStatus open_gpu(const CliSettings *settings, const HaloBackend **backend, HaloDevice **device)
{
    const HaloTables *tables = halo_tables();
    if (settings->engine.device == HALO_DEVICE_CPU)
        return halo_fail(HALO_ERR_USAGE, "the ladder needs a GPU: --device gpu, or gpu:N");
    if (tables->backends < 2) return halo_fail(HALO_ERR_DEVICE, "this build of halo has no CUDA backend");
    *backend = tables->backend[1];
    return (*backend)->open(settings->engine.gpu, 0, device);
}

static HaloStatus run(HaloDevice *device, const char *family, HaloRungSeen *seen, Ladder *ladder)
{
#ifdef HALO_HAVE_CUDA
    return halo_ladder(device, family, seen, ladder);
#else
    (void)device, (void)family, (void)seen, (void)ladder;
    return HALO_ERR_DEVICE; /* open_gpu has failed before */
#endif
}

/* ---- one row -------------------------------------------------------------------------------------------- */

static double rate(const HaloRung *rung) { return rung->ms > 0 ? rung->n / rung->ms : 0; }

static double gigabytes(const HaloRung *rung) { return rung->bytes / (rung->ms * 1e6); }

static void record_rung(FILE *to, const Ladder *ladder, const HaloRung *rung)
{
    CliJson json = {.to = to};
    const bool timed = rung->ms > 0;
    json_open(&json, NULL, '{');
    json_text(&json, "type", "rung");
    json_text(&json, "family", rung->family);
    json_text(&json, "rung", rung->name);
    json_text(&json, "change", rung->change);
    json_text(&json, "note", *rung->note != 0 ? rung->note : NULL);
    json_int(&json, "elements", (int64_t)rung->n);
    json_int(&json, "bytes", (int64_t)rung->bytes);
    json_positive(&json, "ms", rung->ms);
    json_positive(&json, "gbs", timed ? gigabytes(rung) : 0);
    json_positive(&json, "ceiling_gbs", rung->ceiling_gbs);
    json_positive(&json, "fraction", timed ? gigabytes(rung) / rung->ceiling_gbs : 0);
    json_positive(&json, "speedup", timed && ladder->first_rate > 0 ? rate(rung) / ladder->first_rate : 0);
    json_positive(&json, "predicted_reuse", rung->predicted);
    json_int(&json, "checked", rung->checked);
    json_int(&json, "wrong", rung->wrong);
    json_close(&json, '}');
    json_end_line(&json);
}

/* "268.4M", "1024" in `text`: rungs of one family may be timed with different numbers of elements. */
static const char *short_count(double n, char text[16])
{
    if (n >= 1e6)
        snprintf(text, 16, "%.1fM", n / 1e6);
    else if (n >= 1e4)
        snprintf(text, 16, "%.1fk", n / 1e3);
    else
        snprintf(text, 16, "%.0f", n);
    return text;
}

static void print_head(FILE *to, const HaloRung *rung)
{
    fprintf(to, "\n%s%s%s", cli_ink(CLI_BOLD), rung->family, cli_ink(CLI_PLAIN));
    if (rung->ceiling_gbs > 0) fprintf(to, ", ceiling %.0f GB/s", rung->ceiling_gbs);
    fprintf(to, "\n  %-29s %7s %9s %7s %7s %9s  %s\n", "rung", "n", "ms", "GB/s", "ceiling", "speed-up",
            "checks");
}

static void print_rung(FILE *to, const Ladder *ladder, const HaloRung *rung)
{
    char text[16];
    fprintf(to, "  %-29s ", rung->name);
    if (rung->checked == 0) {
        fprintf(to, "%7s %9.2f times\n", "", rung->predicted);
        return;
    }
    fprintf(to, "%7s ", short_count(rung->n, text));
    if (rung->ms > 0)
        fprintf(to, "%9.4f %7.1f %6.1f%%", rung->ms, gigabytes(rung),
                100 * gigabytes(rung) / rung->ceiling_gbs);
    else
        fprintf(to, "%9s %7s %7s", "-", "-", "-");
    if (rung->ms > 0 && ladder->first_rate > 0)
        fprintf(to, " %8.2fx", rate(rung) / ladder->first_rate);
    else
        fprintf(to, " %9s", "-");
    if (rung->wrong > 0)
        fprintf(to, "  %s%d of %d WRONG%s\n", cli_ink(CLI_RED), rung->wrong, rung->checked, cli_ink(CLI_PLAIN));
    else
        fprintf(to, "  %s%d right%s\n", cli_ink(CLI_GREEN), rung->checked, cli_ink(CLI_PLAIN));
}

/* What the rung changes, and the note on it, below the numbers. */
static void print_words(FILE *to, const HaloRung *rung)
{
    char *reuse = rung->predicted > 0 ? cli_format("; predicted reuse %.2f", rung->predicted) : cli_copy("");
    const bool both = *rung->change != 0 && *rung->note != 0;
    char *words = cli_format("%s%s%s%s", rung->change, both ? "; " : "", rung->note, reuse);
    if (*words != 0 && rung->checked > 0) {
        fprintf(to, "%s      ", cli_ink(CLI_FAINT));
        cli_wrap(to, words, 6, CLI_LINE);
        fputs(cli_ink(CLI_PLAIN), to);
    }
    free(words);
    free(reuse);
}

static void see(const HaloRung *rung, void *context)
{
    Ladder *ladder = context;
    if (ladder->status != HALO_OK) return;
    const bool first = ladder->family == NULL || strcmp(ladder->family, rung->family) != 0;
    if (first) ladder->first_rate = rate(rung);
    ladder->family = rung->family;
    FILE *page = cli_page_open(ladder->settings->json);
    if (ladder->settings->json) {
        record_rung(page, ladder, rung);
    } else {
        if (first) print_head(page, rung);
        print_rung(page, ladder, rung);
        print_words(page, rung);
    }
    ladder->status = cli_page_send(STDOUT_FILENO);
}

/* ---- the command ---------------------------------------------------------------------------------------- */

static HaloStatus announce(const CliSettings *settings, const char *device)
{
    FILE *page = cli_page_open(settings->json);
    if (settings->json) {
        CliJson json = {.to = page};
        json_open(&json, NULL, '{');
        json_text(&json, "type", "device");
        json_text(&json, "device", device);
        json_text(&json, "version", halo_version());
        json_text(&json, "features", halo_build_features());
        json_close(&json, '}');
        json_end_line(&json);
    } else {
        fprintf(page, "%s; medians of many runs\n", device);
    }
    return cli_page_send(STDOUT_FILENO);
}

HaloStatus cli_bench_ladder(const CliSettings *settings)
{
    const HaloBackend *backend = NULL;
    HaloDevice *device = NULL;
    Ladder ladder = {.settings = settings};
    HaloStatus status = HALO_OK;
    HALO_TRY(open_gpu(settings, &backend, &device));
    HALO_TRY(announce(settings, backend->describe(device)));
    if (settings->words == 1) HALO_TRY(run(device, NULL, see, &ladder));
    for (size_t i = 1; i < settings->words && ladder.status == HALO_OK; i++)
        HALO_TRY(run(device, settings->word[i], see, &ladder));
    status = ladder.status;
out:
    if (device != NULL) backend->close(device);
    return status;
}
