/* Formats alone: an image to a file's bytes and back, with any number of rows at a time. */
#ifndef HALO_TEST_CODEC_H
#define HALO_TEST_CODEC_H

#include "halo/format.h"

#define HALO_FORMAT(id) extern const HaloFormat halo_format_##id;
#include "formats.def"
#undef HALO_FORMAT

typedef struct Bytes {
    uint8_t *at;
    size_t size;
} Bytes;

typedef struct Decoded {
    HaloInfo info;
    HaloBuf data;
} Decoded;

/* An empty folder of this process, made on the first call; and a path in it (in one of 8 static buffers, in
 * turn). */
const char *test_folder(void);
const char *test_path(const char *name);
/* Removes the folder and its files; for cmocka_run_group_tests(). */
int test_folder_remove(void **unused);

Bytes bytes_of_file(const char *path);
void bytes_to_file(const char *path, const void *bytes, size_t size);

/* Puts bytes into a file's at this place. */
void bytes_insert(Bytes *file, size_t at, const void *bytes, size_t size);
/* The same with a chunk of PNG; `damaged`: its checksum is wrong. Behind the header is PNG_FIRST. */
#define PNG_FIRST 33
void png_insert(Bytes *file, size_t at, const char *name, const void *bytes, size_t size, bool damaged);

/* `band`: rows at a time, 0: all at once. The caller frees what it gets, also after a failure. */
HaloStatus encode(const HaloFormat *format, const HaloInfo *info, const HaloBuf *data, int64_t band,
                  Bytes *file);
HaloStatus encode_with(const HaloFormat *format, const HaloWriteOptions *options, const HaloInfo *info,
                       const HaloBuf *data, int64_t band, Bytes *file);
HaloStatus decode(const HaloFormat *format, const void *bytes, size_t size, const HaloReadOptions *options,
                  int64_t band, Decoded *image);
void decoded_free(Decoded *image);

/* An image whose last channel is alpha or not, with the white of its type. */
HaloShape shape_of(HaloDtype dtype, int64_t width, int64_t height, int channels, bool alpha);
/* Fail the test unless the same samples came back, in the same shape; unless the text of a file holds them;
 * unless it is refused with this status and a message that has these words. */
void expect_image(const char *what, const HaloBuf *expected, const Decoded *actual);
void expect_text(const HaloFormat *format, const char *text, size_t size, const HaloShape *shape,
                 const void *samples);
void expect_error(const HaloFormat *format, const char *text, size_t size, HaloStatus status,
                  const char *message);

#define TEXT(literal) literal, sizeof(literal) - 1
#define U8(...) \
    (const uint8_t[]) { __VA_ARGS__ }
#define U16(...) \
    (const uint16_t[]) { __VA_ARGS__ }
#define F32(...) \
    (const float[]) { __VA_ARGS__ }

#endif
