/* Updates WAVE's chunks after a pipeline: markers and loops move with their samples, the time reference follows
 * the first sample, loudness values of the input are unset. Layouts: Microsoft's RIFF MCI (cue, plst, LIST
 * adtl), smpl as in the MMA's specification, bext by EBU Tech 3285, cart by AES46. All are little-endian. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "bytes/endian.h"

enum { CUE_BYTES = 24, PLAY_BYTES = 12, LOOP_BYTES = 24, SMPL_BYTES = 36 };
enum { BEXT_TIME = 338, BEXT_VERSION = 346, BEXT_LOUDNESS = 412, BEXT_LOUDNESS_END = 422 };
enum { CART_TIMERS = 684, CART_TIMER_BYTES = 8, CART_TIMER_COUNT = 8 };
#define BEXT_UNKNOWN 0x7fff /* a loudness that is not known */

static uint32_t get32(const HaloBlob *blob, size_t at) { return (uint32_t)halo_get_le(blob->data + at, 4); }
static void put32(HaloBlob *blob, size_t at, double value) { halo_put_le(blob->data + at, (uint64_t)value, 4); }

/* A frame of the input becomes one of the output, rounded to the nearest. */
static bool move_frame(const HaloChanges *changes, double frame, double *moved)
{
    const bool there = halo_move_mark(changes, frame, moved);
    *moved = rint(*moved);
    return there && *moved <= UINT32_MAX;
}

/* ---- what speaks of a marker by its number -------------------------------------------------------------- */

typedef struct Markers {
    const HaloMeta *meta;
    const HaloChanges *changes;
    const HaloBlob *cue; /* as it was; NULL: there is none */
} Markers;

static bool is_list(const HaloChunk *chunk, const char *kind)
{
    return memcmp(chunk->id, "LIST", 4) == 0 && chunk->bytes.size >= 4 &&
           memcmp(chunk->bytes.data, kind, 4) == 0;
}

static size_t entries(const HaloBlob *blob, size_t header, size_t at, size_t bytes)
{
    const size_t most = blob->size >= header ? (blob->size - header) / bytes : 0;
    const size_t said = blob->size >= header ? get32(blob, at) : 0;
    return said < most ? said : most;
}

/* One sub-chunk of LIST adtl: its name, the number of its marker, and the length of a region. */
typedef struct Label {
    size_t at, size; /* of all of it, padding included */
    bool is_region;
    uint32_t marker, length;
} Label;

static bool next_label(const HaloBlob *list, size_t *at, Label *label)
{
    if (list->size - *at < 12) return false;
    const size_t size = get32(list, *at + 4), left = list->size - *at - 8;
    if (size < 4 || size > left) return false;
    *label = (Label){.at = *at, .size = 8 + size + (size % 2 == 1 && size < left)};
    label->marker = get32(list, *at + 8);
    label->is_region = memcmp(list->data + *at, "ltxt", 4) == 0 && size >= 8;
    if (label->is_region) label->length = get32(list, *at + 12);
    *at += label->size;
    return true;
}

/* The length of the region that begins at a marker; 0: it is a point. */
static uint32_t region_of(const Markers *markers, uint32_t number)
{
    for (size_t i = 0; i < markers->meta->chunks; i++) {
        const HaloChunk *chunk = &markers->meta->chunk[i];
        Label label;
        if (!is_list(chunk, "adtl")) continue;
        for (size_t at = 4; next_label(&chunk->bytes, &at, &label);)
            if (label.is_region && label.marker == number) return label.length;
    }
    return 0;
}

/* Moves a marker and its region, to moved[0] and before moved[1]. A region of which only the marker is left
 * ends with what is left of it. */
static bool move_marker(const Markers *markers, uint32_t number, double frame, double moved[2])
{
    const HaloChanges *changes = markers->changes;
    const uint32_t length = region_of(markers, number);
    if (!move_frame(changes, frame, &moved[0])) return false;
    moved[1] = moved[0];
    if (length > 0 && frame < (double)changes->from.width)
        halo_move_part(changes, frame, frame + length, moved);
    return true;
}

/* The frame of the marker with this number; false: there is none. */
static bool frame_of(const Markers *markers, uint32_t number, double *frame)
{
    const HaloBlob *cue = markers->cue;
    const size_t count = cue != NULL ? entries(cue, 4, 0, CUE_BYTES) : 0;
    for (size_t i = 0; i < count; i++) {
        const size_t at = 4 + i * CUE_BYTES;
        *frame = get32(cue, at + 20);
        if (get32(cue, at) == number) return true;
    }
    return false;
}

