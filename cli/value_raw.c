/* The value of --raw: what inputs without a header hold. */
#include <math.h>
#include <string.h>

#include "options.h"

/* "f32:640x480x1": channels may be left out where there is one. */
static bool read_image(const char *text, HaloShape *raw)
{
    int64_t channels = 1;
    if (!halo_read_count(text, INT32_MAX, &raw->width, &text) || *text++ != 'x') return false;
    if (!halo_read_count(text, INT32_MAX, &raw->height, &text)) return false;
    if (*text == 'x' && !halo_read_count(text + 1, 1024, &channels, &text)) return false;
    raw->kind = HALO_IMAGE;
    raw->channels = (int)channels;
    return *text == 0 && raw->width > 0 && raw->height > 0 && channels > 0;
}

bool cli_read_hertz(const char *text, double *rate, const char **end)
{
    if (!halo_read_number(text, rate, end)) return false;
    if (**end == 'k') {
        *rate = rint(*rate * 1e6) / 1e3; /* 44.1 is not exact */
        ++*end;
    }
    if (strncmp(*end, "Hz", 2) == 0) *end += 2;
    return true;
}

/* Whole frames per second. */
static bool read_rate(const char *text, double *rate, const char **end)
{
    return halo_is_digit(*text) && cli_read_hertz(text, rate, end) && *rate >= 1 && *rate <= INT32_MAX &&
           *rate == rint(*rate);
}

/* "f32,44100,2" */
static bool read_audio(const char *text, HaloShape *raw)
{
    int64_t channels;
    double rate;
    if (!read_rate(text, &rate, &text) || *text++ != ',') return false;
    if (!halo_read_count(text, 1024, &channels, NULL)) return false;
    *raw = (HaloShape){.kind = HALO_AUDIO,
                       .dtype = raw->dtype,
                       .width = -1,
                       .height = 1,
                       .channels = (int)channels,
                       .alpha = raw->alpha,
                       .white = raw->white,
                       .rate = rate};
    return channels > 0;
}

typedef struct Samples {
    const char *name;
    HaloDtype dtype;
    int bits; /* HaloOptions::raw_bits: sound alone; 0: images, too */
} Samples;

static const Samples samples[] = {
    {"u8", HALO_U8, 0},    {"u16", HALO_U16, 0},  {"f32", HALO_F32, 0},           {"s16", HALO_F32, 16},
    {"s24", HALO_F32, 24}, {"s32", HALO_F32, 32}, {"f64", HALO_F32, HALO_RAW_F64}};

/* "s16", "s16le" or "s16be"; NULL: none of them. */
static const Samples *read_samples(const char *word, size_t length, bool *big)
{
    *big = length > 2 && memcmp(word + length - 2, "be", 2) == 0;
    if (*big || (length > 2 && memcmp(word + length - 2, "le", 2) == 0)) length -= 2;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        if (strlen(samples[i].name) == length && memcmp(samples[i].name, word, length) == 0) return &samples[i];
    return NULL;
}

HaloStatus cli_read_raw(CliSettings *settings, const char *value)
{
    if (halo_find_word("csv|tsv", '|', value) >= 0) { /* a table; its columns tell the rest */
        settings->raw = (HaloShape){0};
        settings->engine.read_as = "csv";
        return HALO_OK;
    }
    settings->engine.read_as = NULL;
    int64_t bytes;
    bool big;
    const size_t end = strcspn(value, ":,");
    const Samples *kind = read_samples(value, end, &big);
    const char *rest = value[end] != 0 ? value + end + 1 : "";
    HaloShape raw = {.alpha = -1};
    if (kind != NULL) raw.dtype = kind->dtype;
    if (kind != NULL && kind->bits != 0) raw.white = 1.0f;
    const bool image = kind != NULL && kind->bits == 0 && value[end] == ':' && read_image(rest, &raw);
    if (!image && (kind == NULL || value[end] != ',' || !read_audio(rest, &raw)))
        return halo_fail(
            HALO_ERR_USAGE,
            "expected DTYPE:WxHxC, such as u8:640x480x3, or DTYPE,RATE,CHANNELS, such as f32,44.1k,2, with "
            "u8, u16 or f32, for sound also s16, s24, s32 or f64, and be behind it for big-endian samples; "
            "found "
            "'%.80s'",
            value);
    if (image && halo_shape_bytes(&raw, &bytes) != HALO_OK) return HALO_ERR_USAGE;
    settings->raw = raw;
    settings->engine.raw_bits = kind->bits;
    settings->engine.raw_big = big;
    return HALO_OK;
}
