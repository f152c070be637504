# Permissions of outputs follow the inputs' where those are stricter.
# shellcheck disable=SC2154
setup() {
    load common
    common_setup
    make_gray a.pgm 8 6
    make_gray b.pgm 8 6
    make_wav a.wav 100
    umask 022
}

mode_is() { [ "$(stat -c %a "$2")" = "$1" ] || { stat -c '%a %n' "$2"; return 1; }; }

@test "a new output of a private input is private, and of a public one as umask says" {
    chmod 600 a.pgm
    halo run gauss:1 a.pgm -o a.png
    mode_is 600 a.png
    halo run gauss:1 - -o piped.png < a.pgm
    mode_is 600 piped.png
    chmod 640 a.pgm
    halo run gauss:1 a.pgm -o group.png
    mode_is 640 group.png
    chmod 444 a.pgm # the owner can always write
    halo run gauss:1 a.pgm -o own.png
    mode_is 644 own.png
    chmod 666 a.pgm # never wider than umask allows
    umask 027
    halo run gauss:1 a.pgm -o mask.png
    mode_is 640 mask.png
}

@test "of several inputs the strictest counts" {
    chmod 600 b.pgm
    halo run subtract:b.pgm a.pgm -o pair.png
    mode_is 600 pair.png
    halo stack mean a.pgm b.pgm -o stack.png
    mode_is 600 stack.png
    halo pages a.pgm b.pgm -o pages.tif || skip "this build has no TIFF"
    mode_is 600 pages.tif
    cp a.wav b.wav
    chmod 600 b.wav
    halo join a.wav b.wav -o all.wav
    mode_is 600 all.wav
}

@test "a replaced output keeps of its permissions those that every input has" {
    halo run gauss:1 a.pgm -o a.png
    chmod 604 a.png
    chmod 644 a.pgm
    halo run gauss:2 a.pgm -o a.png -f # its own are stricter
    mode_is 604 a.png
    chmod 640 a.pgm
    halo run gauss:3 a.pgm -o a.png -f # the input's are
    mode_is 600 a.png
    chmod 664 a.png
    chmod 444 a.pgm # the owner can always write
    halo run gauss:2 a.pgm -o a.png -f
    mode_is 644 a.png
    chmod 600 b.pgm
    halo run subtract:b.pgm a.pgm -o a.png -f
    mode_is 600 a.png
}

@test "a list of inputs limits no permissions" {
    echo b.pgm > list
    chmod 600 list
    halo run gauss:1 --files-from list --out-dir out --resume
    mode_is 644 out/b.pgm
}

@test "results and plots of a private input are private" {
    chmod 600 a.pgm a.wav
    halo run peaks a.wav b.pgm -o peaks.csv
    mode_is 600 peaks.csv
    halo run stats - -o piped.csv < a.pgm
    mode_is 600 piped.csv
    halo hist a.pgm --plot hist.svg > /dev/null
    mode_is 600 hist.svg
    halo objects --threshold otsu a.pgm --plot objects.svg > /dev/null
    mode_is 600 objects.svg
    halo run stats b.pgm -o public.csv
    mode_is 644 public.csv
    run --separate-stderr halo hist a.pgm --plot a.pgm -f
    [ "$status" -eq 2 ]
}
