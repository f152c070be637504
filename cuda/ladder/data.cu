/* The integers that most families work on, and the plain loops that say what they add up to. */
#include "ladder.cuh"

void ladder_fill_int(const LadderCase *size, void *in)
{
    int32_t *const value = (int32_t *)in;
    for (int64_t i = 0; i < ladder_elements(size); i++) value[i] = (int32_t)(1 + ladder_random(i) % 7);
}

void ladder_expect_sum(const LadderCase *size, const void *in, uint32_t *out)
{
    const int32_t *const value = (const int32_t *)in;
    uint32_t sum = 0;
    for (int64_t i = 0; i < ladder_elements(size); i++) sum += (uint32_t)value[i];
    out[0] = sum;
}

int64_t ladder_one_word(const LadderCase *) { return 1; }

int64_t ladder_word_each(const LadderCase *size) { return ladder_elements(size); }
