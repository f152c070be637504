/* The values of options. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/axes.h"
#include "halo/time.h"
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

HaloStatus cli_read_ppd(CliSettings *settings, const char *value)
{
    const char *end;
    if (halo_read_number(value, &settings->ppd, &end) && *end == 0 && settings->ppd >= 1.0 &&
        settings->ppd <= 1000.0)
        return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "expected a number from 1 to 1000, found '%.80s'", value);
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
    static const int bits[] = {1, 8, 16, 24, 32, 32};
    int which = 0;
    /* As NumPy and ffmpeg write them: f32, pcm_f32le, s16, u8. */
    static const char *const elsewhere[] = {"8", "16", "24", "32"};
    const bool floats = strstr(value, "f32") != NULL || strstr(value, "32f") != NULL || strcmp(value, "f") == 0;
    HaloStatus status = halo_read_choice(value, "1|8|16|24|32|float", &which);
    for (int i = 0; i < 4 && status != HALO_OK; i++)
        if (floats || strstr(value, elsewhere[i]) != NULL)
            return halo_fail(status, "'%.80s' is not one of 1, 8, 16, 24, 32, float; did you mean '%s'?", value,
                             floats ? "float" : elsewhere[i]);
    settings->write.bits = bits[which];
    settings->write.floats = which == 5;
    return status;
}

HaloStatus cli_read_crossfade(CliSettings *settings, const char *value)
{
    HaloTimeUnit unit;
    const char *end = halo_read_time(value, &settings->crossfade, &unit);
    if (end != NULL && *end == 0 && unit != HALO_TIME_FRAMES && settings->crossfade >= 0 &&
        settings->crossfade <= 3600)
        return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "expected a time such as 20ms or 1.5s, found '%.80s'", value);
}

HaloStatus cli_read_curve(CliSettings *settings, const char *value)
{
    return halo_read_choice(value, "linear|power|cosine", &settings->curve);
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

HaloStatus cli_read_effort(CliSettings *settings, const char *value)
{
    int64_t effort = 0;
    const HaloStatus status = read_count(value, 9, &effort);
    settings->write.effort = (int)effort;
    return status;
}

/* "128k", "128": kilobits per second. */
HaloStatus cli_read_bitrate(CliSettings *settings, const char *value)
{
    const char *unit;
    int64_t rate;
    if (!halo_read_count(value, 4096, &rate, &unit) || rate < 1 ||
        (*unit != 0 && strcmp(unit, "k") != 0 && strcmp(unit, "kbps") != 0))
        return halo_fail(HALO_ERR_USAGE, "expected kilobits per second, such as 128k, found '%.80s'", value);
    settings->write.bitrate = (int)rate;
    return HALO_OK;
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

/* Longer ones are no format's name. */
static const char *lower_case(const char *word, char lower[HALO_WORD_SIZE])
{
    const size_t length = strlen(word);
    for (size_t i = 0; i <= length && length < HALO_WORD_SIZE; i++)
        lower[i] = (char)(word[i] >= 'A' && word[i] <= 'Z' ? word[i] - 'A' + 'a' : word[i]);
    return length < HALO_WORD_SIZE ? lower : word;
}

HaloStatus cli_read_format(CliSettings *settings, const char *value)
{
    const HaloTables *tables = halo_tables();
    char lower[HALO_WORD_SIZE];
    settings->to = halo_find_format(lower_case(value, lower));
    settings->to_word = value;
    if (settings->to == NULL) {
        const HaloForeign *foreign = tables->foreign_named(value);
        if (foreign != NULL && foreign->library != NULL)
            return halo_fail(HALO_ERR_USAGE, "this build of halo has no %s (%s)", foreign->name,
                             foreign->library);
        const char *near = halo_nearest(value, tables->formats, format_at, tables);
        if (foreign != NULL)
            return halo_fail(HALO_ERR_USAGE, "%s is not a format that halo writes; see 'halo list formats'",
                             foreign->name);
        if (near != NULL)
            return halo_fail(HALO_ERR_USAGE, "unknown format '%.80s'; did you mean '%s'?", value, near);
        return halo_fail(HALO_ERR_USAGE, "unknown format '%.80s'; see 'halo list formats'", value);
    }
    if (settings->to->dtypes == 0)
        return halo_fail(HALO_ERR_USAGE, "%s can be read but not written", settings->to->name);
    return HALO_OK;
}

HaloStatus cli_read_axes(CliSettings *settings, const char *value)
{
    HaloAxes axes;
    settings->engine.axes = value;
    return halo_read_axes(value, &axes);
}

HaloStatus cli_read_decimal(CliSettings *settings, const char *value)
{
    int choice;
    const HaloStatus status = halo_read_choice(value, ".|,", &choice);
    settings->engine.comma = choice == 1;
    return status;
}

HaloStatus cli_read_time_format(CliSettings *settings, const char *value)
{
    HaloNotation notation;
    settings->engine.time_format = value;
    return halo_time_format(value, &notation);
}

HaloStatus cli_read_rate(CliSettings *settings, const char *value)
{
    double rate;
    const char *end;
    if (!cli_read_hertz(value, &rate, &end) || *end != 0 || !(rate > 0) || isinf(rate))
        return halo_fail(HALO_ERR_USAGE, "expected frames per second, such as 100, 0.5 or 48k, found '%.80s'",
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
    return halo_read_choice(value, "random|constant|smooth|blobs",
                            &settings->bench.content); /* as HaloContent */
}

HaloStatus cli_read_dtype(CliSettings *settings, const char *value)
{
    return halo_read_choice(value, "u8|u16|f32", &settings->bench.dtype); /* in the order of HaloDtype */
}
