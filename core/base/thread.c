#include "halo/thread.h"

bool halo_thread_start(pthread_t *thread, void *(*run)(void *), void *context)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    const bool started = pthread_attr_setstacksize(&attributes, HALO_THREAD_STACK) == 0 &&
                         pthread_create(thread, &attributes, run, context) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

typedef struct Call {
    HaloStatus (*call)(void *);
    void *context;
    HaloFailure failed;
} Call;

static void *call_main(void *context)
{
    Call *self = context;
    const HaloStatus status = self->call(self->context);
    if (status != HALO_OK) halo_failure_keep(&self->failed, status);
    return NULL;
}

HaloStatus halo_thread_call(HaloStatus (*call)(void *), void *context)
{
    Call self = {.call = call, .context = context};
    pthread_t thread;
    if (!halo_thread_start(&thread, call_main, &self)) return call(context);
    pthread_join(thread, NULL);
    return self.failed.status == HALO_OK ? HALO_OK : halo_failure_again(&self.failed);
}
