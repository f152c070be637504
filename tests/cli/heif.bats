# AVIF and HEIC by libheif: depth, alpha, orientation, metadata, pages; beside its own tools.
# shellcheck disable=SC2154
setup() { load common; common_setup; need_format avif; }

need_format() { "$HALO" list formats | grep -q "^ *$1 " || skip "this build has no $1"; }
need_tool() { command -v "$1" > /dev/null || skip "there is no $1"; }
identical() { [[ "$(halo compare "$1" "$2")" == *identical* ]]; }
can_write() { halo run '' "$1" -o "try.$2" -f 2> /dev/null || skip "this libheif writes no $2"; }

@test "AVIF and HEIC: 8 and 12 bits without loss, lossy ones roughly" {
    make_rgb a.ppm 19 11
    make_gray g.pgm 9 7 4095
    for f in avif heic; do
        can_write a.ppm $f
        halo run '' a.ppm -o a.$f --lossless
        identical a.ppm a.$f
        halo run '' g.pgm -o g.$f --lossless
        halo run gray g.$f -o g2.pgm -f
        identical g.pgm g2.pgm
        halo info g.$f | grep -q '12-bit'
        halo run gauss:3 a.ppm -o s.ppm -f
        halo run '' s.ppm -o s.$f --effort 1 --quality 95
        halo compare s.ppm s.$f --at-least psnr=30 > /dev/null
    done
    make_gray w.pgm 9 7 65535
    run --separate-stderr halo run '' w.pgm -o w.avif --lossless
    [ "$status" -ne 0 ]; says 'at most 12 bits'
    [ ! -e w.avif ]
    halo run '' w.pgm -o w.avif --quality 100
    [ "$(halo stats --json w.avif | grep -o '"dtype":"[a-z0-9]*"' | head -n 1)" != '"dtype":"u8"' ]
}

@test "full scale is full scale: white of 8, 10 and 12 bits is read as white" {
    for maxval in 255 1023 4095; do
        {
            printf 'P2 8 8 %d\n' $maxval
            for ((i = 0; i < 64; i++)); do echo $((i < 32 ? maxval : 0)); done
        } > w.pgm
        for f in avif heic; do
            can_write w.pgm $f
            halo run '' w.pgm -o w.$f -f --quality 100
            halo run 'gray | threshold:50%' w.$f -o t.pgm -f; halo run threshold:50% w.pgm -o u.pgm -f
            identical t.pgm u.pgm
            full=$((maxval == 255 ? 255 : 65535))
            halo run crop:1x1 w.$f -o c.ppm -f
            halo stats --json c.ppm | grep -q "\"max\":$full\b"
        done
    done
}

@test "AVIF: pictures are stored upright, and what the metadata say stays true" {
    make_rgb a.ppm 8 5
    halo run '' a.ppm -o a.png; with_orientation a.png > turned.png
    halo run orient turned.png -o up.ppm
    for f in avif heic; do
        can_write a.ppm $f
        run --separate-stderr halo run '' turned.png -o t.$f --lossless
        [ "$status" -eq 0 ]; [ -z "$stderr" ]
        identical up.ppm t.$f
        halo run orient t.$f -o again.ppm -f
        identical up.ppm again.ppm
        halo info t.$f | grep -q '5 x 8'
    done
}

@test "AVIF: pages are images of one file" {
    make_rgb a.ppm 16 9; halo run invert a.ppm -o b.ppm; halo run '' a.ppm -o a2.ppm
    cat a2.ppm b.ppm | halo run '' - -o two.avif --lossless
    halo info two.avif | grep -q 'images *2'
    halo run '' two.avif -o - --to pnm | cmp - <(cat a2.ppm b.ppm)
    halo run pages:2 two.avif -o p.ppm
    identical p.ppm b.ppm
}

@test "heif-convert reads what halo writes, and halo what heif-enc writes" {
    need_tool heif-convert; need_tool heif-enc
    make_rgb a.ppm 33 20
    halo run gauss:1 a.ppm -o a.png
    for f in avif heic; do
        can_write a.png $f
        halo run '' a.png -o a.$f -f
        heif-convert a.$f theirs.png > /dev/null
        identical theirs.png a.$f
    done
    heif-enc -A -q 80 a.png -o their.avif > /dev/null
    heif-convert their.avif theirs.png > /dev/null
    identical theirs.png their.avif
}

@test "AVIF and HEIC: damaged and truncated files, and absurd sizes, give a message" {
    make_rgb a.ppm 32 32
    halo run '' a.ppm -o a.avif
    size=$(stat -c %s a.avif)
    for n in 16 40 100 200 300 $((size / 2)) $((size - 1)); do
        head -c "$n" a.avif > cut.avif
        run --separate-stderr halo run '' cut.avif -o o.ppm
        [ "$status" -eq 1 ]; [ -n "$stderr" ]
    done
    # a size of 2^31 - 1 in its property
    at=$(grep -abo ispe a.avif | head -n 1 | cut -d: -f1)
    {
        head -c $((at + 8)) a.avif; printf '\177\377\377\377\177\377\377\377'; tail -c +$((at + 17)) a.avif
    } > big.avif
    run --separate-stderr timeout 20 "$HALO" run '' big.avif -o o.ppm
    [ "$status" -eq 5 ]; says 'too large'
    run --separate-stderr halo run --max-pixels 100 '' a.avif -o o.ppm
    [ "$status" -ne 0 ]; says '--max-pixels'
    [ ! -e o.ppm ]
}
