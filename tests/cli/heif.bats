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
    [ "$status" -eq 5 ]
    [[ "$stderr" == *'too large'* || "$stderr" == *'--max-pixels'* ]] # before libheif 1.19 and from then on
    run --separate-stderr halo run --max-pixels 100 '' a.avif -o o.ppm
    [ "$status" -ne 0 ]; says '--max-pixels'
    [ ! -e o.ppm ]
}

# grid FROM TO WIDTH HEIGHT: a picture of one tile, FROM, that claims 64 x 64 pixels; its grid has this size.
grid() {
    command -v python3 > /dev/null || skip "there is no python3"
    python3 - "$@" << 'END'
import struct, sys
data, width, height = open(sys.argv[1], 'rb').read(), int(sys.argv[3]), int(sys.argv[4])
def boxes(at, end):
    while at < end:
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        yield kind, at + 8, at + size
        at += size
top = {k: (a, e) for k, a, e in boxes(0, len(data))}
meta = {k: (a, e) for k, a, e in boxes(top[b'meta'][0] + 4, top[b'meta'][1])}
prp = {k: (a, e) for k, a, e in boxes(*meta[b'iprp'])}
config = [data[a - 8:e] for k, a, e in boxes(*prp[b'ipco']) if k == b'hvcC'][0]
coded = data[slice(*top[b'mdat'])]
box = lambda kind, body: struct.pack('>I4s', len(body) + 8, kind) + body
full = lambda kind, body, flags=0, version=0: box(kind, struct.pack('>I', version << 24 | flags) + body)
infe = lambda item, kind, hidden: full(b'infe', struct.pack('>HH4s', item, 0, kind) + b'\0', hidden, 2)
ispe = lambda w, h: full(b'ispe', struct.pack('>II', w, h))
grid = struct.pack('>BBBBII', 0, 1, 0, 0, width, height)
ipma = full(b'ipma', struct.pack('>I', 2) + struct.pack('>HBBB', 1, 2, 0x81, 2) + struct.pack('>HBB', 2, 1, 3))
def make(offset):
    iloc = full(b'iloc', struct.pack('>BBH', 0x44, 0, 2)
                + struct.pack('>HHHHII', 1, 0, 0, 1, offset, len(coded))
                + struct.pack('>HHHHII', 2, 1, 0, 1, 0, len(grid)), version=1)
    body = (full(b'hdlr', b'\0\0\0\0pict' + bytes(12) + b'\0') + full(b'pitm', struct.pack('>H', 2)) + iloc
            + full(b'iinf', struct.pack('>H', 2) + infe(1, b'hvc1', 1) + infe(2, b'grid', 0))
            + full(b'iref', box(b'dimg', struct.pack('>HHH', 2, 1, 1)))
            + box(b'iprp', box(b'ipco', config + ispe(64, 64) + ispe(64, 64)) + ipma) + box(b'idat', grid))
    head = box(b'ftyp', b'heic\0\0\0\0mif1heic') + full(b'meta', body)
    return head + box(b'mdat', coded), len(head) + 8
open(sys.argv[2], 'wb').write(make(make(0)[1])[0])
END
}

@test "HEIC: a grid is not larger than the picture that it makes" {
    make_rgb a.ppm 64 64
    halo run '' a.ppm -o a.heic --effort 1 || skip "this libheif does not write HEIC"
    grid a.heic same.heic 64 64
    identical same.heic a.heic
    grid a.heic large.heic 60000 60000
    run --separate-stderr timeout 20 "$HALO" run '' large.heic -o o.ppm --max-memory 100M
    [ "$status" -eq 5 ]; says 'too large, or damaged'
    [ "${#stderr_lines[@]}" -eq 1 ]
    [ ! -e o.ppm ]
}
