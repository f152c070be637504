/* Any bytes as a table of numbers: either samples of a valid shape, which come back the same when they are
 * written as a table, or an error. The tables are opened by name, as `halo stats table.csv` opens them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "file/file.h"
#include "halo/extend.h"

enum { MAX_BYTES = 1 << 22 };

static const HaloFormat *const tables[] = {&halo_format_csv, &halo_format_tsv};
/* With, and without what an option says of columns and times. */
static const HaloOptions choices[] = {
    {0},
    {.columns = "1", .time = "none"},
    {.columns = "2-,1,b", .time = "1"},
    {.comma = true, .rate = 10},
    {.time_format = "%d/%m/%Y %I:%M:%S.%f %p"},
};
#define CHOICES (int)(sizeof choices / sizeof *choices)

typedef struct Table {
    HaloInfo info;
    HaloBuf data;
} Table;

static HaloSession *open_session(const HaloFormat *format, HaloOptions options, bool tolerate)
{
    HaloSession *session;
    options.max_memory = MAX_BYTES;
    options.jobs = 1;
    options.device = HALO_DEVICE_CPU;
    options.read_as = format->name;
    options.tolerate = tolerate;
    if (halo_session_open_with(halo_tables(), &options, &session) != HALO_OK) abort();
    return session;
}

/* HALO_OK: the caller frees the table. */
static HaloStatus read_table(HaloSession *session, const uint8_t *bytes, size_t size, Table *table)
{
    HaloSource *source;
    HaloReader reader = {0};
    *table = (Table){0};
    if (halo_source_from_memory(bytes, size, &source) != HALO_OK) abort();
    HaloStatus status = load_open(session, source, NULL, &reader);
    if (status == HALO_OK) {
        const HaloShape *shape = &reader.info.shape;
        if (shape->kind != HALO_AUDIO || shape->channels < 1 || !(shape->rate > 0) || !isfinite(shape->rate))
            abort();
        status = load_samples(&reader, &table->data);
    }
    if (status == HALO_OK) {
        if (table->data.cols < 1 || table->data.shape.channels < 1) abort();
        table->info = reader.info;
        table->info.shape = table->data.shape;
        reader.info.meta = (HaloMeta){0}; /* the table's now */
    }
    load_close(&reader);
    halo_source_close(source);
    return status;
}

static void table_free(Table *table)
{
    halo_buf_free(&table->data);
    halo_meta_free(&table->info.meta);
}

static Bytes write_table(const HaloFormat *format, const Table *table)
{
    const char *path = test_path("table");
    HaloWriter writer = {.format = format, .info = table->info, .jobs = 1};
    if (halo_sink_open(path, &(HaloSinkOptions){.force = HALO_FORCE_YES}, &writer.sink) != HALO_OK) abort();
    if (format->create(&writer) != HALO_OK || format->write(&writer, &table->data) != HALO_OK) abort();
    if (format->finish(&writer) != HALO_OK) abort();
    format->discard(&writer);
    if (halo_sink_commit(writer.sink) != HALO_OK) abort();
    return bytes_of_file(path);
}

/* Times come back as finely as they were written. */
static void expect_times(const HaloTimeline *a, const HaloTimeline *b, int64_t frames)
{
    if (a->name == NULL) return;
    if (b->name == NULL || a->column != b->column) abort();
    for (int64_t k = 0; k < frames; k++) {
        char one[HALO_TIME_SIZE], other[HALO_TIME_SIZE];
        halo_time_write(&a->notation, halo_time_at(a, NULL, k), one);
        halo_time_write(&a->notation, halo_time_at(b, NULL, k), other);
        if (strcmp(one, other) != 0) abort();
    }
}

/* Names, in one row of a table, that need no quotation marks and that nothing takes for numbers. */
static bool plain_names(const HaloMeta *meta)
{
    if (meta->texts != 1) return false;
    const char *name = meta->text[0].value;
    for (;; name++) {
        const size_t length = strcspn(name, ","), letters = strspn(name, "abcdefghijklmnopqrstuvwxyz");
        if (length == 0 || letters < length || strncmp(name, "na", 2) == 0 || strncmp(name, "inf", 3) == 0 ||
            strncmp(name, "null", 4) == 0)
            return false;
        name += length;
        if (*name == 0) break;
    }
    return true;
}

static void expect_same(const Table *a, const Table *b)
{
    const int64_t samples = a->data.cols * a->data.shape.channels;
    const float *one = a->data.data, *other = b->data.data;
    const HaloMeta *before = &a->info.meta, *after = &b->info.meta;
    if (a->data.cols != b->data.cols || a->data.shape.channels != b->data.shape.channels) abort();
    for (int64_t i = 0; i < samples; i++)
        if (one[i] != other[i] && !(isnan(one[i]) && isnan(other[i]))) abort();
    expect_times(&before->time, &after->time, a->data.cols);
    if (after->texts != 1) abort(); /* a written table always names its columns */
    if (plain_names(before) && strcmp(before->text[0].value, after->text[0].value) != 0) abort();
}

/* Only dates are recognised without the options that they were read with. */
static void through(const HaloFormat *format, Table *table, int choice)
{
    Table again;
    if (choice != 0) halo_timeline_free(&table->info.meta.time);
    const bool timed = table->info.meta.time.name != NULL;
    const HaloOptions options = {.comma = table->info.meta.comma, .time = timed ? NULL : "none"};
    HaloSession *session = open_session(format, options, false);
    const Bytes file = write_table(format, table);
    if (read_table(session, file.at, file.size, &again) != HALO_OK) abort();
    expect_same(table, &again);
    table_free(&again);
    free(file.at);
    halo_session_close(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    for (int way = 0; way < 4 * CHOICES; way++) {
        const HaloFormat *format = tables[way & 1];
        HaloSession *session = open_session(format, choices[way >> 2], (way & 2) != 0);
        Table table;
        const HaloStatus status = read_table(session, bytes, size, &table);
        if (status != HALO_OK && status != HALO_ERR_INPUT && status != HALO_ERR_LIMIT &&
            status != HALO_ERR_USAGE)
            abort();
        if (status != HALO_OK && halo_error()[0] == 0) abort();
        if (status == HALO_OK) through(format, &table, way >> 2);
        if (status == HALO_OK) table_free(&table);
        halo_session_close(session);
    }
    return 0;
}
