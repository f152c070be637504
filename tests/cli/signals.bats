# Signals and other sudden ends: nothing half-written stays, and the parent process sees how halo ended.
# shellcheck disable=SC2016,SC2154
setup() { load common; common_setup; }

teardown() { [ ! -s pids ] || kill -KILL $(cat pids) 2> /dev/null || true; }

# start COMMAND…: in the background, ended with the test if it hangs.
start() { "$@" & pid=$!; echo "$pid" >> pids; }

# until_there COMMAND…: waits until it succeeds, for 20 s at most.
until_there() {
    local i
    for ((i = 0; i < 2000; i++)); do if "$@" > /dev/null 2>&1; then return 0; fi; sleep 0.01; done
    echo "never: $*"; return 1
}

# Enough that its output is begun.
half_an_image() { printf 'P5 100 100 255\n'; head -c 5000 /dev/zero; }

# shim: a library that makes calls fail, as its environment says.
shim() {
    command -v cc > /dev/null || skip "there is no compiler"
    if grep -q __asan_init "$HALO"; then skip "a sanitizer has its own allocator"; fi
    cat > shim.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static size_t least, exactly;
__attribute__((constructor)) static void begin(void)
{
    if (getenv("FAIL_FROM")) least = strtoul(getenv("FAIL_FROM"), 0, 10);
    if (getenv("FAIL_AT")) exactly = strtoul(getenv("FAIL_AT"), 0, 10);
}
static int fails(size_t size)
{
    const int in_worker = gettid() != getpid();
    return (least > 0 && size >= least) || (exactly > 0 && size == exactly && in_worker);
}
void *malloc(size_t size) { return fails(size) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails(count * size) ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return fails(size) ? NULL : __libc_realloc(old, size); }
static int look(const char *name, const char *path, struct stat *st)
{
    const char *part = getenv("FAIL_STAT"), *error = getenv("FAIL_ERRNO");
    int (*real)(const char *, struct stat *) = (int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, name);
    if (part == NULL || strstr(path, part) == NULL) return real(path, st);
    errno = atoi(error);
    return -1;
}
int stat(const char *path, struct stat *st) { return look("stat", path, st); }
int lstat(const char *path, struct stat *st) { return look("lstat", path, st); }
int stat64(const char *path, struct stat64 *st) { return stat(path, (struct stat *)st); }
int lstat64(const char *path, struct stat64 *st) { return lstat(path, (struct stat *)st); }
END
    cc -shared -fPIC -O1 -o shim.so shim.c -ldl
}

