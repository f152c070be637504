/* An image of any bytes, written as PNG at some level by some threads in some bands: the samples come back, and
 * the bytes do not depend on threads and bands. */
#include <stdlib.h>
#include <string.h>

#include "codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static Bytes write_by(HaloWriter *writer, const HaloBuf *data, int64_t band)
{
    const char *path = test_path("fuzz.png");
    if (halo_sink_open(path, &(HaloSinkOptions){.force = HALO_FORCE_YES}, &writer->sink) != HALO_OK) abort();
    if (halo_format_png.create(writer) != HALO_OK) abort();
    for (int64_t y = 0; y < data->rows; y += band) {
        HaloBuf rows = *data;
        rows.rows = band < data->rows - y ? band : data->rows - y;
        rows.data = halo_at(data, 0, y);
        if (halo_format_png.write(writer, &rows) != HALO_OK) abort();
    }
    if (halo_format_png.finish(writer) != HALO_OK) abort();
    halo_format_png.discard(writer);
    if (halo_sink_commit(writer->sink) != HALO_OK) abort();
    return bytes_of_file(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    enum { HEAD = 5 }; /* channels and type, level, bands, threads, width */
    if (size <= HEAD) return 0;
    const int channels = 1 + (bytes[0] & 3), level = bytes[1] % 10;
    const HaloDtype dtype = (bytes[0] & 4) != 0 ? HALO_U16 : HALO_U8;
    const int64_t pixel = channels * (int64_t)halo_dtype_size(dtype), pixels = ((int64_t)size - HEAD) / pixel;
    const int64_t width = 1 + bytes[4], height = pixels / width;
    if (height < 1) return 0;
    const HaloShape shape = shape_of(dtype, width, height, channels, channels % 2 == 0);
    HaloBuf data;
    if (halo_buf_alloc(&data, &shape) != HALO_OK) abort();
    memcpy(data.data, bytes + HEAD, (size_t)(pixel * width * height));
    HaloWriter writer = {.format = &halo_format_png, .info.shape = shape, .jobs = 1};
    writer.options.png_level = level == 0 ? HALO_PNG_STORED : level;
    const Bytes file = write_by(&writer, &data, height);
    writer.jobs = 1 + bytes[3] % 4;
    const Bytes again = write_by(&writer, &data, 1 + bytes[2]);
    Decoded image;
    if (file.size != again.size || memcmp(file.at, again.at, file.size) != 0) abort();
    if (decode(&halo_format_png, file.at, file.size, NULL, 3, &image) != HALO_OK) abort();
    if (memcmp(image.data.data, data.data, (size_t)(data.stride * data.rows)) != 0) abort();
    decoded_free(&image);
    halo_buf_free(&data);
    free(file.at);
    free(again.at);
    return 0;
}