/* The same by the number alone, for chunks beside the cue points. */
static bool move_numbered(const Markers *markers, uint32_t number, double moved[2])
{
    double frame;
    return frame_of(markers, number, &frame) && move_marker(markers, number, frame, moved);
}

/* ---- one function a chunk: it changes the copy `to`, and says how many statements went --------------------
 */

static size_t move_cue(const Markers *markers, HaloBlob *to)
{
    const size_t count = entries(to, 4, 0, CUE_BYTES);
    size_t kept = 0;
    double moved[2];
    for (size_t i = 0; i < count; i++) {
        const size_t from = 4 + i * CUE_BYTES, at = 4 + kept * CUE_BYTES;
        if (!move_marker(markers, get32(to, from), get32(to, from + 20), moved)) continue;
        memmove(to->data + at, to->data + from, CUE_BYTES);
        put32(to, at + 4, moved[0]);
        put32(to, at + 20, moved[0]);
        kept++;
    }
    if (to->size >= 4) put32(to, 0, (double)kept);
    to->size = kept > 0 ? 4 + kept * CUE_BYTES : 0;
    return count - kept;
}

static size_t move_labels(const Markers *markers, HaloBlob *to)
{
    size_t at = 4, kept = 4, gone = 0;
    double moved[2];
    for (Label label; next_label(to, &at, &label);) {
        if (!move_numbered(markers, label.marker, moved)) {
            gone++;
            continue;
        }
        if (label.is_region && label.length > 0) put32(to, label.at + 12, moved[1] - moved[0]);
        memmove(to->data + kept, to->data + label.at, label.size);
        kept += label.size;
    }
    to->size = kept > 4 ? kept : 0;
    return gone;
}

/* A playlist plays so many frames from a marker on. */
static size_t move_playlist(const Markers *markers, HaloBlob *to)
{
    const size_t count = entries(to, 4, 0, PLAY_BYTES);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t from = 4 + i * PLAY_BYTES, at = 4 + kept * PLAY_BYTES;
        const uint32_t length = get32(to, from + 4);
        double frame, span[2];
        if (!frame_of(markers, get32(to, from), &frame) || length == 0 ||
            !halo_move_span(markers->changes, frame, frame + length, span))
            continue;
        memmove(to->data + at, to->data + from, PLAY_BYTES);
        put32(to, at + 4, span[1] - span[0]);
        kept++;
    }
    if (to->size >= 4) put32(to, 0, (double)kept);
    to->size = kept > 0 ? 4 + kept * PLAY_BYTES : 0;
    return count - kept;
}

static size_t move_loops(const Markers *markers, HaloBlob *to)
{
    const HaloChanges *changes = markers->changes;
    const size_t count = entries(to, SMPL_BYTES, 28, LOOP_BYTES);
    size_t kept = 0;
    double moved[2];
    if (to->size < SMPL_BYTES) return 0;
    if (changes->to.rate != changes->from.rate) put32(to, 8, fmin(rint(1e9 / changes->to.rate), UINT32_MAX));
    for (size_t i = 0; i < count; i++) {
        const size_t from = SMPL_BYTES + i * LOOP_BYTES, at = SMPL_BYTES + kept * LOOP_BYTES;
        if (!halo_move_span(changes, get32(to, from + 8), get32(to, from + 12) + 1.0, moved)) continue;
        memmove(to->data + at, to->data + from, LOOP_BYTES);
        put32(to, at + 8, moved[0]);
        put32(to, at + 12, moved[1] - 1.0);
        kept++;
    }
    if (kept < count) { /* the sampler's own data follow the loops */
        const size_t rest = SMPL_BYTES + count * LOOP_BYTES;
        memmove(to->data + SMPL_BYTES + kept * LOOP_BYTES, to->data + rest, to->size - rest);
        to->size -= (count - kept) * LOOP_BYTES;
        put32(to, 28, (double)kept);
    }
    return count - kept;
}

/* Timers are at frames; those outside of the output are cleared. */
static size_t move_timers(const Markers *markers, HaloBlob *to)
{
    size_t gone = 0;
    double moved;
    if (to->size < CART_TIMERS + CART_TIMER_COUNT * CART_TIMER_BYTES) return 0;
    for (size_t i = 0; i < CART_TIMER_COUNT; i++) {
        const size_t at = CART_TIMERS + i * CART_TIMER_BYTES;
        if (get32(to, at) == 0) continue;
        if (move_frame(markers->changes, get32(to, at + 4), &moved)) {
            put32(to, at + 4, moved);
            continue;
        }
        memset(to->data + at, 0, CART_TIMER_BYTES);
        gone++;
    }
    return gone;
}

