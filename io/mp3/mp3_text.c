/* Reads the texts and pictures of tags: libmpg123 parses ID3v2 with its four encodings; ID3v1 has fields of
 * fixed size. */
#ifdef HALO_HAVE_MPG123
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/spool.h"
#include "libmpg123.h"
#include "meta/picture.h"
#include "mp3.h"

#define MOST_TAG_BYTES ((int64_t)64 << 20)
#define MOST_PICTURES 1000

/* ID3v1 has a number for the genre, and ID3v2.3 may have it in brackets. */
static const char *const genres[] = {"Blues",
                                     "Classic Rock",
                                     "Country",
                                     "Dance",
                                     "Disco",
                                     "Funk",
                                     "Grunge",
                                     "Hip-Hop",
                                     "Jazz",
                                     "Metal",
                                     "New Age",
                                     "Oldies",
                                     "Other",
                                     "Pop",
                                     "R&B",
                                     "Rap",
                                     "Reggae",
                                     "Rock",
                                     "Techno",
                                     "Industrial",
                                     "Alternative",
                                     "Ska",
                                     "Death Metal",
                                     "Pranks",
                                     "Soundtrack",
                                     "Euro-Techno",
                                     "Ambient",
                                     "Trip-Hop",
                                     "Vocal",
                                     "Jazz+Funk",
                                     "Fusion",
                                     "Trance",
                                     "Classical",
                                     "Instrumental",
                                     "Acid",
                                     "House",
                                     "Game",
                                     "Sound Clip",
                                     "Gospel",
                                     "Noise",
                                     "AlternRock",
                                     "Bass",
                                     "Soul",
                                     "Punk",
                                     "Space",
                                     "Meditative",
                                     "Instrumental Pop",
                                     "Instrumental Rock",
                                     "Ethnic",
                                     "Gothic",
                                     "Darkwave",
                                     "Techno-Industrial",
                                     "Electronic",
                                     "Pop-Folk",
                                     "Eurodance",
                                     "Dream",
                                     "Southern Rock",
                                     "Comedy",
                                     "Cult",
                                     "Gangsta",
                                     "Top 40",
                                     "Christian Rap",
                                     "Pop/Funk",
                                     "Jungle",
                                     "Native American",
                                     "Cabaret",
                                     "New Wave",
                                     "Psychedelic",
                                     "Rave",
                                     "Showtunes",
                                     "Trailer",
                                     "Lo-Fi",
                                     "Tribal",
                                     "Acid Punk",
                                     "Acid Jazz",
                                     "Polka",
                                     "Retro",
                                     "Musical",
                                     "Rock & Roll",
                                     "Hard Rock"};

static HaloStatus add(HaloMeta *meta, const char *key, const char *text, size_t size)
{
    const char *end = memchr(text, 0, size);
    if (end != NULL) size = (size_t)(end - text);
    while (size > 0 && text[size - 1] == ' ') size--;
    return size > 0 ? halo_text_add(meta, key, text, size, HALO_UTF_8) : HALO_OK;
}

static HaloStatus add_string(HaloMeta *meta, const char *key, const mpg123_string *text)
{
    return text != NULL && text->p != NULL ? add(meta, key, text->p, strlen(text->p)) : HALO_OK;
}

/* "(17)" alone: a number of ID3v1. */
static HaloStatus add_genre(HaloMeta *meta, const mpg123_string *text)
{
    size_t number = 0, digits = 0;
    const char *at = text != NULL && text->p != NULL ? text->p : "";
    while (at[0] == '(' && digits < 3 && at[1 + digits] >= '0' && at[1 + digits] <= '9')
        number = 10 * number + (size_t)(at[1 + digits++] - '0');
    if (digits > 0 && strcmp(at + 1 + digits, ")") == 0 && number < sizeof genres / sizeof *genres)
        at = genres[number];
    return add(meta, "Genre", at, strlen(at));
}

