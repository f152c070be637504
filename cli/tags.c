/* The options --tag and --tags-from. */
#include "halo/tags.h"

#include <stdlib.h>
#include <string.h>

#include "options.h"

static HaloStatus check_name(const char *name)
{
    for (const char *at = name; *at != 0; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            return halo_fail(HALO_ERR_USAGE, "the name of a text cannot contain control characters");
    return HALO_OK;
}

HaloStatus cli_read_tag(CliSettings *settings, const char *value)
{
    HaloStatus status = HALO_OK;
    const char *equals = strchr(value, '=');
    char name[HALO_WORD_SIZE];
    if (equals == NULL || equals == value || (size_t)(equals - value) >= sizeof name)
        return halo_fail(HALO_ERR_USAGE, "expected NAME=TEXT, such as title=Lake, found '%.80s'", value);
    memcpy(name, value, (size_t)(equals - value));
    name[equals - value] = 0;
    HALO_TRY(check_name(name));
    HALO_TRY(halo_tag_put(&settings->tags, name, equals + 1));
    settings->write.tags = &settings->tags;
out:
    return status;
}

/* Read at once, so that the file may be replaced by the output. */
HaloStatus cli_read_tags_from(CliSettings *settings, const char *value)
{
    HaloStatus status = HALO_OK;
    HaloSession *session = NULL;
    HaloInfo info = {0};
    const HaloOptions engine = {.max_pixels = INT64_MAX};
    HALO_TRY(halo_session_open_with(halo_tables(), &engine, &session));
    HALO_TRY(halo_file_info(session, value, NULL, &info, NULL));
    HALO_TRY(halo_tags_take(&settings->tags, &info.meta));
    settings->write.tags = &settings->tags;
out:
    halo_meta_free(&info.meta);
    halo_session_close(session);
    return status;
}

void cli_add_tags(const HaloMeta *tags, CliText *recipe)
{
    for (size_t i = 0; i < tags->texts; i++) {
        cli_add(recipe, "\ntag ", 5);
        cli_add(recipe, tags->text[i].key, strlen(tags->text[i].key));
        cli_add_char(recipe, '=');
        cli_add(recipe, tags->text[i].value, strlen(tags->text[i].value));
    }
    for (size_t i = 0; i < tags->pictures; i++) {
        char *size = cli_format("\npicture %zu", tags->picture[i].size);
        cli_add(recipe, size, strlen(size));
        free(size);
    }
}
