#include "sequencer.h"

void sequencer_open(Sequencer *sequencer)
{
    *sequencer = (Sequencer){.done = false};
    pthread_mutex_init(&sequencer->lock, NULL);
    pthread_cond_init(&sequencer->moved, NULL);
}

void sequencer_close(Sequencer *sequencer)
{
    pthread_cond_destroy(&sequencer->moved);
    pthread_mutex_destroy(&sequencer->lock);
}

bool sequencer_wait(Sequencer *sequencer, const int64_t *counter, int64_t count)
{
    pthread_mutex_lock(&sequencer->lock);
    while (sequencer->failed.status == HALO_OK && *counter < count && !sequencer->done)
        pthread_cond_wait(&sequencer->moved, &sequencer->lock);
    const bool well = sequencer->failed.status == HALO_OK && *counter >= count;
    pthread_mutex_unlock(&sequencer->lock);
    return well;
}

bool sequencer_advance(Sequencer *sequencer, int64_t *counter, HaloStatus status)
{
    pthread_mutex_lock(&sequencer->lock);
    if (status == HALO_OK) {
        ++*counter;
    } else if (sequencer->failed.status == HALO_OK) {
        halo_failure_keep(&sequencer->failed, status);
    }
    pthread_cond_broadcast(&sequencer->moved);
    pthread_mutex_unlock(&sequencer->lock);
    return status == HALO_OK;
}

bool sequencer_take(Sequencer *sequencer, int64_t *counter, int64_t *taken)
{
    pthread_mutex_lock(&sequencer->lock);
    const bool well = sequencer->failed.status == HALO_OK;
    if (well) *taken = (*counter)++;
    pthread_mutex_unlock(&sequencer->lock);
    return well;
}

void sequencer_end(Sequencer *sequencer)
{
    pthread_mutex_lock(&sequencer->lock);
    sequencer->done = true;
    pthread_cond_broadcast(&sequencer->moved);
    pthread_mutex_unlock(&sequencer->lock);
}

HaloStatus sequencer_failure(Sequencer *sequencer)
{
    pthread_mutex_lock(&sequencer->lock);
    const HaloStatus status = halo_failure_again(&sequencer->failed);
    pthread_mutex_unlock(&sequencer->lock);
    return status;
}
