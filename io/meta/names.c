/* Names of columns, which a text keeps in any format (HALO_NAMES_KEY): how it is written, and what a pipeline
 * makes of them. */
#include "names.h"

#include <stdlib.h>
#include <string.h>

#include "halo/text.h"
#include "meta.h"

/* Would it be read as something else without quotation marks? */
static bool needs_quotes(const char *name, size_t length, const char *separators)
{
    if (length > 0 && (name[0] == '#' || halo_is_blank(name[0]) || halo_is_blank(name[length - 1])))
        return true;
    if (length >= 3 && memcmp(name, "\xef\xbb\xbf", 3) == 0) return true; /* a byte order mark is skipped */
    for (size_t i = 0; i < length; i++)
        if (strchr(separators, name[i]) != NULL || name[i] == '"' || name[i] == '\n' || name[i] == '\r')
            return true;
    return false;
}

size_t halo_name_write(const char *name, size_t length, const char *separators, char *to)
{
    const bool quoted = needs_quotes(name, length, separators);
    size_t used = 0;
    if (quoted) to[used++] = '"';
    for (size_t i = 0; i < length; i++) {
        if (name[i] == '"') to[used++] = '"';
        to[used++] = name[i];
    }
    if (quoted) to[used++] = '"';
    return used;
}

/* Copies of so many texts, NULL being an empty one, in one allocation. */
static HaloStatus copy_names(const char *const *name, const size_t *length, int count, HaloNames *names)
{
    size_t bytes = sizeof(char *) * (size_t)count;
    *names = (HaloNames){0};
    if (count == 0) return HALO_OK;
    for (int c = 0; c < count; c++) bytes += length[c] + 1;
    names->name = malloc(bytes);
    if (names->name == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for names of columns");
    names->count = count;
    char *to = (char *)(names->name + count);
    for (int c = 0; c < count; c++) {
        names->name[c] = to;
        if (length[c] > 0) memcpy(to, name[c], length[c]);
        to[length[c]] = 0;
        to += length[c] + 1;
    }
    return HALO_OK;
}

HaloStatus halo_names_of(HaloCells *cells, HaloNames *names)
{
    HaloStatus status = HALO_OK;
    const int count = cells->count < HALO_MOST_CELLS ? cells->count : HALO_MOST_CELLS;
    const char **name = calloc((size_t)count + 1, sizeof *name);
    size_t *length = calloc((size_t)count + 1, sizeof *length);
    *names = (HaloNames){0};
    if (name == NULL || length == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for names of columns");
    for (int c = 0; c < count; c++) name[c] = halo_cell(cells, c, &length[c]);
    HALO_TRY(copy_names(name, length, count, names));
out:
    free(name);
    free(length);
    return status;
}

/* A text of that key by another program may be anything. */
static HaloStatus read_names(const char *text, HaloNames *names)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = NULL;
    HaloCells *cells = calloc(1, sizeof *cells);
    *names = (HaloNames){0};
    if (cells == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for names of columns");
    HALO_TRY(halo_source_from_memory(text, strlen(text), &source));
    HALO_TRY(halo_cells_of(cells, source, ','));
    HALO_TRY(halo_names_of(cells, names));
out:
    if (cells != NULL) halo_cells_free(cells);
    free(cells);
    halo_source_close(source);
    return status == HALO_ERR_INPUT ? HALO_OK : status;
}

HaloStatus halo_names_get(const HaloMeta *meta, int channels, HaloNames *names)
{
    const char *text = halo_text_find(meta, HALO_NAMES_KEY);
    *names = (HaloNames){0};
    const HaloStatus status = text != NULL ? read_names(text, names) : HALO_OK;
    if (names->count == channels) return status;
    free(names->name);
    *names = (HaloNames){0};
    return status;
}

static void remove_names(HaloMeta *meta)
{
    size_t kept = 0;
    for (size_t i = 0; i < meta->texts; i++) {
        if (strcmp(meta->text[i].key, HALO_NAMES_KEY) == 0) {
            free(meta->text[i].key);
            free(meta->text[i].value);
        } else {
            meta->text[kept++] = meta->text[i];
        }
    }
    meta->texts = kept;
}

HaloStatus halo_names_set(HaloMeta *meta, int channels, const char *const *name)
{
    HaloStatus status = HALO_OK;
    size_t capacity = 1, used = 0;
    bool any = false;
    char *row = NULL;
    remove_names(meta);
    for (int c = 0; c < channels; c++) {
        any = any || name[c][0] != 0;
        capacity += halo_name_size(strlen(name[c])) + 1;
    }
    if (!any) return HALO_OK;
    if ((row = malloc(capacity)) == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for names of columns");
    for (int c = 0; c < channels; c++) {
        if (c > 0) row[used++] = ',';
        used += halo_name_write(name[c], strlen(name[c]), ",", row + used);
    }
    HALO_TRY(halo_text_add(meta, HALO_NAMES_KEY, row, used, HALO_UTF_8));
out:
    free(row);
    return status;
}

/* The move that named channels last; -1: there is none. */
static int last_naming(const HaloChanges *changes)
{
    int i = changes->moves - 1;
    while (i >= 0 && changes->move[i].names == NULL) i--;
    return i;
}

HaloStatus halo_names_follow(const HaloMeta *meta, const HaloChanges *changes, HaloNames *names)
{
    HaloStatus status = HALO_OK;
    const int naming = last_naming(changes);
    const size_t channels = (size_t)changes->to.channels;
    HaloChanges behind = *changes; /* behind that move */
    HaloNames was = {0};
    const char **name = calloc(channels, sizeof *name);
    size_t *length = calloc(channels, sizeof *length);
    bool any = false;
    *names = (HaloNames){0};
    if (name == NULL || length == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for names of columns");
    if (naming < 0)
        HALO_TRY(halo_names_get(meta, changes->from.channels, &was));
    else
        HALO_TRY(read_names(changes->move[naming].names, &was));
    behind.move += naming + 1;
    behind.moves -= naming + 1;
    for (size_t c = 0; c < channels && was.count > 0; c++) {
        const int source = halo_changes_source(&behind, (int)c);
        if (source >= 0 && source < was.count) name[c] = was.name[source];
        if (name[c] != NULL) length[c] = strlen(name[c]);
        any = any || length[c] > 0;
    }
    if (any) HALO_TRY(copy_names(name, length, (int)channels, names));
out:
    free(name);
    free(length);
    free(was.name);
    return status;
}

HaloStatus halo_names_apply(HaloMeta *meta, const HaloChanges *changes)
{
    HaloStatus status = HALO_OK;
    HaloNames names = {0};
    if (halo_text_find(meta, HALO_NAMES_KEY) == NULL && last_naming(changes) < 0) return HALO_OK;
    HALO_TRY(halo_names_follow(meta, changes, &names));
    HALO_TRY(halo_names_set(meta, names.count, (const char *const *)names.name));
out:
    free(names.name);
    return status;
}
