# Files that halo does not write itself: stacks by ImageJ, animations, CMYK.
setup() { load common; common_setup; }

# tag ID TYPE COUNT VALUE: an entry of a big-endian directory; a short stands in the first two bytes.
tag() {
    be 2 "$1"; be 2 "$2"; be 4 "$3"
    if [ "$2" = 3 ]; then be 2 "$4"; be 2 0; else be 4 "$4"; fi
}

# page K: 4 x 3 samples of 16 bits, 1000 K + 0, 1, 2 …
page() { for ((v = 0; v < 12; v++)); do be 2 $((1000 * $1 + v)); done; }

# stack FILE CLAIMED PAGES: as ImageJ writes what is larger than 4 GB: one directory, one strip, samples to the
# end.
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

@test "camera raw is refused with the way out, and not read as its preview" {
    {
        printf 'MM\0*'; be 4 8; be 2 9
        tag 254 4 1 1; tag 256 4 1 4; tag 257 4 1 3; tag 258 3 1 16; tag 262 3 1 1; tag 273 4 1 122
        tag 278 3 1 3; tag 279 4 1 24; tag 330 4 1 8
        be 4 0; page 1
    } > a.nef
    printf 'II*\0\020\0\0\0CR\002\0rest' > b.cr2
    for file in a.nef b.cr2; do
        run --separate-stderr halo run '' "$file" -o out.png
        [ "$status" -eq 1 ]; says 'camera raw'; says 'darktable-cli'
    done
}

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

@test "a truncated or changed ImageJ stack: the images that exist, and a note" {
    stack s.tif 5 3
    run --separate-stderr halo run '' s.tif -o o.tif
    [ "$status" -eq 0 ]; says '2 images that the description lists are not in the file'
    halo run '' o.tif -o - --to pnm | cmp - <(pgm 1; pgm 2; pgm 3)
    grep -a -q images=3 o.tif
    stack one.tif 2 1
    run --separate-stderr halo run '' one.tif -o one.pgm
    [ "$status" -eq 0 ]; says '1 image that the description lists is not in the file'
    cmp one.pgm <(pgm 1)
}

@test "CMYK is refused, with a command that converts it by its profile" {
    {   # four components and no mark of Adobe's
        printf '\xff\xd8\xff\xc0'; be 2 20; be 1 8; be 2 8; be 2 8; be 1 4
        for c in 1 2 3 4; do be 1 $c; be 1 17; be 1 0; done
        printf '\xff\xda'; be 2 14; be 1 4
        for c in 1 2 3 4; do be 1 $c; be 1 0; done
        be 1 0; be 1 63; be 1 0
    } > c.jpg
    run --separate-stderr halo run '' c.jpg -o o.png
    [ "$status" -eq 1 ]; says 'CMYK JPEG'; says 'vips icc_transform in.jpg out.tif srgb --embedded'
    {
        printf 'MM\0*'; be 4 8; be 2 7
        tag 256 4 1 1; tag 257 4 1 1; tag 258 3 1 8; tag 262 3 1 5; tag 273 4 1 98; tag 277 3 1 4; tag 279 4 1 4
        be 4 0; be 4 0
    } > c.tif
    run --separate-stderr halo run '' c.tif -o o.png
    [ "$status" -eq 1 ]; says 'CMYK TIFF'; says 'vips icc_transform in.tif out.tif srgb --embedded'
    [ ! -e o.png ]
}

