/* Joins the marks of sounds that follow one another: cue points of WAVE with what names them, and chapters of
 * Vorbis comments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "halo/format.h"
#include "meta.h"

enum { CHAPTERS = 1000 };

static HaloChunk *chunk_of(const HaloMeta *meta, const char *id, const char *kind)
{
    for (size_t i = 0; i < meta->chunks; i++) {
        HaloChunk *chunk = &meta->chunk[i];
        if (memcmp(chunk->id, id, 4) != 0 || chunk->bytes.size < 4) continue;
        if (kind == NULL || memcmp(chunk->bytes.data, kind, 4) == 0) return chunk;
    }
    return NULL;
}

static uint32_t get32(const uint8_t *at) { return (uint32_t)halo_get_le(at, 4); }

/* Room for `more` bytes behind those of a chunk, which is made if there is none; its first four are `begin`. */
static HaloStatus grow(HaloMeta *meta, const char *id, const char *begin, const char *kind, size_t more,
                       HaloBlob **bytes)
{
    HaloStatus status = HALO_OK;
    if (chunk_of(meta, id, kind) == NULL) HALO_TRY(halo_chunk_add(meta, id, true, begin, 4));
    *bytes = &chunk_of(meta, id, kind)->bytes;
    uint8_t *grown = realloc((*bytes)->data, (*bytes)->size + more + 1);
    if (grown == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for %zu bytes of metadata", more);
    (*bytes)->data = grown;
out:
    return status;
}

/* ---- cue points ----------------------------------------------------------------------------------------- */

static uint32_t highest_number(const HaloBlob *cue)
{
    uint32_t most = 0;
    for (size_t i = 0; i < halo_cue_points(cue); i++) {
        const uint32_t number = get32(cue->data + 4 + i * HALO_CUE_BYTES);
        if (number > most) most = number;
    }
    return most;
}

static HaloStatus add_points(HaloMeta *all, const HaloBlob *cue, int64_t at, uint32_t above)
{
    HaloStatus status = HALO_OK;
    const size_t count = halo_cue_points(cue);
    HaloBlob *bytes;
    HALO_TRY(grow(all, "cue ", "\0\0\0\0", NULL, count * HALO_CUE_BYTES, &bytes));
    const size_t before = halo_cue_points(bytes);
    bytes->size = 4 + before * HALO_CUE_BYTES;
    for (size_t i = 0; i < count; i++, bytes->size += HALO_CUE_BYTES) {
        uint8_t *point = bytes->data + bytes->size;
        const uint64_t place = get32(cue->data + 4 + i * HALO_CUE_BYTES + 20) + (uint64_t)at;
        memcpy(point, cue->data + 4 + i * HALO_CUE_BYTES, HALO_CUE_BYTES);
        halo_put_le(point, get32(point) + above, 4);
        halo_put_le(point + 4, place, 4);
        halo_put_le(point + 20, place, 4);
    }
    halo_put_le(bytes->data, before + count, 4);
out:
    return status;
}

/* Names and lengths of cue points, in sub-chunks that begin with their numbers. */
static HaloStatus add_labels(HaloMeta *all, const HaloBlob *list, uint32_t above)
{
    HaloStatus status = HALO_OK;
    HaloBlob *bytes;
    HALO_TRY(grow(all, "LIST", "adtl", "adtl", list->size - 4 + 1, &bytes));
    if (bytes->size % 2 == 1) bytes->data[bytes->size++] = 0;
    uint8_t *to = bytes->data + bytes->size;
    memcpy(to, list->data + 4, list->size - 4);
    bytes->size += list->size - 4;
    for (size_t at = 0; at + 12 <= list->size - 4;) {
        const size_t size = get32(to + at + 4);
        if (size < 4 || size > list->size - 4 - at - 8) break;
        halo_put_le(to + at + 8, get32(to + at + 8) + above, 4);
        at += 8 + size + size % 2;
    }
out:
    return status;
}

/* ---- chapters ------------------------------------------------------------------------------------------- */

/* CHAPTER001 and CHAPTER001NAME: the number, and what stands behind it; -1: another text. */
static int chapter_of(const char *key, const char **behind)
{
    if (strncmp(key, "CHAPTER", 7) != 0 || strspn(key + 7, "0123456789") != 3) return -1;
    *behind = key + 10;
    return 100 * (key[7] - '0') + 10 * (key[8] - '0') + (key[9] - '0');
}

static int next_chapter(const HaloMeta *meta)
{
    const char *behind;
    int next = 0;
    for (size_t i = 0; i < meta->texts; i++) {
        const int number = chapter_of(meta->text[i].key, &behind);
        if (number >= next) next = number + 1;
    }
    return next;
}

static HaloStatus add_chapter(HaloMeta *all, const HaloText *text, const char *behind, int number,
                              double seconds, HaloNotes *notes)
{
    char key[64], value[48];
    const double begin = halo_chapter_time(text);
    snprintf(key, sizeof key, "CHAPTER%03d%.40s", number % CHAPTERS, behind);
    if (*behind != 0) return halo_text_add(all, key, text->value, strlen(text->value), HALO_UTF_8);
    if (!(begin >= 0.0 && begin < 1e9)) {
        halo_note_outdated(notes, HALO_OUTDATED_MARKERS);
        return HALO_OK;
    }
    halo_print_clock(begin + seconds, value);
    return halo_text_add(all, key, value, strlen(value), HALO_UTF_8);
}

static HaloStatus add_chapters(HaloMeta *all, const HaloMeta *more, double seconds, HaloNotes *notes)
{
    HaloStatus status = HALO_OK;
    const char *behind;
    const int next = next_chapter(all), first = next > 0 ? next : 1;
    const bool from_0 = halo_text_find(more, "CHAPTER000") != NULL;
    for (size_t i = 0; i < more->texts; i++) {
        const int chapter = chapter_of(more->text[i].key, &behind);
        const int number = first + chapter - !from_0;
        if (chapter < 0) continue;
        if (number < CHAPTERS)
            HALO_TRY(add_chapter(all, &more->text[i], behind, number, seconds, notes));
        else
            halo_note_outdated(notes, HALO_OUTDATED_MARKERS);
    }
out:
    return status;
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

static bool has_loops(const HaloMeta *meta)
{
    return chunk_of(meta, "smpl", NULL) != NULL || chunk_of(meta, "plst", NULL) != NULL ||
           halo_text_find(meta, "LOOPSTART") != NULL;
}

static bool same_text(const HaloMeta *all, const HaloText *text)
{
    for (size_t i = 0; i < all->texts; i++)
        if (strcmp(all->text[i].key, text->key) == 0 && strcmp(all->text[i].value, text->value) == 0)
            return true;
    return false;
}

static bool same_chunk(const HaloMeta *all, const HaloChunk *chunk)
{
    for (size_t i = 0; i < all->chunks; i++) {
        const HaloChunk *own = &all->chunk[i];
        if (memcmp(own->id, chunk->id, 4) == 0 && own->bytes.size == chunk->bytes.size &&
            memcmp(own->bytes.data, chunk->bytes.data, own->bytes.size) == 0)
            return true;
    }
    return false;
}

/* What the output has of the first sound alone: there is one title. */
static void note_rest(const HaloMeta *all, const HaloMeta *more, HaloNotes *notes)
{
    const char *behind;
    for (size_t i = 0; i < more->texts; i++) {
        const HaloText *text = &more->text[i];
        if (chapter_of(text->key, &behind) < 0 && strncmp(text->key, "LOOP", 4) != 0 && !same_text(all, text))
            halo_text_left_out(notes, text);
    }
    for (size_t i = 0; i < more->chunks; i++) {
        static const char *const known[] = {"cue ", "LIST", "smpl", "plst"};
        const HaloChunk *chunk = &more->chunk[i];
        bool passes = same_chunk(all, chunk);
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            passes = passes || memcmp(chunk->id, known[k], 4) == 0;
        if (!passes) halo_note_left_out(notes, HALO_META_CHUNKS);
    }
    if (more->pictures > all->pictures) halo_note_left_out(notes, HALO_META_PICTURES);
}

HaloStatus halo_meta_append_marks(HaloMeta *all, const HaloMeta *more, int64_t at, double rate,
                                  HaloNotes *notes)
{
    HaloStatus status = HALO_OK;
    const HaloChunk *cue = chunk_of(more, "cue ", NULL), *list = chunk_of(more, "LIST", "adtl"),
                    *own = chunk_of(all, "cue ", NULL);
    const bool points = cue != NULL && halo_cue_points(&cue->bytes) > 0;
    const uint32_t above = own != NULL ? highest_number(&own->bytes) : 0;
    const bool fits = at >= 0 && at <= INT32_MAX && above < INT32_MAX;
    note_rest(all, more, notes);
    if (has_loops(more) || (points && !fits)) halo_note_outdated(notes, HALO_OUTDATED_MARKERS);
    if (points && fits) HALO_TRY(add_points(all, &cue->bytes, at, above));
    if (points && fits && list != NULL) HALO_TRY(add_labels(all, &list->bytes, above));
    if (at >= 0)
        HALO_TRY(add_chapters(all, more, (double)at / rate, notes));
    else if (next_chapter(more) > 0)
        halo_note_outdated(notes, HALO_OUTDATED_MARKERS);
out:
    return status;
}
