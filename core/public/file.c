/* Files as programs name them: paths, memory and functions. */
#include <stdlib.h>
#include <string.h>

#include "halo/struct.h"
#include "public.h"

#define FIRST_BYTES ((size_t)65536)

/* All that the function gives. */
static HaloStatus read_all(PublicFile *file)
{
    size_t capacity = 0, size = 0;
    unsigned char *bytes = NULL;
    for (;;) {
        if (size == capacity) {
            capacity = 2 * capacity + FIRST_BYTES;
            unsigned char *more = realloc(bytes, capacity);
            if (more == NULL) free(bytes);
            if (more == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for the input");
            bytes = more;
        }
        file->own = bytes;
        const int64_t n = file->file.read(file->file.context, bytes + size, capacity - size);
        if (n < 0 || (uint64_t)n > capacity - size)
            return halo_fail(HALO_ERR_INPUT, "the function that reads the input failed");
        if (n == 0) break;
        size += (size_t)n;
    }
    file->file.bytes = bytes;
    file->file.size = size;
    return HALO_OK;
}

static HaloStatus begin(const HaloSession *session, const HaloFile *given, const char *name, PublicFile *file)
{
    HaloStatus status = HALO_OK;
    *file = (PublicFile){0};
    if (given == NULL) return halo_fail(HALO_ERR_USAGE, "%s is NULL", name);
    HALO_TRY(halo_struct_read(&file->file, sizeof file->file, given, given->struct_size, name, "HALO_FILE"));
    file->name = file->file.path != NULL ? file->file.path : "memory";
    if (file->file.format == NULL) return HALO_OK;
    file->format = halo_find_format_in(session->tables, file->file.format);
    if (file->format == NULL)
        HALO_FAIL(HALO_ERR_USAGE, "'%.60s' is not a format; see 'halo list formats'", file->file.format);
out:
    return status;
}

HaloStatus public_input(const HaloSession *session, const HaloFile *given, PublicFile *file)
{
    const HaloStatus status = begin(session, given, "the input", file);
    if (status != HALO_OK) return status;
    const HaloFile *f = &file->file;
    if ((f->path != NULL) + (f->bytes != NULL) + (f->read != NULL) != 1)
        return halo_fail(HALO_ERR_USAGE, "the input needs one of path, bytes and read");
    return f->read != NULL ? read_all(file) : HALO_OK;
}

HaloStatus public_output(const HaloSession *session, const HaloFile *given, PublicFile *file)
{
    const HaloStatus status = begin(session, given, "the output", file);
    if (status != HALO_OK) return status;
    const HaloFile *f = &file->file;
    if ((f->path != NULL) + (f->write != NULL) != 1)
        return halo_fail(HALO_ERR_USAGE, "the output needs one of path and write");
    if (f->quality < 0 || f->quality > 100)
        return halo_fail(HALO_ERR_USAGE, "quality is %d: expected 1 to 100, or 0 for the format's own",
                         f->quality);
    if (f->level < HALO_PNG_STORED || f->level > 9)
        return halo_fail(HALO_ERR_USAGE, "level is %d: expected 0 to 9, or -1 for PNG that is stored",
                         f->level);
    if (f->effort < 0 || f->effort > 9)
        return halo_fail(HALO_ERR_USAGE, "effort is %d: expected 1 to 9, or 0 for the format's own", f->effort);
    if (f->bits != 0 && f->bits != 1 && f->bits != 8 && f->bits != 16 && f->bits != 24 && f->bits != 32)
        return halo_fail(HALO_ERR_USAGE, "bits is %d: expected 1, 8, 16, 24 or 32", f->bits);
    return HALO_OK;
}

void public_file_close(PublicFile *file) { free(file->own); }

HaloStatus public_borrow(HaloSession *session, const PublicFile *input, HaloSession **work)
{
    const HaloStatus status = session_borrow(session, HALO_HOST, work);
    if (status == HALO_OK && input->format != NULL) (*work)->options.read_as = input->format->name;
    return status;
}

void public_return(HaloSession *session, HaloSession *work)
{
    if (work != NULL) work->options.read_as = session->spares.given.read_as;
    session_return(session, work);
}

HaloStatus public_open(const PublicFile *file, HaloSource **source)
{
    if (file->file.bytes != NULL) return halo_source_from_memory(file->file.bytes, file->file.size, source);
    return halo_source_open(file->file.path, source);
}

HaloWriteOptions public_write_options(const PublicFile *file)
{
    const HaloFile *f = &file->file;
    return (HaloWriteOptions){.quality = f->quality,
                              .png_level = f->level,
                              .bits = f->bits,
                              .floats = f->floats,
                              .strip = f->strip,
                              .lossless = f->lossless,
                              .effort = f->effort};
}

int64_t halo_bytes_write(void *bytes, const void *data, size_t size)
{
    HaloBytes *to = bytes;
    if (to == NULL || (data == NULL && size > 0) || size > SIZE_MAX / 2 - to->size) return -1;
    if (size == 0) return 0;
    if (size > to->capacity - to->size) {
        const size_t capacity = to->size + size > 2 * to->capacity ? to->size + size : 2 * to->capacity;
        void *more = realloc(to->data, capacity);
        if (more == NULL) return -1;
        to->data = more;
        to->capacity = capacity;
    }
    memcpy((char *)to->data + to->size, data, size);
    to->size += size;
    return (int64_t)size;
}

void halo_free(void *memory) { free(memory); }
