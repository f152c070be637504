/* Side inputs: files that pipelines name. */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "halo/words.h"
#include "side.h"

/* Shorter sound is read once, and is in memory for all inputs. */
#define SHORT_BYTES ((int64_t)256 << 10)

/* Sound in a file, which can be opened again, and whose length is known. */
static bool stays_in_file(const HaloReader *reader)
{
    const HaloShape *shape = &reader->info.shape;
    int64_t bytes;
    return shape->kind == HALO_AUDIO && shape->width > 0 && halo_source_size(reader->source) >= 0 &&
           halo_source_seekable(reader->source) && halo_shape_bytes(shape, &bytes) == HALO_OK &&
           bytes > SHORT_BYTES;
}

static HaloMemory memory_of(const HaloSide *side)
{
    return (HaloMemory){.allowed = side->max_memory, .advice = "--max-memory sets the limit"};
}

static HaloStatus read_first(HaloSession *session, HaloSide *side)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = NULL;
    HaloReader reader = {0};
    HaloMemory memory = memory_of(side);
    HALO_TRY(halo_source_open(side->path, &source));
    halo_source_count(source, &memory);
    status = load_open(session, source, NULL, &reader);
    reader.memory = &memory;
    HALO_TRY(status);
    side->format = reader.format;
    side->options = reader.options;
    side->data.shape = reader.info.shape;
    if (!stays_in_file(&reader)) {
        HALO_TRY(load_samples(&reader, &side->data));
        atomic_store(&side->there, true);
    }
    side->orientation =
        reader.info.shape.kind == HALO_IMAGE ? halo_exif_orientation(&reader.info.meta.exif) : 1;
    if (halo_source_identity(source, side->file.id)) side->file.what = "read by the pipeline";
out:
    load_close(&reader);
    halo_source_close(source);
    return status == HALO_OK ? status : halo_fail_about(status, side->path);
}

HaloStatus side_open(const HaloSide *side, SideReader *to)
{
    HaloStatus status = HALO_OK;
    const HaloShape *was = &side->data.shape, *now = &to->reader.info.shape;
    *to = (SideReader){.memory = memory_of(side)};
    HALO_TRY(halo_source_open(side->path, &to->source));
    halo_source_count(to->source, &to->memory);
    HALO_TRY(load_open_as(to->source, side->format, &side->options, side->jobs, &to->memory, &to->reader));
    if (now->width != was->width || now->channels != was->channels || now->dtype != was->dtype ||
        now->rate != was->rate)
        HALO_FAIL(HALO_ERR_INPUT, "has changed while it was being read");
out:
    return status == HALO_OK ? status : halo_fail_about(status, side->path);
}

void side_close(SideReader *reader)
{
    load_close(&reader->reader);
    halo_source_close(reader->source);
    reader->source = NULL;
}

static HaloStatus read_rest(HaloSide *side)
{
    HaloStatus status = HALO_OK;
    SideReader reader = {0};
    HaloBuf data = {0};
    HALO_TRY(side_open(side, &reader));
    status = load_samples(&reader.reader, &data);
    if (status != HALO_OK) halo_fail_about(status, side->path);
    HALO_TRY(status);
    side->data = data;
    atomic_store(&side->there, true);
out:
    side_close(&reader);
    return status;
}

HaloStatus side_want(HaloSide *side)
{
    HaloStatus status = HALO_OK;
    if (atomic_load(&side->there)) return HALO_OK;
    pthread_mutex_lock(&side->reading);
    if (!atomic_load(&side->there)) status = read_rest(side);
    pthread_mutex_unlock(&side->reading);
    return status;
}

HaloStatus side_load(HaloSession *session, const char *path, HaloSide **side)
{
    HaloSide *made = side_new(path);
    *side = NULL;
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    made->jobs = session->options.jobs;
    made->max_memory = session->options.max_memory;
    const HaloStatus status = read_first(session, made);
    if (status == HALO_OK)
        *side = made;
    else
        side_release(made);
    return status;
}

/* Counted as what is read is. */
static HaloStatus turn_side(HaloSide *side)
{
    HaloMemory memory = memory_of(side);
    HaloSide *made = side_new(side->path);
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    const HaloStatus status = turn_samples(&memory, &side->data, side->orientation, &made->data);
    made->orientation = 1;
    atomic_store(&made->there, true);
    if (status == HALO_OK)
        side->upright = made;
    else
        side_release(made);
    return status == HALO_OK ? status : halo_fail_about(status, side->path);
}

HaloStatus side_upright(HaloSide *side, HaloSide **upright)
{
    HaloStatus status = HALO_OK;
    *upright = side;
    if (side->orientation == 1) return HALO_OK;
    pthread_mutex_lock(&side->measuring);
    if (side->upright == NULL) status = turn_side(side);
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

HaloStatus side_name(const char *path, const char *input, char **name)
{
    HaloStatus status = HALO_OK;
    size_t length;
    *name = NULL;
    if (input == NULL || strcmp(input, "-") == 0)
        HALO_FAIL(HALO_ERR_USAGE, "'%s' is named after the input, and this one has no name", path);
    HALO_TRY(expand(path, input, NULL, &length));
    *name = malloc(length + 1);
    if (*name == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(expand(path, input, *name, &length));
    (*name)[length] = 0;
out:
    return status;
}

HaloStatus side_of_input(HaloSession *session, const char *path, HaloSide **side)
{
    HaloStatus status = HALO_OK;
    char *name = NULL;
    HaloSide **grown;
    HALO_TRY(side_name(path, session->input, &name));
    grown = realloc(session->side, sizeof *grown * ((size_t)session->sides + 1));
    if (grown == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    session->side = grown;
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
