/* Folds of samples of one type by one instruction, of small powers: define SAMPLE, TYPE (its suffix) and NANS,
 * whether one may be NaN. */

/* All three are constants where this is called. Some lanes at a time, which stay in registers. */
static CPU_INLINE void CPU_PASTE(join_power, TYPE)(HaloCode code, bool squared, const SAMPLE *restrict x,
                                                   int64_t n, double from, double lane[restrict HALO_LANES])
{
    const int64_t whole = n / HALO_LANES * HALO_LANES;
    for (int g = 0; g < HALO_LANES; g += GROUP) {
        double at[GROUP];
        for (int l = 0; l < GROUP; l++) at[l] = lane[g + l];
        for (int64_t i = g; i < whole; i += HALO_LANES)
            for (int l = 0; l < GROUP; l++) {
                const double v = (double)x[i + l], d = v - from;
                const double joined = halo_code(code, at[l], squared ? d * d : d, 0.0);
                at[l] = !NANS || v == v ? joined : at[l];
            }
        for (int l = 0; l < GROUP; l++) lane[g + l] = at[l];
    }
    for (int64_t i = whole; i < n; i++) {
        const double v = (double)x[i], d = v - from;
        const double joined = halo_code(code, lane[i - whole], squared ? d * d : d, 0.0);
        lane[i - whole] = !NANS || v == v ? joined : lane[i - whole];
    }
}

static double CPU_PASTE(fold_simply, TYPE)(const HaloFold *fold, double k, const void *samples, int64_t n)
{
    double lane[HALO_LANES];
    HaloPower power;
    const HaloCode code = simple_join(fold->join);
    (void)halo_program_power(fold->map, &power);
    const double from = power_from(&power, k);
    for (int l = 0; l < HALO_LANES; l++) lane[l] = fold->identity;
#define JOIN(wanted)                                                              \
    if (code == (wanted)) {                                                       \
        if (power.steps == 1)                                                     \
            CPU_PASTE(join_power, TYPE)((wanted), true, samples, n, from, lane);  \
        else                                                                      \
            CPU_PASTE(join_power, TYPE)((wanted), false, samples, n, from, lane); \
        return join_pairs((wanted), lane);                                        \
    }
    JOIN(HALO_CODE_ADD)
    JOIN(HALO_CODE_MUL)
    JOIN(HALO_CODE_MIN)
    JOIN(HALO_CODE_MAX)
#undef JOIN
    return lane[0]; /* none else is simple */
}
#undef SAMPLE
#undef TYPE
#undef NANS
