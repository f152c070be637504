/* Any bytes as metadata. The first byte says what the others are: 'E' EXIF, 'D' a directory of TIFF, 'P'
 * Photoshop's resources, 'I' IPTC, 'X' XMP, 'C' a Vorbis comment, 'L' a LIST of WAVE, 'R' and 'S' chunks of
 * RIFF and of Wave64 around some samples. What a parser accepts can be written into every format that holds it,
 * and the resulting file can be read. */
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "codec.h"
#include "halo/tags.h"
#include "meta/comment.h"
#include "meta/ifd.h"
#include "meta/info_list.h"
#include "meta/meta.h"
#include "sound_file.h"
#include "wav/wav.h"

static void must(HaloStatus status)
{
    if (status != HALO_OK) abort();
}

/* ---- written, and read again --------------------------------------------------------------------------- */

static const HaloFormat *const pictures[] = {
    &halo_format_png,
#ifdef HALO_HAVE_JPEG
    &halo_format_jpeg,
#endif
#ifdef HALO_HAVE_TIFF
    &halo_format_tiff,
#endif
#ifdef HALO_HAVE_WEBP
    &halo_format_webp,
#endif
#ifdef HALO_HAVE_JXL
    &halo_format_jxl,
#endif
};
static const HaloFormat *const sounds[] = {&halo_format_wav, &halo_format_w64, &halo_format_flac,
                                           &halo_format_aiff};

static void through_pictures(const HaloMeta *meta)
{
    uint8_t sample[3] = {1, 2, 3};
    const HaloShape shape = shape_of(HALO_U8, 1, 1, 3, false);
    const HaloBuf data = {.shape = shape, .cols = 1, .rows = 1, .stride = 3, .data = sample};
    const HaloInfo info = {.bits = 8, .meta = *meta};
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        Bytes file;
        Decoded image;
        must(encode(pictures[i], &info, &data, 0, &file));
        must(decode(pictures[i], file.at, file.size, NULL, 0, &image));
        decoded_free(&image);
        free(file.at);
    }
}

static void through_sounds(const HaloMeta *meta)
{
    for (size_t i = 0; i < sizeof sounds / sizeof *sounds; i++) {
        float samples[4] = {0.5f, -0.25f};
        HaloInfo info = sound_info(16, false, 1, 4);
        const char *path = test_path("said");
        HaloSource *source;
        Sound sound;
        info.meta = *meta;
        must(save_sound_to(path, sounds[i], &info, samples, 4, NULL));
        must(halo_source_open(path, &source));
        must(load_sound_from(source, sounds[i], false, &sound));
        if (sound.frames != 4) abort();
        halo_meta_free(&sound.info.meta);
        free(sound.at);
        halo_source_close(source);
    }
}

/* ---- one kind each ------------------------------------------------------------------------------------- */

static void exif(const uint8_t *bytes, size_t size, HaloMeta *meta)
{
    must(halo_blob_set(&meta->exif, bytes, size));
    if (meta->exif.size == 0) return;
    HaloPhoto photo;
    if (halo_exif_photo(&meta->exif, &photo) && !(photo.latitude >= -180 && photo.longitude <= 180)) abort();
    const bool more = halo_exif_says_more(&meta->exif), small = halo_exif_thumbnail(&meta->exif);
    through_pictures(meta);
    halo_exif_set_size(&meta->exif, 70000, 3);
    halo_exif_set_upright(&meta->exif);
    halo_exif_drop_thumbnail(&meta->exif);
    if (meta->exif.size > size || (!more && small)) abort();
    through_pictures(meta);
}

typedef struct Span {
    const uint8_t *at;
    size_t size;
} Span;

static bool get_bytes(void *context, int64_t at, void *bytes, size_t size)
{
    const Span *span = context;
    if (at < 0 || (uint64_t)at > span->size || size > span->size - (size_t)at) return false;
    memcpy(bytes, span->at + at, size);
    return true;
}

/* The first byte has the byte order, and whether the directory is a BigTIFF's; the second is where it begins. A
 * copy of a copy is the copy. */
