/* Reading files: their format, header and samples. */
#include <string.h>

#include "file.h"
#include "halo/axes.h"
#include "halo/front_end.h"

const HaloFormat *halo_find_format_in(const HaloTables *tables, const char *name)
{
    for (int i = 0; i < tables->formats; i++)
        if (strcmp(tables->format[i]->name, name) == 0) return tables->format[i];
    for (int i = 0; i < tables->formats; i++)
        if (halo_find_word(tables->format[i]->extensions, ',', name) >= 0) return tables->format[i];
    return NULL;
}

/* The most bytes that a probe looks at. Sound that is still being recorded may take seconds to give more. */
#define PROBE_BYTES 64
/* Some formats show later what they are, such as compressed ones. */
#define LATE_PROBE_BYTES 4096

const HaloFormat *load_format_named(const HaloTables *tables, const char *path, char extension[HALO_WORD_SIZE])
{
    return *halo_lower_extension(path, extension) != 0 ? halo_find_format_in(tables, extension) : NULL;
}

const HaloFormat *load_probed(const HaloTables *tables, const uint8_t *head, size_t size)
{
    for (int i = 0; i < tables->formats; i++)
        if (tables->format[i]->probe != NULL && tables->format[i]->probe(head, size)) return tables->format[i];
    return NULL;
}

static HaloStatus fail_foreign(const HaloForeign *foreign)
{
    if (foreign->library != NULL)
        return halo_fail(HALO_ERR_INPUT, "this build of halo has no %s (%s)", foreign->name, foreign->library);
    if (foreign->way_out != NULL)
        return halo_fail(HALO_ERR_INPUT, "%s is not a format that halo reads: convert it first: %s",
                         foreign->name, foreign->way_out);
    return halo_fail(HALO_ERR_INPUT, "%s is not a format that halo reads; see 'halo list formats'",
                     foreign->name);
}

/* Printable characters, or bytes of UTF-8, with a separator of cells. */
static bool is_text(const uint8_t *head, size_t size)
{
    bool separated = false;
    for (size_t i = 0; i < size; i++) {
        if ((head[i] < ' ' && head[i] != '\n' && head[i] != '\r' && head[i] != '\t') || head[i] == 127)
            return false;
        separated = separated || head[i] == ',' || head[i] == ';' || head[i] == '\t' || head[i] == '\n';
    }
    return separated;
}

/* The format whose probe recognises the start of the file, which may be one that is only written. If none does,
 * the extension may still name one of those. */
static HaloStatus recognise(const HaloTables *tables, HaloSource *source, const HaloFormat **format)
{
    const uint8_t *head;
    size_t got;
    char extension[HALO_WORD_SIZE];
    HaloStatus status = halo_source_peek(source, PROBE_BYTES, &head, &got);
    if (status != HALO_OK) return status;
    *format = load_probed(tables, head, got);
    if (*format != NULL) return HALO_OK;
    status = halo_source_peek(source, LATE_PROBE_BYTES, &head, &got);
    if (status != HALO_OK) return status;
    *format = load_probed(tables, head, got);
    if (*format != NULL) return HALO_OK;
    if (got == 0) return halo_fail(HALO_ERR_INPUT, "is empty");
    const HaloForeign *foreign = tables->foreign != NULL ? tables->foreign(head, got) : NULL;
    if (foreign != NULL) return fail_foreign(foreign);
    const HaloFormat *named = load_format_named(tables, halo_source_name(source), extension);
    if (named != NULL && (named->open == NULL || named->named)) {
        *format = named;
        return HALO_OK;
    }
    foreign = named == NULL && tables->foreign_named != NULL ? tables->foreign_named(extension) : NULL;
    if (foreign != NULL) return fail_foreign(foreign);
    if (is_text(head, got))
        return halo_fail(HALO_ERR_INPUT,
                         "no known image or audio format, but text; see 'halo list formats'" HALO_FOR_PROGRAM(
                             "; use --raw csv for a table, or a name in .csv"));
    return halo_fail(HALO_ERR_INPUT, "no known image or audio format; see 'halo list formats'" HALO_FOR_PROGRAM(
                                         "; use --raw for samples without a header"));
}

