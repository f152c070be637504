# Dither before samples are rounded to fewer bits.
# shellcheck disable=SC2154
setup() {
    load common
    common_setup
    make_wav saw.wav 9000 44100
    halo run gain:0.0001 saw.wav -o in.wav --bits float # about a step and a half of 16 bits
}

rmse() { halo compare "$1" "$2" --json | sed 's/.*"rmse":\([^,]*\),.*/\1/'; }
within() { awk -v v="$1" "BEGIN { exit !(v > $2 && v < $3) }" || { echo "$1 is not in $2 to $3"; return 1; }; }

@test "dither: off by default, and with the noise of its definition" {
    halo run '' in.wav -o plain.wav --bits 16
    halo run dither:tpdf in.wav -o tpdf.wav --bits 16
    halo run dither:shaped in.wav -o shaped.wav --bits 16
    # In steps of 2^-15: 1/sqrt(12) of rounding, 1/2 with triangular noise, about 2 with shaped noise
    within "$(rmse in.wav plain.wav)" 0.7e-5 1e-5
    within "$(rmse in.wav tpdf.wav)" 1.45e-5 1.6e-5
    within "$(rmse in.wav shaped.wav)" 5e-5 7.5e-5
    # below 5 kHz shaped noise is the weaker one
    for kind in tpdf shaped; do
        halo run "subtract:$kind.wav | lowpass:5k" in.wav -o $kind-low.wav --bits float
    done
    halo run gain:0 in.wav -o zero.wav --bits float
    within "$(rmse zero.wav tpdf-low.wav)" 6e-6 8e-6
    within "$(rmse zero.wav shaped-low.wav)" 0 2e-6
    halo run dither:tpdf,bits=8 in.wav -o eight.wav --bits 8
    halo run 'dither:tpdf,bits=8' in.wav -o sixteen.wav --bits 16
    halo compare eight.wav sixteen.wav > /dev/null # nothing is left to round
}

@test "dither gives the same bytes in bands, threads and pipes, and refuses what it is not for" {
    for kind in tpdf shaped; do
        halo run dither:$kind in.wav -o $kind.wav --bits 16 -j 1
        halo run dither:$kind in.wav -o again.wav --bits 16 -j 3 -f
        cmp $kind.wav again.wav
        halo run dither:$kind - -o - --to flac --bits 16 < <(cat in.wav) > pipe.flac
        halo compare $kind.wav pipe.flac > /dev/null
    done
    make_wav slow.wav 100 16000
    run --separate-stderr halo run dither:shaped slow.wav -o x.wav
    [ "$status" -eq 2 ]; says 'not 16000 Hz: use dither:tpdf'
    for bad in dither:pink dither:bits=3 dither:bits=25 dither:bits=8.5; do
        run --separate-stderr halo run $bad in.wav -o x.wav
        [ "$status" -eq 2 ]
    done
}
