/* Sums of windows over few columns: define SAMPLE (the type) and TYPE (its suffix). */
static void CPU_PASTE(few, TYPE)(const CpuFewColumns *f, int32_t *restrict column, int32_t *restrict sum)
{
    for (int64_t r = 0; r < f->rows; r++, sum += f->out) {
        const SAMPLE *const come = f->come[r], *const gone = f->gone[r];
        for (int64_t first = 0; first < f->out; first += CPU_MEAN_FEW_LANES) {
            CpuLanes made[FEW_VECTORS];
            CPU_UNROLL for (int k = 0; k < FEW_VECTORS; k++) made[k] = ((const CpuLanes *)(f->base + first))[k];
            for (int64_t i = 0; i < f->in; i++) {
                const CpuLanes *const weight = (const CpuLanes *)(f->weight + i * f->pitch + first);
                CPU_UNROLL for (int k = 0; k < FEW_VECTORS; k++) made[k] += column[i] * weight[k];
            }
            /* Past the end of the row is what the next makes again. */
            CPU_UNROLL for (int k = 0; k < FEW_VECTORS; k++)((CpuLanes *)(sum + first))[k] = made[k];
        }
        for (int64_t i = 0; i < f->in; i++) column[i] += come[i] - gone[i];
    }
}
#undef SAMPLE
#undef TYPE
