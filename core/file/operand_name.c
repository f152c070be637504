/* Secondary inputs whose path has the fields {dir}, {stem} and {name} of the input, and those that belong to
 * the current input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halo/place.h"
#include "halo/words.h"
#include "operand.h"

static const char fields[] = "dir|stem|name";

/* The field at `at`, which is a brace, as one of `fields`, or -1, where it is doubled; *end is behind it. */
static HaloStatus field_at(const char *path, const char *at, int *field, const char **end)
{
    char word[HALO_WORD_SIZE], near[HALO_WORD_SIZE];
    *field = -1;
    *end = at + 2;
    if (at[1] == at[0]) return HALO_OK;
    const size_t length = strcspn(at + 1, "}");
    *end = at + length + 2;
    if (at[length + 1] != '}') return halo_fail(HALO_ERR_USAGE, "a } is missing in '%s'", path);
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at + 1);
    *field = halo_find_word(fields, '|', word);
    if (*field >= 0) return HALO_OK;
    const char *meant = halo_nearest_choice(word, fields, near);
    return halo_fail(
        HALO_ERR_USAGE,
        "unknown field '{%s}' in '%s': {dir}, {stem} and {name} are known%s%s%s; {{ and }} stand for braces",
        word, path, meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
        meant != NULL ? "'?" : "");
}

HaloStatus operand_fields(const char *path, bool *any)
{
    int field;
    *any = false;
    for (const char *at = strchr(path, '{'); at != NULL; at = strchr(at, '{')) {
        const HaloStatus status = field_at(path, at, &field, &at);
        if (status != HALO_OK) return status;
        *any = *any || field >= 0;
    }
    return HALO_OK;
}

/* A part of the input's path; "." is the folder of a name without one. */
static const char *part_of(const char *input, int field, int *length)
{
    const char *name = halo_base_name(input), *extension = halo_extension(name);
    const int stem = (int)(strlen(name) - (*extension != 0 ? strlen(extension) + 1 : 0));
    const int folder = (int)(name - input);
    *length = field == 0 ? (folder > 1 ? folder - 1 : 1) : field == 1 ? stem : (int)strlen(name);
    return field == 0 ? (folder > 0 ? input : ".") : name;
}

/* `text` NULL: only how long it is. */
static HaloStatus expand(const char *path, const char *input, char *text, size_t *length)
{
    *length = 0;
    for (const char *at = path; *at != 0;) {
        int field, size = 1;
        const char *from = at++;
        if (*from == '{') {
            const HaloStatus status = field_at(path, from, &field, &at);
            if (status != HALO_OK) return status;
            if (field >= 0) from = part_of(input, field, &size);
        } else if (*from == '}' && *at == '}') {
            at++;
        }
        if (text != NULL) memcpy(text + *length, from, (size_t)size);
        *length += (size_t)size;
    }
    return HALO_OK;
}

HaloStatus operand_name(const char *path, const char *input, char **name)
{
    HaloStatus status = HALO_OK;
    size_t length;
    *name = NULL;
    bool any;
    HALO_TRY(operand_fields(path, &any));
    if (any && (input == NULL || strcmp(input, "-") == 0))
        HALO_FAIL(HALO_ERR_USAGE, "'%s' uses the input's name, and standard input has none", path);
    HALO_TRY(expand(path, input, NULL, &length));
    *name = malloc(length + 1);
    if (*name == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(expand(path, input, *name, &length));
    (*name)[length] = 0;
out:
    return status;
}

static HaloOperand *found(const Operands *operands, const char *path, int64_t page)
{
    for (int i = 0; i < operands->count; i++)
        if (operands->operand[i]->page == page && strcmp(operands->operand[i]->path, path) == 0)
            return operands->operand[i];
    return NULL;
}

/* Held from now on. */
static HaloStatus hold(Operands *operands, HaloOperand *operand)
{
    HaloOperand **grown = realloc(operands->operand, sizeof *grown * ((size_t)operands->count + 1));
    if (grown == NULL) {
        operand_release(operand);
        return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    }
    operands->operand = grown;
    operands->operand[operands->count++] = operand;
    return HALO_OK;
}

size_t operand_array(const char *path)
{
    int64_t at;
    return path[0] == '@' && path[1] >= '1' && path[1] <= '9' && halo_read_int(path + 1, 1, 1000000, &at, NULL)
               ? (size_t)at
               : 0;
}

static HaloStatus find_array(const Operands *operands, size_t at, HaloOperand **operand)
{
    if (at >= 2 && at <= operands->arrays + 1) {
        *operand = operands->array[at - 2];
        return HALO_OK;
    }
    return halo_fail(HALO_ERR_USAGE, "there is no array @%zu: %s", at,
                     at == 1 ? "the first is the input itself"
                     : operands->arrays == 0
                         ? "the pipeline runs without secondary arrays; a file of this name is "
                           "written ./@2"
                         : "fewer were given");
}

HaloStatus operand_of_input(HaloSession *session, Operands *operands, const char *path, HaloOperand **operand)
{
    if (operand_array(path) > 0) return find_array(operands, operand_array(path), operand);
    char *name = NULL;
    HaloStatus status = operand_name(path, operands->input, &name);
    if (status == HALO_OK && (*operand = found(operands, name, 0)) == NULL) {
        status = operand_load(session, name, operand);
        if (status == HALO_OK) status = hold(operands, *operand);
    }
    free(name);
    return status;
}

/* `pages` 0: more than `operand` has. */
static HaloStatus wrong_pages(const HaloOperand *operand, int64_t pages)
{
    char many[32] = "more";
    if (pages > 0) snprintf(many, sizeof many, "%lld", (long long)pages);
    return halo_fail_on(HALO_ERR_INPUT, operand->path,
                        " has %lld pages, and the input has %s: it has to have as many, or one; use 'halo run "
                        "pages:1' to select one",
                        (long long)operand->pages, many);
}

HaloStatus operand_of_page(Operands *operands, HaloOperand *operand, HaloOperand **of_page)
{
    *of_page = operand;
    if (operand->pages == 1) return HALO_OK;
    if (operands->pages > 0 && operands->pages != operand->pages) return wrong_pages(operand, operands->pages);
    if (operands->page >= operand->pages) return wrong_pages(operand, 0);
    operands->paired = operand;
    if (operands->page == 0 || (*of_page = found(operands, operand->path, operands->page)) != NULL)
        return HALO_OK;
    const HaloStatus status = operand_load_page(operand, operands->page, of_page);
    return status == HALO_OK ? hold(operands, *of_page) : status;
}

HaloStatus operand_last_page(const Operands *operands, int64_t pages)
{
    const HaloOperand *operand = operands->paired;
    return operand == NULL || operand->pages == pages ? HALO_OK : wrong_pages(operand, pages);
}

void operand_next_page(Operands *operands, int64_t page, int64_t pages)
{
    int kept = 0;
    operands->page = page;
    operands->pages = pages;
    for (int i = 0; i < operands->count; i++) {
        if (operands->operand[i]->page == 0)
            operands->operand[kept++] = operands->operand[i];
        else
            operand_release(operands->operand[i]);
    }
    operands->count = kept;
}

void operand_next_input(Operands *operands, const char *input)
{
    operands->input = input;
    operands->paired = NULL;
    operand_next_page(operands, 0, 0);
    while (operands->count > 0) operand_release(operands->operand[--operands->count]);
    free(operands->operand);
    operands->operand = NULL;
}
