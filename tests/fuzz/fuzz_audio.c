/* Audio readers against arbitrary bytes: samples or an error, never a crash. */
#include <stdlib.h>

#include "halo/format.h"

#define HALO_FORMAT(id) extern const HaloFormat halo_format_##id;
#include "formats.def"
#undef HALO_FORMAT

static const HaloFormat *const formats[] = {
#define HALO_FORMAT(id) &halo_format_##id,
#include "formats.def"
#undef HALO_FORMAT
};

static void read_some(const HaloFormat *format, const uint8_t *bytes, size_t size, bool tolerate)
{
    static float samples[1 << 16];
    HaloSource *source;
    if (halo_source_from_memory(bytes, size, &source) != HALO_OK) return;
    HaloReader reader = {.format = format, .source = source, .options = {.tolerate = tolerate}};
    if (format->open(&reader) == HALO_OK) {
        const HaloShape *shape = &reader.info.shape;
        if (shape->channels < 1 || shape->channels > 1024 || !(shape->rate >= 1)) abort();
        const int64_t most = (1 << 16) / shape->channels;
        HaloBuf rows = {.shape = *shape, .rows = 1, .data = samples};
        int64_t got = 1;
        for (int block = 0; block < 4 && got > 0; block++, rows.x0 += got) {
            const int64_t left = shape->width < 0 ? most : shape->width - rows.x0;
            rows.cols = left < most ? left : most;
            if (rows.cols == 0 || format->read(&reader, &rows, &got) != HALO_OK) break;
            if (got < 0 || got > rows.cols) abort();
        }
    }
    format->close(&reader);
    halo_meta_free(&reader.info.meta);
    halo_source_close(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (formats[i]->kinds != HALO_AUDIO || (!formats[i]->named && !formats[i]->probe(bytes, size)))
            continue;
        read_some(formats[i], bytes, size, false);
        read_some(formats[i], bytes, size, true);
    }
    return 0;
}
