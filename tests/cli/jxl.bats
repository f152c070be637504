# JPEG XL: depths, floats, alpha, orientation, metadata, animations; beside its own tools.
# shellcheck disable=SC2154
setup() { load common; common_setup; need_format jxl; }

need_format() { "$HALO" list formats | grep -q "^ *$1 " || skip "this build has no $1"; }
need_tool() { command -v "$1" > /dev/null || skip "there is no $1"; }
identical() { [[ "$(halo compare "$1" "$2")" == *identical* ]]; }

@test "JPEG XL: 8 and 16 bits and floats without loss, lossy ones roughly" {
    make_rgb a.ppm 19 11
    make_gray g.pgm 9 7 65535
    halo run 'gauss:1 | depth:f32' g.pgm -o f.pfm
    for f in a.ppm g.pgm f.pfm; do
        if ! halo run '' $f -o $f.jxl --lossless 2> said; then
            grep -q 'does not keep all floats' said && [ $f = f.pfm ]
            continue
        fi
        identical $f $f.jxl
    done
    halo run '' f.pfm -o f.jxl
    halo info f.jxl | grep -q 'float'
    halo compare f.pfm f.jxl --at-least psnr=30 > /dev/null
    halo run gauss:3 a.ppm -o s.ppm
    for q in 30 60 95; do halo run '' s.ppm -o $q.jxl --quality $q; done
    halo run '' s.ppm -o s.jxl --effort 3
    halo compare s.ppm s.jxl --at-least psnr=30 > /dev/null
    [ "$(stat -c %s 30.jxl)" -lt "$(stat -c %s 95.jxl)" ]
    halo run '' - -o - --to jxl --lossless < a.ppm | halo run '' - -o - --to ppm |
        cmp - <(halo run '' a.ppm -o -)
}

@test "JPEG XL: pictures are stored upright, and EXIF says so; pages become an animation, and come back" {
    make_rgb a.ppm 8 5
    halo run '' a.ppm -o a.png; with_orientation a.png > turned.png
    halo run orient turned.png -o up.ppm
    run --separate-stderr halo run '' turned.png -o t.jxl --lossless
    [ "$status" -eq 0 ]; [ -z "$stderr" ]
    identical up.ppm t.jxl
    halo run '' t.jxl -o t.png
    halo run orient t.png -o again.ppm
    identical up.ppm again.ppm
    halo run '' a.ppm -o a2.ppm; halo run invert a2.ppm -o b.ppm
    cat a2.ppm b.ppm a2.ppm | halo run '' - -o three.jxl --lossless
    halo info three.jxl | grep -q 'images *3'
    halo run '' three.jxl -o - --to pnm | cmp - <(cat a2.ppm b.ppm a2.ppm)
    halo run pages:2 three.jxl -o p.ppm
    identical p.ppm b.ppm
}

@test "djxl reads what halo writes, and halo what cjxl writes: 8 and 16 bits" {
    need_tool djxl; need_tool cjxl
    make_rgb a.ppm 33 20
    halo run '' a.ppm -o a.png
    for how in '' --lossless; do
        # shellcheck disable=SC2086
        halo run '' a.png -o a.jxl -f $how
        djxl a.jxl theirs.png 2> /dev/null
        identical theirs.png a.jxl
    done
    for maxval in 255 65535; do # those between 0.7 takes for others
        {
            printf 'P5\n17 9\n%d\n' $maxval
            head -c $((maxval > 255 ? 306 : 153)) /dev/zero | tr '\0' '\2'
        } > raw.pgm
        cjxl -d 0 raw.pgm g.jxl 2> /dev/null
        djxl g.jxl theirs.png 2> /dev/null
        identical theirs.png g.jxl
    done
}

@test "JPEG XL: a profile, EXIF and XMP go through" {
    need_tool cjxl; need PIL; need_tool exiftool
    make_rgb a.ppm 12 12
    halo run '' a.ppm -o a.png
    "$PYTHON" -c "
from PIL import Image, ImageCms
p = ImageCms.ImageCmsProfile(ImageCms.createProfile('sRGB')).tobytes()
e = Image.Exif(); e[0x10f] = 'Maker'
Image.open('a.png').save('b.png', icc_profile=p, exif=e.tobytes())"
    halo run '' b.png -o b.jxl --lossless
    identical a.ppm b.jxl
    halo info b.jxl | grep -q ICC
    [ "$(exiftool -s3 -Make b.jxl)" = Maker ]
    halo run '' b.jxl -o c.png
    [ "$(exiftool -s3 -Make c.png)" = Maker ]
    cjxl -d 0 b.png d.jxl 2> /dev/null
    halo info d.jxl | grep -q ICC
    identical a.ppm d.jxl
}

@test "JPEG XL: damaged and truncated files give a message" {
    make_rgb a.ppm 64 64
    halo run '' a.ppm -o a.jxl --lossless
    size=$(stat -c %s a.jxl)
    for n in 3 10 40 $((size / 2)) $((size - 8)); do
        head -c "$n" a.jxl > cut.jxl
        run --separate-stderr halo run '' cut.jxl -o o.ppm
        [ "$status" -eq 1 ]; says truncated || says damaged
        [ ! -e o.ppm ]
    done
    halo run --tolerate '' cut.jxl -o o.ppm
    run --separate-stderr halo run --max-pixels 100 '' a.jxl -o p.ppm
    [ "$status" -ne 0 ]; says '--max-pixels'
}
