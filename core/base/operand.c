/* Secondary inputs: reference counts and memory. */
#include <stdlib.h>
#include <string.h>

#include "operand.h"

HaloOperand *operand_new(const char *path)
{
    static _Atomic uint64_t serial;
    HaloOperand *operand = calloc(1, sizeof *operand);
    if (operand == NULL) return NULL;
    operand->path = malloc(strlen(path) + 1);
    if (operand->path == NULL) {
        free(operand);
        return NULL;
    }
    strcpy(operand->path, path);
    operand->pages = 1;
    operand->serial = 1 + atomic_fetch_add(&serial, 1);
    pthread_mutex_init(&operand->measuring, NULL);
    pthread_mutex_init(&operand->reading, NULL);
    atomic_store(&operand->holders, 1);
    return operand;
}

HaloStatus operand_set_profile(HaloOperand *operand, uint64_t profile, const HaloBlob *icc)
{
    operand->profile = profile;
    if (icc->size == 0) return HALO_OK;
    operand->icc = (HaloBlob){malloc(icc->size), icc->size};
    if (operand->icc.data == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    memcpy(operand->icc.data, icc->data, icc->size);
    return HALO_OK;
}

HaloOperand *operand_hold(HaloOperand *operand)
{
    atomic_fetch_add(&operand->holders, 1);
    return operand;
}

void operand_release(HaloOperand *operand)
{
    if (operand == NULL || atomic_fetch_sub(&operand->holders, 1) > 1) return;
    pthread_mutex_destroy(&operand->measuring);
    pthread_mutex_destroy(&operand->reading);
    operand_release(operand->upright);
    halo_buf_free(&operand->data);
    free(operand->icc.data);
    free(operand->path);
    free(operand);
}