/* Where the last channel may be one that --axes calls alpha: not of gray, and not of RGB. */
static HaloStatus name_alpha(const HaloReadOptions *options, HaloShape *shape)
{
    HaloAxes axes;
    if (options->axes == NULL || shape->kind != HALO_IMAGE) return HALO_OK;
    const HaloStatus status = halo_read_axes(options->axes, &axes);
    if (status == HALO_OK && axes.alpha && shape->alpha < 0 && shape->channels != 1 && shape->channels != 3)
        shape->alpha = shape->channels - 1;
    return status;
}

/* Validates the header; --white gives the numbers of an image a full scale, and --axes names its alpha.
 */
static HaloStatus accept(HaloReader *reader)
{
    HaloShape *shape = &reader->info.shape;
    const HaloStatus status = name_alpha(&reader->options, shape);
    if (status != HALO_OK) return status;
    if (shape->kind == HALO_IMAGE && shape->numbers && reader->options.white > 0) {
        shape->numbers = false;
        shape->white = (float)reader->options.white;
    }
    return load_check(reader);
}

/* The only place that sets the reader's format: a reader that has one has to be closed. */
static HaloStatus open_as(HaloReader *reader, const HaloFormat *format)
{
    if (format->open == NULL)
        return halo_fail(HALO_ERR_INPUT, "%s can be written but not read; see 'halo list formats'",
                         format->name);
    reader->format = format;
    const HaloStatus status = format->open(reader);
    return status == HALO_OK ? accept(reader) : status;
}

uint64_t load_profile(const HaloBlob *icc)
{
    const HaloMeta meta = {.icc = *icc};
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    if (icc->size == 0) return 0;
    if ((halo_meta_colours(&meta) & HALO_META_ICC) == 0) return 1;
    for (size_t i = 0; i < icc->size; i++) hash = (hash ^ icc->data[i]) * 0x100000001b3;
    return hash > 1 ? hash : 2;
}

HaloStatus load_named(HaloStatus status, const HaloReader *reader)
{
    if (status == HALO_OK) return HALO_OK;
    if (reader->options.image > 0) halo_fail_at(status, "page %lld", (long long)reader->options.image + 1);
    return halo_fail_about(status, halo_source_name(reader->source));
}

/* Notes that a file read by --raw looks like one with a header, since its samples would be noise. */
static HaloStatus note_header(const HaloTables *tables, HaloReader *reader)
{
    const uint8_t *head;
    size_t got;
    const HaloStatus status = halo_source_peek(reader->source, PROBE_BYTES, &head, &got);
    if (status != HALO_OK) return status;
    const HaloFormat *format = load_probed(tables, head, got);
    if (format == NULL) return HALO_OK;
    halo_note(&reader->info.notes, HALO_NOTE_LOOKS_LIKE, 1);
    reader->info.notes.format = format->name;
    return HALO_OK;
}

HaloStatus load_open(HaloSession *session, HaloSource *source, const HaloShape *raw, HaloReader *reader)
{
    return load_open_at(session, source, raw, 0, reader);
}

bool load_computes_wide(const HaloSession *session, const HaloInfo *info)
{
    return info->shape.kind == HALO_AUDIO && (info->real || info->shape.numbers) &&
           session->options.precision != HALO_PRECISION_SINGLE;
}

void load_narrow(HaloReader *reader)
{
    if (reader->info.shape.dtype != HALO_F64) return;
    reader->info.shape.dtype = HALO_F32;
    if (reader->format->text) return; /* which is noted number by number */
    halo_note(&reader->info.notes, HALO_NOTE_THROUGH_F32, (uint64_t)reader->info.bits);
}

