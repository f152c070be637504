/* Keys of one type: define KEY (the type), TYPE (its suffix) and KEY_OF, which makes one of a float; also what
 * median_tmpl.h wants. */
static void CPU_PASTE(to_keys, TYPE)(const float *restrict row, int64_t n, void *restrict keys)
{
    KEY *const to = keys;
    for (int64_t i = 0; i < n; i++) to[i] = KEY_OF(row[i]);
}

static void CPU_PASTE(exchange, TYPE)(const CpuExchange *list, int64_t count, void *block)
{
    KEY(*const row)[CPU_RANK_LANES] = block;
    for (int64_t k = 0; k < count; k++) {
        KEY *const low = row[list[k].low], *const high = row[list[k].high];
        CPU_APART
        for (int i = 0; i < CPU_RANK_LANES; i++) {
            const KEY a = low[i], b = high[i];
            low[i] = a < b ? a : b;
            high[i] = a < b ? b : a;
        }
    }
}
/* `to` may be a, or lie before b in it. */
static void CPU_PASTE(lesser, TYPE)(const void *a, const void *b, int64_t n, void *to)
{
    const KEY *const x = a, *const y = b;
    KEY *const z = to;
    CPU_APART
    for (int64_t i = 0; i < n; i++) z[i] = x[i] < y[i] ? x[i] : y[i];
}

static void CPU_PASTE(greater, TYPE)(const void *a, const void *b, int64_t n, void *to)
{
    const KEY *const x = a, *const y = b;
    KEY *const z = to;
    CPU_APART
    for (int64_t i = 0; i < n; i++) z[i] = x[i] < y[i] ? y[i] : x[i];
}

#include "median_tmpl.h"

/* Some vectors at a time, so that as many minima, or maxima, go on beside each other. */
#define EXTREMES 4

static CPU_INLINE void CPU_PASTE(extreme_block, TYPE)(const void *const *line, int64_t lines, int64_t at,
                                                      int vectors, bool greatest, void *to)
{
    const int64_t per = (int64_t)(sizeof(CPU_PASTE(Keys, TYPE)) / sizeof(KEY));
    CPU_PASTE(Keys, TYPE) v[EXTREMES];
    CPU_UNROLL for (int k = 0; k < vectors; k++) v[k] = CPU_PASTE(take, TYPE)(line[0], at + k * per);
    for (int64_t j = 1; j < lines; j++) {
        CPU_UNROLL for (int k = 0; k < vectors; k++)
        {
            const CPU_PASTE(Keys, TYPE) other = CPU_PASTE(take, TYPE)(line[j], at + k * per);
            v[k] = greatest ? CPU_PASTE(most, TYPE)(v[k], other) : CPU_PASTE(least, TYPE)(v[k], other);
        }
    }
    CPU_UNROLL for (int k = 0; k < vectors; k++) CPU_PASTE(put, TYPE)(to, at + k * per, v[k]);
}

static CPU_INLINE void CPU_PASTE(extreme_of, TYPE)(const void *const *line, int64_t lines, int64_t n,
                                                   bool greatest, void *to)
{
    const int64_t per = (int64_t)(sizeof(CPU_PASTE(Keys, TYPE)) / sizeof(KEY));
    int64_t at = 0;
    for (; at + EXTREMES * per <= n; at += EXTREMES * per)
        CPU_PASTE(extreme_block, TYPE)(line, lines, at, EXTREMES, greatest, to);
    for (; at + per <= n; at += per) CPU_PASTE(extreme_block, TYPE)(line, lines, at, 1, greatest, to);
    if (at < n && n >= per) { /* some of them again */
        CPU_PASTE(extreme_block, TYPE)(line, lines, n - per, 1, greatest, to);
        return;
    }
    for (; at < n; at++) {
        KEY best = ((const KEY *)line[0])[at];
        for (int64_t j = 1; j < lines; j++) {
            const KEY other = ((const KEY *)line[j])[at];
            best = (greatest ? best < other : other < best) ? other : best;
        }
        ((KEY *)to)[at] = best;
    }
}

static void CPU_PASTE(least_of, TYPE)(const void *const *line, int64_t lines, int64_t n, void *to)
{
    CPU_PASTE(extreme_of, TYPE)(line, lines, n, false, to);
}

static void CPU_PASTE(most_of, TYPE)(const void *const *line, int64_t lines, int64_t n, void *to)
{
    CPU_PASTE(extreme_of, TYPE)(line, lines, n, true, to);
}

#undef EXTREMES
#undef KEY
#undef TYPE
#undef KEY_OF
#undef LESSER
#undef GREATER
#undef NAN_KEY
