# Sound that is repaired, and played faster, slower, higher or lower.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

@test "repair and changes of tempo: the same bytes with any number of threads, from a file and from a pipe" {
    head -c 240000 /dev/urandom > in.raw
    halo run --raw s16,8000,2 'lowpass:1kHz,design=butterworth' in.raw -o in.wav
    for op in tempo:1.25 pitch:-3 speed:0.9 denoise:profile=0s-0.5s denoise declick declip:50%; do
        halo run -j1 "$op" in.wav -o one.wav -f
        halo run -j3 "$op" in.wav -o many.wav -f
        cmp one.wav many.wav
        halo run "$op" - -o - --to wav < in.wav > pipe.wav
        [ "$(halo compare one.wav pipe.wav --json | grep -c '"identical":true')" -eq 1 ] || cmp one.wav pipe.wav
    done
}

@test "parameters that make no sense are refused in one line" {
    make_wav a.wav 800
    refused() {
        run --separate-stderr halo run "$1" a.wav -o x.wav
        [ "$status" -eq "$2" ]
        [[ "$stderr" == *"$3"* ]]
        [ ! -e x.wav ]
    }
    refused tempo:0 2 'tempo'
    refused 'tempo:2,segment=10,overlap=8' 2 'an overlap of 8 samples is more than half of a segment of 10'
    refused pitch:40 2 'pitch'
    refused speed:-1 2 'speed'
    refused denoise:profile=1s 2 'such as 0s-0.5s'
    refused denoise:profile=0.05s-0.01s 2 'ends before it begins'
    refused denoise:profile=5s-6s 1 'after the last of 800'
    refused denoise:profile=0s-0.001s 1 'give a longer profile'
    refused denoise:window=1000 1 'the sound is shorter'
    refused denoise:reduce=-3dB 2 'reduce'
    refused declick:longest=1000 2 'more than 384 cannot be made from those around'
}

@test "sounds are crossfaded by the curve that was asked for" {
    printf '1\n1\n1\n1\n' > a.csv
    printf '0\n0\n0\n0\n' > b.csv
    halo join --crossfade 2s a.csv b.csv -o linear.csv
    halo join --crossfade 2s --curve linear a.csv b.csv -o same.csv
    cmp linear.csv same.csv
    halo join --crossfade 2s --curve power a.csv b.csv -o power.csv
    [ "$(sed -n '4,5p' power.csv | cut -c1-6 | paste -sd ' ')" = '0.9238 0.3826' ]
    halo join --crossfade 2s --curve cosine a.csv b.csv -o cosine.csv
    [ "$(sed -n '4,5p' cosine.csv | cut -c1-6 | paste -sd ' ')" = '0.8535 0.1464' ]
    run --separate-stderr halo join --crossfade 2s --curve round a.csv b.csv -o x.csv
    [ "$status" -eq 2 ]
    [[ "$stderr" == *curve* ]]
}
