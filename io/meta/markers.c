/* The markers of a sound: WAVE's cue points, or the chapters of Vorbis comments. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "halo/format.h"
#include "halo/text.h"
#include "meta.h"

static int by_frame(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

size_t halo_cue_points(const HaloBlob *cue)
{
    const size_t said = (size_t)halo_get_le(cue->data, 4), room = (cue->size - 4) / HALO_CUE_BYTES;
    return said < room ? said : room;
}

static size_t points_of(const HaloChunk *chunk)
{
    return memcmp(chunk->id, "cue ", 4) != 0 || chunk->bytes.size < 4 ? 0 : halo_cue_points(&chunk->bytes);
}

double halo_chapter_time(const HaloText *text)
{
    double seconds = 0.0;
    const char *at = text->value;
    if (strncmp(text->key, "CHAPTER", 7) != 0 || strlen(text->key) != 10) return -1.0;
    for (int i = 7; i < 10; i++)
        if (!halo_is_digit(text->key[i])) return -1.0;
    for (int parts = 0; parts < 3; parts++, at += *at == ':') {
        double part;
        if (!halo_is_digit(*at) || !halo_read_number(at, &part, &at)) return -1.0;
        seconds = seconds * 60.0 + part;
    }
    return *at == 0 ? seconds : -1.0;
}

HaloStatus halo_meta_markers(const HaloMeta *meta, double rate, int64_t **frame, size_t *count)
{
    size_t most = meta->texts, found = 0;
    for (size_t i = 0; i < meta->chunks; i++) most += points_of(&meta->chunk[i]);
    int64_t *at = *frame = malloc((most + 1) * sizeof *at);
    *count = 0;
    if (at == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for %zu markers", most);
    for (size_t i = 0; i < meta->chunks; i++)
        for (size_t k = 0; k < points_of(&meta->chunk[i]); k++)
            at[found++] = (int64_t)halo_get_le(meta->chunk[i].bytes.data + 4 + HALO_CUE_BYTES * k + 20, 4);
    for (size_t i = 0; i < meta->texts && found < most; i++) {
        const double seconds = halo_chapter_time(&meta->text[i]);
        if (seconds >= 0.0 && seconds * rate < 0x1p62) at[found++] = (int64_t)rint(seconds * rate);
    }
    qsort(at, found, sizeof *at, by_frame);
    for (size_t i = 0; i < found; i++)
        if (*count == 0 || at[i] != at[*count - 1]) at[(*count)++] = at[i];
    return HALO_OK;
}