static HaloStatus open_file(HaloSession *session, HaloSource *source, const HaloShape *raw, int64_t page,
                            bool wide, HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    const HaloFormat *format = NULL;
    *reader = (HaloReader){.source = source,
                           .jobs = session->options.jobs,
                           .memory = &session->memory,
                           .options = {.image = page,
                                       .wide = wide,
                                       .tolerate = session->options.tolerate,
                                       .max_pixels = session->options.max_pixels,
                                       .rate = session->options.rate,
                                       .columns = session->options.columns,
                                       .time = session->options.time,
                                       .time_format = session->options.time_format,
                                       .comma = session->options.comma,
                                       .axes = session->options.axes,
                                       .white = session->options.white}};
    if (raw != NULL) {
        reader->options.has_raw = true;
        reader->options.raw = *raw;
        reader->options.raw_bits = raw->kind == HALO_AUDIO ? session->options.raw_bits : 0;
        reader->options.raw_big = session->options.raw_big;
        format = halo_find_format_in(session->tables, "raw");
        if (format == NULL) return halo_fail(HALO_ERR_USAGE, "this build cannot read raw samples");
        HALO_TRY(note_header(session->tables, reader));
    } else if (session->options.read_as != NULL) {
        format = halo_find_format_in(session->tables, session->options.read_as);
        if (format == NULL)
            HALO_FAIL(HALO_ERR_USAGE, "this build cannot read '%.40s'", session->options.read_as);
    } else {
        HALO_TRY(recognise(session->tables, source, &format));
    }
    HALO_TRY(open_as(reader, format));
out:
    return load_named(status, reader);
}

HaloStatus load_open_at(HaloSession *session, HaloSource *source, const HaloShape *raw, int64_t page,
                        HaloReader *reader)
{
    return open_file(session, source, raw, page, false, reader);
}

HaloStatus load_open_wide(HaloSession *session, HaloSource *source, const HaloShape *raw, HaloReader *reader)
{
    return open_file(session, source, raw, 0, true, reader);
}

HaloStatus load_open_as(HaloSource *source, const HaloFormat *format, const HaloReadOptions *options, int jobs,
                        HaloMemory *memory, HaloReader *reader)
{
    *reader = (HaloReader){.source = source, .options = *options, .jobs = jobs, .memory = memory};
    return load_named(open_as(reader, format), reader);
}

HaloStatus load_open_page(const HaloTables *tables, HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    const HaloFormat *format = reader->format;
    reader->format = NULL;
    if (!reader->options.has_raw) HALO_TRY(recognise(tables, reader->source, &format));
    HALO_TRY(open_as(reader, format));
out:
    return status;
}

HaloStatus load_open_next(HaloReader *reader)
{
    const HaloStatus status = reader->format->next(reader);
    return status == HALO_OK ? accept(reader) : status;
}

void load_close(HaloReader *reader)
{
    if (reader->format != NULL) reader->format->close(reader);
    reader->format = NULL;
    halo_meta_free(&reader->info.meta);
}

#define FIRST_BYTES ((int64_t)8 << 20)

int64_t file_first_rows(const HaloBuf *all)
{
    const int64_t length = file_length(&all->shape), bytes = halo_row_bytes(all) * all->rows / length;
    return smaller(larger(FIRST_BYTES / larger(bytes, 1), 1), length);
}

HaloBuf file_rows(const HaloBuf *all, int64_t at, int64_t count)
{
    const bool sound = all->shape.kind == HALO_AUDIO;
    HaloBuf rows = *all;
    count = smaller(count, file_length(&all->shape) - at);
    if (sound)
        rows.x0 = at, rows.cols = count;
    else
        rows.y0 = at, rows.rows = count;
    rows.data = halo_at(all, rows.x0, rows.y0);
    return rows;
}

static HaloStatus read_in_pieces(HaloReader *reader, Device *device, HaloBuf *data)
{
    HaloStatus status = HALO_OK;
    const int64_t length = file_length(&data->shape);
    int64_t got = 0, count = file_first_rows(data);
    for (int64_t at = 0; at < length;) {
        if (progress_is_due(device)) HALO_TRY(progress_tell(device, (double)at / (double)length));
        const double began = now_ms();
        HaloBuf rows = file_rows(data, at, count);
        HALO_TRY(reader->format->read(reader, &rows, &got));
        at += count;
        count = progress_next(count, began);
    }
out:
    return status;
}

