/* Rows of one sample type become lanes: define SAMPLE (the type) and TYPE (its suffix). */
static void CPU_PASTE(transpose, TYPE)(const void *const *row, int64_t n, float *restrict transposed,
                                       int64_t pitch)
{
    int64_t e = 0;
#if CPU_REGISTERS > 0
    for (; e + BLOCK <= n; e += BLOCK)
        for (int l = 0; l < CPU_LANES; l += BLOCK) {
            Block v[BLOCK];
            CPU_UNROLL for (int k = 0; k < BLOCK; k++) v[k] =
                CPU_PASTE(block, TYPE)((const char *)row[l + k] + e * (int64_t)sizeof(SAMPLE));
            transpose(v);
            CPU_UNROLL for (int k = 0; k < BLOCK; k++) block_store(transposed + (e + k) * pitch + l, v[k]);
        }
#endif
    for (; e < n; e++)
        for (int l = 0; l < CPU_LANES; l++) {
            SAMPLE v;
            memcpy(&v, (const char *)row[l] + e * (int64_t)sizeof v, sizeof v);
            transposed[e * pitch + l] = (float)v;
        }
}
#undef SAMPLE
#undef TYPE
