/* The values of options. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/axes.h"
#include "options.h"

/* "100000", "2^28", "1.5G": suffixes stand for powers of `kilo`. */
static HaloStatus read_size(const char *text, int kilo, int64_t *size)
{
    const char *end;
    int64_t base, power;
    double value;
    if (halo_read_count(text, INT64_MAX, &base, &end) && *end == '^') {
        if (!halo_read_count(end + 1, 62, &power, NULL)) goto bad;
        for (*size = 1; power > 0; power--)
            if (!halo_mul(*size, base, size)) goto bad;
    } else {
        if (!halo_is_digit(*text) || !halo_read_number(text, &value, &end)) goto bad;
        static const char suffix[] = "kmgt";
        const char *which = *end != 0 ? strchr(suffix, *end | 0x20) : NULL;
        if (which != NULL) end++;
        for (const char *s = suffix; which != NULL && s <= which; s++) value *= kilo;
        if (*end != 0 || !(value < 9e18)) goto bad;
        *size = (int64_t)value;
    }
    if (*size >= 1) return HALO_OK;
bad:
    return halo_fail(HALO_ERR_USAGE,
                     "expected a number of at least 1, such as 1000000, 2^20 or 100M, found '%.80s'", text);
}

HaloStatus cli_read_pixels(CliSettings *settings, const char *value)
{
    return read_size(value, 1000, &settings->engine.max_pixels);
}

HaloStatus cli_read_memory(CliSettings *settings, const char *value)
{
    return read_size(value, 1024, &settings->engine.max_memory);
}

static HaloStatus read_count(const char *value, int64_t most, int64_t *count)
{
    if (halo_read_count(value, most, count, NULL) && *count > 0) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "expected a number from 1 to %lld, found '%.80s'", (long long)most, value);
}

HaloStatus cli_read_latency(CliSettings *settings, const char *value)
{
    const char *unit;
    double ms;
    const bool well = halo_read_number(value, &ms, &unit);
    if (well && strcmp(unit, "s") == 0)
        ms *= 1000.0;
    else if (!well || (*unit != 0 && strcmp(unit, "ms") != 0))
        ms = 0.0;
    if (!(ms >= 1.0 && ms <= 3600e3))
        return halo_fail(HALO_ERR_USAGE, "expected a time from 1ms to 3600s, such as 20ms, found '%.80s'",
                         value);
    settings->engine.latency_ms = (int)ms;
    return HALO_OK;
}

HaloStatus cli_read_bits(CliSettings *settings, const char *value)
{
    static const int bits[] = {8, 16, 24, 32, 32};
    int which = 0;
    const HaloStatus status = halo_read_choice(value, "8|16|24|32|float", &which);
    settings->write.bits = bits[which];
    settings->write.floats = which == 4;
    return status;
}

HaloStatus cli_read_crossfade(CliSettings *settings, const char *value)
{
    const char *unit = "?";
    const bool number = halo_read_number(value, &settings->crossfade, &unit);
    if (strcmp(unit, "ms") == 0) settings->crossfade /= 1000;
    if (number && (strcmp(unit, "ms") == 0 || strcmp(unit, "s") == 0) && settings->crossfade >= 0 &&
        settings->crossfade <= 3600)
        return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "expected a time such as 20ms or 1.5s, found '%.80s'", value);
}

HaloStatus cli_read_jobs(CliSettings *settings, const char *value)
{
    int64_t jobs = 0;
    const HaloStatus status = read_count(value, 4096, &jobs);
    settings->engine.jobs = (int)jobs;
    return status;
}

HaloStatus cli_read_quality(CliSettings *settings, const char *value)
{
    int64_t quality = 0;
    const HaloStatus status = read_count(value, 100, &quality);
    settings->write.quality = (int)quality;
    return status;
}

HaloStatus cli_read_subsampling(CliSettings *settings, const char *value)
{
    static const int ways[] = {444, 422, 420};
    int way = 0;
    const HaloStatus status = halo_read_choice(value, "444|422|420", &way);
    if (status == HALO_OK) settings->write.subsampling = ways[way];
    return status;
}

HaloStatus cli_read_png_level(CliSettings *settings, const char *value)
{
    if (!halo_is_digit(value[0]) || value[1] != 0)
        return halo_fail(HALO_ERR_USAGE, "expected a level from 0 to 9, found '%.80s'", value);
    settings->write.png_level = value[0] == '0' ? HALO_PNG_STORED : value[0] - '0';
    return HALO_OK;
}

