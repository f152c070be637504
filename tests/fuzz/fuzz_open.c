/* Arbitrary bytes as an input of `halo info` and `halo run`: recognised or not, opened, read, followed by
 * another image or not, and closed. */
#include <stdlib.h>
#include <string.h>

#include "file/file.h"

enum { MAX_PIXELS = 1 << 14, MAX_BYTES = 1 << 20, MOST_IMAGES = 4 };

static void read_all(HaloSession *session, HaloSource *source)
{
    HaloReader reader = {0};
    bool more = true;
    HaloStatus status = load_open(session, source, NULL, &reader);
    for (int image = 0; status == HALO_OK && more && image < MOST_IMAGES; image++) {
        HaloBuf data;
        if (reader.format == NULL || reader.format->open == NULL) abort();
        status = load_samples(&reader, &data);
        halo_buf_free(&data);
        if (status == HALO_OK) status = load_more(session->tables, &reader, &more, &reader.info.notes);
        if (status == HALO_OK && more) status = load_next(session->tables, &reader);
    }
    if (status != HALO_OK && status != HALO_ERR_INPUT && status != HALO_ERR_LIMIT) abort();
    if (status != HALO_OK && strncmp(halo_error(), "memory", 6) != 0) abort(); /* the name of such a source */
    /* There is enough memory: this message would be a misread error of a library. */
    if (status == HALO_ERR_LIMIT && strstr(halo_error(), "not enough memory for TIFF") != NULL) abort();
    load_close(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    for (int tolerate = 0; tolerate < 2; tolerate++) {
        const HaloOptions options = {.max_pixels = MAX_PIXELS,
                                     .max_memory = MAX_BYTES,
                                     .jobs = 1,
                                     .device = HALO_DEVICE_CPU,
                                     .tolerate = tolerate};
        HaloSession *session = NULL;
        HaloSource *source = NULL;
        if (halo_session_open_with(halo_tables(), &options, &session) == HALO_OK &&
            halo_source_from_memory(bytes, size, &source) == HALO_OK)
            read_all(session, source);
        halo_source_close(source);
        halo_session_close(session);
    }
    return 0;
}
