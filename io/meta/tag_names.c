/* Tags: texts by the names that people use for them, and their changes on request. */
#include "halo/tags.h"

#include <stdlib.h>
#include <string.h>

#include "info_list.h"
#include "names.h"

/* The first name of a key is the one that is shown. */
static const struct {
    const char *name, *key;
} names[] = {
    {"title", "Title"},
    {"artist", "Author"},
    {"author", "Author"},
    {"album", "Album"},
    {"date", "Creation Time"},
    {"creation time", "Creation Time"},
    {"genre", "Genre"},
    {"track", "Track"},
    {"tracknumber", "Track"},
    {"comment", "Comment"},
    {"description", "Description"},
    {"copyright", "Copyright"},
    {"license", "License"},
    {"software", "Software"},
};
enum { NAMES = sizeof names / sizeof *names };

static char lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c + 32 : c); }

static bool same(const char *a, const char *b)
{
    for (; *a != 0 && lower(*a) == lower(*b); a++, b++) continue;
    return *a == *b;
}

const char *halo_tag_name(const char *key)
{
    for (int i = 0; i < NAMES; i++)
        if (strcmp(names[i].key, key) == 0) return names[i].name;
    return key;
}

void halo_text_left_out(HaloNotes *notes, const HaloText *text)
{
    if (strcmp(text->key, HALO_NAMES_KEY) == 0)
        halo_note_left_out(notes, HALO_META_NAMES);
    else
        halo_note_text_left_out(notes, halo_tag_name(text->key));
}

static const char *key_of(const char *name)
{
    for (int i = 0; i < NAMES; i++)
        if (same(names[i].name, name)) return names[i].key;
    return name;
}

static bool has(const HaloMeta *tags, const char *key)
{
    for (size_t i = 0; i < tags->texts; i++)
        if (same(tags->text[i].key, key)) return true;
    return false;
}

static void drop_texts(HaloMeta *meta, const HaloMeta *tags)
{
    size_t kept = 0;
    for (size_t i = 0; i < meta->texts; i++) {
        HaloText *text = &meta->text[i];
        if (!has(tags, text->key)) {
            meta->text[kept++] = *text;
            continue;
        }
        free(text->key);
        free(text->value);
    }
    meta->texts = kept;
}

HaloStatus halo_tag_put(HaloMeta *tags, const char *name, const char *value)
{
    HaloText text = {.key = (char *)(uintptr_t)key_of(name)};
    drop_texts(tags, &(HaloMeta){.text = &text, .texts = 1});
    return halo_text_add(tags, text.key, value, strlen(value), HALO_UTF_8);
}

static HaloStatus add_text(HaloMeta *meta, const HaloText *text)
{
    return halo_text_add(meta, text->key, text->value, strlen(text->value), HALO_UTF_8);
}

HaloStatus halo_tags_take(HaloMeta *tags, const HaloMeta *file)
{
    HaloStatus status = HALO_OK;
    const size_t own = tags->texts;
    for (size_t i = 0; i < file->texts; i++)
        if (!has(&(HaloMeta){.text = tags->text, .texts = own}, file->text[i].key))
            HALO_TRY(add_text(tags, &file->text[i]));
    for (size_t i = 0; i < file->pictures; i++)
        HALO_TRY(halo_picture_add(tags, file->picture[i].data, file->picture[i].size));
out:
    return status;
}

static HaloStatus change_info(HaloMeta *meta, const HaloMeta *tags)
{
    HaloStatus status = HALO_OK;
    size_t kept = 0, i = 0;
    for (; i < meta->chunks && status == HALO_OK; i++) {
        HaloChunk chunk = meta->chunk[i];
        const bool is = info_list_is(&chunk);
        if (is) status = info_list_change(&chunk, tags);
        if (!is || chunk.bytes.size > 0) meta->chunk[kept++] = chunk;
    }
    for (; i < meta->chunks; i++) meta->chunk[kept++] = meta->chunk[i];
    meta->chunks = kept;
    return status;
}

/* The tags come first, so that texts behind the samples, which are found last, come last. */
HaloStatus halo_tags_set(HaloMeta *meta, const HaloMeta *tags)
{
    HaloStatus status = HALO_OK;
    HaloMeta others = {0};
    drop_texts(meta, tags);
    others.text = meta->text;
    others.texts = meta->texts;
    meta->text = NULL;
    meta->texts = 0;
    for (size_t i = 0; i < tags->texts; i++)
        if (tags->text[i].value[0] != 0) HALO_TRY(add_text(meta, &tags->text[i]));
    for (size_t i = 0; i < others.texts; i++) HALO_TRY(add_text(meta, &others.text[i]));
    HALO_TRY(change_info(meta, tags));
    for (size_t i = 0; i < meta->pictures && tags->pictures > 0; i++) free(meta->picture[i].data);
    if (tags->pictures > 0) meta->pictures = 0;
    for (size_t i = 0; i < tags->pictures; i++)
        HALO_TRY(halo_picture_add(meta, tags->picture[i].data, tags->picture[i].size));
out:
    halo_meta_free(&others);
    return status;
}