HaloStatus cli_read_tile(CliSettings *settings, const char *value)
{
    int64_t tile;
    if (!halo_read_count(value, 8192, &tile, NULL) || tile == 0 || tile % 16 != 0)
        return halo_fail(HALO_ERR_USAGE, "expected a multiple of 16 up to 8192, found '%.80s'", value);
    settings->write.tile = (int)tile;
    return HALO_OK;
}

HaloStatus cli_read_one_device(const char *value, HaloOptions *engine)
{
    int choice = HALO_DEVICE_GPU;
    if (strncmp(value, "gpu:", 4) == 0) {
        int64_t index;
        if (!halo_read_count(value + 4, 1023, &index, NULL))
            return halo_fail(HALO_ERR_USAGE, "expected gpu:N with a number N from 0, found '%.80s'", value);
        engine->gpu = (int)index;
    } else {
        const HaloStatus status = halo_read_choice(value, "auto|cpu|gpu|all", &choice);
        if (status != HALO_OK) return status;
        engine->gpu = 0;
    }
    engine->device = (HaloDeviceChoice)choice;
    return HALO_OK;
}

/* The first of several stays; cli_bench_ops() goes through them all. */
HaloStatus cli_read_device(CliSettings *settings, const char *value)
{
    HaloStatus status = HALO_OK;
    HaloOptions engine = settings->engine;
    char text[HALO_WORD_SIZE];
    settings->bench.devices = strchr(value, ',') != NULL ? value : NULL;
    for (int i = 0; status == HALO_OK && halo_word(value, ',', i, text) != NULL; i++)
        status = cli_read_one_device(text, i == 0 ? &settings->engine : &engine);
    return status;
}

HaloStatus cli_read_precision(CliSettings *settings, const char *value)
{
    int choice = 0;
    const HaloStatus status = halo_read_choice(value, "exact|fast|single", &choice);
    settings->engine.precision = (HaloPrecision)choice;
    return status;
}

HaloStatus cli_read_alpha(CliSettings *settings, const char *value)
{
    int choice = 0;
    const HaloStatus status = halo_read_choice(value, "premul|straight|ignore", &choice);
    settings->engine.alpha = (HaloAlpha)choice;
    return status;
}

HaloStatus cli_read_progress(CliSettings *settings, const char *value)
{
    int choice = 0;
    const HaloStatus status = halo_read_choice(value, "auto|never|json", &choice);
    settings->progress = (CliProgress)choice;
    return status;
}

static HaloStatus add_word(CliWords *words, const char *value)
{
    words->word = cli_grow(words->word, words->count, &words->capacity, sizeof *words->word);
    words->word[words->count++] = value;
    return HALO_OK;
}

HaloStatus cli_read_include(CliSettings *settings, const char *value)
{
    return add_word(&settings->include, value);
}

HaloStatus cli_read_exclude(CliSettings *settings, const char *value)
{
    return add_word(&settings->exclude, value);
}

static const char *format_at(int i, const void *list) { return ((const HaloTables *)list)->format[i]->name; }

HaloStatus cli_read_format(CliSettings *settings, const char *value)
{
    const HaloTables *tables = halo_tables();
    settings->to = halo_find_format(value);
    settings->to_word = value;
    if (settings->to == NULL) {
        const char *near = halo_nearest(value, tables->formats, format_at, tables);
        if (near != NULL)
            return halo_fail(HALO_ERR_USAGE, "unknown format '%.80s'; did you mean '%s'?", value, near);
        return halo_fail(HALO_ERR_USAGE, "unknown format '%.80s'; see 'halo list formats'", value);
    }
    if (settings->to->dtypes == 0)
        return halo_fail(HALO_ERR_USAGE, "%s can be read but not written", settings->to->name);
    return HALO_OK;
}

/* "f32:640x480x1": channels may be left out where there is one. */
static bool read_raw_image(const char *text, HaloShape *raw)
{
    int64_t channels = 1;
    if (!halo_read_count(text, INT32_MAX, &raw->width, &text) || *text++ != 'x') return false;
    if (!halo_read_count(text, INT32_MAX, &raw->height, &text)) return false;
    if (*text == 'x' && !halo_read_count(text + 1, 1024, &channels, &text)) return false;
    raw->kind = HALO_IMAGE;
    raw->channels = (int)channels;
    return *text == 0 && raw->width > 0 && raw->height > 0 && channels > 0;
}

/* "f32,44100,2" */
static bool read_raw_audio(const char *text, HaloShape *raw)
{
    int64_t rate, channels;
    if (!halo_read_count(text, INT32_MAX, &rate, &text) || *text++ != ',') return false;
    if (!halo_read_count(text, 1024, &channels, NULL)) return false;
    *raw = (HaloShape){.kind = HALO_AUDIO,
                       .dtype = raw->dtype,
                       .width = -1,
                       .height = 1,
                       .channels = (int)channels,
                       .alpha = raw->alpha,
                       .white = raw->white,
                       .rate = (double)rate};
    return rate > 0 && channels > 0;
}

