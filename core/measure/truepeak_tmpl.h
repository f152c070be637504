/* The sums of truepeak.c, for one kind of vectors: LOOPS(name) is a function's name, TARGET its attribute, Taps
 * are vectors of up to 8 floats, Places of up to 16. Results do not depend on them. */
enum { LOOPS(TAP_LANES) = sizeof(Taps) / sizeof(float), LOOPS(PLACE_LANES) = sizeof(Places) / sizeof(float) };
#define TAP_VECTORS (8 / LOOPS(TAP_LANES))
#define PLACE_VECTORS (GROUP / LOOPS(PLACE_LANES))

/* Of eight lanes. */
TARGET static float LOOPS(sum_of)(const Taps sum[TAP_VECTORS])
{
    float lane[8];
    memcpy(lane, sum, sizeof lane);
    return fabsf(((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7])));
}

TARGET static float LOOPS(between)(const float *kernel, const float *at)
{
    Taps sum[TAP_VECTORS] = {{0}};
    for (int i = 0; i < TAPS; i += 8)
        for (int v = 0; v < TAP_VECTORS; v++)
            sum[v] += ((const Taps *)(kernel + i))[v] * ((const Taps *)(at + i))[v];
    return LOOPS(sum_of)(sum);
}

/* Two sums at once, which takes little longer than one: a single sum is bound by latency. */
TARGET static void LOOPS(between_two)(const float *kernel, const float *other, const float *at, float *value,
                                      float *next)
{
    Taps sum[TAP_VECTORS] = {{0}}, sum2[TAP_VECTORS] = {{0}};
    for (int i = 0; i < TAPS; i += 8)
        for (int v = 0; v < TAP_VECTORS; v++) {
            const Taps here = ((const Taps *)(at + i))[v];
            sum[v] += ((const Taps *)(kernel + i))[v] * here;
            sum2[v] += ((const Taps *)(other + i))[v] * here;
        }
    *value = LOOPS(sum_of)(sum);
    *next = LOOPS(sum_of)(sum2);
}

/* What is half way behind each of a group of samples, from the NEAR samples to each side. */
TARGET static void LOOPS(half_way)(const float *kernel, const float *left, float half[GROUP])
{
    Places sum[PLACE_VECTORS] = {{0}};
    for (int k = 0; k < NEAR; k++)
        for (int v = 0; v < PLACE_VECTORS; v++)
            sum[v] += (((const Places *)(left - k))[v] + ((const Places *)(left + 1 + k))[v]) * kernel[k];
    memcpy(half, sum, sizeof sum);
}

#undef TAP_VECTORS
#undef PLACE_VECTORS
