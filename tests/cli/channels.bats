# Channels without a name are channels like the others; alpha is what a file, or --axes, declares as alpha.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

# Four pixels: white, the right two of them black and of no weight.
quad() { printf '\377\377\377\377\377\377\377\377\0\0\0\0\0\0\0\0'; }

# make_npy FILE TYPE SHAPE: a header before standard input; it is \x76 bytes long.
make_npy() {
    { printf '\223NUMPY\1\0\166\0'; printf '%-117s\n' \
        "{'descr': '$2', 'fortran_order': False, 'shape': ($3), }"; cat; } > "$1"
}

pam() { printf 'P7\nWIDTH 4\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\n%sENDHDR\n' "$1"; quad; }

make_all() {
    quad | make_npy x.npy '|u1' '1, 4, 4'
    pam '' > x.pam
    quad > x.raw
    halo run '' x.npy -o x.tif
}

bytes() { "$HALO" run "$1" "$2" -o - --to raw -q "${@:3}" | od -An -tu1 -w16 | tr -s ' '; }

@test "a fourth channel without a name is filtered like the others" {
    make_all
    for in in x.npy x.pam x.tif 'x.raw --raw u8:4x1x4'; do
        # shellcheck disable=SC2086 # a file and options
        [ "$(bytes box:3 $in)" = ' 255 255 255 255 170 170 170 170 85 85 85 85 0 0 0 0' ]
        # shellcheck disable=SC2086
        [ "$(bytes box:3 $in --axes hwc,alpha)" = ' 255 255 255 255 255 255 255 170 255 255 255 85 0 0 0 0' ]
        # shellcheck disable=SC2086
        halo stats $in | grep -q '^  *1  *2  *3  *4  *all$'
        # shellcheck disable=SC2086
        halo stats $in --axes hwc,alpha | grep -q '^  *r  *g  *b  *alpha  *all$'
    done
    pam $'TUPLTYPE RGB_ALPHA\n' > a.pam # it says so itself, whatever --axes says
    [ "$(bytes box:3 a.pam --axes hwc)" = ' 255 255 255 255 255 255 255 170 255 255 255 85 0 0 0 0' ]
}

@test "formats that hold further channels only as alpha refuse them, with the alternatives" {
    make_all
    printf '\1\2\3\4' | make_npy two.npy '|u1' '1, 2, 2'
    for in in x.npy x.pam x.tif 'x.raw --raw u8:4x1x4'; do
        for to in png tga bmp; do
            # shellcheck disable=SC2086
            run --separate-stderr halo run box:3 $in -o "o.$to"
            [ "$status" -eq 1 ] && [ ! -e "o.$to" ]
            [[ "$stderr" == \
                *"$to can store a channel besides RGB only as alpha"*'use --axes=hwc,alpha to mark it, or use channels:1,2,3 to leave it out'* ]]
        done
        # shellcheck disable=SC2086
        halo run channels:1,2,3 $in -o three.png -f
        # shellcheck disable=SC2086
        halo run '' $in -o four.png --axes hwc,alpha -f
        halo info four.png | grep -q 'RGB with alpha'
        halo info three.png | grep -q 'RGB$\|RGB,'
    done
    run --separate-stderr halo run '' two.npy -o two.png
    [ "$status" -eq 1 ] && [[ "$stderr" == *'besides gray only as alpha'*'use channels:1 to leave it out'* ]]
    halo run '' two.npy -o two.png --axes hwc,alpha
    halo info two.png | grep -q 'gray with alpha'
    run --separate-stderr halo run '' two.png -o two.jpg
    [ "$status" -eq 1 ] && [[ "$stderr" == *'no alpha channel'* ]]
}

