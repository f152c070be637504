/* Keys in order, with their places. */
#include "middle.h"

#define DIGIT 11
#define VALUES (1 << DIGIT)

/* Digit by digit from the lowest, each in the order of the one before. A digit that is the same everywhere is
 * passed over. */
const uint64_t *cpu_sort_pairs(uint64_t *pair, uint64_t *spare, int64_t n, int bits)
{
    for (int shift = 32; shift < 32 + bits; shift += DIGIT) {
        uint32_t start[VALUES] = {0};
        for (int64_t i = 0; i < n; i++) start[pair[i] >> shift & (VALUES - 1)]++;
        if (n > 0 && start[pair[0] >> shift & (VALUES - 1)] == n) continue;
        uint32_t before = 0;
        for (int b = 0; b < VALUES; b++) {
            const uint32_t count = start[b];
            start[b] = before;
            before += count;
        }
        for (int64_t i = 0; i < n; i++) spare[start[pair[i] >> shift & (VALUES - 1)]++] = pair[i];
        uint64_t *const other = pair;
        pair = spare;
        spare = other;
    }
    return pair;
}
