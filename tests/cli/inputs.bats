# Inputs of unknown formats, or with false headers: refused with a message, and the others are processed.
# shellcheck disable=SC2016,SC2002,SC2154
setup() { load common; common_setup; make_worked in.pgm; }

@test "BMP, TGA, QOI and HDR are read by their content, TGA by its name" {
    halo run "" in.pgm -o want.pgm
    for to in bmp tga qoi hdr; do
        halo run '' in.pgm -o x.$to
        cp x.$to other.name
        for file in x.$to other.name; do
            if [ $to = tga ] && [ $file = other.name ]; then
                run --separate-stderr halo info $file
                [ "$status" -eq 1 ]; says "no known image or audio format"
                continue
            fi
            halo info --json $file | grep -q "\"format\":\"$to\""
            halo run 'channels:1' $file -o back.pgm --to pnm -f
            [ $to = hdr ] || cmp back.pgm want.pgm
        done
    done
}

@test "frames of a BMP camera in a pipe are one after the other" {
    halo run '' in.pgm -o a.bmp
    halo run flip:y in.pgm -o b.bmp
    cat a.bmp b.bmp a.bmp | halo run '' - -o - --to bmp > c.bmp
    cat a.bmp b.bmp a.bmp | cmp - c.bmp
    cat a.bmp b.bmp | halo run 'pages:2 | flip:y' - -o second.bmp
    cmp second.bmp a.bmp
    cat a.bmp b.bmp | head -c -1 > cut
    run --separate-stderr bash -c 'cat cut | "$HALO" run "" - -o - --to bmp > none'
    [ "$status" -eq 1 ]; says "page 2"; says "truncated"
}

@test "in a batch only that file fails" {
    printf 'BM\x1a\0\0\0\0\0\0\0\x1a\0\0\0\x0c\0\0\0\1\0\1\0\1\0\x18\0' > bad.bmp
    cp in.pgm last.pgm
    run --separate-stderr halo stats in.pgm bad.bmp last.pgm
    [ "$status" -eq 1 ]; says "bad.bmp: truncated: 0 of 1 rows"
    [[ "$output" == *"last.pgm"* ]]
    run --separate-stderr halo run gauss:1 in.pgm bad.bmp last.pgm --out-dir out
    [ "$status" -eq 1 ]; says "bad.bmp: truncated"
    [ -s out/in.pgm ] && [ -s out/last.pgm ]
    run --separate-stderr halo stats --json in.pgm bad.bmp last.pgm
    [ "$status" -eq 1 ]
    [[ "$output" == *'"file":"last.pgm"'* ]]
}

# make_npy FILE CHANNELS: one pixel of so many samples.
make_npy() {
    local head="{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, $2), }"
    { printf '\x93NUMPY\1\0\x76\0'; printf '%-117s\n' "$head"; head -c "$2" /dev/zero; } > "$1"
}

@test "an image of thousands of channels: --max-pixels bounds its samples" {
    make_npy deep.npy 4000
    run --separate-stderr halo stats deep.npy --axes hwc --max-pixels 999
    [ "$status" -eq 5 ]; says "1 x 1 pixels of 4000 channels are more than 999 of up to 4 channels"
    says "--max-pixels"
    run --separate-stderr halo info deep.npy --axes hwc --max-pixels 999
    [ "$status" -eq 5 ]
    run halo info deep.npy --axes hwc --max-pixels 1000
    [ "$status" -eq 0 ]
    printf 'P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2147483647\nMAXVAL 255\nENDHDR\n' > deep.pam
    run --separate-stderr halo info --json deep.pam
    [ "$status" -eq 5 ]; says "2147483647 channels"
    [ "$output" = "" ]
    make_npy deep.npy 70000
    run --separate-stderr halo info --json deep.npy --axes hwc
    [ "$status" -eq 5 ]; says "70000 channels"
}

@test "long lists of channels are shortened, with their number" {
    make_npy deep.npy 2000
    run halo info --json deep.npy --axes hwc
    [ "$status" -eq 0 ]
    [[ "$output" == *'"channels":2000,"names":["1",'*'"1024"],'* ]]
    run halo info deep.npy --axes hwc
    [[ "$output" == *"channels  2000"* ]]
    for what in stats hist run; do
        local more=()
        [ $what != hist ] || more=(--bins 2)
        [ $what != run ] || more=('reduce:expr="a+b"')
        run halo $what "${more[@]}" deep.npy --axes hwc
        [ "$status" -eq 0 ]
        [[ "$output" == *"64 of 2,000 channels are shown; --json has all"* ]]
        [ "${#output}" -lt 30000 ]
        run halo $what "${more[@]}" --json deep.npy --axes hwc
        [[ "$output" == *'"name":"1999"'* ]]
    done
}

# file_of NAME: the file that the build loads libNAME from; skips where it is linked.
file_of() {
    strings "$HALO" | grep -om1 "lib$1\.so[.0-9]*" || skip "lib$1 is linked"
}

@test "a library is loaded with the first file that needs it" {
    local tiff
    tiff=$(file_of tiff)
    LD_DEBUG=files LD_DEBUG_OUTPUT=loads halo run gauss:1 in.pgm -o out.pgm
    run ! grep -qE 'libtiff|libsndfile' loads.*
    rm loads.*
    LD_DEBUG=files LD_DEBUG_OUTPUT=loads halo run gauss:1 in.pgm -o out.tif
    grep -q "$tiff" loads.*
}

@test "without it the other formats work, and its own report what is missing" {
    local tiff
    tiff=$(file_of tiff)
    halo run gauss:1 in.pgm -o in.tif
    mkdir lib
    : > "lib/$tiff"
    export LD_LIBRARY_PATH=$PWD/lib
    run --separate-stderr halo info in.tif
    [ "$status" -eq 1 ]; says "in.tif: $tiff, which TIFF needs, cannot be loaded"
    run --separate-stderr halo run gauss:1 in.pgm -o out.tif
    [ "$status" -eq 1 ]; says "$tiff, which TIFF needs"
    [ ! -e out.tif ]
    run --separate-stderr halo run gauss:1 in.tif in.pgm --out-dir out
    [ "$status" -eq 1 ]
    [ -s out/in.pgm ]
}
