#include "seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apng.h"
#include "sound_file.h"

enum { MOST_SEEDS = 512 };

typedef struct Seeds {
    Seed seed[MOST_SEEDS];
    size_t count;
} Seeds;

/* `at` is the seeds' then. */
static void add(Seeds *seeds, const char *name, uint8_t *at, size_t size)
{
    char *label = malloc(strlen(name) + 16);
    if (label == NULL || at == NULL || seeds->count == MOST_SEEDS) abort();
    sprintf(label, "%s-%zu", name, seeds->count);
    seeds->seed[seeds->count++] = (Seed){label, at, size};
}

static void add_copy(Seeds *seeds, const char *name, const void *bytes, size_t size)
{
    uint8_t *at = malloc(size + 1);
    if (at == NULL) abort();
    memcpy(at, bytes, size);
    add(seeds, name, at, size);
}

/* ---- files of every format ------------------------------------------------------------------------------ */

/* Of the fuzzer: "niigz" of nii.gz, and that of PNG of animations. */
static const char *seed_name(const HaloFormat *format)
{
    if (format == &halo_format_apng) return halo_format_png.name;
    return format == &halo_format_niigz ? "niigz" : format->name;
}

static void add_images(Seeds *seeds, const HaloFormat *format)
{
    for (HaloDtype dtype = HALO_U8; dtype <= HALO_F32; dtype++)
        for (int channels = 1; channels <= 4; channels++) {
            const bool alpha = channels % 2 == 0 && (format->with_alpha >> (channels - 1) & 1) != 0;
            const HaloShape shape = shape_of(dtype, 3, 2, channels, alpha);
            const HaloInfo info = {0};
            HaloBuf data;
            Bytes file;
            if (!(format->dtypes >> dtype & 1) ||
                !((alpha ? format->with_alpha : format->channels) >> (channels - 1) & 1))
                continue;
            if (halo_buf_alloc(&data, &shape) != HALO_OK) abort();
            /* in every type a common value; of bits, black */
            memset(data.data, format == &halo_format_pbm ? 0 : 0x3f, (size_t)(data.stride * data.rows));
            /* RGB of bytes alone; or the library lacks its encoder */
            const HaloStatus status = encode(format, &info, &data, 0, &file);
            if (status != HALO_OK && status != HALO_ERR_INPUT && format->load == NULL) abort();
            if (status == HALO_OK) add(seeds, seed_name(format), file.at, file.size);
            halo_buf_free(&data);
        }
}

static void add_sounds(Seeds *seeds, const HaloFormat *format)
{
    static const int bits[] = {8, 16, 24, 32, 64};
    for (int i = 0; i < 5; i++)
        for (int channels = 1; channels <= 2; channels++) {
            float samples[64] = {0.5f, -0.25f};
            HaloInfo info = sound_info(bits[i], bits[i] >= 32, channels, 32);
            if (format == &halo_format_opus) info.shape.rate = 48000; /* which has few */
            const char *path = test_path("seed");
            if (save_sound_to(path, format, &info, samples, 32, NULL) != HALO_OK) abort();
            const Bytes file = bytes_of_file(path);
            add(seeds, format->name, file.at, file.size);
        }
}

