/* Writing files: samples, and the input's metadata. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "halo/tags.h"

HaloStatus save_format(const HaloSession *session, const char *output, const HaloFormat *asked,
                       const HaloFormat *of_input, const HaloFormat **to)
{
    char extension[HALO_WORD_SIZE] = "";
    const HaloFormat *named = NULL;
    *to = asked != NULL ? asked : of_input;
    if (asked == NULL && strcmp(output, "-") != 0)
        named = load_format_named(session->tables, output, extension);
    if (extension[0] != 0) *to = named;
    const HaloForeign *foreign = *to == NULL && session->tables->foreign_named != NULL
                                     ? session->tables->foreign_named(extension)
                                     : NULL;
    if (foreign != NULL && foreign->library != NULL)
        return halo_fail_on(HALO_ERR_USAGE, output, ": this build of halo has no %s (%s)", foreign->name,
                            foreign->library);
    if (*to == NULL && halo_find_word("m4a aac mp4 wma alac", ' ', extension) >= 0)
        return halo_fail_on(
            HALO_ERR_USAGE, output,
            ": halo does not write '%s': write FLAC, and convert it with 'ffmpeg -i a.flac a.%s'; "
            "Opus, Ogg and MP3 are written",
            extension, extension);
    if (*to == NULL)
        return halo_fail_on(HALO_ERR_USAGE, output,
                            ": '%s' is not a format that halo writes ('halo list formats'); --to names one",
                            extension);
    if ((*to)->create == NULL)
        return halo_fail(HALO_ERR_USAGE, "%s can be read but not written; choose another format with --to",
                         (*to)->name);
    if (strcmp(output, "-") == 0 && !(*to)->text && isatty(STDOUT_FILENO))
        return halo_fail(HALO_ERR_USAGE, "%s is binary, not for a terminal: use -o FILE, > FILE or | PROGRAM",
                         (*to)->name);
    return (*to)->load != NULL ? (*to)->load() : HALO_OK;
}

/* The input's metadata, changed so that it is true of the output. */
static HaloStatus set_info(HaloWriter *writer, const HaloInfo *like)
{
    HaloStatus status = HALO_OK;
    const bool strip = writer->options.strip;
    HaloNotes unsaid = {0}; /* discarded: metadata that is left out anyway */
    halo_meta_free(&writer->info.meta);
    writer->info = *like;
    writer->info.meta = (HaloMeta){0};
    writer->info.shape = writer->changes.to;
    if (writer->options.bits != 0) {
        writer->info.bits = writer->options.bits;
        writer->info.real = writer->options.floats;
    }
    HALO_TRY(halo_meta_copy(&like->meta, &writer->info.meta));
    HALO_TRY(halo_meta_apply(&writer->info, &writer->changes, strip ? &unsaid : &writer->notes));
    if ((writer->format->holds & HALO_META_TIMES) != 0)
        HALO_TRY(halo_meta_add_times(&writer->info.meta, &writer->changes));
    if (strip && like->shape.kind == HALO_IMAGE)
        halo_note_stripped(&writer->notes, halo_meta_colours(&writer->info.meta));
    if (strip) halo_meta_free(&writer->info.meta);
    if (writer->options.tags != NULL) HALO_TRY(halo_tags_set(&writer->info.meta, writer->options.tags));
out:
    return status;
}

static HaloStatus check_bits(const HaloWriter *writer)
{
    const HaloShape *shape = &writer->changes.to;
    const int bits = writer->options.bits;
    if (bits == 0 || (shape->kind == HALO_AUDIO && bits != 1 && writer->format->depths)) return HALO_OK;
    if (bits == 1 && shape->kind == HALO_IMAGE && writer->format->bilevel && shape->channels == 1)
        return HALO_OK;
    return halo_fail(HALO_ERR_USAGE,
                     bits == 1
                         ? "--bits 1 is for pictures of one channel in PNG and TIFF, whose samples are black "
                           "or white, as threshold and dither make them; PBM has one bit in any case"
                         : "--bits is for sound in WAV, FLAC, AIFF, CAF, AU, W64 and raw samples; for "
                           "images use the operation depth");
}

HaloStatus save_begin(HaloWriter *writer, const HaloInfo *like, bool endless)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(check_bits(writer));
    if (writer->options.bitrate != 0 && !writer->format->lossy)
        HALO_FAIL(HALO_ERR_USAGE, "--bitrate is for Opus, Ogg Vorbis and MP3, not for %s",
                  writer->format->name);
    if (writer->options.bitrate != 0 && writer->options.quality != 0)
        HALO_FAIL(HALO_ERR_USAGE, "--quality and --bitrate are mutually exclusive");
    if (writer->options.lossless && writer->format->never_lossless)
        HALO_FAIL(HALO_ERR_USAGE, "%s cannot be lossless: leave out --lossless, or choose another format",
                  writer->format->name);
    if (writer->options.lossless && writer->options.quality != 0)
        HALO_FAIL(HALO_ERR_USAGE, "--quality and --lossless are mutually exclusive");
    if (writer->options.effort != 0 && !writer->format->effort)
        HALO_FAIL(HALO_ERR_USAGE, "--effort is for WebP, AVIF, HEIC, JPEG XL and TIFF, not for %s",
                  writer->format->name);
    HALO_TRY(set_info(writer, like));
    if (endless) writer->info.shape.width = -1;
    HALO_TRY(writer->format->create(writer));
out:
    return status;
}