HaloStatus cli_read_raw(CliSettings *settings, const char *value)
{
    if (halo_find_word("csv|tsv", '|', value) >= 0) { /* a table; its columns tell the rest */
        settings->raw = (HaloShape){0};
        settings->engine.read_as = "csv";
        return HALO_OK;
    }
    settings->engine.read_as = NULL;
    static const struct {
        const char *name;
        int bits;
    } sound[] = {
        {"s16", 16}, {"s24", 24}, {"s32", 32}, {"f64", HALO_RAW_F64}}; /* only sound; f32 from there on */
    const size_t end = strcspn(value, ":,"),
                 word = end > 2 && memcmp(value + end - 2, "le", 2) == 0 ? end - 2 : end;
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        HaloShape raw = {.dtype = HALO_F32, .alpha = -1, .white = 1.0f};
        if (word != strlen(sound[i].name) || memcmp(value, sound[i].name, word) != 0 || value[end] != ',')
            continue;
        if (!read_raw_audio(value + end + 1, &raw)) break;
        settings->raw = raw;
        settings->engine.raw_bits = sound[i].bits;
        return HALO_OK;
    }
    for (HaloDtype dtype = HALO_U8; dtype <= HALO_F32; dtype++) {
        const char *name = halo_dtype_name(dtype);
        HaloShape raw = {.dtype = dtype, .alpha = -1};
        int64_t bytes;
        if (strlen(name) != word || memcmp(name, value, word) != 0) continue;
        const char *rest = value + end;
        if (*rest == ':' ? !read_raw_image(rest + 1, &raw) : *rest != ',' || !read_raw_audio(rest + 1, &raw))
            break;
        if (raw.kind == HALO_IMAGE && halo_shape_bytes(&raw, &bytes) != HALO_OK) return HALO_ERR_USAGE;
        settings->raw = raw;
        settings->engine.raw_bits = 0;
        return HALO_OK;
    }
    return halo_fail(
        HALO_ERR_USAGE,
        "expected DTYPE:WxHxC, such as u8:640x480x3, or DTYPE,RATE,CHANNELS, such as f32,44100,2, with "
        "u8, u16 or f32, for sound also s16, s24, s32 or f64; found '%.80s'",
        value);
}

HaloStatus cli_read_axes(CliSettings *settings, const char *value)
{
    HaloAxes axes;
    settings->engine.axes = value;
    return halo_read_axes(value, &axes);
}

HaloStatus cli_read_rate(CliSettings *settings, const char *value)
{
    double rate;
    if (!halo_read_number(value, &rate, NULL) || !(rate > 0) || isinf(rate))
        return halo_fail(HALO_ERR_USAGE, "expected frames per second, such as 100 or 0.5, found '%.80s'",
                         value);
    settings->engine.rate = rate;
    return HALO_OK;
}

HaloStatus cli_read_white(CliSettings *settings, const char *value)
{
    double white;
    if (!halo_read_number(value, &white, NULL) || !(white > 0) || !(white <= 1e30))
        return halo_fail(HALO_ERR_USAGE, "expected the value of full scale, such as 65535 or 1, found '%.80s'",
                         value);
    settings->engine.white = white;
    return HALO_OK;
}

HaloStatus cli_read_size(CliSettings *settings, const char *value)
{
    const char *end;
    if (halo_read_count(value, INT32_MAX, &settings->bench.width, &end) && *end == 'x' &&
        halo_read_count(end + 1, INT32_MAX, &settings->bench.height, NULL) && settings->bench.width > 0 &&
        settings->bench.height > 0)
        return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "expected a size such as 4096x4096, found '%.80s'", value);
}

HaloStatus cli_read_channels(CliSettings *settings, const char *value)
{
    return read_count(value, 1024, &settings->bench.channels);
}

HaloStatus cli_read_runs(CliSettings *settings, const char *value)
{
    return read_count(value, 101, &settings->bench.runs);
}

HaloStatus cli_read_content(CliSettings *settings, const char *value)
{
    return halo_read_choice(value, "random|constant|smooth", &settings->bench.content); /* as HaloContent */
}

HaloStatus cli_read_dtype(CliSettings *settings, const char *value)
{
    return halo_read_choice(value, "u8|u16|f32", &settings->bench.dtype); /* in the order of HaloDtype */
}