@test "at random moments: no temporary, and ended by the signal" {
    need_numpy
    mkdir in
    for i in {1..60}; do { printf 'P5 %d %d 255\n' $((i * 4)) 100; head -c $((i * 400)) /dev/zero; } > \
        in/$i.pgm; done
    "$PYTHON" - "$HALO" <<'END'
import os, random, shutil, signal, subprocess, sys, time
draw, stopped = random.Random(7), 0
begun = time.time()
subprocess.run([sys.argv[1], "run", "box:3", "-r", "in", "--out-dir", "out", "-q"], check=True)
most = time.time() - begun
# of so many, at least eleven interrupt a run, however fast the machine is
for turn in range(480):
    if turn >= 48 and stopped > 10: break
    number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)[turn % 4]
    shutil.rmtree("out")
    p = subprocess.Popen([sys.argv[1], "run", "box:3", "-r", "in", "--out-dir", "out", "-j",
        "14"[turn // 4 % 2]],
                         stderr=subprocess.DEVNULL)
    time.sleep(draw.random() * most)
    p.send_signal(number)
    status = p.wait()
    assert status in (0, -number), (number, status)
    stopped += status != 0
    os.makedirs("out", exist_ok=True)
    left = [f for f in os.listdir("out") if ".halo-" in f and "journal" not in f]
    assert not left, (number, left)
    for f in os.listdir("out"):
        assert "journal" in f or os.path.getsize("out/" + f) > 0, f
assert stopped > 10, stopped
END
}

@test "each of them reports its progress; a shell's loop ends" {
    need_numpy
    make_gray in.pgm 9 9
    mkfifo slow.pgm
    "$PYTHON" - "$HALO" <<'END'
import os, signal, subprocess, sys, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
    # nohup and background jobs ignore some, and so do the processes that they start
    signal.signal(number, signal.SIG_DFL)
loop = 'for i in 1 2 3; do "$0" stats in.pgm slow.pgm -j 1 > /dev/null; echo went on; done'
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
    p = subprocess.Popen([sys.argv[1], "stats", "in.pgm", "slow.pgm", "-j", "1"], stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE)
    pipe = os.open("slow.pgm", os.O_WRONLY)
    time.sleep(.1)
    p.send_signal(number)
    said = p.communicate(timeout=20)[1]
    assert p.returncode == -number, (number, p.returncode)
    assert said == b"halo: stopped, 1 of 2 inputs done\n", said
    os.close(pipe)
p = subprocess.Popen(["bash", "-c", loop, sys.argv[1]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    start_new_session=True)
pipe = os.open("slow.pgm", os.O_WRONLY)
time.sleep(.1)
os.killpg(p.pid, signal.SIGINT)
said = p.communicate(timeout=20)[0]
assert said == b"" and p.returncode == -signal.SIGINT, (said, p.returncode)
END
}

@test "halo bench batch leaves no folder behind" {
    mkdir tmp
    for i in 1 2 3 4 5 6; do make_gray $i.pgm 300 300; done
    TMPDIR=$PWD/tmp start "$HALO" bench batch box:31 [1-6].pgm -j 2 > bench.txt 2> said
    until_there compgen -G 'tmp/halo-bench-*/*.pgm'
    kill -TERM $pid
    status=0; wait $pid || status=$?
    [ "$status" -eq 143 ]
    [ "$(find tmp -mindepth 1)" = '' ]
}

@test "what was ignored before stays ignored" {
    make_gray in.pgm 9 9
    mkfifo slow.pgm
    start env --ignore-signal=HUP,QUIT,INT,TERM "$HALO" run box:3 slow.pgm -o out.pgm
    exec 7> slow.pgm
    for signal in HUP QUIT INT TERM; do kill -$signal $pid; done
    sleep 0.1
    cat in.pgm >&7
    exec 7>&-
    wait $pid
    [ -s out.pgm ]
}

@test "a worker without memory: exit 5, and the others leave nothing" {
    shim
    make_gray in.pgm 9 9
    mkfifo one.pgm two.pgm
    long=$(printf 'n%.0s' {1..197}).pgm # its output is named in 205 bytes, as nothing else is
    cp in.pgm "$long"
    FAIL_AT=205 LD_PRELOAD=$PWD/shim.so start timeout 30 "$HALO" run box:3 one.pgm two.pgm "$long" --out-dir \
        o1 -j 2 2> said
    exec 7<> one.pgm
    half_an_image >&7
    until_there compgen -G 'o1/.one.pgm.halo-*'
    timeout 30 bash -c 'cat in.pgm > two.pgm'
    status=0; wait $pid || status=$?
    exec 7>&-
    [ "$status" -eq 5 ]
    [ "$(cat said)" = "halo: not enough memory" ]
    [ "$(ls -A o1)" = $'.halo-journal\ntwo.pgm' ]
}

@test "a page that does not fit into memory: exit 5 and a message" {
    shim
    make_gray in.pgm 9 9
    for from in 4000 20000; do
        FAIL_FROM=$from LD_PRELOAD=$PWD/shim.so run --separate-stderr halo list ops --json
        [ "$status" -eq 5 ]; says "not enough memory"
    done
}

@test "a journal that cannot be looked at: the reason, and no hang" {
    shim
    make_gray a.pgm 9 9; make_gray b.pgm 9 9
    for error in 5 2; do # EIO, ENOENT
        FAIL_STAT=.halo-journal FAIL_ERRNO=$error LD_PRELOAD=$PWD/shim.so run --separate-stderr timeout 20 \
            "$HALO" run box:3 a.pgm b.pgm --out-dir out --resume
        [ "$status" -eq 4 ]; says "out/.halo-journal: cannot"
        FAIL_STAT=.halo-journal FAIL_ERRNO=$error LD_PRELOAD=$PWD/shim.so run --separate-stderr timeout 20 \
            "$HALO" run box:3 a.pgm b.pgm --out-dir out -f
        [ "$status" -eq 0 ]
    done
}

@test "pipes, folders and devices named like a journal are errors with a message" {
    make_gray a.pgm 9 9; make_gray b.pgm 9 9
    for name in .halo-journal .halo-journal-1-of-2; do
        for kind in "mkfifo out/$name" "mkdir out/$name" "ln -s /dev/zero out/$name" \
            "ln -s nowhere out/$name"; do
            rm -rf out; mkdir out; $kind
            run --separate-stderr timeout 20 "$HALO" run box:3 a.pgm b.pgm --out-dir out --resume
            [ "$status" -eq 4 ]; says "out/$name: cannot"
            [[ $kind == mkdir* && $name == .halo-journal ]] || says ": remove it"
            run --separate-stderr timeout 20 "$HALO" run box:3 a.pgm b.pgm --out-dir out
            [ "$status" -eq $([ $name = .halo-journal ] && echo 4 || echo 0) ]
        done
    done
}

@test "--resume leaves the temporaries of a running part" {
    make_gray in.pgm 30 30; make_gray a.pgm 9 9
    mkfifo slow.pgm other.pgm
    start "$HALO" run box:3 a.pgm slow.pgm --shard 2/2 --out-dir out --resume -q
    part=$pid
    exec 7> slow.pgm
    half_an_image >&7
    until_there compgen -G 'out/.slow.pgm.halo-*'
    start "$HALO" run box:3 a.pgm other.pgm slow.pgm --out-dir out --resume -q -j 1 # it waits for the second
    until_there test -s out/.halo-journal
    until_there test -e out/a.pgm # so it has gone through all that it found
    compgen -G 'out/.slow.pgm.halo-*'
    kill -KILL $pid; wait $pid || true
    head -c 5000 /dev/zero >&7
    exec 7>&-
    wait $part
    [ "$(ls -A out)" = $'.halo-journal\n.halo-journal-2-of-2\na.pgm\nslow.pgm' ]
}