/* Notes a sample rate that the output's format cannot hold, if the input's file or --rate gave one. */
static void note_rate(HaloWriter *writer, const HaloInfo *like, const HaloShape *shape)
{
    const bool same = shape->rate == like->shape.rate;
    if (shape->kind != HALO_AUDIO || !writer->format->no_rate || like->shape.rate == 1) return;
    if (writer->info.meta.time.name != NULL && (writer->format->holds & HALO_META_TIMES) != 0) return;
    if (like->rate_said && same) return;
    halo_note(&writer->notes, HALO_NOTE_RATE, 1);
    writer->notes.rate = shape->rate;
}

static void note_left_out(HaloWriter *writer)
{
    const HaloMeta *meta = &writer->info.meta;
    const unsigned kinds = halo_meta_kinds(meta) & ~writer->format->holds;
    halo_note_left_out(&writer->notes, kinds & ~HALO_META_TEXT);
    for (size_t i = 0; i < meta->texts && (kinds & HALO_META_TEXT) != 0; i++)
        halo_text_left_out(&writer->notes, &meta->text[i]);
}

HaloStatus save_end(HaloWriter *writer, const HaloInfo *like)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(set_info(writer, like)); /* some metadata may follow the samples */
    HALO_TRY(writer->format->finish(writer));
    note_left_out(writer);
    note_rate(writer, like, &writer->changes.to);
    if (writer->changes.to.alpha >= 0 && writer->format->with_alpha == 0)
        halo_note(&writer->notes, HALO_NOTE_ALPHA, 1);
    if (writer->options.quality != 0 && !writer->format->quality && !writer->format->lossy)
        halo_note(&writer->notes, HALO_NOTE_QUALITY, 1);
    if (like->lossless && writer->format->quality && !writer->format->never_lossless &&
        !writer->options.lossless && writer->options.quality == 0)
        halo_note(&writer->notes, HALO_NOTE_LOSSY, 1);
    if (like->rate_assumed && writer->changes.to.kind == HALO_AUDIO && !writer->format->no_rate)
        halo_note(&writer->notes, HALO_NOTE_ASSUMED_RATE, 1);
    if ((writer->options.tile > 0 || writer->options.pyramid) && !writer->format->tiles)
        halo_note(&writer->notes, HALO_NOTE_TILES, 1);
    HALO_TRY(halo_sink_flush(writer->sink));
out:
    return status;
}

/* The largest sample that integers like those of the input hold. */
static float largest(const HaloWriter *writer)
{
    const int wish = writer->info.bits, bits = wish > 16 ? 24 : wish > 8 || wish <= 0 ? 16 : 8;
    return 1.0f - ldexpf(1.0f, 1 - bits);
}

/* Finds the peak in rows that have clipped samples. NaN counts as clipped but not as a peak. */
static void find_peak(HaloWriter *writer, const HaloBuf *rows)
{
    const int64_t samples = rows->cols * rows->shape.channels;
    const float most = largest(writer);
    float peak = writer->peak > most ? writer->peak : most;
    for (int64_t y = 0; y < rows->rows; y++) {
        const void *row = halo_at(rows, rows->x0, rows->y0 + y);
        for (int64_t i = 0; i < samples; i++) {
            const float size = rows->shape.dtype == HALO_F64 ? (float)fabs(((const double *)row)[i])
                                                             : fabsf(((const float *)row)[i]);
            if (size > peak) peak = size;
        }
    }
    if (peak > most) writer->peak = peak;
}

HaloStatus save_rows(HaloWriter *writer, const HaloBuf *rows)
{
    const uint64_t clipped = writer->clipped;
    const HaloStatus status = writer->format->write(writer, rows);
    if (writer->clipped != clipped && rows->shape.kind == HALO_AUDIO) find_peak(writer, rows);
    return status;
}

HaloStatus save_rows_told(HaloWriter *writer, Device *device, const HaloBuf *data)
{
    HaloStatus status = HALO_OK;
    const int64_t length = file_length(&data->shape);
    if (!progress_wanted(device)) return save_rows(writer, data);
    for (int64_t at = 0, count = file_first_rows(data); at < length;) {
        if (progress_is_due(device)) HALO_TRY(progress_tell(device, (double)at / (double)length));
        const double began = now_ms();
        const HaloBuf rows = file_rows(data, at, count);
        HALO_TRY(save_rows(writer, &rows));
        at += count;
        count = progress_next(count, began);
    }
out:
    return status;
}

float save_gain(const HaloWriter *writer)
{
    const float most = largest(writer), gain = most / writer->peak;
    return gain * writer->peak > most ? nextafterf(gain, 0.0f) : gain;
}

HaloStatus save_whole(HaloWriter *writer, const HaloInfo *like, const HaloBuf *data)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(save_begin(writer, like, false));
    HALO_TRY(save_rows(writer, data));
    HALO_TRY(save_end(writer, like));
out:
    return status;
}

HaloStatus save_close(HaloWriter *writer, HaloStatus status)
{
    if (writer->format == NULL) return status;
    if (status == HALO_OK && writer->format->end != NULL) status = writer->format->end(writer);
    writer->format->discard(writer);
    writer->format = NULL;
    halo_meta_free(&writer->info.meta);
    free(writer->changes.move);
    writer->changes.move = NULL;
    return status;
}

void save_report(const HaloWriter *writer, const HaloInfo *like, HaloReport *report)
{
    report->clipped += writer->clipped;
    halo_notes_join(&report->notes, &writer->notes);
    halo_notes_join(&report->notes, &like->notes);
    halo_note(&report->notes, HALO_NOTE_CLIPPED, report->clipped);
}
