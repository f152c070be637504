#include "turns.h"

void turns_open(Turns *turns)
{
    *turns = (Turns){.done = false};
    pthread_mutex_init(&turns->lock, NULL);
    pthread_cond_init(&turns->moved, NULL);
}

void turns_close(Turns *turns)
{
    pthread_cond_destroy(&turns->moved);
    pthread_mutex_destroy(&turns->lock);
}

bool turns_wait(Turns *turns, const int64_t *counter, int64_t count)
{
    pthread_mutex_lock(&turns->lock);
    while (turns->failed.status == HALO_OK && *counter < count && !turns->done)
        pthread_cond_wait(&turns->moved, &turns->lock);
    const bool well = turns->failed.status == HALO_OK && *counter >= count;
    pthread_mutex_unlock(&turns->lock);
    return well;
}

bool turns_advance(Turns *turns, int64_t *counter, HaloStatus status)
{
    pthread_mutex_lock(&turns->lock);
    if (status == HALO_OK) {
        ++*counter;
    } else if (turns->failed.status == HALO_OK) {
        halo_failure_keep(&turns->failed, status);
    }
    pthread_cond_broadcast(&turns->moved);
    pthread_mutex_unlock(&turns->lock);
    return status == HALO_OK;
}

bool turns_take(Turns *turns, int64_t *counter, int64_t *taken)
{
    pthread_mutex_lock(&turns->lock);
    const bool well = turns->failed.status == HALO_OK;
    if (well) *taken = (*counter)++;
    pthread_mutex_unlock(&turns->lock);
    return well;
}

void turns_end(Turns *turns)
{
    pthread_mutex_lock(&turns->lock);
    turns->done = true;
    pthread_cond_broadcast(&turns->moved);
    pthread_mutex_unlock(&turns->lock);
}

HaloStatus turns_failure(Turns *turns)
{
    pthread_mutex_lock(&turns->lock);
    const HaloStatus status = halo_failure_again(&turns->failed);
    pthread_mutex_unlock(&turns->lock);
    return status;
}
