# Files that hold what halo does not write itself: stacks by ImageJ, animations, CMYK.
setup() { load common; common_setup; }

# be BYTES VALUE: a big-endian integer.
be() {
    local i text=''
    for ((i = $1 - 1; i >= 0; i--)); do printf -v text '%s\\x%02x' "$text" $(($2 >> 8 * i & 255)); done
    printf '%b' "$text"
}

# tag ID TYPE COUNT VALUE: an entry of a big-endian directory; a short stands in the first two bytes.
tag() {
    be 2 "$1"; be 2 "$2"; be 4 "$3"
    if [ "$2" = 3 ]; then be 2 "$4"; be 2 0; else be 4 "$4"; fi
}

# page K: 4 x 3 samples of 16 bits, 1000 K + 0, 1, 2 …
page() { for ((v = 0; v < 12; v++)); do be 2 $((1000 * $1 + v)); done; }

# stack FILE CLAIMED PAGES: as ImageJ writes what is larger than 4 GB: one directory, one strip, samples to the end.
stack() {
    local text
    text=$(printf 'ImageJ=1.54f\nimages=%d\nslices=%d\nunit=um' "$2" "$2")
    {
        printf 'MM\0*'; be 4 8; be 2 9
        tag 256 4 1 4; tag 257 4 1 3; tag 258 3 1 16; tag 262 3 1 1; tag 270 2 $((${#text} + 1)) 122
        tag 273 4 1 $((122 + ${#text} + 1)); tag 277 3 1 1; tag 278 3 1 3; tag 279 4 1 24
        be 4 0; printf '%s\0' "$text"
        for ((k = 1; k <= $3; k++)); do page "$k"; done
    } > "$1"
}

# pgm K: what `page K` is.
pgm() { printf 'P5\n4 3\n65535\n'; page "$1"; }

@test "ImageJ's stack with one directory: every image is read, and written with a true description" {
    stack s.tif 3 3
    halo info s.tif | grep -q 'images *3'
    halo run '' s.tif -o - --to pnm | cmp - <(pgm 1; pgm 2; pgm 3)
    halo run '' s.tif -o t.tif
    halo info t.tif | grep -q 'images *3'
    grep -a -q images=3 t.tif
    halo run '' t.tif -o - --to pnm | cmp - <(pgm 1; pgm 2; pgm 3)
    halo run crop:2x2 s.tif -o c.npy
    halo run --axes nhw '' c.npy -o - --to pnm | cmp - <(halo run crop:2x2 t.tif -o - --to pnm)
    halo stack mean s.tif -o m.pgm
    cmp m.pgm <(pgm 2)
    halo run --tolerate flip:y s.tif -o - --to pnm | cmp - <(halo run flip:y t.tif -o - --to pnm)
    cat s.tif | halo run '' - -o - --to pnm | cmp - <(pgm 1; pgm 2; pgm 3)
}

@test "ImageJ's stack that is cut off, or is one no more: the images that are there, and a note" {
    stack s.tif 5 3
    run --separate-stderr halo run '' s.tif -o o.tif
    [ "$status" -eq 0 ]; says '2 images that the description speaks of are not in the file'
    halo run '' o.tif -o - --to pnm | cmp - <(pgm 1; pgm 2; pgm 3)
    grep -a -q images=3 o.tif
    stack one.tif 2 1
    run --separate-stderr halo run '' one.tif -o one.pgm
    [ "$status" -eq 0 ]; says '1 image that the description speaks of is not in the file'
    cmp one.pgm <(pgm 1)
}
