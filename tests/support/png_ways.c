#include "png_ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "bytes/endian.h"
#include "png/pngreader.h"

/* ---- pictures ------------------------------------------------------------------------------------------- */

typedef struct Kind {
    int type, depth, channels;
} Kind;

static void add(Bytes *file, const char *name, const void *bytes, size_t size)
{
    png_insert(file, file->size, name, bytes, size, false);
}

/* Filtered rows of any bytes, which always decode to some image. */
static uint8_t *draw_rows(Rng *rng, size_t row, size_t height)
{
    uint8_t *rows = malloc(row * height + 64);
    const int64_t grain = rng_once_in(rng, 3) ? 255 : rng_between(rng, 0, 9);
    const int64_t filter = rng_between(rng, 0, 9); /* above 4: all of them */
    if (rows == NULL) abort();
    for (size_t i = 0; i < row * height + 64; i++) rows[i] = (uint8_t)rng_between(rng, 0, grain);
    for (size_t y = 0; y < height; y++) rows[y * row] = (uint8_t)(filter > 4 ? rng_between(rng, 0, 4) : filter);
    if (rng_once_in(rng, 40)) rows[(size_t)rng_between(rng, 0, (int64_t)height - 1) * row] = 5;
    return rows;
}

static Bytes deflate_drawn(Rng *rng, uint8_t *bytes, size_t size)
{
    z_stream zip = {.next_in = bytes, .avail_in = (uInt)size};
    const int window = rng_once_in(rng, 6) ? (int)rng_between(rng, 9, 14) : 15;
    if (deflateInit2(&zip, (int)rng_between(rng, 0, 9), Z_DEFLATED, window, (int)rng_between(rng, 1, 9),
                     (int)rng_between(rng, 0, 4)) != Z_OK)
        abort();
    Bytes out = {malloc(deflateBound(&zip, (uLong)size) + 64), 0};
    if (out.at == NULL) abort();
    zip.next_out = out.at;
    zip.avail_out = (uInt)deflateBound(&zip, (uLong)size) + 64;
    deflate(&zip, Z_FINISH);
    out.size = zip.total_out;
    deflateEnd(&zip);
    return out;
}

static void add_samples(Rng *rng, Bytes *file, Kind kind, size_t width, size_t height)
{
    const size_t row = (width * (size_t)(kind.depth * kind.channels) + 7) / 8 + 1;
    const int64_t wrong = rng_between(rng, 0, 40);
    uint8_t *rows = draw_rows(rng, row, height);
    Bytes zip = deflate_drawn(rng, rows, row * height + (wrong == 0) - 2 * (wrong == 1));
    if (wrong == 2) zip.at[zip.size - 1] ^= 1;
    if (wrong == 3) zip.at[zip.size++] = 0;
    if (wrong == 4) zip.size -= (size_t)rng_between(rng, 1, 6);
    const size_t piece = rng_once_in(rng, 2) ? zip.size : (size_t)rng_between(rng, 1, 400);
    for (size_t at = 0, size; at < zip.size; at += size) {
        size = zip.size - at < piece ? zip.size - at : piece;
        add(file, "IDAT", zip.at + at, size);
        if (rng_once_in(rng, 30)) add(file, "IDAT", "", 0);
        if (rng_once_in(rng, 60)) add(file, "tEXt", "Comment\0between", 15);
    }
    free(zip.at);
    free(rows);
}

/* Now and then so many that libpng keeps only some of them. */
static void add_texts(Rng *rng, Bytes *file)
{
    int64_t texts = rng_once_in(rng, 4);
    if (rng_once_in(rng, 30)) texts = rng_between(rng, 10, 40);
    for (; texts > 0; texts--) add(file, "tEXt", "Comment\0a text", 14);
}

