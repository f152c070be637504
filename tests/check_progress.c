/* HaloOptions::progress: what is loaded, saved, stacked and compared tells how far it is, and can be ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "arrays.h"
#include "codec.h"
#include "random.h"

enum { WIDTH = 6000, HEIGHT = 1500, PAGES = 3, FRAMES = 3000000 };

typedef struct Told {
    int calls, most; /* the call number `most` ends the work; 0: none does */
    double done;
    bool rises;
} Told;

/* Takes longer than the least time between two calls. */
static bool listen(void *context, double done)
{
    Told *told = context;
    nanosleep(&(struct timespec){.tv_nsec = 51000000}, NULL);
    told->rises = told->rises && (done == -1.0 || (done >= told->done && done <= 1.0));
    if (done >= 0) told->done = done;
    return ++told->calls != told->most;
}

static HaloSession *listening(Told *told, int most)
{
    HaloOptions options;
    *told = (Told){.most = most, .rises = true};
    halo_options_defaults(&options);
    options.axes = "nhw"; /* of NPY */
    options.progress = listen;
    options.context = told;
    return array_session(&options);
}

static uint8_t picture[PAGES][HEIGHT][WIDTH];
static float sound[FRAMES];

static HaloArray some_pages(int64_t pages)
{
    const int64_t size[] = {pages, HEIGHT, WIDTH};
    for (size_t i = 0; i < sizeof picture; i++) ((uint8_t *)picture)[i] = (uint8_t)(i * 2654435761u >> 20);
    return array_packed(HALO_TYPE_U8, "nhw", size, picture);
}

static HaloArray some_sound(void)
{
    const int64_t size[] = {FRAMES};
    for (int64_t i = 0; i < FRAMES; i++) sound[i] = (float)(i % 1000) / 1000.0f;
    HaloArray array = array_packed(HALO_TYPE_F32, "t", size, sound);
    array.rate = 48000;
    return array;
}

/* ---- what is done ---------------------------------------------------------------------------------------- */

typedef struct Work {
    const char *name;
    HaloStatus (*run)(HaloSession *session);
} Work;

static HaloStatus save(HaloSession *session, const HaloArray *array, const char *name)
{
    HaloFile file = HALO_FILE(test_path(name));
    file.replace = true;
    return halo_save(session, array, &file);
}

static HaloStatus load(HaloSession *session, const char *name, bool pages)
{
    const HaloFile file = HALO_FILE(test_path(name));
    HaloArray array;
    halo_array_defaults(&array);
    const HaloStatus status = halo_load(session, &file, pages, &array);
    assert_true(status == HALO_OK || array.data == NULL);
    halo_free(array.data);
    return status;
}

static HaloStatus save_png(HaloSession *session)
{
    HaloArray array = some_pages(1);
    return save(session, &array, "png.png");
}

static HaloStatus save_npy(HaloSession *session)
{
    HaloArray array = some_pages(PAGES);
    return save(session, &array, "npy.npy");
}

static HaloStatus save_wav(HaloSession *session)
{
    HaloArray array = some_sound();
    return save(session, &array, "wav.wav");
}

static HaloStatus load_png(HaloSession *session) { return load(session, "png.png", false); }

static HaloStatus load_npy(HaloSession *session) { return load(session, "npy.npy", true); }

static HaloStatus load_wav(HaloSession *session) { return load(session, "wav.wav", false); }

static HaloStatus stack(HaloSession *session)
{
    static uint8_t made[HEIGHT][WIDTH];
    const int64_t size[] = {HEIGHT, WIDTH};
    const HaloArray in = some_pages(PAGES), out = array_packed(HALO_TYPE_U8, "hw", size, made);
    return halo_stack_arrays(session, "median", &in, 1, &out);
}

static HaloStatus compare_pictures(HaloSession *session)
{
    HaloArray in[2] = {some_pages(1), some_pages(1)};
    HaloDifference difference = {.struct_size = sizeof difference};
    in[1].data = picture[1];
    return halo_compare_arrays(session, in, &difference);
}

static HaloStatus compare_sounds(HaloSession *session)
{
    HaloArray in[2] = {some_sound(), some_sound()};
    HaloDifference difference = {.struct_size = sizeof difference};
    in[1].data = sound + 100;
    in[1].size[0] = FRAMES - 100;
    return halo_compare_arrays(session, in, &difference);
}

/* Saved first what is loaded then. */
static const Work works[] = {{"save png.png", save_png},
                             {"save npy.npy", save_npy},
                             {"save wav.wav", save_wav},
                             {"load png.png", load_png},
                             {"load npy.npy", load_npy},
                             {"load wav.wav", load_wav},
                             {"stack", stack},
                             {"compare pictures", compare_pictures},
                             {"compare sounds", compare_sounds}};

static void told_of_all(void **state)
{
    (void)state;
    Told told;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        HaloSession *session = listening(&told, 0);
        array_ok(works[i].run(session), works[i].name);
        if (told.calls < 2 || !told.rises)
            fail_case(NULL, "%s: %d calls, up to %g%s", works[i].name, told.calls, told.done,
                      told.rises ? "" : ", not in order");
        halo_session_close(session);
    }
}

/* Ended at the first call, or at the second; the session works on. */
static void ended(void **state)
{
    (void)state;
    Told told;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        for (int most = 1; most <= 2; most++) {
            HaloSession *session = listening(&told, most);
            const bool saves = strncmp(works[i].name, "save", 4) == 0;
            if (saves) unlink(test_path(works[i].name + 5));
            const HaloStatus status = works[i].run(session);
            if (status != HALO_ERR_CANCELLED || told.calls != most)
                fail_case(NULL, "%s: status %d after %d calls", works[i].name, status, told.calls);
            assert_string_equal(halo_error(), "cancelled");
            if (saves) assert_int_equal(access(test_path(works[i].name + 5), F_OK), -1);
            array_ok(works[i].run(session), works[i].name);
            halo_session_close(session);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_of_all),
        cmocka_unit_test(ended),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
