/* Markers and loops of AIFF (chunks MARK and INST, Apple's specification of 1989). halo keeps them as WAVE
 * chunks
 * ("cue ", "LIST" of type "adtl", "smpl"), so that they follow their samples (meta/chunks.c). libsndfile 1.2
 * writes markers, but if there is a loop it reads only the loop's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "meta/meta.h"
#include "snd.h"

enum { CUE_BYTES = 24, SMPL_BYTES = 36, LOOP_BYTES = 24, MOST_BYTES = 1 << 20 };

static HaloStatus no_memory(void) { return halo_fail(HALO_ERR_LIMIT, "not enough memory for markers"); }

/* ---- in ------------------------------------------------------------------------------------------------- */

/* A chunk of AIFF, its name aside: a copy; the blob stays empty where there is none, or a large one. */
static HaloStatus take_chunk(SndInput *input, const char *id, HaloBlob *chunk)
{
    uint8_t head[8];
    for (int64_t at = 12; snd_input_get(input, at, head, sizeof head);) {
        const size_t size = (size_t)halo_get_be(head + 4, 4);
        if (memcmp(head, id, 4) == 0) {
            if (size > MOST_BYTES) return HALO_OK;
            chunk->data = malloc(size + 1);
            if (chunk->data == NULL) return no_memory();
            chunk->size = snd_input_get(input, at + 8, chunk->data, size) ? size : 0;
            return input->status;
        }
        at += 8 + (int64_t)size + (int64_t)(size % 2);
    }
    return input->status;
}

/* A marker of MARK: its number, its frame, and a text that its length precedes. */
typedef struct Marker {
    uint32_t number, frame;
    const uint8_t *name;
    size_t length;
} Marker;

static bool next_marker(const HaloBlob *mark, size_t *at, Marker *marker)
{
    if (mark->size < *at + 7) return false;
    const uint8_t *bytes = mark->data + *at;
    const size_t length = bytes[6], left = mark->size - *at - 7;
    *marker = (Marker){.number = (uint32_t)halo_get_be(bytes, 2),
                       .frame = (uint32_t)halo_get_be(bytes + 2, 4),
                       .name = bytes + 7,
                       .length = length < left ? length : left};
    *at += 7 + length + (length + 1) % 2;
    /* libsndfile counts what fills a text up. */
    while (marker->length > 0 && marker->name[marker->length - 1] == 0) marker->length--;
    return true;
}

