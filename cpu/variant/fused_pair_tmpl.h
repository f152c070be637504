/* Two rows of outputs of a separable mask, as fused_row_tmpl.h makes one: define WIDTH. Rows and columns have
 * the same taps, from either end, so that these stay in registers, and a line that both rows use is loaded
 * once. */
#define TAP(i) tap[(i) < WIDTH / 2 ? (i) : WIDTH - 1 - (i)]

static CPU_INLINE void CPU_PASTE(CPU_PASTE(pair_line, WIDTH), TYPE)(const CpuFused *both, int64_t at,
                                                                    const CpuVector *tap,
                                                                    CpuVector made[PAIR_VECTORS])
{
    const float *const in = both->source + at;
    float *const to = both->line[WIDTH - 1] + at;
    CPU_UNROLL for (int k = 0; k < PAIR_VECTORS; k++) made[k] = vector_of(0.0f);
    CPU_UNROLL for (int64_t i = 0; i < WIDTH; i++)
    {
        CPU_UNROLL for (int k = 0; k < PAIR_VECTORS; k++)
        {
            made[k] = vector_fma(TAP(i), vector_load(in + i * both->row->step + k * CPU_LANES), made[k]);
        }
    }
    CPU_UNROLL for (int k = 0; k < PAIR_VECTORS; k++) vector_store(to + k * CPU_LANES, made[k]);
}

static void CPU_PASTE(CPU_PASTE(pair, WIDTH), TYPE)(const CpuFused of[2])
{
    const CpuFused both[2] = {of[0], of[1]};
    CpuVector tap[WIDTH / 2 + 1];
    int64_t at = 0;
    CPU_UNROLL for (int i = 0; i <= WIDTH / 2; i++) tap[i] = vector_of(of->row->tap[i]);
    for (; at + PAIR_VECTORS * CPU_LANES <= of->n; at += PAIR_VECTORS * CPU_LANES) {
        CpuVector newest[2][PAIR_VECTORS], made[2][PAIR_VECTORS];
        CPU_UNROLL for (int r = 0; r < 2; r++)
        {
            vectors_fetch(both[r].prefetch + at, PAIR_VECTORS);
            CPU_PASTE(CPU_PASTE(pair_line, WIDTH), TYPE)(&both[r], at, tap, newest[r]);
            CPU_UNROLL for (int k = 0; k < PAIR_VECTORS; k++) made[r][k] = vector_of(0.0f);
        }
        CPU_UNROLL for (int j = 0; j < WIDTH - 1; j++)
        {
            CPU_UNROLL for (int k = 0; k < PAIR_VECTORS; k++)
            {
                const CpuVector v = vector_load(both[0].line[j] + at + k * CPU_LANES);
                made[0][k] = vector_fma(TAP(j), v, made[0][k]);
                if (j > 0) made[1][k] = vector_fma(TAP(j - 1), v, made[1][k]);
            }
        }
        CPU_UNROLL for (int k = 0; k < PAIR_VECTORS; k++)
        {
            made[0][k] = vector_fma(TAP(WIDTH - 1), newest[0][k], made[0][k]);
            made[1][k] = vector_fma(TAP(WIDTH - 2), newest[0][k], made[1][k]);
            made[1][k] = vector_fma(TAP(WIDTH - 1), newest[1][k], made[1][k]);
        }
        PUT_PAIR(made, both[0].past, (char *)both[0].out + at * SIZE, (char *)both[1].out + at * SIZE);
    }
    for (int r = 0; r < 2; r++) CPU_PASTE(fused_from, TYPE)(&both[r], at);
}
#undef TAP
#undef WIDTH
