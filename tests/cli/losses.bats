# What is lost without a reason that can be seen is said: layouts, profiles, loops, rates, loss itself.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

said() { run --separate-stderr halo "$@"; [ "$status" -eq 0 ]; }
is() { [ "$stderr" = "$1" ] || { echo "expected: $1"; echo "found:    $stderr"; return 1; }; }
has_format() { halo list formats | grep -q "^ *$1 "; }

# planar FILE SHAPE: a TIFF of 3 planes, 4 x 2, as tifffile writes them, whose description says SHAPE.
planar() {
    python3 - "$@" <<'CODE'
import struct, sys
text = ('{"shape": %s}' % sys.argv[2]).encode() + b"\0"
data, at = bytes(range(24)), 8
tags = [(256, 3, 1, 4), (257, 3, 1, 2), (258, 3, 3, None), (259, 3, 1, 1), (262, 3, 1, 2),
        (270, 2, len(text), None), (273, 4, 3, None), (277, 3, 1, 3), (278, 3, 1, 2), (279, 4, 3, None),
        (284, 3, 1, 2)]
bits, desc = 8 + 24, 8 + 24 + 8
offsets = desc + len(text) + len(text) % 2
counts = offsets + 12
ifd = counts + 12
out = b"II*\0" + struct.pack("<I", ifd) + data + struct.pack("<HHHH", 8, 8, 8, 0)
out += text + b"\0" * (len(text) % 2)
out += struct.pack("<III", 8, 16, 24) + struct.pack("<III", 8, 8, 8) + struct.pack("<H", len(tags))
where = {258: bits, 270: desc, 273: offsets, 279: counts}
for tag, kind, count, value in tags:
    out += struct.pack("<HHII", tag, kind, count, where.get(tag, value))
open(sys.argv[1], "wb").write(out + struct.pack("<I", 0))
CODE
}

@test "tifffile's shape of planes is not kept for samples side by side" {
    has_format tiff || skip "built without libtiff"
    planar planes.tif '[3, 2, 4]'
    said run '' planes.tif -o o.tif
    is 'halo: planes.tif: left out, since it would no longer be true: description of an image stack'
    ! grep -q shape o.tif
    planar side.tif '[2, 4, 3]'
    said run '' side.tif -o o.tif -f; is ''
    grep -q '"shape": \[2, 4, 3\]' o.tif
}

@test "JPEGs one after the other are frames; pictures that a phone appends are not" {
    has_format jpeg || skip "built without libjpeg"
    for i in 1 2 3; do make_rgb a.ppm 24 $((16 + i)); halo run '' a.ppm -o $i.jpg -f; done
    halo run '' 1.jpg 2.jpg 3.jpg --out-dir each --name '{stem}.ppm'
    cat 1.jpg 2.jpg 3.jpg > all.mjpeg
    halo run '' - -o - --to pnm < <(cat all.mjpeg) | cmp - <(cat each/1.ppm each/2.ppm each/3.ppm)
    halo run '' all.mjpeg -o - --to pnm | cmp - <(cat each/1.ppm each/2.ppm each/3.ppm)
    halo run 'crop:8x4+0+0' all.mjpeg -o - --to pnm | head -c 2 | grep -q P6
    [ "$(halo run 'crop:8x4+0+0' all.mjpeg -o - --to pnm | wc -c)" -eq $((3 * (11 + 96))) ]
    [ "$(halo stats --json all.mjpeg | grep -c '"index":')" -eq 3 ]
    said run '' all.mjpeg -o o.png
    says 'only the first of several pages is read'
    run halo run '' - -o o2.png < <(cat all.mjpeg)
    [ "$status" -eq 1 ]
    # One after the other they are also written.
    halo run '' all.mjpeg -o - --to jpeg > again.mjpeg
    [ "$(halo run pages:3 - -o - --to pnm < again.mjpeg | head -n 2 | tail -n 1)" = '24 19' ]
    # MPF, of CIPA DC-007, in the first picture.
    { head -c 2 1.jpg; printf '\377\342\0\010MPF\0\0\0'; tail -c +3 1.jpg; cat 2.jpg; } > phone.jpg
    halo run '' - -o - --to pnm < <(cat phone.jpg) | cmp - each/1.ppm
    said run '' phone.jpg -o p.png; is ''
    # Other bytes behind the picture.
    { cat 1.jpg; printf 'more bytes'; } > rest.jpg
    said run '' - -o r.png < <(cat rest.jpg); is ''
    said run '' rest.jpg -o r2.png; is ''
    cmp r.png r2.png
    # A secondary input of one picture, and of several.
    said run add:1.jpg 1.jpg -o sum.png -q
    said run add:all.mjpeg all.mjpeg -o - --to pnm -q
}

@test "a picture without loss that is written with loss" {
    has_format webp || skip "built without libwebp"
    make_rgb a.ppm 20 10
    halo run '' a.ppm -o less.webp --lossless; halo run '' a.ppm -o lossy.webp
    said convert less.webp o.webp
    is 'halo: less.webp: the input is lossless and the output is not: --lossless keeps every sample'
    said convert less.webp o2.webp --lossless; is ''
    said convert less.webp o3.webp --quality 80; is ''
    said convert lossy.webp o4.webp; is ''
    said convert less.webp o5.png; is ''
    has_format jxl || return 0
    halo run '' a.ppm -o less.jxl --lossless; halo run '' a.ppm -o lossy.jxl
    said convert less.jxl o.jxl; says '--lossless keeps every sample'
    said convert lossy.jxl o2.jxl; is ''
}

