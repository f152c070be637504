# Impulse responses from files of sound: channels and sample rates.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

# series FILE RATE CHANNELS VALUE…: frames of 32-bit floats, of values a channel after another
series() {
    local file=$1 rate=$2 channels=$3
    shift 3
    printf '%s\n' "$@" | paste -d, $(yes - | head -n "$channels") |
        halo run '' - -o "$file" --raw csv --rate "$rate" --to wav --bits float -q
}
made() { halo run "$1" "$2" -o - --to csv -q | tail -n +2 | tr '\n' ' '; }

@test "fir: channel k of the response is for channel k, and a response of one channel is for all" {
    series in.wav 8000 2 1 1  0 0  0 0  0 2
    series two.wav 8000 2 1 4  2 5  3 6
    [ "$(made fir:two.wav,phase=causal in.wav)" = '1,4 2,5 3,6 0,8 ' ]
    [ "$(made fir:two.wav,phase=causal,tail=1 in.wav)" = '1,4 2,5 3,6 0,8 0,10 0,12 ' ]
    [ "$(made fir:two.wav,border=zero in.wav)" = '2,5 3,6 0,8 0,10 ' ]
    [ "$(made fir:two.wav,border=valid in.wav)" = '3,6 0,8 ' ]
    series one.wav 8000 1 1 2 3
    [ "$(made fir:one.wav,phase=causal in.wav)" = '1,1 2,2 3,3 0,2 ' ]
    series five.wav 8000 5 1 1 1 1 1  0 0 0 0 0
    series each.wav 8000 5 1 2 3 4 5  6 7 8 9 10
    [ "$(made fir:each.wav,phase=causal five.wav)" = '1,2,3,4,5 6,7,8,9,10 ' ]
    # A NaN stays in its channel.
    series nan.wav 8000 2 nan 1  0 1
    [ "$(made fir:two.wav,phase=causal nan.wav)" = 'nan,4 nan,9 ' ]
}

@test "fir: other numbers of channels and other sample rates are refused" {
    series in.wav 8000 3 1 1 1  0 0 0
    series two.wav 8000 2 1 4  2 5
    series fast.wav 16000 1 1 2 3
    run --separate-stderr halo run fir:two.wav in.wav -o x.wav
    [ "$status" -eq 1 ]; says 'the impulse response has 2 channels and the sound has 3: it takes'
    run --separate-stderr halo run fir:fast.wav in.wav -o x.wav
    [ "$status" -eq 1 ]; says 'has 16000 Hz and the sound 8000 Hz'; says 'rate:8000'
    run --separate-stderr halo run conv:two.wav in.wav -o x.wav
    [ "$status" -eq 2 ]; says 'only fir takes several'
    [ ! -e x.wav ]
    halo run 'rate:16k | fir:fast.wav' in.wav -o x.wav
    printf '1\n2\n3\n' > taps.txt # has no rate
    halo run fir:taps.txt in.wav -o y.wav
}

@test "fir of several channels gives the same bytes in bands, threads and pipes" {
    make_wav a.wav 9000
    halo run 'channels:1,1 | fade:0s,0.5s' a.wav -o in.wav
    series two.wav 8000 2 1 4  2 5  3 6 .5 .25 .75 1
    halo run fir:two.wav,phase=causal in.wav -o one.wav --bits float -j 1
    halo run fir:two.wav,phase=causal in.wav -o two.out --to wav --bits float -j 3 --max-memory 1M
    cmp one.wav two.out
    halo run fir:two.wav,phase=causal - -o - --to wav --bits float < <(cat in.wav) > pipe.out
    halo compare one.wav pipe.out > /dev/null
    halo info one.wav | grep -q 'channels  2'
}