# chunk NAME HEX: of PNG; libpng looks at the checksum, which gzip has, too.
chunk() {
    local bytes
    bytes=$1$(sed 's/../\\x&/g' <<< "$2")
    be 4 $((${#2} / 2)); printf '%b' "$bytes"
    printf '%b' "$bytes" | gzip -1c | tail -c 8 | head -c 4 | od -An -tx1 |
        awk '{ printf "\\x%s\\x%s\\x%s\\x%s", $4, $3, $2, $1 }' | xargs -0 printf '%b'
}

# announced FRAMES FILE: the PNG with the header of an animation.
announced() {
    head -c 33 "$2"
    chunk acTL "$(printf '%08x' "$1")00000000"
    tail -c +34 "$2"
}

@test "a PNG that announces frames and has none: its image, and a note" {
    make_gray a.pgm 5 4
    halo run '' a.pgm -o a.png
    announced 7 a.png > ap.png
    run --separate-stderr halo run '' ap.png -o o.png
    [ "$status" -eq 0 ]; says '6 images that the description lists are not in the file'
    cmp o.png a.png
    halo run '' - -o - --to png < ap.png | cmp - a.png
    announced 1 a.png > still.png
    run --separate-stderr halo run '' still.png -o o2.png
    [ "$status" -eq 0 ]; [ -z "$stderr" ]
}

@test "animated PNG: frames are pages, and pages become frames" {
    make_gray a.pgm 5 4; halo run invert a.pgm -o b.pgm; halo run flip:x a.pgm -o c.pgm
    cat a.pgm b.pgm c.pgm > three.pgm
    halo run '' - -o m.apng --tag title=three < three.pgm
    halo info m.apng | grep -q 'images *3'
    halo info m.apng | grep -q 'title *three'
    halo run '' m.apng -o - --to pgm | cmp - <(halo run '' - -o - --to pgm < three.pgm)
    halo run '' - -o - --to apng --tag title=three < three.pgm | cmp - m.apng
    halo run '' - -o - --to apng < m.apng | cmp - m.apng
    cp m.apng m.png
    halo run pages:2 m.png -o two.pgm; halo compare two.pgm b.pgm | grep -q identical
    halo stack max m.png -o max.pgm; halo stack max a.pgm b.pgm c.pgm -o max2.pgm; cmp max.pgm max2.pgm
    halo run difference:m.png m.apng -o - --to pgm | tail -c 20 | cmp - <(head -c 20 /dev/zero)
    halo run '' m.png -o one.png 2> said
    grep -q 'only the first of several pages' said
    halo run '' a.pgm -o a.png; halo run '' one.png -o - --to pgm | cmp - <(halo run '' a.png -o - --to pgm)
    halo run gauss:1 m.png --split -o 's-{page}.png'
    [ -e s-3.png ] && [ ! -e s-4.png ]
    halo run '' a.pgm -o b.pgm -f
    cat a.png m.png | halo run '' - -o - --to pgm 2> said | cmp - <(cat b.pgm b.pgm)
    grep -q 'only the first of several pages' said
    head -c $(($(stat -c %s m.apng) - 40)) m.apng > cut.apng
    run --separate-stderr halo run '' cut.apng -o x.npy
    [ "$status" -eq 1 ]; says 'cut.apng: page 3: truncated'; [ ! -e x.npy ]
    halo run --tolerate '' cut.apng -o x.npy
    run --separate-stderr halo run '' - -o x.apng < <(cat a.pgm; printf 'P5 1 1 255\na')
    [ "$status" -ne 0 ]; says '--split writes a file for each page'; [ ! -e x.apng ]
}

@test "GeoTIFF keys are named where they are left out" {
    {
        printf 'MM\0*'; be 4 8; be 2 9
        tag 256 4 1 2; tag 257 4 1 1; tag 258 3 1 8; tag 262 3 1 1; tag 273 4 1 122
        tag 277 3 1 1; tag 279 4 1 2
        tag 33550 12 3 124; tag 33922 12 6 148
        be 4 0; printf 'ab'
        for i in 1 2 3; do printf '\x40\x24\0\0\0\0\0\0'; done # a scale of 10
        head -c 48 /dev/zero
    } > geo.tif
    run --separate-stderr halo run '' geo.tif -o o.png
    [ "$status" -eq 0 ]; says 'left out, since the output cannot hold it: GeoTIFF keys'
    run --separate-stderr halo run 'gauss:1 | flip:x' geo.tif -o o.tif
    [ "$status" -eq 0 ]; [ -z "$stderr" ]
    run --separate-stderr halo run '' o.tif -o o2.png
    says 'GeoTIFF keys'
}