@test "a table without a rate becomes sound of 1 Hz" {
    printf '0.1\n0.2\n0.3\n' > t.csv
    said convert t.csv t.wav
    is 'halo: t.csv: the table states no rate, so that the sound has 1 frame a second: --rate sets it'
    said convert t.csv t2.wav --rate 8000; is ''
    said convert t.csv t2.csv; is ''
    printf 'time,v\n0,0.1\n0.5,0.2\n1,0.3\n' > timed.csv
    said convert timed.csv t3.wav; [[ "$stderr" != *'states no rate'* ]]
    said convert t3.wav t4.wav; is ''
}

@test "inputs with different profiles" {
    rgb_profile first.icc red green; rgb_profile second.icc green red
    profiled first.icc a.png; profiled second.icc b.png; make_rgb plain.ppm 3 1
    said run add:b.png a.png -o o.png
    says 'inputs have different ICC profiles, and their samples are combined as they are'
    for pipeline in add:a.png add:plain.ppm mask:plain.ppm; do
        run --separate-stderr halo run "$pipeline" a.png -o o.png -f
        [[ "$stderr" != *'different ICC'* ]]
    done
    said run over:b.png,mix=0.5 plain.ppm -o o.png -f || said run over:b.png plain.ppm -o o.png -f
    says 'different ICC profiles'
    said stack mean a.png b.png -o o.png -f; says 'different ICC profiles'
    said stack mean a.png a.png -o o.png -f; [[ "$stderr" != *'different ICC'* ]]
    run --separate-stderr halo compare a.png b.png; says 'different ICC profiles'
    run --separate-stderr halo compare a.png b.png --json; [[ "$output" == *'"kind":"profiles"'* ]]
    run --separate-stderr halo compare a.png a.png; is ''
}

@test "a profile of three colours is left out of gray" {
    rgb_profile first.icc red green; profiled first.icc a.png
    for pipeline in gray channels:1; do
        said run $pipeline a.png -o o.png -f
        is 'halo: a.png: left out, since it would no longer be true: colour profile'
    done
    said run gauss:1 a.png -o o.png -f; is ''
}

@test "an animation is shown as often as before" {
    make_rgb a.ppm 6 4; make_rgb b.ppm 6 4; halo run invert b.ppm -o c.ppm
    cat a.ppm c.ppm > two.pnm
    halo run '' - -o two.apng < two.pnm
    # plays FILE: the number in acTL
    plays() { python3 -c 'import sys; d = open(sys.argv[1], "rb").read(); i = d.index(b"acTL")
print(int.from_bytes(d[i + 8:i + 12], "big"))' "$1"; }
    [ "$(plays two.apng)" = 0 ]
    python3 - <<'CODE'
import struct, zlib
d = open("two.apng", "rb").read(); i = d.index(b"acTL")
part = b"acTL" + d[i + 4:i + 8] + struct.pack(">I", 3)
open("three.apng", "wb").write(d[:i] + part + struct.pack(">I", zlib.crc32(part)) + d[i + 16:])
CODE
    halo run gauss:1 three.apng -o o.apng
    [ "$(plays o.apng)" = 3 ]
    if has_format webp; then
        halo run '' three.apng -o o.webp --lossless; halo run '' o.webp -o p.apng
        [ "$(plays p.apng)" = 3 ]
    fi
    if has_format jxl; then
        halo run '' three.apng -o o.jxl --lossless; halo run '' o.jxl -o q.apng
        [ "$(plays q.apng)" = 3 ]
    fi
    has_format gif || return 0
    # Two frames of one pixel; NETSCAPE2.0 counts what follows the first time.
    gif() {
        printf 'GIF89a\1\0\1\0\200\0\0\0\0\0\377\377\377'
        [ -z "$1" ] || printf '!\377\013NETSCAPE2.0\3\1'"$1"'\0\0'
        for bits in '\104' '\114'; do printf '!\371\4\0\12\0\0\0,\0\0\0\0\1\0\1\0\0\2\2'"$bits"'\1\0'; done
        printf ';'
    }
    gif '\4' > again.gif; gif '\0' > ever.gif; gif '' > once.gif
    for pair in again:5 ever:0 once:1; do
        halo run '' "${pair%:*}.gif" -o g.apng -f
        [ "$(plays g.apng)" = "${pair#*:}" ]
    done
}

@test "--quality where there is none" {
    make_rgb a.ppm 6 4
    said run '' a.ppm -o o.png --quality 50
    is 'halo: a.ppm: --quality changes nothing in this format, which is lossless'
    has_format jpeg || return 0
    said run '' a.ppm -o o.jpg --quality 50; is ''
    said run '' a.ppm -o o.JPG --to JPG -f; is ''
    head -c 3 o.JPG | cmp - <(printf '\377\330\377')
    halo list formats --json | grep '"name":"jpeg"' | grep -q '"comments"'
    run halo run '' a.ppm -o o.jpg --skip-existing --force
    [ "$status" -eq 2 ]; [[ "$output" == *'--skip-existing and --force are mutually exclusive'* ]]
}

@test "names in --csv are themselves" {
    printf 'P2 1 1 255\n9\n' > plain.pgm
    name=$'a\nb, "c".pgm'
    cp plain.pgm "$name"
    halo stats --csv "$name" > o.csv
    python3 -c 'import csv, sys
rows = list(csv.reader(open("o.csv", newline="")))
assert rows[1][0] == sys.argv[1], rows' "$name"
}
