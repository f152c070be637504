#include "codec.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[256];

const char *test_folder(void)
{
    const char *const where = getenv("TMPDIR");
    if (folder[0] != 0) return folder;
    snprintf(folder, sizeof folder, "%s/halo-test-XXXXXX", where != NULL ? where : "/tmp");
    if (mkdtemp(folder) == NULL) abort();
    return folder;
}

const char *test_path(const char *name)
{
    static char paths[8][512];
    static int turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", test_folder(), name);
    return path;
}

int test_folder_remove(void **unused)
{
    (void)unused;
    DIR *list = folder[0] != 0 ? opendir(folder) : NULL;
    if (list == NULL) return 0;
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (unlink(test_path(entry->d_name)) != 0) rmdir(test_path(entry->d_name));
    }
    closedir(list);
    rmdir(folder);
    return 0;
}

Bytes bytes_of_file(const char *path)
{
    Bytes file = {NULL, 0};
    HaloSource *source;
    const uint8_t *bytes;
    if (halo_source_open(path, &source) != HALO_OK || halo_source_slurp(source, &bytes, &file.size) != HALO_OK)
        abort();
    file.at = malloc(file.size + 1);
    if (file.at == NULL) abort();
    memcpy(file.at, bytes, file.size);
    halo_source_close(source);
    return file;
}

void bytes_to_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) abort();
}

void bytes_insert(Bytes *file, size_t at, const void *bytes, size_t size)
{
    uint8_t *grown = realloc(file->at, file->size + size + 1);
    if (grown == NULL) abort();
    memmove(grown + at + size, grown + at, file->size - at);
    memcpy(grown + at, bytes, size);
    *file = (Bytes){grown, file->size + size};
}

/* PNG (3rd edition), annex D. */
static uint32_t checksum(const uint8_t *bytes, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320u ^ crc >> 1 : crc >> 1;
    }
    return ~crc;
}

static void put_big(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> (24 - 8 * i));
}

void png_insert(Bytes *file, size_t at, const char *name, const void *bytes, size_t size, bool damaged)
{
    uint8_t *chunk = malloc(size + 12);
    if (chunk == NULL) abort();
    put_big(chunk, (uint32_t)size);
    memcpy(chunk + 4, name, 4);
    memcpy(chunk + 8, bytes, size);
    put_big(chunk + 8 + size, checksum(chunk + 4, size + 4) ^ damaged);
    bytes_insert(file, at, chunk, size + 12);
    free(chunk);
}

static HaloBuf band_of(const HaloBuf *data, int64_t y, int64_t band)
{
    HaloBuf rows = *data;
    rows.y0 = y;
    rows.rows = band > 0 && band < data->rows - y ? band : data->rows - y;
    rows.data = halo_at(data, 0, y);
    return rows;
}

HaloStatus encode(const HaloFormat *format, const HaloInfo *info, const HaloBuf *data, int64_t band,
                  Bytes *file)
{
    return encode_with(format, &(HaloWriteOptions){0}, info, data, band, file);
}

HaloStatus encode_with(const HaloFormat *format, const HaloWriteOptions *options, const HaloInfo *info,
                       const HaloBuf *data, int64_t band, Bytes *file)
{
    HaloStatus status = HALO_OK;
    HaloSink *sink = NULL;
    HaloWriter writer = {.format = format, .info = *info, .options = *options};
    const char *path = test_path("encoded");
    *file = (Bytes){NULL, 0};
    writer.info.shape = data->shape;
    if (format->load != NULL) HALO_TRY(format->load());
    HALO_TRY(halo_sink_open(path, &(HaloSinkOptions){.force = true}, &sink));
    writer.sink = sink;
    HALO_TRY(format->create(&writer));
    for (int64_t y = 0; y < data->rows;) {
        const HaloBuf rows = band_of(data, y, band);
        HALO_TRY(format->write(&writer, &rows));
        y += rows.rows;
    }
    HALO_TRY(format->finish(&writer));
    if (format->end != NULL) HALO_TRY(format->end(&writer));
    status = halo_sink_commit(sink);
    sink = NULL;
    if (status == HALO_OK) *file = bytes_of_file(path);
out:
    format->discard(&writer);
    halo_sink_abandon(sink);
    unlink(path);
    return status;
}