static void directory(const uint8_t *bytes, size_t size, HaloMeta *meta)
{
    enum { BASE = 8 };
    HaloBlob once = {0}, twice = {0};
    int64_t where = 0, again = 0;
    IfdEntry entry;
    char text[64];
    (void)meta;
    if (size < 2) return;
    Span span = {bytes + 2, size - 2};
    const IfdSource from = {get_bytes, &span, (bytes[0] & 1) != 0, (bytes[0] & 2) != 0};
    must(ifd_copy(&from, bytes[1], NULL, from.wide, BASE, &once, &where));
    if (ifd_find(&from, bytes[1], IFD_EXIF, &entry)) {
        ifd_text(&from, &entry, text, sizeof text);
        if (ifd_number(&from, &entry) == 1 && ifd_text(&from, &entry, text, sizeof text)) abort();
    }
    if (where > 0) {
        uint8_t *moved = calloc(BASE + once.size, 1);
        if (moved == NULL) abort();
        memcpy(moved + BASE, once.data, once.size);
        Span copied = {moved, BASE + once.size};
        const IfdSource back = {get_bytes, &copied, false, from.wide};
        must(ifd_copy(&back, where, NULL, from.wide, BASE, &twice, &again));
        if (again == 0 || twice.size != once.size || memcmp(twice.data, once.data, once.size) != 0) abort();
        free(moved);
    }
    free(once.data);
    free(twice.data);
}

static void photoshop(const uint8_t *bytes, size_t size, HaloMeta *meta)
{
    HaloBlob resource, again = {0};
    must(halo_iptc_from_photoshop(bytes, size, &meta->iptc));
    must(halo_iptc_to_photoshop(&meta->iptc, &resource));
    if (resource.size > 0) must(halo_iptc_from_photoshop(resource.data, resource.size, &again));
    if (again.size != meta->iptc.size ||
        (again.size > 0 && memcmp(again.data, meta->iptc.data, again.size) != 0))
        abort();
    free(resource.data);
    free(again.data);
    through_pictures(meta);
}

static void iptc(const uint8_t *bytes, size_t size, HaloMeta *meta)
{
    must(halo_iptc_set(&meta->iptc, bytes, size));
    if (meta->iptc.size > size) abort();
    through_pictures(meta);
}

/* What has been set stays when it is set again. */
static void xmp(const uint8_t *bytes, size_t size, HaloMeta *meta)
{
    HaloBlob once = {0};
    must(halo_blob_set(&meta->xmp, bytes, size));
    through_pictures(meta);
    must(halo_xmp_set_upright(&meta->xmp));
    must(halo_xmp_set_size(&meta->xmp, 640, 100000));
    must(halo_blob_set(&once, meta->xmp.data, meta->xmp.size));
    must(halo_xmp_set_upright(&meta->xmp));
    must(halo_xmp_set_size(&meta->xmp, 640, 100000));
    if (once.size != meta->xmp.size || (once.size > 0 && memcmp(once.data, meta->xmp.data, once.size) != 0))
        abort();
    free(once.data);
    through_pictures(meta);
}

static void comment(const uint8_t *bytes, size_t size, HaloMeta *meta)
{
    must(halo_comment_take(meta, bytes, size));
    if (meta->texts + meta->pictures > 1) abort();
    through_sounds(meta);
    through_pictures(meta);
}

static void list(const uint8_t *bytes, size_t size, HaloMeta *meta)
{
    HaloChunk chunk = {.id = {'L', 'I', 'S', 'T'}};
    HaloBlob made;
    HaloMeta tags = {0}, again = {0};
    must(halo_blob_set(&chunk.bytes, bytes, size));
    must(info_list_take(&chunk.bytes, meta));
    must(info_list_make(meta, &made));
    through_sounds(meta);
    must(halo_tag_put(&tags, "ARTIST", "a"));
    must(halo_tag_put(&tags, "title", ""));
    if (info_list_is(&chunk)) {
        must(info_list_change(&chunk, &tags));
        must(info_list_take(&chunk.bytes, &again));
        const char *artist = halo_text_find(&again, "Author");
        if (artist == NULL || strcmp(artist, "a") != 0 || halo_text_find(&again, "Title") != NULL) abort();
    }
    halo_meta_free(&again);
    halo_meta_free(&tags);
    free(made.data);
    free(chunk.bytes.data);
}