/* Files that none of halo's writers makes. */
static const struct {
    const char *name, *bytes;
    size_t size;
} others[] = {
    {"pnm", TEXT("P1\n3 2\n1 0 1\n0 1 0\n")},
    {"pnm", TEXT("P2 2 2 255\n0 1\n2 3\n")},
    {"pnm", TEXT("P3 # a comment\n1 1 65535\n1 2 3\n")},
    {"pnm", TEXT("P4\n9 1\n\377\200")},
    {"pam", TEXT("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 5\nMAXVAL 1\nENDHDR\n\0\1\0\1\0")},
    {"pam", TEXT("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2147483647\nMAXVAL 255\nENDHDR\n")},
    {"pfm", TEXT("Pf\n1 1\n1.0\n?\200\0\0")},
    {"npy", TEXT("\x93NUMPY\1\0\x46\0{'descr': '>i8', 'fortran_order': True, 'shape': (1, 1, 2), }         \n"
                 "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2")},
    {"npy", TEXT("\x93NUMPY\1\0\x46\0{'descr': '<u2', 'fortran_order': True, 'shape': (2, 3), }           \n"
                 "\1\0\2\0\3\0\4\0\5\0\6\0")},
    {"tiff", TEXT("MM\0*\0\0\0\x08\0\1\1\0\0\3\0\0\0\1\0\1\0\0\0\0\0\0")},
    {"tiff", TEXT("II+\0\x08\0\0\0\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")},
    {"tiff", TEXT("MM\0+\0\x08\0\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\0")},
    {"bmp",
     TEXT("BM\x4a\0\0\0\0\0\0\0\x3e\0\0\0\x28\0\0\0\5\0\0\0\1\0\0\0\1\0\x08\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
          "\2\0\0\0\0\0\0\0\1\2\3\0\4\5\6\0\2\1\0\3\1\0\1\0\0\1")},
    {"bmp", TEXT("BM\x22\0\0\0\0\0\0\0\x20\0\0\0\x0c\0\0\0\3\0\1\0\1\0\1\0\1\2\3\4\5\6\x20\0\0\0")},
    {"bmp", TEXT("BM\x46\0\0\0\0\0\0\0\x42\0\0\0\x28\0\0\0\1\0\0\0\xff\xff\xff\xff\1\0\x10\0\3\0\0\0\0\0\0\0\0"
                 "\0\0\0\0\0\0"
                 "\0\0\0\0\0\0\0\0\0\0\xf8\0\0\xe0\7\0\0\x1f\0\0\0\1\2\0\0")},
    {"tga", TEXT("\2\1\1\1\0\2\0\x18\0\0\0\0\2\0\1\0\x08\0id\1\2\3\4\5\6\2\1")},
    {"tga", TEXT("\0\0\x0b\0\0\0\0\0\0\0\0\0\2\0\2\0\x08\x30\x82\7\0\x09")},
    {"hdr", TEXT("#?RADIANCE\nEXPOSURE=2\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X "
                 "8\n\2\2\0\x08\x88\x80\x87\x40\1\x40\x88\0\x88\x81")},
    {"hdr", TEXT("#?RADIANCE\n\n+X 1 +Y 4\n\x80\x40\0\x81\1\1\1\3")},
    {"nrrd",
     TEXT("NRRD0004\ntype: short\ndimension: 4\nsizes: 3 2 1 2\nkinds: vector domain domain time\n"
          "space: left-posterior-superior\nspace directions: none (1,0,0) (0,1,0) none\nspace origin: (1,2,3)\n"
          "space units: \"mm\" \"mm\" \"mm\"\nendian: big\nencoding: raw\nbyte skip: -1\na key:=value\\n\n\n"
          "123456789012345678901234")},
    {"nrrd", TEXT("NRRD0001\ntype: uchar\ndimension: 2\nsizes: 2 1\nspacings: 1 nan\naxis mins: 0 1\nunits: "
                  "\"a\" \"b\"\n"
                  "encoding: gzip\n\n\x78\x9c\x63\x64\2\0\0\5\0\4")},
    {"mha", TEXT("ObjectType = Image\nNDims = 3\nTransformMatrix = 1 0 0 0 1 0 0 0 1\nOffset = 1 2 "
                 "3\nElementSpacing = 1 1 2\n"
                 "DimSize = 2 1 2\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n\1\2\3\4")},
    {"mha",
     TEXT("NDims = 2\nDimSize = 2 1\nElementType = MET_UCHAR\nCompressedData = True\nElementDataFile = LOCAL\n"
          "\x78\x9c\x63\x64\2\0\0\5\0\4")},
    {"hdr", TEXT("#?RGBE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\200\200\200\200")},
    {"avif", TEXT("\0\0\0\x1c"
                  "ftypavif\0\0\0\0avifmif1miaf")},
    {"heic", TEXT("\0\0\0\x18"
                  "ftypheic\0\0\0\0mif1heic")},
    {"gif", TEXT("GIF89a\3\0\2\0\x91\0\0\0\0\0\377\0\0\0\377\0\377\377\377!\376\2hi\0!\371\4\1\5\0\2\0,"
                 "\0\0\0\0\3\0\2\0\0"
                 "\2\3\x44\2\5\0!\371\4\x9\5\0\0\0,\1\0\0\0\2\0\2\0\x40\2\3\x44\2\5\0;")},
    {"wav", TEXT("RIFX\0\0\0\x28WAVEfmt \0\0\0\x10\0\1\0\1\0\0\x1f\x40\0\0\x3e\x80\0\2\0\x10"
                 "data\0\0\0\4\0\1\0\2")},
    {"aiff", TEXT("FORM\0\0\0\x40"
                  "AIFCFVER\0\0\0\4\xa2\x80Q@COMM\0\0\0\x18\0\1\0\0\0\1\0\x10\x40\x0e\xac\x44\0\0\0\0\0\0"
                  "sowt\0\0SSND\0\0\0\x0a\0\0\0\0\0\0\0\0\1\0")},
    {"caf", TEXT("caff\0\1\0\0desc\0\0\0\0\0\0\0\x20\x40\xbf\x40\0\0\0\0\0lpcm\0\0\0\2\0\0\0\2\0\0\0\1\0\0\0\1"
                 "\0\0\0\x10"
                 "data\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\1\0")},
    {"mp3", TEXT("ID3\4\0\0\0\0\0\x0cTIT2\0\0\0\2\0\0\3a\xff\xfb\x90\x64\0\0\0\0")},
    {"mp3", TEXT("\xff\xfb\x90\x64\0\x0f\xf0\0\0\x69\0\0\0\x08\0\0\x0d\x20\0\0\1")},
    {"flac", TEXT("fLaC\x80\0\0\x22\x10\0\x10\0\0\0\0\0\0\0\x0a\xc4\x40\xf0\0\0\0\0")},
};

