/* Texts of sound files that libsndfile reads and writes. */
#include <string.h>

#include "meta/meta.h"
#include "snd.h"

typedef struct Kind {
    int type; /* SF_STR_… */
    const char *key;
} Kind;

static const Kind kinds[] = {
    {SF_STR_TITLE, "Title"},         {SF_STR_ARTIST, "Author"},      {SF_STR_COMMENT, "Comment"},
    {SF_STR_COPYRIGHT, "Copyright"}, {SF_STR_DATE, "Creation Time"}, {SF_STR_ALBUM, "Album"},
    {SF_STR_GENRE, "Genre"},         {SF_STR_TRACKNUMBER, "Track"},  {SF_STR_LICENSE, "License"},
    {SF_STR_SOFTWARE, "Software"},
};

HaloStatus snd_take_texts(SNDFILE *file, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *text = sf_get_string(file, kinds[i].type);
        if (text != NULL && text[0] != 0)
            HALO_TRY(halo_text_add(meta, kinds[i].key, text, strlen(text), HALO_UTF_8));
    }
out:
    return status;
}

/* Texts that the container cannot hold are left out; so is the software, to which libsndfile adds its own name.
 */
size_t snd_put_texts(SNDFILE *file, const HaloMeta *meta)
{
    static const int held[] = {SF_STR_TITLE, SF_STR_ARTIST, SF_STR_COMMENT, SF_STR_COPYRIGHT};
    size_t count = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *text = kinds[i].type != SF_STR_SOFTWARE ? halo_text_find(meta, kinds[i].key) : NULL;
        if (text == NULL || text[0] == 0 || sf_set_string(file, kinds[i].type, text) != 0) continue;
        for (size_t h = 0; h < sizeof held / sizeof *held; h++) count += kinds[i].type == held[h];
    }
    return count;
}
