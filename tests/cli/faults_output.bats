# Faults of outputs: disks that are full, pipes that close, devices, limits.
# shellcheck disable=SC2016,SC2002,SC2154
setup() { load common; common_setup; make_worked in.pgm; }

teardown() { if [ -e mounted ]; then umount "$BATS_TEST_TMPDIR/small"; fi; }

# What a failed write leaves: the old file, and nothing else in the folder.
left_alone() {
    [ "$(cat "$1")" = old ]
    [ "$(find "$(dirname "$1")" -name '.*halo*')" = "" ]
}

@test "a disk that is full: the reason, the old file, no temporary, exit 4" {
    [ "$(id -u)" -eq 0 ] || skip "only root may mount"
    mkdir small
    mount -t tmpfs -o size=64k none small 2> /dev/null || skip "no file system can be mounted here"
    touch mounted
    make_gray big.pgm 400 400
    head -c 150000 /dev/urandom > many.raw
    for kind in png ppm tif npy pfm jpg wav flac; do
        halo list formats | grep -q "^ *.*$kind" || continue
        echo old > small/out.$kind
        case $kind in
        wav | flac) run --separate-stderr halo run '' --raw s16,8000,1 many.raw -o small/out.$kind -f ;;
        jpg) run --separate-stderr halo run '' big.pgm -o small/out.jpg -f --quality 100 ;;
        *) run --separate-stderr halo run '' big.pgm -o small/out.$kind -f ;;
        esac
        echo "$kind: $status $stderr"
        [ "$status" -eq 4 ]; says "No space left on device"; says "out.$kind"
        left_alone small/out.$kind
        rm small/out.$kind
    done
}

@test "a file that may not grow further: the reason, the old file, no temporary, exit 4" {
    make_gray big.pgm 400 400
    mkdir out
    echo old > out/x.pgm
    run --separate-stderr bash -c 'ulimit -f 20; "$HALO" run "" big.pgm -o out/x.pgm -f'
    [ "$status" -eq 4 ]; says "File too large"; says "x.pgm"
    left_alone out/x.pgm
}

@test "sound into /dev/full, and into a pipe that is closed" {
    make_wav in.wav 8000
    if [ -c /dev/full ]; then
        run --separate-stderr halo run average:9 in.wav -o /dev/full --to wav
        [ "$status" -eq 4 ]; says "No space left on device"
    fi
    # more than was said
    run bash -c '{ head -c 44 in.wav; cat /dev/zero; } | "$HALO" run average:9 - -o - | wc -c'
    [ "$output" = 16044 ]
    run bash -c \
        '{ head -c 40 in.wav; printf "\377\377\377\377"; cat /dev/zero; } |
        { "$HALO" run average:9 - -o - 2> said; echo "$?" > code; } |
        head -c 1000000 > /dev/null; cat code said'
    [ "$output" = 141 ]
}

@test "a stream of images into a pipe that is closed: no message and exit 141" {
    make_gray big.pgm 400 400
    run bash -c \
        'for i in 1 2 3 4 5 6 7 8 9; do cat big.pgm; done |
        { "$HALO" run box:3 - -o - 2> said; echo "$?" > code; } | head -c 100000 > /dev/null; cat code said'
    [ "$output" = 141 ]
}

@test "truncated sound: the reason, no file; a pipe keeps what was written, exit 1" {
    make_wav in.wav 8000
    head -c 9000 in.wav > cut.wav
    run --separate-stderr halo run average:9 cut.wav -o out.wav
    [ "$status" -eq 1 ]; says "cut.wav"; says truncated
    [ ! -e out.wav ]
    run --separate-stderr bash -c 'cat cut.wav | "$HALO" run average:9 - -o out.wav'
    [ "$status" -eq 1 ]; says "standard input"; says truncated
    [ ! -e out.wav ]
    run --separate-stderr bash -c 'cat cut.wav | "$HALO" run average:9 - -o - > out.wav'
    [ "$status" -eq 1 ]; says truncated
    halo run average:9 cut.wav -o out.wav -f --tolerate
    [ -s out.wav ]
}

@test "sound needs little memory, whatever its length" {
    { make_wav head.wav 1; head -c 40 head.wav; printf '\377\377\377\377'; head -c 20000000 /dev/zero; } > \
        long.wav
    run halo run 'average:9 | gauss:2' long.wav -o out.wav --max-memory 4M
    [ "$status" -eq 0 ]
    # a file is read from its end on, and a pipe is kept in one
    halo run 'reverse' long.wav -o out.wav -f --max-memory 4M
    # shellcheck disable=SC2002
    cat long.wav | halo run reverse - -o pipe.wav --max-memory 4M
    cmp out.wav pipe.wav
}

@test "a character device and a folder as outputs" {
    run --separate-stderr halo run gauss:2 in.pgm -o /dev/null --to png
    [ "$status" -eq 0 ]
    [ -c /dev/null ]
    mkdir folder
    run --separate-stderr halo run gauss:2 in.pgm -o folder -f --to png
    [ "$status" -eq 2 ]; says folder
}