HaloStatus decode(const HaloFormat *format, const void *bytes, size_t size, const HaloReadOptions *options,
                  int64_t band, Decoded *image)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = NULL;
    HaloReader reader = {.format = format};
    *image = (Decoded){0};
    if (options != NULL) reader.options = *options;
    HALO_TRY(halo_source_from_memory(bytes, size, &source));
    reader.source = source;
    HALO_TRY(format->open(&reader));
    HALO_TRY(halo_buf_alloc(&image->data, &reader.info.shape));
    memset(image->data.data, 0xa5, (size_t)(image->data.stride * image->data.rows));
    for (int64_t y = 0; y < image->data.rows;) {
        HaloBuf rows = band_of(&image->data, y, band);
        int64_t got;
        HALO_TRY(format->read(&reader, &rows, &got));
        if (got != rows.rows)
            HALO_FAIL(HALO_ERR_BUG, "%lld rows instead of %lld", (long long)got, (long long)rows.rows);
        y += got;
    }
out:
    format->close(&reader);
    halo_source_close(source);
    image->info = reader.info;
    return status;
}

void decoded_free(Decoded *image)
{
    halo_buf_free(&image->data);
    halo_meta_free(&image->info.meta);
}

HaloShape shape_of(HaloDtype dtype, int64_t width, int64_t height, int channels, bool alpha)
{
    return (HaloShape){.kind = HALO_IMAGE,
                       .dtype = dtype,
                       .width = width,
                       .height = height,
                       .channels = channels,
                       .alpha = alpha ? channels - 1 : -1,
                       .white = halo_dtype_white(dtype)};
}

void expect_image(const char *what, const HaloBuf *expected, const Decoded *actual)
{
    const HaloShape *a = &expected->shape, *b = &actual->info.shape;
    if (a->width != b->width || a->height != b->height || a->channels != b->channels || a->dtype != b->dtype ||
        a->white != b->white) {
        fail_msg("%s: %lldx%lldx%d %s came back as %lldx%lldx%d %s", what, (long long)a->width,
                 (long long)a->height, a->channels, halo_dtype_name(a->dtype), (long long)b->width,
                 (long long)b->height, b->channels, halo_dtype_name(b->dtype));
    }
    if (memcmp(expected->data, actual->data.data, (size_t)(expected->stride * expected->rows)) != 0) {
        fail_msg("%s: %lldx%lldx%d %s: other samples came back", what, (long long)a->width,
                 (long long)a->height, a->channels, halo_dtype_name(a->dtype));
    }
}

void expect_text(const HaloFormat *format, const char *text, size_t size, const HaloShape *shape,
                 const void *samples)
{
    Decoded image;
    if (decode(format, text, size, NULL, 1, &image) != HALO_OK) fail_msg("%.20s: %s", text, halo_error());
    HaloBuf expected = {.shape = *shape, .cols = shape->width, .rows = shape->height, .data = (void *)samples};
    expected.stride = halo_row_bytes(&expected);
    expect_image(text, &expected, &image);
    decoded_free(&image);
}

void expect_error(const HaloFormat *format, const char *text, size_t size, HaloStatus status,
                  const char *message)
{
    Decoded image;
    const HaloStatus got = decode(format, text, size, NULL, 0, &image);
    if (got != status || strstr(halo_error(), message) == NULL) {
        fail_msg("%.40s: expected %d '%s', got %d '%s'", text, status, message, got,
                 got == HALO_OK ? "" : halo_error());
    }
    decoded_free(&image);
}