static HaloStatus add_texts(const mpg123_id3v2 *tag, HaloMeta *meta)
{
    static const struct {
        char id[5];
        const char *key;
    } others[] = {{"TCOP", "Copyright"}, {"TRCK", "Track"}, {"TSSE", "Software"}, {"TDRC", "Creation Time"}};
    HaloStatus status = HALO_OK;
    HALO_TRY(add_string(meta, "Title", tag->title));
    HALO_TRY(add_string(meta, "Author", tag->artist));
    HALO_TRY(add_string(meta, "Comment", tag->comment));
    HALO_TRY(add_string(meta, "Creation Time", tag->year));
    HALO_TRY(add_string(meta, "Album", tag->album));
    HALO_TRY(add_genre(meta, tag->genre));
    for (size_t i = 0; i < tag->texts; i++)
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if (memcmp(tag->text[i].id, others[k].id, 4) == 0)
                if (halo_text_find(meta, others[k].key) == NULL)
                    HALO_TRY(add_string(meta, others[k].key, &tag->text[i].text));
    for (size_t i = 0; i < tag->extras; i++) /* TXXX: texts with a name */
        if (tag->extra[i].description.p != NULL && tag->extra[i].description.p[0] != 0)
            HALO_TRY(add_string(meta, tag->extra[i].description.p, &tag->extra[i].text));
out:
    return status;
}

/* A description in UTF-8; its length goes without the zero at its end. */
static const char *text_of(const mpg123_string *text, size_t *size)
{
    *size = text->p != NULL ? strlen(text->p) : 0;
    return text->p;
}

static HaloStatus add_pictures(const mpg123_id3v2 *tag, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    for (size_t i = 0; i < tag->pictures && meta->pictures < MOST_PICTURES; i++) {
        const mpg123_picture *from = &tag->picture[i];
        HaloPicture picture = {.type = (uint8_t)from->type, .data = from->data, .size = from->size};
        picture.mime = text_of(&from->mime_type, &picture.mime_size);
        picture.words = text_of(&from->description, &picture.words_size);
        if (picture.size > 0) HALO_TRY(halo_picture_put(&picture, meta));
    }
out:
    return status;
}

HaloStatus mp3_take_id3v2(HaloSource *source, int64_t size, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    uint8_t bytes[4096];
    HaloSpool whole = {0};
    mpg123_id3v1 *old = NULL;
    mpg123_id3v2 *tag = NULL;
    size_t got = 1, done;
    mpg123_handle *parser = size <= MOST_TAG_BYTES ? mpg123_new("generic", NULL) : NULL;
    if (parser == NULL && size <= MOST_TAG_BYTES) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read audio");
    if (parser != NULL) {
        mpg123_param(parser, MPG123_ADD_FLAGS, MPG123_QUIET | MPG123_PICTURE, 0);
        mpg123_open_feed(parser);
    }
    for (; size > 0 && got > 0; size -= (int64_t)got) {
        const size_t want = size < (int64_t)sizeof bytes ? (size_t)size : sizeof bytes;
        HALO_TRY(halo_source_read(source, bytes, want, &got));
        if (parser != NULL) mpg123_feed(parser, bytes, got);
        if (parser != NULL) HALO_TRY(halo_spool_write(&whole, whole.end, bytes, got));
    }
    if (parser != NULL) {
        mpg123_decode(parser, NULL, 0, NULL, 0, &done);
        if (mpg123_id3(parser, &old, &tag) != MPG123_OK || tag == NULL) goto out;
        const bool first = meta->texts == 0;
        if (first) HALO_TRY(add_texts(tag, meta));
        if (first && halo_text_find(meta, "CHAPTER001") == NULL)
            HALO_TRY(mp3_take_chapters(whole.bytes, (size_t)whole.end, meta));
        if (meta->pictures == 0) HALO_TRY(add_pictures(tag, meta));
    }
out:
    halo_spool_free(&whole);
    if (parser != NULL) mpg123_delete(parser);
    return status;
}

HaloStatus mp3_take_id3v1(const uint8_t tag[MP3_ID3V1], HaloMeta *meta)
{
    static const struct {
        const char *key;
        size_t at, size;
    } fields[] = {{"Title", 3, 30}, {"Author", 33, 30}, {"Album", 63, 30}, {"Creation Time", 93, 4}};
    HaloStatus status = HALO_OK;
    char track[8];
    if (memcmp(tag, "TAG", 3) != 0) return HALO_OK;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        HALO_TRY(add(meta, fields[i].key, (const char *)tag + fields[i].at, fields[i].size));
    const bool numbered = tag[125] == 0 && tag[126] != 0; /* ID3v1.1 */
    HALO_TRY(add(meta, "Comment", (const char *)tag + 97, numbered ? 28 : 30));
    snprintf(track, sizeof track, "%d", tag[126]);
    if (numbered) HALO_TRY(add(meta, "Track", track, strlen(track)));
    if (tag[127] < sizeof genres / sizeof *genres)
        HALO_TRY(add(meta, "Genre", genres[tag[127]], strlen(genres[tag[127]])));
out:
    return status;
}

#endif
