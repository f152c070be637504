# Several images through one input and one output; sound through pipes.
# shellcheck disable=SC2016,SC2002,SC2154
setup() {
    load common
    common_setup
    make_gray a.pgm 30 20
    make_gray b.pgm 17 40 65535
    make_rgb c.ppm 25 9
    for f in a.pgm b.pgm c.ppm; do halo run gauss:2 $f -o "g_$f"; done
}

@test "a stream of images through pipes: each as if it were alone" {
    cat a.pgm b.pgm c.ppm | halo run gauss:2 - -o - > all
    cat g_a.pgm g_b.pgm g_c.ppm | cmp - all
    cat a.pgm b.pgm c.ppm | cat | halo run gauss:2 - -o all.ppm # a file holds them, too
    cmp all all.ppm
    halo run '' all.ppm -o again.ppm
    cmp all again.ppm
}

@test "PNG, PFM, PAM and raw samples follow one another, and formats may change between" {
    for f in a.pgm c.ppm; do
        halo run '' $f -o ${f%.*}.png; halo run '' $f -o ${f%.*}.pfm; halo run '' $f -o ${f%.*}.pam
    done
    for kind in png pfm pam; do
        cat a.$kind c.$kind | cat | halo run '' - -o - | cmp - <(cat a.$kind c.$kind)
        halo run gauss:2 a.$kind -o ga.$kind
        halo run gauss:2 c.$kind -o gc.$kind
        cat a.$kind c.$kind | cat | halo run gauss:2 - -o - | cmp - <(cat ga.$kind gc.$kind)
        [ $kind = png ] || cat a.$kind c.$kind | halo run gauss:2 - -o both.$kind
        [ $kind = png ] || cat ga.$kind gc.$kind | cmp - both.$kind
    done
    cat a.pgm c.png | cat | halo run gauss:2 - -o - --to pnm | cmp - <(cat g_a.pgm g_c.ppm)
    printf 'abcdefghijkl' | halo run invert --raw u8:2x3 - -o - > out.raw
    printf 'abcdef' | halo run invert --raw u8:2x3 - -o - > one.raw
    printf 'ghijkl' | halo run invert --raw u8:2x3 - -o - | cat one.raw - | cmp - out.raw
}

@test "results of a stream: one object an image, with its index" {
    cat a.pgm b.pgm | cat | halo stats --json - > out
    [ "$(wc -l < out)" -eq 2 ]
    grep -q '"index":1,"kind":"image","width":30' out
    grep -q '"index":2,"kind":"image","width":17' out
    halo stats --json a.pgm > one
    run ! grep -q index one
}

@test "a fault in the third image: the first two are written, exit 1" {
    { cat a.pgm b.pgm; head -c 100 a.pgm; } > cut
    run --separate-stderr bash -c 'cat cut | "$HALO" run gauss:2 - -o - > out'
    [ "$status" -eq 1 ]; says "page 3"; says truncated
    cat g_a.pgm g_b.pgm | cmp - out
    run --separate-stderr bash -c '{ cat a.pgm; echo nothing of the kind; } | "$HALO" run gauss:2 - -o - > out'
    [ "$status" -eq 1 ]; says "page 2"
    cmp g_a.pgm out
    run --separate-stderr bash -c 'cat cut | "$HALO" run gauss:2 - -o out.ppm'
    [ "$status" -eq 1 ]
    [ ! -e out.ppm ]
}

@test "bytes after the last complete image of a file are ignored, with a note" {
    local kind rest
    halo run '' a.pgm -o a.png
    halo run '' b.pgm -o b.png
    halo run '' a.pgm -o ref.pgm
    echo trailer > junk
    for kind in png pgm; do
        head -c 40 b.$kind > half-$kind
        head -c -9 b.$kind > cut-$kind # its last row, or its end, is missing
        for rest in junk half-$kind cut-$kind; do
            cat a.$kind $rest > t.$kind
            run --separate-stderr halo run '' t.$kind -o out.pgm -f
            [ "$status" -eq 0 ]
            says "halo: t.$kind: $(stat -c %s $rest) bytes after the last complete image are left out"
            cmp out.pgm ref.pgm
            run --separate-stderr halo stats t.$kind
            [ "$status" -eq 0 ]; says "after the last complete image"
            diff <(halo stats --json a.$kind) <(halo stats --json -q t.$kind |
                sed "s/t.$kind/a.$kind/; s/,\"notes.*/}/")
            run --separate-stderr halo stats - < t.$kind
            [ "$status" -eq 0 ]; says "after the last complete image"
        done
        cat a.$kind b.$kind > t.$kind
        run --separate-stderr halo stats --json t.$kind
        [ "$(wc -l <<< "$output")" -eq 2 ]; [ -z "$stderr" ]
        cat a.$kind b.$kind half-$kind > t.$kind
        run --separate-stderr halo run '' t.$kind -o out.pgm -f
        [ "$status" -eq 0 ]; says "bytes after the last complete image"
        cmp out.pgm <(cat ref.pgm <(halo run '' b.pgm -o -))
        run --separate-stderr halo stats --json --tolerate <(cat a.$kind cut-$kind)
        [ "$status" -eq 0 ]; [ "$(wc -l <<< "$output")" -eq 2 ]
    done
    # A line break is no loss.
    { cat a.pgm; echo; } > t.pgm
    run --separate-stderr halo stats t.pgm
    [ "$status" -eq 0 ]; [ -z "$stderr" ]
    # Raw frames have been counted when the file was opened.
    head -c 40 b.pgm > r.raw
    run --separate-stderr halo stats --json --raw u8:4x4 r.raw
    [ "$status" -eq 0 ]; [ "$(wc -l <<< "$output")" -eq 2 ]
    says "8 bytes after the last complete image are left out"
}

