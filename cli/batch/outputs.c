/* Where outputs go: names from a template. */
#include <stdlib.h>
#include <string.h>

#include "batch.h"

static const char fields[] = "dir|stem|ext|index|page|part";

/* ---- one name ------------------------------------------------------------------------------------------- */

/* `digits` of the index: as many as the last one has, so that names sort, unless the template says more. */
static HaloStatus add_field(CliText *text, int field, const CliSettings *settings, const CliItem *item,
                            size_t index, int digits)
{
    const bool piped = strcmp(item->input, "-") == 0;
    const char *name = piped ? "stdin" : halo_base_name(item->input);
    const char *extension = piped ? "" : halo_extension(item->input);
    const size_t stem = strlen(name) - (*extension != 0 ? strlen(extension) + 1 : 0);
    char number[32];
    switch (field) {
    case 0: cli_add(text, item->dir, strlen(item->dir)); break;
    case 1: cli_add(text, name, stem); break;
    case 2:
        if (settings->to != NULL && halo_find_format(extension) != settings->to) {
            extension = settings->to->extensions;
            if (strcmp(settings->to_word, settings->to->name) != 0 &&
                halo_find_word(extension, ',', settings->to_word) >= 0)
                extension = settings->to_word; /* "pgm" of pnm */
            cli_add(text, extension, strcspn(extension, ","));
        } else if (*extension != 0) {
            cli_add(text, extension, strlen(extension));
        } else if (piped) {
            return halo_fail(HALO_ERR_USAGE,
                             "standard input has no extension: give the output format with --to");
        } else if (text->length > 0 && text->data[text->length - 1] == '.') {
            text->data[--text->length] = 0; /* no extension, no dot */
        }
        break;
    default:
        cli_add(text, number,
                (size_t)snprintf(number, sizeof number, "%0*zu", digits, field == 5 ? item->part : index));
    }
    return HALO_OK;
}

/* The number of the page stands in for its field when the page is there (HaloJob::split). */
static HaloStatus keep_page_field(CliText *text, const CliSettings *settings, const char *word)
{
    if (!settings->split) return halo_fail(HALO_ERR_USAGE, "{page} needs --split");
    cli_add_char(text, '{');
    cli_add(text, word, strlen(word));
    cli_add_char(text, '}');
    return HALO_OK;
}

/* "{index:04}": takes the requested digits off the word. */
static HaloStatus take_digits(char *word, int *digits)
{
    char *colon = strchr(word, ':');
    if (colon == NULL) return HALO_OK;
    *colon = 0;
    const size_t zero = colon[1] == '0';
    if ((strcmp(word, "index") != 0 && strcmp(word, "page") != 0 && strcmp(word, "part") != 0) ||
        colon[1 + zero] < '1' || colon[1 + zero] > '9' || colon[2 + zero] != 0)
        return halo_fail(HALO_ERR_USAGE, "unknown field '{%s:%s}'; digits are set as in {index:04}", word,
                         colon + 1);
    *digits = colon[1 + zero] - '0';
    return HALO_OK;
}

/* Slashes at the start and repeated ones come from an empty {dir}: they are left out. */
static HaloStatus expand(const char *template, const CliSettings *settings, const CliItem *item, size_t index,
                         size_t count, CliText *text)
{
    for (const char *t = template; *t != 0; t++) {
        if (*t == '/') {
            if (text->length > 0 && text->data[text->length - 1] != '/') cli_add_char(text, '/');
        } else if (*t != '{') {
            cli_add_char(text, *t);
        } else {
            char word[64], whole[64];
            int field, digits = snprintf(NULL, 0, "%zu", count);
            const size_t length = strcspn(t + 1, "}");
            snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), t + 1);
            memcpy(whole, word, sizeof whole);
            HaloStatus status = t[1 + length] == '}'
                                    ? take_digits(word, &digits)
                                    : halo_fail(HALO_ERR_USAGE, "a } is missing in '%s'", template);
            if (status == HALO_OK) status = halo_read_choice(word, fields, &field);
            if (status == HALO_OK && field == 5 && item->part == 0)
                status = halo_fail(HALO_ERR_USAGE, "{part} is for halo split");
            if (status == HALO_OK)
                status = field == 4 ? keep_page_field(text, settings, whole)
                                    : add_field(text, field, settings, item, index, digits);
            if (status != HALO_OK) return halo_fail_at(status, "--name");
            t += length + 1;
        }
    }
    if (text->length == 0 || text->data[text->length - 1] == '/')
        return halo_fail(HALO_ERR_USAGE, "--name: '%s' gives an empty name", template);
    if (strncmp(text->data, "../", 3) == 0 || strstr(text->data, "/../") != NULL)
        return halo_fail(HALO_ERR_USAGE, "--name: '%s' is outside the folder", template);
    return HALO_OK;
}

static HaloStatus name_in_folder(const CliSettings *settings, CliBatch *batch)
{
    const char *template = settings->name != NULL                ? settings->name
                           : settings->split                     ? "{dir}/{stem}-{page}.{ext}"
                           : settings->command->bit == CLI_SPLIT ? "{dir}/{stem}-{part:03}.{ext}"
                                                                 : "{dir}/{stem}.{ext}";
    const size_t length = strlen(settings->out_dir);
    const char *slash = length > 0 && settings->out_dir[length - 1] == '/' ? "" : "/";
    for (size_t i = 0; i < batch->count; i++) {
        CliText name = {0};
        if (batch->item[i].status != HALO_OK) continue;
        const HaloStatus status = expand(template, settings, &batch->item[i], i + 1, batch->count, &name);
        if (status == HALO_OK)
            batch->item[i].output = cli_format("%s%s%s", settings->out_dir, slash, name.data);
        free(name.data);
        if (status != HALO_OK) return status;
    }
    return HALO_OK;
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

HaloStatus cli_name_outputs(const CliSettings *settings, CliBatch *batch)
{
    if (settings->name != NULL && settings->out_dir == NULL)
        return halo_fail(HALO_ERR_USAGE, "--name needs --out-dir");
    if (settings->output != NULL && settings->out_dir != NULL)
        return halo_fail(HALO_ERR_USAGE, "--output and --out-dir are mutually exclusive");
    if (settings->output != NULL && batch->count > 1)
        return halo_fail(HALO_ERR_USAGE, "--output is for one input, not %zu: use --out-dir DIR", batch->count);
    if (settings->output != NULL && *settings->output == 0)
        return halo_fail(HALO_ERR_USAGE, "--output: the name is empty");
    if (settings->output != NULL) batch->item[0].output = cli_copy(settings->output);
    return settings->out_dir != NULL ? name_in_folder(settings, batch) : HALO_OK;
}
