/* What is often typed in place of what is meant, and what is said of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

static bool is_there(const char *path) { return strcmp(path, "-") == 0 || access(path, F_OK) == 0; }

/* "invert,mask=a.png": an operation, behind which something else than a colon stands. */
static bool begins_with_operation(const char *word)
{
    char name[32];
    const size_t length = strcspn(word, ",=(");
    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), word);
    return word[length] != 0 && halo_find_op(name) != NULL;
}

static bool looks_like_file(const char *word)
{
    const char *extension = halo_extension(halo_base_name(word));
    return !begins_with_operation(word) && strpbrk(word, ":|") == NULL && *extension != 0 &&
           halo_find_format(extension) != NULL;
}

/* The operation of a pipeline that selects pages, which has to stay the first; 0: there is none. */
static int selection_length(const char *text)
{
    char name[32];
    const char *begin = text + strspn(text, " ");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(begin, ": |"), begin);
    const HaloOp *op = halo_find_op(name);
    return op != NULL && op->selects ? (int)strcspn(text, "|") : 0;
}

char *cli_with_page(const CliSettings *settings, const char *op, const char *args)
{
    const char *page = settings->page;
    const int selects = settings->to_srgb ? selection_length(op) : 0;
    const char *rest = op + selects + (selects > 0 && op[selects] == '|');
    return cli_format("%s%s%s%.*s%s%s%s%s%s%s", page != NULL ? "pages:" : "", page != NULL ? page : "",
                      page != NULL && (*op != 0 || settings->to_srgb) ? " | " : "", selects, op,
                      selects > 0 ? " | " : "", settings->to_srgb ? "icc" : "",
                      settings->to_srgb && *rest != 0 ? " | " : "", rest, *args != 0 ? ":" : "", args);
}

/* Two operations with a space between them: where the second begins; else 0. */
static size_t second_operation(const char *text)
{
    char name[32];
    for (const char *at = strchr(text, ' '); at != NULL && strpbrk(text, "|\"'[") == NULL;
         at = strchr(at + 1, ' ')) {
        const size_t length = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz0123456789");
        if (length == 0 || length >= sizeof name || (at[1 + length] != ':' && at[1 + length] != 0)) continue;
        memcpy(name, at + 1, length);
        name[length] = 0;
        if (halo_find_op(name) != NULL) return (size_t)(at - text) + 1;
    }
    return 0;
}

HaloStatus cli_copy_instead(CliWork *work, HaloStatus status)
{
    const CliSettings *settings = work->settings;
    HaloPipeline *pipeline = NULL;
    const char *first = settings->word[0];
    const size_t second = second_operation(first);
    if (second > 0)
        return halo_fail(HALO_ERR_USAGE, "operations are joined by |: '%.*s | %.200s'", (int)second - 1, first,
                         first + second);
    if (!is_there(first) && looks_like_file(first))
        return halo_fail(HALO_ERR_USAGE, "%.200s: no such file, and not a pipeline", first);
    if (!is_there(first)) return status;
    for (size_t i = 1; i < settings->words; i++) {
        const char *word = settings->word[i];
        if (is_there(word) || looks_like_file(word)) continue;
        status = halo_pipeline_parse(work->session, word, &pipeline);
        if (status != HALO_OK) return status;
        halo_pipeline_free(pipeline);
        return halo_fail(
            HALO_ERR_USAGE,
            "'%.200s' is a file: the pipeline comes first, as in halo run '%.200s' %.200s -o OUTPUT", first,
            word, first);
    }
    free(work->text);
    work->text = cli_with_page(settings, "", "");
    return halo_pipeline_parse(work->session, work->text, &work->pipeline);
}

HaloStatus cli_check_inputs(CliWork *work, const char *const *input, size_t count)
{
    const CliSettings *settings = work->settings;
    HaloPipeline *pipeline = NULL;
    if (count == 0 && settings->files_from == NULL && settings->files0_from == NULL &&
        settings->command->op == NULL && !isatty(STDOUT_FILENO))
        return halo_fail(HALO_ERR_USAGE,
                         "an input is missing; a pipeline with | needs quotes: halo run 'gray | sobel' INPUT "
                         "-o OUTPUT");
    for (size_t i = 0; i < count; i++) {
        const char *word = input[i];
        if (*word == 0 || is_there(word) || looks_like_file(word)) continue;
        if (settings->quiet && word[strspn(word, "0123456789")] == 0)
            return halo_fail(HALO_ERR_USAGE,
                             "%.60s: no such file; -q is --quiet; for JPEG quality use --quality %.60s", word,
                             word);
        if (halo_pipeline_parse(work->session, word, &pipeline) != HALO_OK) continue;
        halo_pipeline_free(pipeline);
        return halo_fail(
            HALO_ERR_USAGE,
            "'%.200s' is an operation, not a file: operations are joined by |, as in halo run '%.200s | "
            "%.200s' INPUT -o OUTPUT",
            word, work->text, word);
    }
    return HALO_OK;
}

HaloStatus cli_no_output(const CliSettings *settings)
{
    const char *last = settings->words > 0 ? settings->word[settings->words - 1] : "-";
    if (settings->words > 1 && !is_there(last) && looks_like_file(last))
        return halo_fail(HALO_ERR_USAGE, "%.200s does not exist: use -o %.200s to write it", last, last);
    return halo_fail(HALO_ERR_USAGE,
                     "an output is missing: -o FILE, --out-dir DIR, or -o - for standard output");
}