static void add_colours(Rng *rng, Bytes *file, Kind kind)
{
    uint8_t bytes[768];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)rng_next(rng);
    if (kind.type == 3) {
        const int64_t colours = rng_between(rng, 1, 1 << kind.depth);
        add(file, "PLTE", bytes, (size_t)colours * 3);
        if (rng_once_in(rng, 2)) add(file, "tRNS", bytes, (size_t)rng_between(rng, 1, colours));
    } else if (rng_once_in(rng, 8) && kind.type < 4) {
        add(file, "tRNS", bytes, kind.type == 0 ? 2 : 6);
    } else if (rng_once_in(rng, 8) && kind.type == 2) {
        add(file, "PLTE", bytes, 6);
    }
}

Bytes png_drawn(Rng *rng)
{
    static const Kind kinds[] = {{0, 1, 1}, {0, 2, 1},  {0, 4, 1},  {0, 8, 1}, {0, 16, 1},
                                 {2, 8, 3}, {2, 16, 3}, {3, 1, 1},  {3, 2, 1}, {3, 4, 1},
                                 {3, 8, 1}, {4, 8, 2},  {4, 16, 2}, {6, 8, 4}, {6, 16, 4}};
    const Kind kind = kinds[rng_between(rng, 0, sizeof kinds / sizeof *kinds - 1)];
    const size_t width = (size_t)rng_between(rng, 1, 70), height = (size_t)rng_between(rng, 1, 40);
    uint8_t head[13] = {0};
    Bytes file = {malloc(8), 8};
    if (file.at == NULL) abort();
    memcpy(file.at, "\x89PNG\r\n\x1a\n", 8);
    halo_put_be(head, width, 4);
    halo_put_be(head + 4, height, 4);
    head[8] = (uint8_t)kind.depth;
    head[9] = (uint8_t)kind.type;
    head[12] = rng_once_in(rng, 12);
    add(&file, "IHDR", head, 13);
    add_colours(rng, &file, kind);
    add_texts(rng, &file);
    add_samples(rng, &file, kind, width, height);
    add_texts(rng, &file);
    if (rng_once_in(rng, 20)) add(&file, rng_once_in(rng, 2) ? "PLTE" : "IHDR", "abc", 3);
    if (rng_once_in(rng, 20)) add(&file, "IDAT", "12345", (size_t)rng_between(rng, 0, 5));
    if (!rng_once_in(rng, 30)) add(&file, "IEND", "", 0);
    return file;
}

void png_fix_checksums(uint8_t *bytes, size_t size)
{
    for (size_t at = 8; at + 12 <= size;) {
        const size_t length = halo_get_be(bytes + at, 4);
        if (length > size - at - 12) return;
        halo_put_be(bytes + at + 8 + length, crc32(0, bytes + at + 4, (uInt)length + 4), 4);
        at += length + 12;
    }
}

/* ---- all ways ------------------------------------------------------------------------------------------- */

typedef struct Answer {
    HaloStatus status;
    char words[512];
    HaloInfo info;
    HaloBuf data;
    int64_t rows; /* that were given */
    bool own;
} Answer;

static void read_all(HaloReader *reader, int64_t band, Answer *answer)
{
    HaloBuf *data = &answer->data;
    answer->status = halo_buf_alloc(data, &reader->info.shape);
    if (answer->status != HALO_OK) return;
    answer->own = true;
    memset(data->data, 0xa5, (size_t)(data->stride * data->rows));
    while (answer->status == HALO_OK && answer->rows < data->rows) {
        HaloBuf rows = *data;
        int64_t got;
        rows.y0 = answer->rows;
        rows.rows = band > 0 && band < data->rows - rows.y0 ? band : data->rows - rows.y0;
        rows.data = halo_at(data, 0, rows.y0);
        answer->status = reader->format->read(reader, &rows, &got);
        if (answer->status == HALO_OK) answer->rows += got;
        answer->own = answer->own && !((PngReader *)reader->state)->begun;
    }
}

/* A step: from here on libpng gives the rows. */
static void begin_libpng(void *arg)
{
    PngReader *state = arg;
    png_read_update_info(state->png, state->info);
    state->begun = true;
}