static void add_animations(Seeds *seeds)
{
    Rng rng = {45};
    for (int i = 0; i < 4; i++) {
        ApngDrawn drawn;
        apng_draw(&rng, &drawn);
        add_copy(seeds, halo_format_png.name, drawn.file.at, drawn.file.size);
        apng_free(&drawn);
    }
}

/* Signatures of foreign formats, followed by other bytes. */
static void add_foreign(Seeds *seeds)
{
    static const struct {
        size_t at;
        const char *bytes;
        size_t size;
        const char *name;
    } rows[] = {
#define HALO_FOREIGN(at, bytes, name, extensions, way_out) {at, bytes, sizeof(bytes) - 1, name},
#define HALO_LEFT_OUT(at, bytes, name, extensions, library) {at, bytes, sizeof(bytes) - 1, name},
#include "foreign.def"
#undef HALO_FOREIGN
#undef HALO_LEFT_OUT
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t head[160] = {0};
        if (rows[i].size == 0) continue; /* known by its extension */
        memcpy(head + rows[i].at, rows[i].bytes, rows[i].size);
        add_copy(seeds, rows[i].name, head, sizeof head);
    }
}

static void add_mp3(Seeds *seeds)
{
    Bytes seed[MP3_SEEDS];
    const size_t count = mp3_seeds(seed);
    for (size_t i = 0; i < count; i++) add(seeds, "mp3", seed[i].at, seed[i].size);
}

static void make_file_seeds(Seeds *seeds)
{
    static const HaloFormat *const formats[] = {
#define HALO_FORMAT(id) &halo_format_##id,
#include "formats.def"
#undef HALO_FORMAT
    };
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        if (formats[f]->create == NULL) continue;
        if (formats[f]->kinds & HALO_IMAGE)
            add_images(seeds, formats[f]);
        else
            add_sounds(seeds, formats[f]);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        add_copy(seeds, others[i].name, others[i].bytes, others[i].size);
    add_mp3(seeds);
    add_animations(seeds);
    add_foreign(seeds);
}

const Seed *file_seeds(size_t *count)
{
    static Seeds seeds;
    if (seeds.count == 0) make_file_seeds(&seeds);
    *count = seeds.count;
    return seeds.seed;
}

/* ---- mutations ------------------------------------------------------------------------------------------ */

