/* Rows of one sample type, to f32 and back: define SAMPLE (the type), TYPE (its suffix), and WHITE for the
 * integers, which f32 results saturate to. */
#define FN(name) CPU_PASTE(name, TYPE)

static void FN(load)(const void *samples, int64_t n, float *restrict row)
{
    for (int64_t i = 0; i < n; i++) {
        SAMPLE v;
        memcpy(&v, (const char *)samples + i * (int64_t)sizeof v, sizeof v);
        row[i] = (float)v;
    }
}

static void FN(store)(float *restrict row, int64_t n, HaloStore how, void *restrict samples, uint64_t *clipped)
{
    rescale(row, n, how);
    for (int64_t start = 0; start < n; start += COUNT_BLOCK) {
        const int64_t end = n - start < COUNT_BLOCK ? n : start + COUNT_BLOCK;
        unsigned lost = 0;
        for (int64_t i = start; i < end; i++) {
#ifdef WHITE
            unsigned c;
            const SAMPLE v = (SAMPLE)(int32_t)halo_quantise(row[i], WHITE, &c);
            lost += c;
#else
            const SAMPLE v = halo_canonical(row[i]);
#endif
            memcpy((char *)samples + i * (int64_t)sizeof v, &v, sizeof v);
        }
        *clipped += lost;
    }
}

#undef FN
#undef SAMPLE
#undef TYPE
#undef WHITE
