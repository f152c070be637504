# --sync: outputs and their names are on the disk before they count as done.
# shellcheck disable=SC2016,SC2154
setup() {
    load common; common_setup
    command -v strace > /dev/null || skip "there is no strace"
    export ASAN_OPTIONS=detect_leaks=0
    mkdir -p in/sub
    make_gray in/1.pgm 9 9; make_gray in/sub/2.pgm 9 9
    strace -f -o probe true 2> probe.txt || skip "nothing can be traced here"
}

# calls COMMAND…: what it asked of the disk, in order, in the file "calls".
calls() {
    strace -f -y -o trace -e trace=fsync,fdatasync,sync,syncfs,link,linkat,rename,renameat,renameat2,mkdir "$@"
    sed -E "s/^[0-9]+ +//; s|$PWD|HERE|g; s/\([0-9]+</(</" trace |
        grep -E '^(f|sync|link|rename|mkdir)' > calls || true
}

@test "without it nothing waits for the disk" {
    calls "$HALO" run box:3 in -r --out-dir out -q
    [ -s calls ]
    [ "$(grep -c sync calls)" -eq 0 ]
    calls "$HALO" run box:3 in/1.pgm -o one.pgm
    [ "$(grep -c sync calls)" -eq 0 ]
}

@test "a file's bytes, then its name, then its folder" {
    calls "$HALO" run box:3 in/1.pgm -o one.pgm --sync
    [ "$(sed 's/ *=.*//' calls)" = \
        $'fsync(<HERE/.one.pgm.halo-000000>)\nlink(".one.pgm.halo-000000", "one.pgm")\nfsync(<HERE>)' ]
    calls "$HALO" run box:3 in/1.pgm -o one.pgm --sync -f
    [ "$(sed 's/ *=.*//' calls)" = \
        $'fsync(<HERE/.one.pgm.halo-000000>)\nrename(".one.pgm.halo-000000", "one.pgm")\nfsync(<HERE>)' ]
}

@test "new folders, and the outputs of an earlier run" {
    calls "$HALO" run box:3 in -r --out-dir new/out --resume -q --sync -j 1
    for at in HERE HERE/new HERE/new/out HERE/new/out/sub; do
        grep -Fq "fsync(<$at>" calls || { echo "$at was not synced"; cat calls; false; }
    done
    [ "$(grep -c 'fsync(<.*pgm' calls)" -eq 2 ]
    halo run box:3 in -r --out-dir plain --resume -q
    calls "$HALO" run box:3 in -r --out-dir plain --resume -q --sync
    for at in HERE/plain HERE/plain/sub HERE/plain/1.pgm HERE/plain/sub/2.pgm; do
        grep -Fq "fsync(<$at>" calls || { echo "$at was not synced"; cat calls; false; }
    done
}

@test "a disk that fails: the reason, exit 4, and no output" {
    strace -f -o trace -e trace=fsync -e inject=fsync:error=EIO "$HALO" run '' in/1.pgm -o probe.pgm \
        2> probe.txt || skip "no call can be made to fail here"
    rm probe.pgm
    run --separate-stderr strace -f -o trace -e trace=fsync -e inject=fsync:error=EIO "$HALO" run box:3 \
        in/1.pgm -o one.pgm --sync
    [ "$status" -eq 4 ]; says "one.pgm: cannot sync it to the disk: Input/output error"
    [ "$(ls -A)" = "$(ls -A | grep -v one.pgm)" ]
}

@test "standard output that is a file, and one that is a pipe" {
    calls bash -c '"$HALO" run box:3 in/1.pgm -o - --sync > one.pgm'
    grep -Fq "fsync(<HERE/one.pgm>)" calls
    run bash -c '"$HALO" run box:3 in/1.pgm -o - --sync | cmp - one.pgm'
    [ "$status" -eq 0 ]
    run halo hist in/1.pgm --plot h.svg --sync
    [ "$status" -eq 0 ]; [ -s h.svg ]
}
