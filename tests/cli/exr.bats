# OpenEXR: halves and floats, channels by name, alpha, tiles; beside its own tools and FFmpeg.
# shellcheck disable=SC2154
setup() { load common; common_setup; need_format exr; }

need_format() { "$HALO" list formats | grep -q "^ *$1 " || skip "this build has no $1"; }
need_tool() { command -v "$1" > /dev/null || skip "there is no $1"; }
identical() { [[ "$(halo compare "$1" "$2")" == *identical* ]]; }

# make_exr FILE WIDTH HEIGHT CHANNELS [TYPE]: scan lines that are not compressed, each channel a ramp of its
# own; channels in the order of their names; TYPE: 1 halves (the default), 2 floats
make_exr() {
    need_numpy
    "$PYTHON" - "$@" << 'END'
import struct, sys
import numpy as np
name, width, height, channels = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4].split(',')
kind = int(sys.argv[5]) if len(sys.argv) > 5 else 1
attribute = lambda n, t, v: n.encode() + b'\0' + t.encode() + b'\0' + struct.pack('<i', len(v)) + v
box = struct.pack('<4i', 0, 0, width - 1, height - 1)
chlist = b''.join(c.encode() + b'\0' + struct.pack('<iB3xii', kind, 0, 1, 1) for c in channels) + b'\0'
head = struct.pack('<ii', 20000630, 2)
head += attribute('channels', 'chlist', chlist) + attribute('compression', 'compression', b'\0')
head += attribute('dataWindow', 'box2i', box) + attribute('displayWindow', 'box2i', box)
head += attribute('lineOrder', 'lineOrder', b'\0')
head += attribute('pixelAspectRatio', 'float', struct.pack('<f', 1))
head += attribute('screenWindowCenter', 'v2f', struct.pack('<2f', 0, 0))
head += attribute('screenWindowWidth', 'float', struct.pack('<f', 1)) + b'\0'
dtype = '<f2' if kind == 1 else '<f4'
a = np.zeros((height, width, len(channels)), dtype)
for c in range(len(channels)):
    a[..., c] = (np.arange(height * width).reshape(height, width) + 1) * (c + 1) / 64
lines, at = b'', len(head) + 8 * height
table = b''
for y in range(height):
    line = b''.join(a[y, :, c].tobytes() for c in range(len(channels)))
    table += struct.pack('<Q', at + len(lines))
    lines += struct.pack('<ii', y, len(line)) + line
open(name, 'wb').write(head + table + lines)
np.save(name + '.npy', a.astype('f4'))
END
}

@test "OpenEXR: four channels of halves and of floats, with alpha and without" {
    for kind in 1 2; do
        make_exr rgba.exr 9 4 A,B,G,R $kind
        make_exr other.exr 9 4 a,b,c,d $kind
        halo run '' rgba.exr -o rgba.npy -f
        halo run '' other.exr -o other.npy -f
        "$PYTHON" -c "
import numpy as np
a, b = np.load('rgba.exr.npy')[..., ::-1], np.load('rgba.npy')
assert np.array_equal(a[..., 3], b[..., 3]) and np.allclose(a[..., :3] / a[..., 3:], b[..., :3], rtol=1e-6)
assert np.array_equal(np.load('other.exr.npy'), np.load('other.npy'))"
    done
}

@test "OpenEXR: halves and floats, channels by name whatever their order in the file" {
    make_exr half.exr 5 3 B,G,R
    make_exr float.exr 5 3 B,G,R,Z 2
    make_exr gray.exr 7 2 Y
    halo info half.exr | grep -q '16-bit'
    halo info half.exr | grep -q 'channels *3'
    halo info float.exr | grep -q 'channels *4'
    for f in half float gray; do
        halo run '' $f.exr -o $f.npy
        halo run '' $f.exr -o again.exr -f
        identical $f.exr again.exr
        [ "$(halo info again.exr | grep samples)" = "$(halo info $f.exr | grep samples)" ]
    done
    "$PYTHON" -c "
import numpy as np
a, b = np.load('half.exr.npy'), np.load('half.npy')
assert np.array_equal(a[..., [2, 1, 0]], b)
a, b = np.load('float.exr.npy'), np.load('float.npy')
assert np.array_equal(a[..., [2, 1, 0, 3]], b)"
    cat half.exr | halo run '' - -o - --to exr | cmp - <(halo run '' half.exr -o - --to exr)
}

