# TIFF on the command line, and what goes along from input to output.
# shellcheck disable=SC2154
setup() {
    load common
    common_setup
    halo list formats | grep -q '^ *tiff' || skip "this build has no TIFF"
    make_rgb in.ppm 40 30
}

@test "TIFF comes back as it went, also through pipes" {
    halo run '' in.ppm -o a.tif
    halo run '' in.ppm -o - --to tiff > b.tif
    cmp a.tif b.tif
    halo run '' - -o c.ppm < <(cat a.tif)
    halo run '' in.ppm -o d.ppm
    cmp c.ppm d.ppm
}

@test "floats stay floats in TIFF, with white 1" {
    halo run gauss:1 in.ppm -o in.pfm
    halo run '' in.pfm -o f.tif
    halo info --json f.tif | grep -q '"bits":32,"real":true'
    halo run '' f.tif -o out.pfm
    cmp in.pfm out.pfm
}

@test "a truncated TIFF is refused, and makes no output" {
    halo run '' in.ppm -o a.tif
    head -c 2000 a.tif > cut.tif
    run --separate-stderr halo run gauss:1 cut.tif -o x.png
    [ "$status" -eq 1 ]
    [[ $stderr == *cut.tif* ]]
    [ ! -e x.png ]
}

# The text chunk of a PNG, put in behind its header by hand: tEXt "Title\0lake".
with_title() {
    head -c 33 "$1"
    printf '\0\0\0\012tEXtTitle\0lake\011\150\222\152'
    tail -c +34 "$1"
}

@test "--strip leaves out what the input says of itself" {
    halo run '' in.ppm -o plain.png
    with_title plain.png > titled.png
    halo run '' titled.png -o kept.png
    halo run '' titled.png -o kept.tif
    halo run '' titled.png -o stripped.png --strip
    halo info --json kept.png | grep -q '"texts":1'
    halo info --json kept.tif | grep -q '"texts":1'
    cmp plain.png stripped.png
}

@test "--quality is JPEG's" {
    halo list formats | grep -q '^ *jpeg' || skip "this build has no JPEG"
    halo run '' in.ppm -o a.jpg --quality 20
    halo run '' in.ppm -o b.jpg --quality 95
    [ "$(stat -c %s a.jpg)" -lt "$(stat -c %s b.jpg)" ]
    run --separate-stderr halo run '' in.ppm -o c.jpg --quality 101
    [ "$status" -eq 2 ]
}

@test "texts of sound go from WAVE to FLAC and back" {
    make_wav in.wav 100
    { head -c 36 in.wav; printf 'LIST\022\0\0\0INFOINAM\005\0\0\0lake\0\0'; tail -c +37 in.wav; } > titled.wav
    halo run '' titled.wav -o a.flac
    halo run '' a.flac -o b.wav
    for f in titled.wav a.flac b.wav; do [[ "$(halo info --json $f)" == *'"texts":1'* ]]; done
    grep -q lake b.wav
    halo run '' titled.wav -o plain.wav --strip
    cmp plain.wav in.wav
}
