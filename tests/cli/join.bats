# Sounds one after the other.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

samples() { tail -n +2 "$1" | paste -sd ' '; }

@test "sounds are joined in the order they are given, from files and from a pipe" {
    seq 3 > a.csv
    seq 11 14 > b.csv
    halo join a.csv b.csv a.csv -o all.csv
    [ "$(samples all.csv)" = '1 2 3 11 12 13 14 1 2 3' ]
    halo run --raw csv '' - -o - --to wav < a.csv > a.wav
    halo run --raw csv '' - -o - --to wav < b.csv > b.wav
    halo join a.wav - < b.wav -o all.csv -f
    [ "$(samples all.csv)" = '1 2 3 11 12 13 14' ]
    halo join a.csv -o one.csv
    [ "$(samples one.csv)" = '1 2 3' ]
}

@test "the next sound is faded in over the end of the previous one" {
    printf '1\n1\n1\n1\n' > a.csv
    printf '3\n3\n3\n' > b.csv
    halo join --crossfade 2s a.csv b.csv -o all.csv
    [ "$(samples all.csv)" = '1 1 1.5 2.5 3' ]
    halo join --crossfade 3s a.csv b.csv a.csv -o all.csv -f
    [ "$(wc -l < all.csv)" -eq 6 ]
    run --separate-stderr halo join --crossfade 4s a.csv b.csv -o x.csv
    [ "$status" -eq 1 ]
    [[ "$stderr" == *'b.csv has 3 frames, fewer than the 4 of a crossfade'* ]]
    [ ! -e x.csv ]
    run --separate-stderr halo join --crossfade 4f a.csv b.csv -o x.csv
    [ "$status" -eq 2 ]
}

@test "files of one rate and as many channels; both are named where they differ" {
    make_wav a.wav 800
    make_wav b.wav 400 16000
    halo run channels:1,1 a.wav -o two.wav
    halo join a.wav a.wav -o twice.wav
    [[ "$(halo info --json twice.wav)" == *'"width":1600,'*'"bits":16,'* ]]
    cmp <(tail -c 3200 twice.wav) <(cat <(tail -c 1600 a.wav) <(tail -c 1600 a.wav))
    run --separate-stderr halo join a.wav b.wav -o x.wav
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"b.wav has a sample rate of 16000 Hz, and a.wav of 8000 Hz"*"rate:8000"* ]]
    run --separate-stderr halo join a.wav two.wav -o x.wav
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"two.wav has 2 channels, and a.wav has 1"* ]]
    printf 'P5 1 1 255\n\001' > in.pgm
    run --separate-stderr halo join a.wav in.pgm -o x.wav
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"in.pgm is an image"* ]]
    run --separate-stderr halo join a.wav twice.wav -o twice.wav -f
    [ "$status" -ne 0 ]
    [ ! -e x.wav ]
}

@test "long sounds are joined in little memory, as if they were one" {
    head -c 30000000 /dev/urandom > a.raw
    head -c 20000000 /dev/urandom > b.raw
    halo join --raw s16,48000,2 --max-memory 16M a.raw b.raw -o ab.wav
    cmp <(tail -c 50000000 ab.wav) <(cat a.raw b.raw)
    halo join --raw s16,48000,2 --max-memory 16M --crossfade 500ms a.raw b.raw -o ab.wav -f
    [[ "$(halo info --json ab.wav)" == *'"width":12476000,'* ]]
    cmp <(tail -c 19904000 ab.wav) <(tail -c 19904000 b.raw)
}