HaloStatus load_samples_told(HaloReader *reader, Device *device, HaloBuf *data)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &reader->info.shape;
    int64_t got = 0;
    *data = (HaloBuf){0};
    if (shape->width < 0) {
        HALO_TRY(load_open_ended(reader, device, data));
    } else {
        HALO_TRY(halo_memory_alloc(reader->memory, data, shape));
        HALO_TRY(progress_wanted(device) ? read_in_pieces(reader, device, data)
                                         : reader->format->read(reader, data, &got));
    }
out:
    if (status != HALO_OK) halo_memory_free(reader->memory, data);
    return status == HALO_ERR_CANCELLED ? status : load_named(status, reader);
}

HaloStatus load_samples(HaloReader *reader, HaloBuf *data) { return load_samples_told(reader, NULL, data); }

HaloStatus load_rows(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    return load_named(reader->format->read(reader, rows, got), reader);
}

/* A format that cannot skip rows reads them, a few at a time; of sound, a few frames. */
#define SKIPPED_BYTES 65536

static HaloStatus read_in_vain(HaloReader *reader, int64_t rows)
{
    HaloStatus status = HALO_OK;
    HaloShape shape = reader->info.shape;
    HaloBuf buffer = {0};
    int64_t *const length = shape.kind == HALO_AUDIO ? &shape.width : &shape.height;
    int64_t *const count = shape.kind == HALO_AUDIO ? &buffer.cols : &buffer.rows;
    int64_t bytes, got = 1;
    *length = 1;
    HALO_TRY(halo_shape_bytes(&shape, &bytes));
    *length = smaller(rows, larger(1, SKIPPED_BYTES / bytes));
    HALO_TRY(halo_memory_alloc(reader->memory, &buffer, &shape));
    for (; rows > 0 && got > 0; rows -= *count) {
        *count = smaller(rows, *length);
        HALO_TRY(reader->format->read(reader, &buffer, &got));
    }
out:
    halo_memory_free(reader->memory, &buffer);
    return status;
}

HaloStatus load_seek(HaloReader *reader, int64_t frame, bool *gone)
{
    *gone = false;
    if (reader->format->seek == NULL || reader->info.shape.kind != HALO_AUDIO) return HALO_OK;
    return load_named(reader->format->seek(reader, frame, gone), reader);
}

HaloStatus load_skip(HaloReader *reader, int64_t rows)
{
    HaloStatus status = HALO_OK;
    int64_t skipped = 0;
    if (reader->format->skip != NULL) HALO_TRY(reader->format->skip(reader, rows, &skipped));
    if (skipped < rows) HALO_TRY(read_in_vain(reader, rows - skipped));
out:
    return load_named(status, reader);
}

HaloStatus halo_file_info(HaloSession *session, const char *path, const HaloShape *raw, HaloInfo *info,
                          const HaloFormat **format)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = NULL;
    HaloReader reader = {0};
    *info = (HaloInfo){0};
    atomic_store(&session->memory.held, 0);
    HALO_TRY(halo_source_open(path, &source));
    halo_source_count(source, &session->memory);
    HALO_TRY(load_open_wide(session, source, raw, &reader));
    if (!load_computes_wide(session, &reader.info)) load_narrow(&reader);
    if (format != NULL) *format = reader.format;
    *info = reader.info;
    reader.info.meta = (HaloMeta){0}; /* the caller's now */
out:
    load_close(&reader);
    halo_source_close(source);
    return status;
}

HaloStatus halo_load_buf(HaloSession *session, const char *path, HaloInfo *info, HaloBuf *data)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = NULL;
    HaloReader reader = {0};
    *info = (HaloInfo){0};
    *data = (HaloBuf){0};
    atomic_store(&session->memory.held, 0);
    HALO_TRY(halo_source_open(path, &source));
    halo_source_count(source, &session->memory);
    HALO_TRY(load_open(session, source, NULL, &reader));
    HALO_TRY(load_samples(&reader, data));
    *info = reader.info;
    reader.info.meta = (HaloMeta){0};
out:
    atomic_store(&session->memory.held, 0); /* the samples are the caller's now */
    load_close(&reader);
    halo_source_close(source);
    return status;
}