/* Numbers that are extreme in headers, and bytes that texts are made of. */
static uint8_t odd_byte(Rng *rng)
{
    static const uint8_t odd[] = {0,   1,   2,   4,   8,   0x7f, 0x80, 0xff, ' ', '\n', '\t', '"', ',',
                                  ':', '-', '0', '9', 'e', '.',  '[',  ']',  '{', '}',  '/',  '\\'};
    return rng_once_in(rng, 3) ? (uint8_t)rng_next(rng) : odd[rng_between(rng, 0, (int64_t)sizeof odd - 1)];
}

static bool is_one_of(uint8_t byte, const char *set) { return byte != 0 && strchr(set, byte) != NULL; }

static void change_value(Rng *rng, uint8_t *at, size_t *size, size_t capacity, size_t from)
{
    static const char *const values[] = {"null",
                                         "-1",
                                         "1e999",
                                         "\"x\"",
                                         "{}",
                                         "[]",
                                         "true",
                                         "0",
                                         "9223372036854775807",
                                         "18446744073709551615",
                                         "\"inf\"",
                                         "-0.5",
                                         ""};
    const char *value = values[rng_between(rng, 0, (int64_t)(sizeof values / sizeof *values) - 1)];
    const size_t length = strlen(value);
    size_t begin = from, end;
    while (begin < *size && !is_one_of(at[begin], ":,[")) begin++;
    if (begin >= *size) return;
    for (end = ++begin; end < *size && !is_one_of(at[end], ",]}\n");) end++;
    if (*size - (end - begin) + length > capacity) return;
    memmove(at + begin + length, at + end, *size - end);
    memcpy(at + begin, value, length);
    *size = *size - (end - begin) + length;
}

/* One change of `*size` bytes in a buffer of `capacity` bytes. */
static void change(Rng *rng, uint8_t *at, size_t *size, size_t capacity)
{
    const int64_t last = (int64_t)*size - 1;
    const size_t here = last < 0 ? 0 : (size_t)rng_between(rng, 0, last);
    const size_t left = *size - here;
    const size_t run = left == 0 ? 0 : (size_t)rng_between(rng, 1, left < 16 ? (int64_t)left : 16);
    switch (rng_between(rng, 0, 8)) {
    case 0: /* cut off */ *size = here; break;
    case 1: /* leave some out */
        memmove(at + here, at + here + run, left - run);
        *size -= run;
        break;
    case 2: /* repeat some */
        if (*size + run > capacity) break;
        memmove(at + here + run, at + here, left);
        *size += run;
        break;
    case 3: /* insert one */
        if (*size == capacity) break;
        memmove(at + here + 1, at + here, left);
        at[here] = odd_byte(rng);
        ++*size;
        break;
    case 4: /* the same byte a few times */
        if (run > 0) memset(at + here, odd_byte(rng), run < 8 ? run : 8);
        break;
    case 5:
    case 6: /* another value behind a colon or a comma, as JSON has them */
        change_value(rng, at, size, capacity, here);
        break;
    default:
        if (run > 0)
            at[here] = rng_once_in(rng, 2) ? at[here] ^ (uint8_t)(1 << rng_between(rng, 0, 7)) : odd_byte(rng);
    }
}

uint8_t *mutate(Rng *rng, const Seed *seed, size_t most, size_t *size)
{
    uint8_t *buffer = malloc(most), *exact;
    if (buffer == NULL) abort();
    *size = seed->size < most ? seed->size : most;
    memcpy(buffer, seed->at, *size);
    if (rng_once_in(rng, 2)) /* most other changes break a text, so that none of its values is looked at */
        change_value(rng, buffer, size, most, *size > 0 ? (size_t)rng_between(rng, 0, (int64_t)*size - 1) : 0);
    else
        for (int64_t changes = rng_between(rng, 0, 6); changes > 0; changes--) change(rng, buffer, size, most);
    exact = malloc(*size + (*size == 0)); /* an end of its own, for sanitizers */
    if (exact == NULL) abort();
    memcpy(exact, buffer, *size);
    free(buffer);
    return exact;
}