/* ---- chunks around samples ----------------------------------------------------------------------------- */

static const uint8_t format_of_samples[16] = {1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0};

static uint8_t *put_chunk(const WavLayout *layout, uint8_t *to, const char *id, const void *bytes, size_t size)
{
    wav_chunk_lead(layout, id, (int64_t)size, to);
    memcpy(to + layout->lead, bytes, size);
    return to + layout->lead + size + wav_pad(layout, (int64_t)size);
}

/* Reads to the end, for the chunks after the samples, but at most some blocks, as the header may claim any
 * length. */
static HaloStatus read_said(const HaloFormat *format, HaloSource *source, HaloMeta *meta)
{
    static float samples[1 << 12];
    HaloReader reader = {.format = format, .source = source};
    HaloStatus status = format->open(&reader);
    const HaloShape *shape = &reader.info.shape;
    if (status == HALO_OK && (shape->channels < 1 || shape->channels > 1024 || !(shape->rate >= 1))) abort();
    HaloBuf rows = {.shape = *shape, .rows = 1, .data = samples};
    int64_t got = 1;
    for (int block = 0; status == HALO_OK && block < 8 && got > 0; block++, rows.x0 += got) {
        const int64_t most = (1 << 12) / shape->channels, left = shape->width - rows.x0;
        rows.cols = shape->width < 0 || left > most ? most : left;
        if (rows.cols == 0) break;
        status = format->read(&reader, &rows, &got);
    }
    format->close(&reader);
    *meta = reader.info.meta;
    return status;
}

/* The first half stands before the samples, the second behind them. */
static void around_samples(const WavLayout *layout, const HaloFormat *format, const uint8_t *bytes, size_t size,
                           HaloMeta *meta)
{
    static const uint8_t frames[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const size_t before = size / 2 / 8 * 8; /* the samples stay at a place where a chunk may stand */
    uint8_t buffer[256] = {0}, *to = buffer + layout->first;
    Bytes file = {malloc(1), 0};
    HaloSource *source;
    if (file.at == NULL) abort();
    to = put_chunk(layout, to, "fmt ", format_of_samples, sizeof format_of_samples);
    const size_t head = (size_t)(to - buffer);
    to = put_chunk(layout, to, "data", frames, sizeof frames);
    const size_t whole = (size_t)(to - buffer) + size;
    if (layout == &wav_w64) {
        wav_w64_begin((int64_t)whole, buffer);
    } else {
        memcpy(buffer, "RIFF\0\0\0\0WAVE", 12);
        halo_put_le(buffer + 4, whole - 8, 4);
    }
    bytes_insert(&file, 0, buffer, (size_t)(to - buffer));
    bytes_insert(&file, file.size, bytes + before, size - before);
    bytes_insert(&file, head, bytes, before);
    must(halo_source_from_memory(file.at, file.size, &source));
    const HaloStatus status = read_said(format, source, meta);
    if (status != HALO_OK && status != HALO_ERR_INPUT) abort();
    if (status == HALO_OK) through_sounds(meta);
    halo_source_close(source);
    free(file.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    HaloMeta meta = {0};
    if (size == 0) return 0;
    const uint8_t kind = *bytes++;
    size--;
    switch (kind) {
    case 'E': exif(bytes, size, &meta); break;
    case 'D': directory(bytes, size, &meta); break;
    case 'P': photoshop(bytes, size, &meta); break;
    case 'I': iptc(bytes, size, &meta); break;
    case 'X': xmp(bytes, size, &meta); break;
    case 'C': comment(bytes, size, &meta); break;
    case 'L': list(bytes, size, &meta); break;
    case 'R': around_samples(&wav_riff, &halo_format_wav, bytes, size, &meta); break;
    case 'S': around_samples(&wav_w64, &halo_format_w64, bytes, size, &meta); break;
    default: break;
    }
    halo_meta_free(&meta);
    return 0;
}