/* Frames since midnight of the earliest frame of the output, at its rate. */
static void move_time_of_day(const HaloChanges *changes, HaloBlob *to)
{
    double m[6];
    if (!halo_changes_affine(changes, m)) return;
    const double scale = m[0], first = scale < 0 ? (double)changes->to.width - 1.0 : 0.0;
    /* Sound that is played faster begins at the same time as before. */
    const double by = changes->from.rate > 0 ? changes->to.rate / changes->from.rate : fabs(scale);
    const double time = by * ((double)halo_get_le(to->data + BEXT_TIME, 8) + (first - m[2]) / scale);
    halo_put_le(to->data + BEXT_TIME, time >= 0 ? (uint64_t)rint(time) : 0, 8);
}

static void move_bext(const HaloChanges *changes, HaloBlob *to, HaloNotes *notes)
{
    if (to->size < BEXT_VERSION + 2) return;
    move_time_of_day(changes, to);
    if (!changes->samples || halo_get_le(to->data + BEXT_VERSION, 2) < 2 || to->size < BEXT_LOUDNESS_END)
        return;
    for (size_t at = BEXT_LOUDNESS; at < BEXT_LOUDNESS_END; at += 2) {
        if (halo_get_le(to->data + at, 2) != BEXT_UNKNOWN) halo_note_outdated(notes, HALO_OUTDATED_LOUDNESS);
        halo_put_le(to->data + at, BEXT_UNKNOWN, 2);
    }
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

/* Chunks that describe times, takes or tracks in ways that are not followed here. */
static bool describes_material(const char *id)
{
    static const char kinds[][5] = {"acid", "strc", "iXML", "axml", "chna"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (memcmp(id, kinds[i], 4) == 0) return true;
    return false;
}

static bool keeps_channels(const HaloChanges *changes)
{
    for (int c = 0; c < changes->to.channels; c++)
        if (halo_changes_source(changes, c) != c) return false;
    return changes->to.channels == changes->from.channels;
}

static void apply_chunk(const Markers *markers, HaloChunk *chunk, bool stays, HaloNotes *notes)
{
    static const struct {
        char id[5];
        size_t (*move)(const Markers *markers, HaloBlob *to);
    } moves[] = {{"cue ", move_cue}, {"plst", move_playlist}, {"smpl", move_loops}, {"cart", move_timers}};
    HaloBlob *bytes = &chunk->bytes;
    size_t gone = 0;
    if (memcmp(chunk->id, "bext", 4) == 0) move_bext(markers->changes, bytes, notes);
    if (stays) return;
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        if (memcmp(chunk->id, moves[i].id, 4) == 0) gone += moves[i].move(markers, bytes);
    if (is_list(chunk, "adtl")) gone += move_labels(markers, bytes);
    if (gone > 0) halo_note_outdated(notes, HALO_OUTDATED_MARKERS);
    if (!describes_material(chunk->id)) return;
    halo_note_outdated(notes, HALO_OUTDATED_MATERIAL);
    bytes->size = 0;
}

HaloStatus halo_chunks_apply(HaloMeta *meta, const HaloChanges *changes, HaloNotes *notes)
{
    HaloStatus status = HALO_OK;
    HaloMeta before;
    size_t kept = 0;
    const bool stays = halo_changes_keep_places(changes) && keeps_channels(changes);
    if (meta->chunks == 0) return HALO_OK;
    HALO_TRY(halo_meta_copy(&(HaloMeta){.chunk = meta->chunk, .chunks = meta->chunks}, &before));
    Markers markers = {.meta = &before, .changes = changes};
    for (size_t i = 0; i < before.chunks && markers.cue == NULL; i++)
        if (memcmp(before.chunk[i].id, "cue ", 4) == 0) markers.cue = &before.chunk[i].bytes;
    for (size_t i = 0; i < meta->chunks; i++) {
        HaloChunk chunk = meta->chunk[i];
        apply_chunk(&markers, &chunk, stays, notes);
        if (chunk.bytes.size == 0) free(chunk.bytes.data);
        if (chunk.bytes.size > 0) meta->chunk[kept++] = chunk;
    }
    meta->chunks = kept;
    halo_meta_free(&before);
out:
    return status;
}