static HaloStatus add_cues(HaloMeta *meta, const HaloBlob *mark)
{
    HaloStatus status = HALO_OK;
    const size_t most = mark->size / 8 + 1;
    uint8_t *cues = calloc(1, 4 + most * CUE_BYTES), *names = calloc(1, 4 + most * 14 + mark->size);
    size_t count = 0, end = 4, at = 2;
    if (cues == NULL || names == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for markers");
    memcpy(names, "adtl", 4);
    for (Marker marker; count < halo_get_be(mark->data, 2) && next_marker(mark, &at, &marker); count++) {
        uint8_t *cue = cues + 4 + count * CUE_BYTES, *name = names + end;
        halo_put_le(cue, marker.number, 4);
        halo_put_le(cue + 4, marker.frame, 4);
        memcpy(cue + 8, "data", 4);
        halo_put_le(cue + 20, marker.frame, 4);
        if (marker.length == 0) continue;
        memcpy(name, "labl", 4);
        halo_put_le(name + 4, 4 + marker.length + 1, 4);
        halo_put_le(name + 8, marker.number, 4);
        memcpy(name + 12, marker.name, marker.length);
        end += 12 + marker.length + 1 + (marker.length + 1) % 2;
    }
    halo_put_le(cues, count, 4);
    if (count > 0) HALO_TRY(halo_chunk_add(meta, "cue ", false, cues, 4 + count * CUE_BYTES));
    if (end > 4) HALO_TRY(halo_chunk_add(meta, "LIST", false, names, end));
out:
    free(cues);
    free(names);
    return status;
}

static bool frame_of(const HaloBlob *mark, uint64_t number, uint32_t *frame)
{
    size_t at = 2;
    for (Marker marker; next_marker(mark, &at, &marker);) {
        *frame = marker.frame;
        if (marker.number == number) return true;
    }
    return false;
}

/* INST has two loops, each from a marker to another: the first frame of it, and the first behind it. */
static HaloStatus add_loops(HaloMeta *meta, const HaloBlob *inst, const HaloBlob *mark, double rate)
{
    uint8_t bytes[SMPL_BYTES + 2 * LOOP_BYTES] = {0};
    size_t kept = 0;
    for (size_t i = 0; i < 2 && inst->size >= 20; i++) {
        const uint8_t *loop = inst->data + 8 + 6 * i;
        const uint64_t mode = halo_get_be(loop, 2);
        uint8_t *at = bytes + SMPL_BYTES + kept * LOOP_BYTES;
        uint32_t from, to;
        if (mode != 1 && mode != 2) continue; /* forward; back and forth: one less in WAVE */
        if (!frame_of(mark, halo_get_be(loop + 2, 2), &from) ||
            !frame_of(mark, halo_get_be(loop + 4, 2), &to) || from >= to)
            continue;
        halo_put_le(at, kept++, 4);
        halo_put_le(at + 4, mode - 1, 4);
        halo_put_le(at + 8, from, 4);
        halo_put_le(at + 12, to - 1, 4);
    }
    if (kept == 0) return HALO_OK;
    halo_put_le(bytes + 8, (uint64_t)rint(1e9 / rate), 4);
    halo_put_le(bytes + 12, inst->data[0], 4); /* the note that it sounds like */
    halo_put_le(bytes + 28, kept, 4);
    return halo_chunk_add(meta, "smpl", false, bytes, SMPL_BYTES + kept * LOOP_BYTES);
}

HaloStatus snd_take_cues(SndInput *input, HaloInfo *info)
{
    HaloStatus status = HALO_OK;
    HaloBlob mark = {0}, inst = {0};
    const int64_t here = input->at; /* libsndfile's place */
    HALO_TRY(take_chunk(input, "MARK", &mark));
    HALO_TRY(take_chunk(input, "INST", &inst));
    input->at = here;
    if (mark.size < 2) goto out;
    HALO_TRY(add_cues(&info->meta, &mark));
    HALO_TRY(add_loops(&info->meta, &inst, &mark, info->shape.rate));
out:
    free(mark.data);
    free(inst.data);
    return status;
}

/* ---- out ------------------------------------------------------------------------------------------------ */

/* libsndfile's structure for any number of them. */
typedef SF_CUES_VAR(1) Cues;

static size_t cues_bytes(uint32_t count) { return offsetof(Cues, cue_points) + count * sizeof(SF_CUE_POINT); }

static Cues *new_cues(uint32_t count)
{
    Cues *cues = calloc(1, cues_bytes(count));
    if (cues != NULL) cues->cue_count = count;
    return cues;
}

static uint32_t get32(const HaloBlob *blob, size_t at) { return (uint32_t)halo_get_le(blob->data + at, 4); }

/* The names in a chunk "LIST" of "adtl" go to their markers, whose numbers are those of the chunk "cue ".
 * False: it holds more than names. */
static bool name_cues(const HaloBlob *list, const HaloBlob *cue, Cues *cues)
{
    bool only = true;
    for (size_t at = 4; list->size - at >= 12;) {
        const size_t size = get32(list, at + 4), left = list->size - at - 8;
        if (size < 4 || size > left) break;
        const bool name = memcmp(list->data + at, "labl", 4) == 0;
        only = only && name;
        for (uint32_t i = 0; i < cues->cue_count && name; i++)
            if (get32(cue, 4 + (size_t)i * CUE_BYTES) == get32(list, at + 8))
                snprintf(cues->cue_points[i].name, sizeof cues->cue_points[i].name, "%.*s", (int)(size - 4),
                         (const char *)list->data + at + 12);
        at += 8 + size + (size % 2 == 1 && size < left);
    }
    return only;
}

static const HaloBlob *find_cue(const HaloMeta *meta)
{
    for (size_t i = 0; i < meta->chunks; i++)
        if (memcmp(meta->chunk[i].id, "cue ", 4) == 0 && meta->chunk[i].bytes.size >= 4 + CUE_BYTES)
            return &meta->chunk[i].bytes;
    return NULL;
}

HaloStatus snd_put_cues(SNDFILE *file, HaloWriter *writer)
{
    const HaloMeta *meta = &writer->info.meta;
    const HaloBlob *cue = find_cue(meta);
    const size_t most = cue != NULL ? (cue->size - 4) / CUE_BYTES : 0;
    const uint32_t said = cue != NULL ? get32(cue, 0) : 0, there = said < most ? said : (uint32_t)most;
    const uint32_t count = there <= INT16_MAX ? there : 0; /* AIFF numbers them by 16 bits */
    Cues *cues = new_cues(count);
    bool all = there == count;
    if (cues == NULL) return no_memory();
    for (uint32_t i = 0; i < count; i++) {
        cues->cue_points[i].indx = (int32_t)i + 1;
        cues->cue_points[i].sample_offset = get32(cue, 4 + (size_t)i * CUE_BYTES + 20);
    }
    for (size_t i = 0; i < meta->chunks; i++) {
        const HaloChunk *chunk = &meta->chunk[i];
        const bool list = memcmp(chunk->id, "LIST", 4) == 0 && chunk->bytes.size >= 4;
        if (list && memcmp(chunk->bytes.data, "adtl", 4) == 0) all = name_cues(&chunk->bytes, cue, cues) && all;
        if (!list && memcmp(chunk->id, "cue ", 4) != 0) all = false;
    }
    if (count > 0) all = sf_command(file, SFC_SET_CUE, cues, (int)cues_bytes(count)) == SF_TRUE && all;
    if (!all) halo_note_left_out(&writer->notes, HALO_META_CHUNKS);
    free(cues);
    return HALO_OK;
}
