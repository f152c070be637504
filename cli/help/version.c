/* `halo --version`: what this program is and what it was built with. */
#include <string.h>
#include <unistd.h>

#include "halo/extend.h"
#include "options.h"
#include "text/json.h"
#include "text/page.h"

#ifdef __clang__
#define COMPILER "Clang " __clang_version__
#else
#define COMPILER "GCC " __VERSION__
#endif

/* "JPEG, no TIFF, CUDA 12.4" as members: true, false, or the rest of the words. */
static void write_features(CliJson *json, const char *features)
{
    json_open(json, "features", '{');
    while (*features != 0) {
        char word[64];
        const size_t length = strcspn(features, ",");
        halo_snprintf(word, sizeof word, "%.*s", (int)length, features);
        char *const space = strchr(word, ' ');
        if (strncmp(word, "no ", 3) == 0) {
            json_bool(json, word + 3, false);
        } else if (space != NULL) {
            *space = 0;
            json_text(json, word, space + 1);
        } else {
            json_bool(json, word, true);
        }
        features += length;
        features += strspn(features, ", ");
    }
    json_close(json, '}');
}

static void write_variants(CliJson *json)
{
    json_open(json, "variants", '[');
    for (const char *name = HALO_VARIANTS; *name != 0; name += strspn(name, ",")) {
        char word[32];
        const size_t length = strcspn(name, ",");
        halo_snprintf(word, sizeof word, "%.*s", (int)length, name);
        json_text(json, NULL, word);
        name += length;
    }
    json_close(json, ']');
}

/* Of the CPU's kernels, the ones that run here; NULL: HALO_CPU forbids all. */
static const char *own_variant(void)
{
    const HaloTables *tables = halo_tables();
    for (int i = 0; i < tables->backends; i++)
        if (tables->backend[i]->variant != NULL) return tables->backend[i]->variant();
    return NULL;
}

int cli_version(const CliSettings *settings)
{
    FILE *page = cli_page_open(settings->json);
    const char *commit = halo_build_commit();
    if (settings->json) {
        CliJson json = {.to = page};
        json_open(&json, NULL, '{');
        json_text(&json, "type", "version");
        json_text(&json, "version", halo_version());
        if (*commit != 0) json_text(&json, "commit", commit);
        json_text(&json, "compiler", COMPILER);
        write_variants(&json);
        json_text(&json, "variant", own_variant());
        write_features(&json, halo_build_features());
        json_close(&json, '}');
        json_end_line(&json);
    } else {
        const char *variant = own_variant();
        fprintf(page, "halo %s (%s%s%s; %s kernels)\n", halo_version(), commit, *commit != 0 ? "; " : "",
                halo_build_features(), variant != NULL ? variant : "no");
    }
    return cli_page_end(STDOUT_FILENO);
}
