/* Running sums of small integers: define SAMPLE (the type), TYPE (its suffix) and NARROW (a type that holds
 * WINDOW samples).
 *
 * A chain of additions takes a cycle a sample. Instead every sample is first joined with the 15 before it, side
 * by side; then 16 chains, each adding every 16th of these sums, run beside each other. */

/* sum[WINDOW + i] becomes the sum of samples i - 15 .. i; what lies before the first is 0. */
static void CPU_PASTE(windows, TYPE)(const void *samples, int64_t n, int64_t channels, NARROW *restrict sum)
{
    NARROW one[WINDOW + CPU_SUMS], four[WINDOW + CPU_SUMS];
    const char *restrict from = samples;
    for (int64_t i = 0; i < WINDOW; i++) one[i] = four[i] = sum[i] = 0;
    for (int64_t i = 0; i < n; i++) {
        SAMPLE v;
        memcpy(&v, from + i * channels * (int64_t)sizeof v, sizeof v);
        one[WINDOW + i] = v;
    }
    for (int64_t i = WINDOW; i < WINDOW + n; i++)
        four[i] = (NARROW)((NARROW)(one[i] + one[i - 1]) + (NARROW)(one[i - 2] + one[i - 3]));
    for (int64_t i = WINDOW; i < WINDOW + n; i++)
        sum[i] = (NARROW)((NARROW)(four[i] + four[i - 4]) + (NARROW)(four[i - 8] + four[i - 12]));
}

static void CPU_PASTE(sums, TYPE)(const void *samples, int64_t n, int64_t channels, bool exclusive,
                                  int64_t *carry, int64_t *restrict down, int64_t *restrict out)
{
    NARROW sum[WINDOW + CPU_SUMS];
    CPU_PASTE(windows, TYPE)(samples, n, channels, sum);
    const NARROW *restrict x = sum + WINDOW - (exclusive ? 1 : 0);
    for (int64_t i = 0; i < n; i++) out[i] = x[i];
    for (int64_t i = 0; i < n && i < WINDOW; i++) out[i] += *carry;
    for (int64_t i = WINDOW; i < n; i++) out[i] += out[i - WINDOW];
    SAMPLE last;
    memcpy(&last, (const char *)samples + (n - 1) * channels * (int64_t)sizeof last, sizeof last);
    *carry = out[n - 1] + (exclusive ? last : 0);
    if (down == NULL) return;
    for (int64_t i = 0; i < n; i++) {
        const int64_t above = down[i], below = above + out[i];
        out[i] = exclusive ? above : below;
        down[i] = below;
    }
}

static void CPU_PASTE(columns, TYPE)(const void *samples, int64_t n, int64_t channels, uint32_t *restrict total)
{
    const char *restrict from = samples;
    for (int64_t i = 0; i < n; i++) {
        SAMPLE v;
        memcpy(&v, from + i * channels * (int64_t)sizeof v, sizeof v);
        total[i] += v;
    }
}
#undef SAMPLE
#undef TYPE
#undef NARROW
