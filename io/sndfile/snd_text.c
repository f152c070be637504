/* Texts of sound files that libsndfile reads and writes: of AIFF and CAF. */
#include <string.h>

#include "meta/meta.h"
#include "snd.h"

enum { AIFF = 1, CAF = 2 };

typedef struct Kind {
    int type; /* SF_STR_… */
    const char *key;
    unsigned held; /* the containers that hold it: libsndfile silently drops it in others */
} Kind;

/* To the software libsndfile adds its own name, so that it is not written. */
static const Kind kinds[] = {
    {SF_STR_TITLE, "Title", AIFF | CAF},
    {SF_STR_ARTIST, "Author", AIFF | CAF},
    {SF_STR_COMMENT, "Comment", AIFF | CAF},
    {SF_STR_COPYRIGHT, "Copyright", AIFF | CAF},
    {SF_STR_DATE, "Creation Time", CAF},
    {SF_STR_ALBUM, "Album", CAF},
    {SF_STR_GENRE, "Genre", CAF},
    {SF_STR_TRACKNUMBER, "Track", CAF},
    {SF_STR_LICENSE, "License", CAF},
    {SF_STR_SOFTWARE, "Software", 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

HaloStatus snd_take_texts(SNDFILE *file, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    for (int i = 0; i < KINDS; i++) {
        const char *text = sf_get_string(file, kinds[i].type);
        if (text != NULL && text[0] != 0)
            HALO_TRY(halo_text_add(meta, kinds[i].key, text, strlen(text), HALO_UTF_8));
    }
out:
    return status;
}

void snd_put_texts(SNDFILE *file, int major, HaloWriter *writer)
{
    const unsigned container = major == SF_FORMAT_AIFF ? AIFF : CAF;
    const HaloMeta *meta = &writer->info.meta;
    for (size_t t = 0; t < meta->texts; t++) {
        const HaloText *text = &meta->text[t];
        bool held = text->value[0] == 0;
        for (int i = 0; i < KINDS && !held; i++)
            held = (kinds[i].held & container) != 0 && strcmp(kinds[i].key, text->key) == 0 &&
                   halo_text_find(meta, text->key) == text->value &&
                   sf_set_string(file, kinds[i].type, text->value) == 0;
        if (!held) halo_text_left_out(&writer->notes, text);
    }
}
