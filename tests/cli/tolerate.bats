# --tolerate says what of a damaged file could not be read.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

said() { run --separate-stderr halo "$@"; [ "$status" -eq 0 ]; }
is() { [ "$stderr" = "$1" ] || { echo "expected: $1"; echo "found:    $stderr"; return 1; }; }
cut_to() { head -c $(($(wc -c < "$1") * $2 / 100)) "$1" > "$3"; }

@test "pictures that are cut off: how many rows were there, in text and JSON" {
    make_rgb text.ppm 60 40; halo run '' text.ppm -o a.ppm
    for kind in ppm png qoi bmp tga hdr npy raw; do
        options=()
        [ $kind = raw ] && options=(--raw u8:60x40x3)
        [ $kind = npy ] && options=(--axes hwc)
        [ $kind = ppm ] || halo run '' a.ppm -o a.$kind -q
        cut_to a.$kind 60 cut.$kind
        run halo stats "${options[@]}" cut.$kind
        [ "$status" -eq 1 ]
        said stats --tolerate "${options[@]}" cut.$kind
        [[ "$stderr" == "halo: cut.$kind: damaged"* ]] || { echo "$kind: $stderr"; return 1; }
        said run '' --tolerate "${options[@]}" cut.$kind -o $kind.pnm --json
        [[ "$output" == *'"notes":['*'{"kind":"damaged","loss":true,"count":1,"text":"damaged'* ]]
        said stats --tolerate "${options[@]}" a.$kind
        [[ "$stderr" != *damaged* ]]
    done
    said run '' cut.ppm -o o.png --tolerate
    is 'halo: cut.ppm: damaged: the first 23 of 40 rows could be read'
    said run '' cut.ppm -o p.png --tolerate -q; is ''
    said run add:cut.ppm a.ppm -o s.png --tolerate
    says 'damaged: not all of it could be read'
    said stack mean cut.ppm a.ppm -o m.png --tolerate; says damaged
    said stack mean a.ppm cut.ppm -o m2.png --tolerate; says damaged
    run --separate-stderr halo compare a.ppm cut.ppm --tolerate; says 'damaged: the first 23 of 40 rows'
    said run '' cut.ppm cut.ppm a.ppm --tolerate --out-dir o --name '{index}.png'
    says 'halo: 2 of 3 inputs: damaged: not all of it could be read'
}

@test "TIFF, FITS, EXR, JPEG, WebP and JPEG XL that are cut off" {
    make_rgb a.ppm 200 160
    local formats=' '
    formats+=$(halo list formats --json | grep -o '"name":"[a-z]*"' | cut -d '"' -f 4 | tr '\n' ' ')
    for kind in tiff fits exr jpeg webp jxl avif; do
        [[ "$formats" == *" $kind "* ]] || continue
        halo run '' a.ppm -o a.$kind --to $kind -q || continue
        cut_to a.$kind 70 cut.$kind
        run halo stats cut.$kind
        [ "$status" -eq 1 ]
        run --separate-stderr halo stats --tolerate cut.$kind
        [ "$status" -ne 0 ] || [[ "$stderr" == "halo: cut.$kind: damaged"* ]] ||
            { echo "$kind: $stderr"; return 1; }
        said stats --tolerate a.$kind
        [[ "$stderr" != *damaged* ]]
    done
    if [[ "$formats" == *' jpeg '* ]]; then
        head -c -2 a.jpeg > unmarked.jpeg
        said stats --tolerate unmarked.jpeg
        is 'halo: unmarked.jpeg: the end marker is missing, but all rows are there'
    fi
}

@test "a wrong checksum of PNG" {
    make_rgb text.ppm 30 20; halo run '' text.ppm -o a.ppm; halo run '' a.ppm -o a.png
    size=$(wc -c < a.png) # the last bytes of IDAT's checksum stand before IEND's twelve
    { head -c $((size - 13)) a.png; printf '\0'; tail -c 12 a.png; } > bad.png
    cmp -s a.png bad.png && skip "the checksum ends with 0"
    said run '' bad.png -o o.ppm --tolerate
    is 'halo: bad.png: damaged: not all of it could be read'
    cmp o.ppm a.ppm
}

@test "sound that is cut off" {
    make_wav a.wav 8000
    head -c 10000 a.wav > cut.wav
    said run '' cut.wav -o o.wav --tolerate
    is 'halo: cut.wav: truncated: only the beginning is there'
    said stats --tolerate - < <(cat cut.wav)
    is 'halo: standard input: truncated: only the beginning is there'
    halo run '' a.wav -o a.npy -q
    head -c 12000 a.npy > cut.npy
    said stats --rate 8000 --tolerate cut.npy
    [[ "$stderr" == 'halo: cut.npy: damaged: the first '*' of 8000 frames could be read' ]]
    halo run '' a.wav -o a.flac || skip "built without FLAC"
    cut_to a.flac 50 cut.flac
    said run '' cut.flac -o o.wav --tolerate -f
    [[ "$stderr" == 'halo: cut.flac: damaged: the first '*' of 8000 frames could be read' ]]
    said stats --tolerate a.flac; is ''
}

@test "MP3 with damage" {
    make_wav part.wav 8000; halo run 'pad:0,1s' part.wav -o a.wav -q
    halo run '' a.wav -o a.mp3 -q || skip "built without LAME"
    { head -c 3000 a.mp3; head -c 700 /dev/zero; tail -c +3701 a.mp3; } > bad.mp3
    said run '' bad.mp3 -o o.wav --tolerate
    is 'halo: bad.mp3: damaged: not all of it could be read'
    cut_to a.mp3 60 cut.mp3
    said run '' - -o p.wav --tolerate < <(cat cut.mp3)
    says 'only the beginning is there'
}

@test "cells of a table that are no numbers" {
    printf 'a,b\n1,2\n3,x\n5,6,7\n8,9\n' > t.csv
    said run gain:2 --tolerate t.csv -o o.csv
    is 'halo: t.csv: 2 cells are not numbers, or one too many, and count as gaps'
}
