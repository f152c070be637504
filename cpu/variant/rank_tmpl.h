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
#pragma GCC ivdep
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
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) z[i] = x[i] < y[i] ? x[i] : y[i];
}

static void CPU_PASTE(greater, TYPE)(const void *a, const void *b, int64_t n, void *to)
{
    const KEY *const x = a, *const y = b;
    KEY *const z = to;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) z[i] = x[i] < y[i] ? y[i] : x[i];
}

#include "median_tmpl.h"
#undef KEY
#undef TYPE
#undef KEY_OF
#undef LESSER
#undef GREATER
#undef NAN_KEY
