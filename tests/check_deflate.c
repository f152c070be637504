/* Deflate, as PNG and TIFF are compressed: zlib inflates it to what it was, at every level, and the bytes
 * depend on the data alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <zlib.h>

#include "bytes/deflate.h"
#include "bytes/deflate_join.h"
#include "codec.h"
#include "random.h"

/* The whole of `stream`, with zlib's head and tail or without. */
static void expect_inflated(const Bytes *stream, bool zlib, const uint8_t *bytes, size_t size)
{
    z_stream zip = {.next_in = stream->at, .avail_in = (uInt)stream->size};
    uint8_t *back = malloc(size + 1);
    if (back == NULL || inflateInit2(&zip, zlib ? MAX_WBITS : -MAX_WBITS) != Z_OK) abort();
    zip.next_out = back;
    zip.avail_out = (uInt)size + 1;
    const int got = inflate(&zip, Z_FINISH);
    if (got != Z_STREAM_END || zip.avail_in > 0 || zip.total_out != size || memcmp(back, bytes, size) != 0)
        fail_case(NULL, "%zu bytes: zlib says %d after %lu of them", size, got, zip.total_out);
    inflateEnd(&zip);
    free(back);
}

/* ---- whole streams -------------------------------------------------------------------------------------- */

/* Slopes with grain, noise, or few values that repeat. */
static void draw_bytes(Rng *rng, uint8_t *bytes, size_t size)
{
    const int64_t kind = rng_between(rng, 0, 3), grain = rng_between(rng, 0, 9);
    for (size_t i = 0; i < size; i++)
        bytes[i] = kind == 0   ? (uint8_t)rng_next(rng)
                   : kind == 1 ? (uint8_t)(i / 50)
                   : kind == 2 ? (uint8_t)(i / 700 + (size_t)rng_between(rng, 0, grain))
                               : (uint8_t)(i % 100 < 70 ? i % 7 : (size_t)rng_between(rng, 0, 3));
}

static void streams_of_every_level_are_inflated(Rng *rng)
{
    const int level = (int)rng_between(rng, 0, 9);
    const size_t size = (size_t)rng_between(rng, 1, rng_once_in(rng, 5) ? 300000 : 300);
    const size_t capacity = HALO_ZLIB_HEAD + halo_deflate_bound(size) + HALO_ZLIB_TAIL;
    uint8_t *bytes = malloc(size);
    Bytes stream = {malloc(capacity), 0}, again = {malloc(capacity), 0};
    HaloDeflater *deflater = halo_deflater_new(level, rng_once_in(rng, 2));
    if (bytes == NULL || stream.at == NULL || again.at == NULL || deflater == NULL) abort();
    draw_bytes(rng, bytes, size);
    for (int i = 0; i < 2; i++) { /* what it compressed before does not matter */
        Bytes *to = i == 0 ? &stream : &again;
        to->size = halo_zlib(deflater, bytes, size, to->at, capacity);
        if (to->size == 0) fail_case(NULL, "level %d: %zu bytes are not compressed", level, size);
    }
    if (stream.size != again.size || memcmp(stream.at, again.at, stream.size) != 0)
        fail_case(NULL, "level %d: %zu bytes become other bytes the second time", level, size);
    expect_inflated(&stream, true, bytes, size);
    halo_deflater_free(deflater);
    free(bytes);
    free(stream.at);
    free(again.at);
}

/* ---- parts that are joined ------------------------------------------------------------------------------ */

#define MOST_PARTS 5

/* Parts of all kinds, of one byte or of several blocks, so that blocks end on every bit. */
static void one_join(Rng *rng)
{
    static const int levels[] = {2, 3, 8, 9};
    const int level = levels[rng_between(rng, 0, 3)], parts = (int)rng_between(rng, 1, MOST_PARTS);
    const int64_t most = rng_once_in(rng, 6) ? 60000 : 40;
    uint8_t *bytes = malloc((size_t)(MOST_PARTS * most));
    Bytes stream = {malloc((size_t)(MOST_PARTS * (2 * most + 100))), 0};
    HaloJoin *join = halo_join_new(level);
    if (bytes == NULL || stream.at == NULL || join == NULL) abort();
    size_t size = 0;
    for (int part = 0; part < parts; part++) {
        const int64_t some = rng_between(rng, 1, most), grain = rng_between(rng, 0, 9);
        for (int64_t i = 0; i < some; i++)
            bytes[size + (size_t)i] =
                (uint8_t)(i * 3 / some * 40 + rng_between(rng, 0, grain > 7 ? 255 : grain));
        const size_t got = halo_join_deflate(join, bytes + size, (size_t)some, part + 1 == parts,
                                             stream.at + stream.size, (size_t)(2 * most + 100));
        if (got == 0) fail_case(NULL, "level %d: %d bytes are not compressed", level, (int)some);
        stream.size += got;
        size += (size_t)some;
    }
    expect_inflated(&stream, false, bytes, size);
    halo_join_free(join);
    free(stream.at);
    free(bytes);
}

static void streams_join_on_every_bit(void **unused)
{
    (void)unused;
    if (!halo_join_has(9)) skip();
    for_each_case(__func__, 1500, one_join);
}

/* The same bytes at any address of the memory, also by ISA-L. The beginning is repeated, once or many times, so
 * that matches show. */
static void addresses_do_not_matter(void **state)
{
    (void)state;
    enum { DEFLATERS = 6, SIZE = 600, CAPACITY = 8000 };
    HaloDeflater *deflater[DEFLATERS];
    uint8_t first[CAPACITY], to[CAPACITY];
    Rng rng = {11};
    for (int d = 0; d < DEFLATERS; d++) assert_non_null(deflater[d] = halo_deflater_new(1, true));
    for (int i = 0; i < 6000; i++) {
        uint8_t bytes[SIZE];
        const size_t size = (size_t)rng_between(&rng, 4, SIZE), again = (size_t)rng_between(&rng, 6, 60);
        const bool all = rng_once_in(&rng, 4);
        for (size_t k = 0; k < size; k++) bytes[k] = all ? 0 : (uint8_t)rng_between(&rng, 0, 255);
        bytes[0] = (uint8_t)rng_between(&rng, 0, 4);
        for (size_t k = 0; k < 6 && again + k < size; k++) bytes[again + k] = bytes[k];
        const size_t wanted = halo_zlib(deflater[0], bytes, size, first, CAPACITY);
        for (int d = 1; d < DEFLATERS; d++)
            if (halo_zlib(deflater[d], bytes, size, to, CAPACITY) != wanted || memcmp(to, first, wanted) != 0)
                fail_case(NULL, "case %d of %zu bytes: memory at another address, other bytes", i, size);
    }
    for (int d = 0; d < DEFLATERS; d++) halo_deflater_free(deflater[d]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(streams_of_every_level_are_inflated, 400),
                                       cmocka_unit_test(streams_join_on_every_bit),
                                       cmocka_unit_test(addresses_do_not_matter)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
