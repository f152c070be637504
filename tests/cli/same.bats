# The same bytes on every device, instruction set and number of threads.
# shellcheck disable=SC2016,SC2002,SC2154
setup() { load common; common_setup; make_rgb in.ppm 97 61; make_wav in.wav 6000; }

pipelines=(gauss:2 'gray | sobel | normalize' 'unsharp:2' 'box:9,border=wrap'
    'conv:mask="3x3: 1,2,1,0,0,0,-1,-2,-1"' scan)

# each WORDS…: every pipeline with these words in front of it; the checksums.
each() {
    local i
    for i in "${!pipelines[@]}"; do
        "$@" "$HALO" run "${pipelines[$i]}" in.ppm -o - --to npy $jobs | cksum
    done
    "$@" "$HALO" run average:5ms in.wav -o - $jobs | cksum
    "$@" "$HALO" run savgol:window=21,order=3 in.wav -o - --to npy $jobs | cksum
    "$@" "$HALO" run stats in.wav --json $jobs | cksum
}

@test "1, 2 and 8 threads" {
    jobs=-j1
    one=$(each env)
    for n in 2 8; do
        jobs=-j$n
        [ "$(each env)" = "$one" ]
    done
}

@test "every instruction set" {
    jobs=
    baseline=$(each env HALO_CPU=baseline)
    local compared=0
    for set in v3 v4 neon; do
        HALO_CPU=$set halo stats in.ppm > /dev/null 2>&1 || continue
        [ "$(each env HALO_CPU=$set)" = "$baseline" ]
        compared=$((compared + 1))
    done
    [ $compared -gt 0 ] || skip "this machine has the baseline alone"
}

@test "the GPU" {
    halo list devices | grep -q '^gpu:0' || skip "there is no GPU"
    jobs=--device=cpu
    host=$(each env)
    jobs=--device=gpu
    [ "$(each env)" = "$host" ]
}

@test "an unknown instruction set is an error" {
    run --separate-stderr env HALO_CPU=v9 "$HALO" stats in.ppm
    [ "$status" -eq 3 ]
    says v9
}

@test "--png-level changes the size of a PNG and no sample" {
    make_gray noise.pgm 200 100 40
    for level in 0 1 2 6 9; do
        halo run gauss:1 noise.pgm -o "$level.png" --png-level "$level"
        halo run invert "$level.png" -o "$level.pgm"
        cmp "$level.pgm" 0.pgm
    done
    [ "$(stat -c %s 0.png)" -gt "$(stat -c %s 1.png)" ] && [ "$(stat -c %s 1.png)" -gt "$(stat -c %s 9.png)" ]
    run --separate-stderr halo run gauss:1 noise.pgm -o x.png --png-level 10
    [ "$status" -eq 2 ]; says "from 0 to 9"
}
