# TIFF on the command line, and metadata that is preserved from input to output.
# shellcheck disable=SC2154
setup() {
    load common
    common_setup
    halo list formats | grep -q '^ *tiff' || skip "this build has no TIFF"
    make_rgb in.ppm 40 30
}

@test "TIFF round trip, also through pipes" {
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

@test "--strip leaves out the input's metadata" {
    halo run '' in.ppm -o plain.png
    with_title plain.png > titled.png
    halo run '' titled.png -o kept.png
    halo run '' titled.png -o kept.tif
    halo run '' titled.png -o stripped.png --strip
    halo info --json kept.png | grep -q '"texts":{"title":"lake"}'
    halo info --json kept.tif | grep -q '"texts":{"title":"lake"}'
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
    for f in titled.wav a.flac b.wav; do [[ "$(halo info --json $f)" == *'"texts":{"title":"lake"}'* ]]; done
    grep -q lake b.wav
    halo run '' titled.wav -o plain.wav --strip
    cmp plain.wav in.wav
}

@test "EXIF's orientation: the image is rotated where the output cannot hold it, with a note" {
    printf 'P2 3 2 255\n1 2 3 4 5 6\n' > six.pgm
    printf 'P2 2 3 255\n4 1 5 2 6 3\n' > seen.pgm
    halo run '' six.pgm -o plain.png
    halo run '' seen.pgm -o seen.ppm
    with_orientation plain.png > in.png
    run --separate-stderr halo run '' in.png -o out.pgm
    [ "$status" -eq 0 ]; [ "$stderr" = 'halo: in.png: turned as EXIF says, which the output does not pass on' ]
    cmp out.pgm seen.ppm
    halo run '' in.png -o - --to pnm 2> /dev/null | cmp - seen.ppm
    cat in.png | halo run '' - -o piped.pgm -q; cmp piped.pgm seen.ppm
    run --separate-stderr halo run '' in.png -o stripped.png --strip
    says 'turned as EXIF says'
    halo run '' stripped.png -o back.pgm; cmp back.pgm seen.ppm
    run --separate-stderr halo run '' in.png -o kept.png; [ -z "$stderr" ]
    run --separate-stderr halo run 'stats' in.png; [ -z "$stderr" ]
    [[ "$(halo info --json kept.png)" == *'"width":3,"height":2'*'"orientation":6,"thumbnail":false'* ]]
    [[ "$(halo info --json out.pgm)" == *'"orientation":1,"thumbnail":false'* ]]
    [[ "$(halo info kept.png)" == *'orientation 6: to be turned by 90 degrees clockwise'* ]]
    [[ "$(halo run --explain '' in.png -o x.pgm)" == *'2 x 3'* ]]
}

@test "a text's key that PNG does not allow is left out with a note" {
    halo run '' in.ppm -o plain.png
    { head -c 33 plain.png; printf '\0\0\0\006tEXt\0empty\270\054\335\116'; tail -c +34 plain.png; } > in.png
    run --separate-stderr halo run '' in.png -o out.png
    [ "$status" -eq 0 ]; [ "$stderr" = 'halo: in.png: 1 text with an invalid keyword is left out' ]
    # The same with a wrong checksum.
    { head -c 33 plain.png; printf '\0\0\0\006tEXt\0empty\270\054\335\117'; tail -c +34 plain.png; } > in.png
    run --separate-stderr halo run '' in.png -o out2.png
    [ "$status" -eq 0 ]; [ "$stderr" = 'halo: in.png: 1 chunk with a wrong checksum is left out' ]
    halo run '' in.ppm -o ref.png
    cmp out2.png ref.png
}

@test "comments of FLAC and Ogg are preserved, and those that WAVE cannot hold are reported" {
    [[ "$(halo --version)" != *"no FLAC"* ]] || skip "this build has no FLAC"
    make_wav in.wav 4000
    { head -c 36 in.wav; printf 'LIST\022\0\0\0INFOINAM\005\0\0\0lake\0\0'; tail -c +37 in.wav; } > titled.wav
    halo run '' titled.wav -o titled.flac
    LC_ALL=C sed 's/TITLE=/MOODY=/' titled.flac > a.flac # no sum is over it
    halo run '' a.flac -o b.flac
    grep -q MOODY=lake b.flac
    halo run '' b.flac -o c.ogg
    grep -q MOODY=lake c.ogg
    halo run '' c.ogg -o d.flac
    grep -q MOODY=lake d.flac
    halo run --strip '' a.flac -o e.flac
    ! grep -q MOODY e.flac
    for kind in wav w64 aiff; do
        run --separate-stderr halo run '' a.flac -o f.$kind
        [ "$status" -eq 0 ]
        [ "$stderr" = 'halo: a.flac: left out, since the output cannot hold it: text MOODY' ]
        run --separate-stderr halo run '' titled.flac -o g.$kind
        [ -z "$stderr" ]
    done
}

@test "EXIF's orientation: results and places do not depend on the output's format" {
    printf 'P2 3 2 255\n1 2 3 4 5 200\n' > six.pgm
    printf 'P2 2 3 255\n4 1 5 2 200 3\n' > seen.pgm
    halo run '' six.pgm -o plain.png
    with_orientation plain.png > in.png
    for run in 'expr:"white*(y<h/2)"' motion:3,90 sobel:axis=x box:3,1 scan:axis=x subtract:seen.pgm; do
        halo run "$run" seen.pgm -o want.pgm -q -f
        halo run "$run" in.png -o kept.png -q -f
        halo run orient kept.png -o kept.pgm -q -f
        halo run "$run" in.png -o turned.pgm -q -f
        halo run "$run" in.png -o stripped.png -q -f --strip
        halo run '' stripped.png -o stripped.pgm -q -f
        for made in kept turned stripped; do cmp want.pgm $made.pgm; done
    done
    halo run 'objects:threshold=50%' seen.pgm --csv > want
    halo run 'objects:threshold=50%' in.png --csv | sed s/in.png/seen.pgm/ | cmp - want
    halo run peaks:width=3 seen.pgm --csv > want
    halo run peaks:width=3 in.png --csv | sed s/in.png/seen.pgm/ | cmp - want
    # What turns with the picture leaves it as it lies.
    halo run box:3 in.png -o kept.png -f
    [[ "$(halo info --json kept.png)" == *'"width":3,"height":2'*'"orientation":6'* ]]
}