@test "a spectrogram of two channels is no picture with alpha" {
    make_wav one.wav 8000
    halo run channels:1,1 one.wav -o two.wav
    run --separate-stderr halo run spectrogram two.wav -o s.png
    [ "$status" -eq 1 ] && says "png cannot store a picture of 2 channels, one for each of the sound"
    says "'channels:1 | spectrogram', or their mean, channels:mono"
    halo run 'channels:1 | spectrogram' two.wav --plot seen.png -o s.png
    rm s.png
    halo run 'spectrogram | channels:1' two.wav -o s.png
    halo run 'channels:mono | spectrogram' two.wav -o s.png -f
}

@test "channels without a name come back without one, and alpha as alpha" {
    make_all
    for to in tif pam ppm npy raw; do
        raw=(); [ "$to" != raw ] || raw=(--raw u8:4x1x4)
        halo run '' x.npy -o "b.$to" -f
        halo run '' "b.$to" -o c.npy -f "${raw[@]}"
        cmp c.npy x.npy
    done
    halo run '' x.npy -o four.png --axes hwc,alpha
    for to in tif pam ppm; do
        halo run '' four.png -o "b.$to" -f
        halo run '' "b.$to" -o again.png -f
        halo compare four.png again.png -q
        halo stats "b.$to" | grep -q ' alpha  *all$'
    done
}

@test "a note tells how to read back alpha that the output cannot name" {
    make_all
    halo run '' x.npy -o four.png --axes hwc,alpha
    for to in npy raw; do
        run --separate-stderr halo run '' four.png -o "b.$to"
        [ "$status" -eq 0 ]
        [ "$stderr" = \
            'halo: four.png: the output does not say that its last channel is alpha: --axes=hwc,alpha reads it so' ]
    done
    halo run '' b.npy -o again.png --axes hwc,alpha
    halo compare four.png again.png -q
    halo run '' b.raw -o again.png -f --raw u8:4x1x4 --axes hwc,alpha
    halo compare four.png again.png -q
    run --separate-stderr halo run '' x.npy -o c.npy # nothing is lost
    [ "$stderr" = '' ]
    run --separate-stderr halo run '' four.png -o c.tif
    [ "$stderr" = '' ]
}

@test "--axes is checked, and names no alpha of gray or RGB" {
    make_all
    for axes in '' h hh hwcc whz nhn hw,alpha hwc,beta 'hwc,' chwnnn nzthwcc; do
        run --separate-stderr halo info x.npy --axes "$axes"
        [ "$status" -eq 2 ] && [[ "$stderr" == *'--axes'* ]]
    done
    printf '\1\2\3\4\5\6' | make_npy rgb.npy '|u1' '1, 2, 3'
    run --separate-stderr halo info rgb.npy --axes hwc,alpha
    [ "$status" -eq 1 ] && [[ "$stderr" == *"3 channels: ',alpha' in --axes needs 2 or 4 channels"* ]]
    make_rgb rgb.ppm 3 2
    halo run '' rgb.ppm -o rgb.png --axes hwc,alpha # pictures of several kinds in one command
    halo info rgb.png | grep -q RGB
}

@test "two numbers with a minus may be a range, and are refused" {
    printf 'P3 1 1 255 10 20 30\n' > in.ppm
    run --separate-stderr halo run channels:1-3 in.ppm -o out.pgm
    [ "$status" -eq 2 ]
    [[ "$stderr" == *'1-3 may mean a range or a difference: write 1,2,3 for the channels, or 1*1-1*3'* ]]
    run --separate-stderr halo run channels:2,1-3 in.ppm -o out.pgm
    [ "$status" -eq 2 ]
    halo run 'channels:3-1' in.ppm -o out.pgm
    halo run 'channels:1*3-1*1' in.ppm -o same.pgm
    cmp out.pgm same.pgm
    halo run 'channels:-1+3' in.ppm -o same.pgm -f
    cmp out.pgm same.pgm
    halo run 'channels:1*1-1*3' in.ppm -o other.pgm
    halo run 'channels:1*1-3' in.ppm -o same.pgm -f
    cmp other.pgm same.pgm
}