@test "a stream into a format that holds one image is refused" {
    run --separate-stderr bash -c 'cat a.pgm b.pgm | cat | "$HALO" run gauss:2 - -o out.png'
    [ "$status" -eq 1 ]; says "several pages"
    [ ! -e out.png ]
}

@test "the pages of a TIFF are kept, each filtered by itself" {
    halo list formats | grep -q '^ *tiff' || skip "this build has no TIFF"
    cat a.pgm b.pgm c.ppm | cat | halo run '' - -o in.tif
    [[ "$(halo info --json in.tif)" == *'"images":3'* ]]
    halo run gauss:2 in.tif -o out.tif
    halo run '' out.tif -o - --to pnm | cmp - <(cat g_a.pgm g_b.pgm g_c.ppm)
    halo run gauss:2 - -o - < in.tif | cmp - out.tif
    cat in.tif | halo run gauss:2 - -o - | cmp - out.tif
    [ "$(halo stats --json in.tif | wc -l)" -eq 3 ]
    run --separate-stderr halo run gauss:2 in.tif -o first.png
    [ "$status" -eq 0 ]; says "the first of several pages"
    halo run '' first.png -o first.pgm
    cmp g_a.pgm first.pgm
}

@test "sound of unknown length is streamed through pipes, and its header is corrected in files" {
    make_wav in.wav 8000
    halo run average:9 in.wav -o straight.wav
    { head -c 4 in.wav; printf '\xff\xff\xff\xff'; head -c 40 in.wav |
        tail -c +9; printf '\xff\xff\xff\xff'; tail -c +45 in.wav; } > open.wav
    cat open.wav | halo run average:9 - -o - > out.wav
    cmp <(tail -c +45 straight.wav) <(tail -c +45 out.wav)
    [ "$(head -c 44 out.wav | tail -c 4 | od -An -tx1 | tr -d ' ')" = ffffffff ]
    cat open.wav | halo run average:9 - -o file.wav
    [[ "$(halo info --json file.wav)" == *'"width":8000'* ]]
    cat out.wav | halo run '' - -o - --to flac > out.flac
    halo run '' out.flac -o back.wav
    cmp back.wav straight.wav
    [[ "$(cat open.wav | halo stats --json -)" == "$(halo stats --json in.wav | sed 's/in.wav/-/')" ]]
}

@test "raw integers of 16, 24 and 32 bits come back unchanged" {
    head -c 12000 /dev/urandom > in.raw
    for bits in 16 24 32; do
        halo run '' --raw s$bits,8000,1 in.raw -o out.raw
        if [ $bits -lt 32 ]; then cmp in.raw out.raw; fi
        [ "$(stat -c %s out.raw)" -eq 12000 ]
        rm out.raw
    done
    halo run average:3 --raw s16,8000,2 in.raw -o a.wav
    cat in.raw | halo run average:3 --raw s16,8000,2 - -o - > a.raw
    cmp a.raw <(tail -c +45 a.wav)
    run --separate-stderr bash -c 'head -c 11 in.raw | "$HALO" run "" --raw s16,8000,2 - -o - > out.raw'
    [ "$status" -eq 1 ]; says "truncated"
}

@test "--subsampling is JPEG's, and metadata after a PNG's samples reaches a JPEG" {
    halo list formats | grep -q '^ *jpeg' || skip "this build has no JPEG"
    make_rgb big.ppm 64 64
    for s in 444 422 420; do halo run '' big.ppm -o $s.jpg --subsampling $s --quality 90; done
    [ "$(stat -c %s 444.jpg)" -gt "$(stat -c %s 422.jpg)" ]
    [ "$(stat -c %s 422.jpg)" -gt "$(stat -c %s 420.jpg)" ]
    halo run '' big.ppm -o usual.jpg
    cmp usual.jpg 444.jpg
    halo run '' big.ppm -o low.jpg --quality 50
    halo run '' big.ppm -o low420.jpg --quality 50 --subsampling 420
    cmp low.jpg low420.jpg
    run --separate-stderr halo run '' big.ppm -o x.jpg --subsampling 411
    [ "$status" -eq 2 ]; says "--subsampling"
    halo run '' big.ppm -o plain.png
    # tEXt "Comment\0lake", put in before IEND
    { head -c -12 plain.png; printf '\0\0\0\014tEXtComment\0lake\055\156\104\356'; tail -c 12 plain.png; } \
        > late.png
    halo run '' late.png -o late.jpg
    [[ "$(halo info --json late.jpg)" == *'"texts":{"comment":"lake"}'* ]]
}