@test "OpenEXR: colours are multiplied by alpha in the file, and not here" {
    make_exr a.exr 4 4 A,B,G,R 2
    halo info a.exr | grep -q 'alpha'
    halo run '' a.exr -o a.npy -q
    "$PYTHON" -c "
import numpy as np
a, b = np.load('a.exr.npy'), np.load('a.npy')
assert np.array_equal(a[..., 0], b[..., 3])
assert np.allclose(a[..., 3] / a[..., 0], b[..., 0])"
    halo run '' a.exr -o again.exr
    halo compare a.exr again.exr --at-least psnr=100 > /dev/null
}

@test "OpenEXR is linear light: PNG says so, and srgb codes it" {
    make_rgb a.ppm 9 6
    halo run linear a.ppm -o a.exr
    halo run srgb a.exr -o b.ppm
    halo compare a.ppm b.ppm --at-least psnr=60 > /dev/null
    halo run '' a.exr -o a.png
    grep -aq gAMA a.png
}

@test "OpenEXR: a chunk that compression leaves as long as it was is stored" {
    # the file of 2 x 2 samples 200/65535, whose 16 bytes become 16 by ZIP
    { printf 'Pf\n2 2\n-1.0\n'; for k in 1 2 3 4; do printf '\310\000\110\073'; done; } > a.pfm
    halo convert a.pfm -o a.exr
    identical a.pfm a.exr
    for k in $(seq 1 40); do # noise, of which chunks become a little shorter or longer
        make_gray b.pgm 2 "$k" "$((k * 1500))"
        halo run depth:f32 b.pgm -o b.pfm -f
        halo convert b.pfm -o b.exr -f
        identical b.pfm b.exr
    done
}

@test "OpenEXR: tiles, and FFmpeg reads what halo writes" {
    make_rgb a.ppm 70 45
    halo run 'linear | depth:f32' a.ppm -o a.exr
    if command -v exrmaketiled > /dev/null; then
        exrmaketiled -t 16 16 a.exr t.exr
        identical a.exr t.exr
        halo run crop:20x10+30+30 t.exr -o t.pfm; halo run crop:20x10+30+30 a.exr -o u.pfm
        identical t.pfm u.pfm
    fi
    command -v ffmpeg > /dev/null || skip 'there is no ffmpeg'
    ffmpeg -v error -i a.exr -f rawvideo -pix_fmt gbrpf32le a.raw || skip 'ffmpeg reads no EXR'
    need_numpy
    halo run '' a.exr -o a.npy
    "$PYTHON" -c "
import numpy as np
a = np.fromfile('a.raw', '<f4').reshape(3, 45, 70)[[2, 0, 1]]
b = np.load('a.npy')
assert np.array_equal(np.moveaxis(a, 0, -1), b)"
}

@test "OpenEXR: damaged and truncated files, and absurd sizes, give a message" {
    make_exr a.exr 40 40 B,G,R
    size=$(stat -c %s a.exr)
    for n in 8 100 300 $((size / 2)) $((size - 5)); do
        head -c "$n" a.exr > cut.exr
        run --separate-stderr halo run '' cut.exr -o o.pfm
        [ "$status" -eq 1 ]; says OpenEXR
        [ ! -e o.pfm ]
    done
    halo run --tolerate '' cut.exr -o o.pfm
    at=$(grep -abo dataWindow a.exr | head -n 1 | cut -d: -f1)
    {
        head -c $((at + 21)) a.exr; printf '\0\0\0\0\0\0\0\0\377\377\377\77\377\377\377\77'
        tail -c +$((at + 38)) a.exr
    } > big.exr
    run --separate-stderr timeout 20 "$HALO" run '' big.exr -o p.pfm
    [ "$status" -ne 0 ]; [ -n "$stderr" ]
    [ ! -e p.pfm ]
}
