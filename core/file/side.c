/* Side inputs: files that pipelines name, read whole. */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "halo/words.h"
#include "side.h"

static HaloStatus read_all(HaloSession *session, HaloSide *side)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = NULL;
    HaloReader reader = {0};
    HaloMemory memory = {.allowed = session->options.max_memory, .advice = "--max-memory sets the limit"};
    HALO_TRY(halo_source_open(side->path, &source));
    halo_source_count(source, &memory);
    status = load_open(session, source, NULL, &reader);
    reader.memory = &memory;
    HALO_TRY(status);
    HALO_TRY(load_samples(&reader, &side->data));
    side->orientation =
        reader.info.shape.kind == HALO_IMAGE ? halo_exif_orientation(&reader.info.meta.exif) : 1;
    if (halo_source_identity(source, side->file.id)) side->file.what = "read by the pipeline";
out:
    load_close(&reader);
    halo_source_close(source);
    return status == HALO_OK ? status : halo_fail_about(status, side->path);
}

HaloStatus side_load(HaloSession *session, const char *path, HaloSide **side)
{
    HaloSide *made = side_new(path);
    *side = NULL;
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    const HaloStatus status = read_all(session, made);
    if (status == HALO_OK)
        *side = made;
    else
        side_release(made);
    return status;
}

/* Counted as read_all counts. */
static HaloStatus turn_side(HaloSession *session, HaloSide *side)
{
    HaloMemory memory = {.allowed = session->options.max_memory, .advice = "--max-memory sets the limit"};
    HaloSide *made = side_new(side->path);
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    const HaloStatus status = turn_samples(&memory, &side->data, side->orientation, &made->data);
    made->orientation = 1;
    if (status == HALO_OK)
        side->upright = made;
    else
        side_release(made);
    return status == HALO_OK ? status : halo_fail_about(status, side->path);
}

HaloStatus side_upright(HaloSession *session, HaloSide *side, HaloSide **upright)
{
    HaloStatus status = HALO_OK;
    *upright = side;
    if (side->orientation == 1) return HALO_OK;
    pthread_mutex_lock(&side->measuring);
    if (side->upright == NULL) status = turn_side(session, side);
    *upright = side->upright;
    pthread_mutex_unlock(&side->measuring);
    return status;
}

/* ---- fields --------------------------------------------------------------------------------------------- */

static const char fields[] = "dir|stem|name";

/* The field at `at`, which is a brace, as one of `fields`; *end is behind it. */
static HaloStatus field_at(const char *path, const char *at, int *field, const char **end)
{
    char word[HALO_WORD_ROOM];
    const size_t length = strcspn(at + 1, "}");
    *end = at + length + 2;
    if (at[length + 1] != '}') return halo_fail(HALO_ERR_USAGE, "a } is missing in '%s'", path);
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at + 1);
    return halo_read_choice(word, fields, field);
}

HaloStatus side_fields(const char *path, bool *any)
{
    int field;
    *any = false;
    for (const char *at = strchr(path, '{'); at != NULL; at = strchr(at, '{')) {
        const HaloStatus status = field_at(path, at, &field, &at);
        if (status != HALO_OK) return status;
        *any = true;
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

/* `room` NULL: only how long it is. */
static HaloStatus expand(const char *path, const char *input, char *room, size_t *length)
{
    *length = 0;
    for (const char *at = path; *at != 0;) {
        int field, size = 1;
        const char *from = at++;
        if (*from == '{') {
            const HaloStatus status = field_at(path, from, &field, &at);
            if (status != HALO_OK) return status;
            from = part_of(input, field, &size);
        }
        if (room != NULL) memcpy(room + *length, from, (size_t)size);
        *length += (size_t)size;
    }
    return HALO_OK;
}

HaloStatus side_of_input(HaloSession *session, const char *path, HaloSide **side)
{
    HaloStatus status = HALO_OK;
    char *name = NULL;
    size_t length;
    HaloSide **grown;
    if (session->input == NULL || strcmp(session->input, "-") == 0)
        HALO_FAIL(HALO_ERR_USAGE, "'%s' is named after the input, and this one has no name", path);
    HALO_TRY(expand(path, session->input, NULL, &length));
    name = malloc(length + 1);
    grown = realloc(session->side, sizeof *grown * ((size_t)session->sides + 1));
    if (grown != NULL) session->side = grown;
    if (name == NULL || grown == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(expand(path, session->input, name, &length));
    name[length] = 0;
    for (int i = 0; i < session->sides; i++)
        if (strcmp(session->side[i]->path, name) == 0) {
            *side = session->side[i];
            goto out;
        }
    HALO_TRY(side_load(session, name, side));
    session->side[session->sides++] = *side;
out:
    free(name);
    return status;
}

void side_next_input(HaloSession *session, const char *input)
{
    session->input = input;
    while (session->sides > 0) side_release(session->side[--session->sides]);
    free(session->side);
    session->side = NULL;
}
