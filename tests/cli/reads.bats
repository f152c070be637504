# What a run reads besides its inputs: masks, taps and lists. Pipes among them are read once, and none of them
# is ever overwritten.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

make_files() {
    local i
    mkdir in snd
    for i in 1 2 3 4 5; do make_gray in/$i.pgm $((20 + i)) 10; make_wav snd/$i.wav $((500 + i)); done
    printf '3x1: 1,2,.5\n' > mask.txt
    printf '.25\n.5\n-1\n' > taps.txt
}

@test "a mask, taps and a list that come through pipes are read once, however many workers there are" {
    make_files
    for j in 1 2 4; do
        timeout 60 "$HALO" run -j $j conv:mask=<(cat mask.txt) in/*.pgm --out-dir pipe$j
        timeout 60 "$HALO" run -j $j fir:file=<(cat taps.txt) snd/*.wav --out-dir pipe$j -q
        timeout 60 "$HALO" run -j $j "conv:mask=/dev/stdin | conv:mask=mask.txt" in/*.pgm --out-dir both$j \
            < <(cat mask.txt)
        timeout 60 "$HALO" run -j $j gauss:1 --files0-from <(printf '%s\0' in/*.pgm) --out-dir list$j
        timeout 60 "$HALO" run -j $j gauss:1 --files-from - --out-dir line$j < <(printf '%s\n' in/*.pgm)
    done
    "$HALO" run conv:mask=mask.txt in/*.pgm --out-dir file
    "$HALO" run fir:file=taps.txt snd/*.wav --out-dir file -q
    "$HALO" run 'conv:mask=mask.txt | conv:mask=mask.txt' in/*.pgm --out-dir twice
    "$HALO" run gauss:1 in/*.pgm --out-dir list
    for j in 1 2 4; do diff -r file pipe$j; diff -r twice both$j; diff -r list list$j; diff -r list line$j; done
}

# refuses WORDS FILE COMMAND…: exit 2, these words, and FILE is as it was.
refuses() {
    cp "$2" before
    run --separate-stderr "$HALO" "${@:3}"
    [ "$status" -eq 2 ] || { echo "status $status: $stderr"; return 1; }
    says "$2 is $1"
    cmp "$2" before
}

@test "-f does not overwrite masks, taps and lists" {
    make_files
    refuses 'read by the pipeline' mask.txt run conv:mask=mask.txt in/1.pgm -o mask.txt --to pnm -f
    refuses 'read by the pipeline' mask.txt run 'gauss:1 | conv:mask=mask.txt | conv:mask=mask.txt' - \
        -o mask.txt --to pnm -f < in/1.pgm
    refuses 'read by the pipeline' taps.txt run fir:file=taps.txt snd/1.wav -o taps.txt --to wav -f
    halo run gray in/1.pgm -o in/mask.pfm
    refuses 'read by the pipeline' in/mask.pfm run conv:mask=in/mask.pfm in/2.pgm -o in/mask.pfm -f
    ln in/mask.pfm in/1.pfm
    refuses 'read by the pipeline' in/1.pfm run -j 2 conv:mask=in/mask.pfm in/1.pgm in/2.pgm --out-dir in \
        --name '{stem}.pfm' -f
    printf 'in/1.pgm\n' > list
    refuses 'the list of inputs' list run gauss:1 --files-from list -o list --to pnm -f
    refuses 'the list of inputs' list run gauss:1 --files-from - -o list --to pnm -f < list
    printf 'in/1.pgm\0' > list0
    refuses 'the list of inputs' list0 run gauss:1 --files0-from list0 -o list0 --to pnm -f
}

@test "nor do plots and redirected standard output" {
    make_files
    printf '3x1: 1,2,.5\n' > mask.svg
    refuses 'read by the pipeline' mask.svg run 'conv:mask=mask.svg | hist' in/1.pgm -o x.pgm --plot mask.svg -f
    cp mask.txt before
    run --separate-stderr bash -c '"$HALO" run conv:mask=mask.txt in/1.pgm -o - 1<> mask.txt'
    [ "$status" -eq 2 ]; says 'standard output is read by the pipeline'; cmp mask.txt before
}