static void ask(HaloSource *source, int64_t band, bool by_libpng, Answer *answer)
{
    HaloReader reader = {.format = &halo_format_png, .source = source, .options.max_pixels = PNG_WAYS_PIXELS};
    *answer = (Answer){0};
    answer->status = reader.format->open(&reader);
    PngReader *state = reader.state;
    if (answer->status == HALO_OK && by_libpng && reader.info.images == 0)
        answer->status = halo_png_guard(&state->guard, begin_libpng, state);
    if (answer->status == HALO_OK) read_all(&reader, band, answer);
    if (answer->status != HALO_OK) snprintf(answer->words, sizeof answer->words, "%s", halo_error());
    reader.format->close(&reader);
    answer->info = reader.info;
}

static HaloStatus open_pipe(const uint8_t *bytes, size_t size, HaloSource **source)
{
    int end[2];
    char path[32];
    if (pipe(end) != 0 || write(end[1], bytes, size) != (ssize_t)size) abort();
    close(end[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", end[0]);
    const HaloStatus status = halo_source_open(path, source);
    close(end[0]);
    return status;
}

/* The one difference that is known (docs/design-io.md): zlib refuses a code with gaps where no bits come to
 * them. */
static bool differ_as_known(const Answer *own, const Answer *libpng)
{
    return own->own && own->status == HALO_OK && libpng->status == HALO_ERR_INPUT &&
           (strstr(libpng->words, "invalid distances set") != NULL ||
            strstr(libpng->words, "invalid literal/lengths set") != NULL);
}

static const char *difference(const Answer *a, const Answer *b)
{
    if (differ_as_known(a, b)) return NULL;
    const HaloShape *s = &a->info.shape, *t = &b->info.shape;
    if (a->status != b->status || strcmp(a->words, b->words) != 0) return "another outcome";
    if (s->width != t->width || s->height != t->height || s->channels != t->channels || s->dtype != t->dtype)
        return "another shape";
    /* zlib may see a mistake earlier than ISA-L does: rows that both gave are the same. */
    const int64_t rows = a->rows < b->rows ? a->rows : b->rows;
    if (a->status == HALO_OK && a->rows != b->rows) return "another number of rows";
    if (rows > 0 && memcmp(a->data.data, b->data.data, (size_t)(a->data.stride * rows)) != 0)
        return "other samples";
    if (memcmp(a->info.notes.count, b->info.notes.count, sizeof a->info.notes.count) != 0) return "other notes";
    if (a->info.meta.texts != b->info.meta.texts) return "other texts";
    return NULL;
}

static void forget(Answer *answer)
{
    halo_buf_free(&answer->data);
    halo_meta_free(&answer->info.meta);
}

const char *png_ways_differ(const uint8_t *bytes, size_t size, int64_t band, bool *own)
{
    static char said[1800];
    HaloSource *source;
    Answer memory, pipe, libpng;
    if (halo_source_from_memory(bytes, size, &source) != HALO_OK) abort();
    ask(source, band, false, &memory);
    halo_source_close(source);
    if (open_pipe(bytes, size, &source) != HALO_OK) abort();
    ask(source, band, false, &pipe);
    halo_source_close(source);
    if (halo_source_from_memory(bytes, size, &source) != HALO_OK) abort();
    ask(source, band, true, &libpng);
    halo_source_close(source);
    *own = memory.own;
    const char *what = difference(&memory, &libpng), *on_pipe = difference(&pipe, &libpng);
    if (on_pipe == NULL && memory.own != pipe.own) on_pipe = "another way";
    if (what != NULL || on_pipe != NULL)
        snprintf(said, sizeof said, "%s: '%s' (%d), on a pipe %s '%s' (%d), by libpng '%s' (%d)",
                 what != NULL ? what : "as by libpng", memory.words, memory.status,
                 on_pipe != NULL ? on_pipe : "as by libpng", pipe.words, pipe.status, libpng.words,
                 libpng.status);
    forget(&memory);
    forget(&pipe);
    forget(&libpng);
    return what == NULL && on_pipe == NULL ? NULL : said;
}
