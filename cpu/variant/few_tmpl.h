/* Sums of windows over few columns: define SAMPLE (the type) and TYPE (its suffix). */
static CPU_INLINE void CPU_PASTE(go_on, TYPE)(const CpuFewColumns *f, int64_t row, int32_t *restrict column)
{
    const SAMPLE *const come = f->come[row], *const gone = f->gone[row];
    for (int64_t i = 0; i < f->in; i++) column[i] += come[i] - gone[i];
}

static void CPU_PASTE(few_along, TYPE)(const CpuFewColumns *f, int32_t *restrict column, int32_t *restrict sum)
{
    for (int64_t r = 0; r < f->rows; r++, sum += f->out) {
        for (int64_t c = 0; c < f->channels; c++) {
            const int32_t *const weight = f->weight + c * f->in;
            sum[c] = f->base[c];
            for (int64_t i = 0; i < f->in; i++) sum[c] += column[i] * weight[i];
        }
        for (int64_t x = f->channels; x < f->out; x++)
            sum[x] = sum[x - f->channels] + column[f->enter[x]] - column[f->leave[x]];
        CPU_PASTE(go_on, TYPE)(f, r, column);
    }
}

static void CPU_PASTE(few, TYPE)(const CpuFewColumns *f, int32_t *restrict column, int32_t *restrict sum)
{
    if (f->enter != NULL) {
        CPU_PASTE(few_along, TYPE)(f, column, sum);
        return;
    }
    for (int64_t r = 0; r < f->rows; r++, sum += f->out) {
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
        CPU_PASTE(go_on, TYPE)(f, r, column);
    }
}
#undef SAMPLE
#undef TYPE
