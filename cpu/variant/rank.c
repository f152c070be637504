/* Rank filters: samples as keys, and the exchanges of a sorting network. */
#include "variant.h"

#define KEY uint8_t
#define TYPE u8
#define KEY_OF(v) (uint8_t)(int32_t)(v)
#include "rank_tmpl.h"

#define KEY uint16_t
#define TYPE u16
#define KEY_OF(v) (uint16_t)(int32_t)(v)
#include "rank_tmpl.h"

#define KEY uint32_t
#define TYPE u32
#define KEY_OF(v) halo_key(v)
#include "rank_tmpl.h"

static void from_keys(const uint32_t *restrict keys, int64_t n, float *restrict row)
{
    for (int64_t i = 0; i < n; i++) row[i] = halo_unkey(keys[i]);
}

const CpuRankKernels CPU_TABLE(rank) = {
    .to_keys = {to_keys_u8, to_keys_u16, to_keys_u32},
    .from_keys = from_keys,
    .exchange = {exchange_u8, exchange_u16, exchange_u32},
    .extreme = {{lesser_u8, lesser_u16, lesser_u32}, {greater_u8, greater_u16, greater_u32}}};
