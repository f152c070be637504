/* Metadata: memory, texts and densities. */
#include "halo/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/utf8.h"
#include "meta.h"
#include "timeline.h"

/* ---- whole ---------------------------------------------------------------------------------------------- */

void halo_meta_free(HaloMeta *meta)
{
    free(meta->icc.data);
    free(meta->exif.data);
    free(meta->xmp.data);
    free(meta->iptc.data);
    for (size_t i = 0; i < meta->texts; i++) {
        free(meta->text[i].key);
        free(meta->text[i].value);
    }
    free(meta->text);
    for (size_t i = 0; i < meta->chunks; i++) free(meta->chunk[i].bytes.data);
    free(meta->chunk);
    for (size_t i = 0; i < meta->pictures; i++) free(meta->picture[i].data);
    free(meta->picture);
    for (int i = 0; i < HALO_GEO_TAGS; i++) free(meta->geo[i].data);
    halo_timeline_free(&meta->time);
    *meta = (HaloMeta){0};
}

HaloStatus halo_blob_set(HaloBlob *blob, const void *bytes, size_t size)
{
    *blob = (HaloBlob){0};
    if (size == 0) return HALO_OK;
    blob->data = malloc(size);
    if (blob->data == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for %zu bytes of metadata", size);
    memcpy(blob->data, bytes, size);
    blob->size = size;
    return HALO_OK;
}

HaloStatus halo_meta_copy(const HaloMeta *from, HaloMeta *to)
{
    HaloStatus status = HALO_OK;
    *to = *from; /* the numbers; what is allocated follows */
    to->icc = to->exif = to->xmp = to->iptc = (HaloBlob){0};
    to->text = NULL;
    to->texts = 0;
    to->chunk = NULL;
    to->chunks = 0;
    to->picture = NULL;
    to->pictures = 0;
    memset(to->geo, 0, sizeof to->geo);
    to->time = (HaloTimeline){0};
    HALO_TRY(halo_blob_set(&to->icc, from->icc.data, from->icc.size));
    HALO_TRY(halo_blob_set(&to->exif, from->exif.data, from->exif.size));
    HALO_TRY(halo_blob_set(&to->xmp, from->xmp.data, from->xmp.size));
    HALO_TRY(halo_blob_set(&to->iptc, from->iptc.data, from->iptc.size));
    for (size_t i = 0; i < from->texts; i++) {
        const char *value = from->text[i].value;
        HALO_TRY(halo_text_add(to, from->text[i].key, value, strlen(value), HALO_UTF_8));
    }
    for (size_t i = 0; i < from->chunks; i++) {
        const HaloChunk *chunk = &from->chunk[i];
        HALO_TRY(halo_chunk_add(to, chunk->id, chunk->behind, chunk->bytes.data, chunk->bytes.size));
    }
    for (size_t i = 0; i < from->pictures; i++)
        HALO_TRY(halo_picture_add(to, from->picture[i].data, from->picture[i].size));
    for (int i = 0; i < HALO_GEO_TAGS; i++)
        HALO_TRY(halo_blob_set(&to->geo[i], from->geo[i].data, from->geo[i].size));
    HALO_TRY(halo_timeline_copy(&from->time, &to->time));
out:
    if (status != HALO_OK) halo_meta_free(to);
    return status;
}

HaloStatus halo_chunk_add(HaloMeta *meta, const char id[4], bool behind, const void *bytes, size_t size)
{
    HaloStatus status = HALO_OK;
    HaloChunk chunk = {.behind = behind};
    HaloChunk *grown = realloc(meta->chunk, (meta->chunks + 1) * sizeof *grown);
    if (grown == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for %zu bytes of metadata", size);
    meta->chunk = grown;
    memcpy(chunk.id, id, sizeof chunk.id);
    HALO_TRY(halo_blob_set(&chunk.bytes, bytes, size));
    meta->chunk[meta->chunks++] = chunk;
out:
    return status;
}

HaloStatus halo_picture_add(HaloMeta *meta, const void *bytes, size_t size)
{
    HaloStatus status = HALO_OK;
    HaloBlob *grown = realloc(meta->picture, (meta->pictures + 1) * sizeof *grown);
    if (grown == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for %zu bytes of metadata", size);
    meta->picture = grown;
    HALO_TRY(halo_blob_set(&meta->picture[meta->pictures], bytes, size));
    meta->pictures++;
out:
    return status;
}

/* ---- text ----------------------------------------------------------------------------------------------- */

/* Of `size` bytes up to the first zero; NULL without memory. */
static char *text_of(const char *bytes, size_t size, HaloCharset charset)
{
    const char *end = size > 0 ? memchr(bytes, 0, size) : NULL;
    if (end != NULL) size = (size_t)(end - bytes);
    const bool utf8 = charset == HALO_UTF_8 && halo_utf8_valid(bytes, size);
    char *text = size < SIZE_MAX / 2 ? malloc(size * (utf8 ? 1 : 2) + 1) : NULL, *to = text;
    if (text == NULL) return NULL;
    for (size_t i = 0; i < size; i++)
        if (utf8)
            *to++ = bytes[i];
        else
            to = halo_utf8_put(to, (uint8_t)bytes[i]);
    *to = 0;
    return text;
}

HaloStatus halo_text_add(HaloMeta *meta, const char *key, const char *value, size_t size, HaloCharset charset)
{
    HaloText *grown = realloc(meta->text, (meta->texts + 1) * sizeof *grown);
    HaloText text = {NULL, NULL};
    if (grown != NULL) {
        meta->text = grown;
        text = (HaloText){text_of(key, strlen(key), HALO_UTF_8), text_of(value, size, charset)};
    }
    if (text.key == NULL || text.value == NULL) {
        free(text.key);
        free(text.value);
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for a text of %zu bytes", size);
    }
    meta->text[meta->texts++] = text;
    return HALO_OK;
}

const char *halo_text_find(const HaloMeta *meta, const char *key)
{
    for (size_t i = 0; i < meta->texts; i++)
        if (strcmp(meta->text[i].key, key) == 0) return meta->text[i].value;
    return NULL;
}

bool halo_text_latin1(const char *text, char *latin1)
{
    uint32_t code;
    for (size_t left = strlen(text), bytes; left > 0; text += bytes, left -= bytes) {
        bytes = (size_t)halo_utf8_get(text, left, &code);
        if (bytes == 0 || code > 0xff) return false;
        *latin1++ = (char)code;
    }
    *latin1 = 0;
    return true;
}

/* ---- what else formats share ---------------------------------------------------------------------------- */

/* The header of an ICC profile is 128 bytes; its colour space stands at 16, its signature at 36 (ICC.1:2022,
 * 7.2). A colour profile says nothing about a gray image made of a colour one. */
bool halo_icc_fits(const HaloBlob *icc, const HaloShape *shape)
{
    const int colours = shape->channels - (shape->alpha >= 0);
    return icc->size >= 128 && memcmp(icc->data + 36, "acsp", 4) == 0 &&
           memcmp(icc->data + 16, colours == 1 ? "GRAY" : "RGB ", 4) == 0;
}

/* PNG counts whole dots per metre: 300 per inch come as 11811, 299.9994. */
bool halo_resolution(const HaloMeta *meta, bool *inches, double dots[2])
{
    *inches = true;
    for (int i = 0; i < 2; i++) {
        dots[i] = meta->resolution[i];
        if (!(dots[i] > 0) || !isfinite(dots[i])) return false;
        const double inch = dots[i] * 0.0254;
        if (fabs(inch - round(inch)) > 0.0127) *inches = false;
    }
    if (meta->ratio) return true; /* in a unit that is not named */
    for (int i = 0; i < 2; i++) dots[i] = *inches ? round(dots[i] * 0.0254) : dots[i] / 100;
    return true;
}

void halo_whole_ratio(double dots[2], double most)
{
    const double larger = dots[0] > dots[1] ? dots[0] : dots[1];
    if (dots[0] == rint(dots[0]) && dots[1] == rint(dots[1])) return;
    for (int i = 0; i < 2; i++) dots[i] = rint(dots[i] / larger * (most < 10000 ? most - 1 : 10000));
}
