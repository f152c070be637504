#!/usr/bin/env bash
# What other programs read in files that halo writes: sizes, pages, channels, rates, places; and not a single
# warning.
#   tests/long/readers.sh HALO
# tifffile, Pillow, exiftool, GDAL and ffprobe, each as far as it is installed: apt-get install python3-tifffile
# python3-pil libimage-exiftool-perl gdal-bin ffmpeg. By hand, not in the suite; half a minute. FOLDER keeps the
# files.
set -u
[ $# -ge 1 ] || { echo "usage: tests/long/readers.sh HALO [FOLDER]" >&2; exit 2; }
HALO=$(realpath "$1")
if [ $# -gt 1 ]; then mkdir -p "$2" && cd "$2" || exit 1; else cd "$(mktemp -d)" && trap 'rm -rf "$PWD"' EXIT ||
    exit 1; fi
PYTHON=/usr/bin/python3
failures=0 checks=0

fail() { echo "FAIL $*"; failures=$((failures + 1)); }
# expect WHAT WANTED FOUND
expect() { checks=$((checks + 1)); [ "$2" = "$3" ] || fail "$1: expected '$2', found '$3'"; }
halo() { "$HALO" -q "$@" -f || fail "halo $*"; }
has() { "$PYTHON" -c "import $1" 2>/dev/null || { echo "skip $1: not installed"; return 1; }; }
installed() { command -v "$1" > /dev/null || { echo "skip $1: not installed"; return 1; }; }
be() { local i t=''; for ((i = $1 - 1; i >= 0; i--)); do printf -v t '%s\\x%02x' "$t" \
    $(($2 >> 8 * i & 255)); done; printf '%b' "$t"; }

# ---- inputs --------------------------------------------------------------------------------------------------

picture() { # FILE MAGIC SAMPLES MAXVAL
    awk -v m="$2" -v n="$3" -v w="$4" 'BEGIN { printf "%s 48 36 %d\n", m, w; v = 1
        for (i = 0; i < n; i++) { v = (v * 16807) % 2147483647; print v % (w + 1) } }' > "$1"
}

tag() { be 2 "$1"; be 2 "$2"; be 4 "$3"; if [ "$2$3" = 31 ]; then be 2 "$4"; be 2 0; else be 4 "$4"; fi; }

# As ImageJ writes stacks beyond 4 GB: three images of 4 x 3, one directory.
imagej() {
    local text=$'ImageJ=1.54f\nimages=3\nslices=3\nunit=um\nspacing=2'
    printf 'MM\0*'; be 4 8; be 2 9
    tag 256 4 1 4; tag 257 4 1 3; tag 258 3 1 16; tag 262 3 1 1; tag 270 2 $((${#text} + 1)) 122
    tag 273 4 1 $((122 + ${#text} + 1)); tag 277 3 1 1; tag 278 3 1 3; tag 279 4 1 24
    be 4 0; printf '%s\0' "$text"
    for ((v = 0; v < 36; v++)); do be 2 $((1000 * v)); done
}

# 48 x 36 bytes with a pixel of 10 x 10 m, the corner at 500000, 4000000; UTM zone 33.
geo() {
    printf 'MM\0*'; be 4 8; be 2 10
    tag 256 4 1 48; tag 257 4 1 36; tag 258 3 1 8; tag 262 3 1 1; tag 273 4 1 240; tag 277 3 1 1
    tag 279 4 1 1728
    tag 33550 12 3 134; tag 33922 12 6 158; tag 34735 3 16 206
    be 4 0
    for _ in 1 2; do printf '\x40\x24\0\0\0\0\0\0'; done; be 8 0
    be 8 0; be 8 0; be 8 0; printf '\x41\x1e\x84\x80\0\0\0\0\x41\x4e\x84\x80\0\0\0\0'; be 8 0
    for v in 1 1 0 3 1024 0 1 1 1025 0 1 1 3072 0 1 32633; do be 2 $v; done
    be 2 0
    head -c 1728 /dev/zero
}

picture gray.pgm P2 1728 255; picture gray16.pgm P2 1728 65535; picture rgb.ppm P3 5184 255
imagej > stack.tif
geo > geo.tif
halo run '' rgb.ppm -o rgb.png
awk 'BEGIN { print "l,r"; for (i = 0; i < 4800; i++) printf "%.6f,%.6f\n", sin(i / 20) / 2, cos(i / 30) / 2 }' \
    > s.csv
halo run --rate 48000 '' s.csv -o s.wav

# ---- halo's outputs: name, size, pages, channels, type -------------------------------------------------------

halo run gauss:1 gray.pgm -o g8.tif
halo run gauss:1 gray16.pgm -o g16.tif
halo run gauss:1 rgb.ppm -o rgb.tif
halo run 'gauss:1 | depth:f32' rgb.ppm -o f32.tif
halo run 'depth:f32' gray16.pgm -o counts.npy
halo run gauss:1 counts.npy -o counts.tif
halo run 'cutout:[gray]' rgb.ppm -o rgba.tif
halo run gauss:1 rgb.ppm --tile 16 --pyramid -o tiles.tif
halo run gauss:1 stack.tif -o pages.tif
halo run resize:8x6 stack.tif -o larger.tif
halo run depth:f32 stack.tif -o pages32.tif
halo run crop:20x10+4+6 geo.tif -o crop.tif
halo run flip:x geo.tif -o flip.tif
halo run resize:24x18 geo.tif -o half.tif
tiffs='g8:48x36:1:1:uint8 g16:48x36:1:1:uint16 rgb:48x36:1:3:uint8 f32:48x36:1:3:float32
    counts:48x36:1:1:float32
    rgba:48x36:1:4:uint8 tiles:48x36:1:3:uint8 pages:4x3:3:1:uint16 larger:8x6:3:1:uint16
    pages32:4x3:3:1:float32
    crop:20x10:1:1:uint8 flip:48x36:1:1:uint8 half:24x18:1:1:uint8'
halo run gauss:1 gray.pgm -o g8.png
halo run gauss:1 gray16.pgm -o g16.png
halo run linear rgb.ppm -o linear.png
halo run 'cutout:[gray]' rgb.ppm -o rgba.png
halo run gauss:1 rgb.ppm -o rgb.jpg
others='g8.png:48x36 g16.png:48x36 linear.png:48x36 rgba.png:48x36 rgb.jpg:48x36'
for name in s16.wav s24.flac s16.aiff s16.au s16.w64 s16.rf64 s.ogg s.opus; do
    halo run gain:0.5 s.wav -o $name
done
halo run --bits float gain:0.5 s.wav -o float.wav
halo run channels:1,2,1,2 s.wav -o four.flac
halo run rate:24k s.wav -o rate.wav
sounds='s16.wav:2:48000:4800 s24.flac:2:48000:4800 s16.aiff:2:48000:4800 s16.au:2:48000:4800
    s16.w64:2:48000:4800
    s16.rf64:2:48000:4800 s.ogg:2:48000:- float.wav:2:48000:4800 four.flac:4:48000:4800 rate.wav:2:24000:2400'

# ---- readers -------------------------------------------------------------------------------------------------

# python NAME EXPRESSION: prints, with warnings and logged messages.
python() { "$PYTHON" -W error -c "$1" "$2" 2>&1; }

if has tifffile; then
    for line in $tiffs; do
        IFS=: read -r name size pages channels type <<< "$line"
        found=$(python 'import sys, tifffile
with tifffile.TiffFile(sys.argv[1]) as f:
    p = f.pages[0]
    pages = [q for q in f.pages if not q.is_reduced]
    a = f.asarray()
    print(f"{p.imagewidth}x{p.imagelength}:{len(pages)}:{p.samplesperpixel}:{p.dtype}")
    assert a.size == p.imagewidth * p.imagelength * p.samplesperpixel * len(pages), a.shape
    if f.imagej_metadata:
        assert f.imagej_metadata.get("images", 1) == len(pages), f.imagej_metadata' "$name.tif")
        expect "tifffile $name.tif" "$size:$pages:$channels:$type" "$found"
    done
    # Descriptions of stacks, which it believes: its own, OME's and ImageJ's, also with one directory for all
    # images.
    python 'import numpy as np, sys, tifffile
a = np.arange(60, dtype="u1").reshape(3, 4, 5)
tifffile.imwrite("in_shaped.tif", a, photometric="minisblack")
tifffile.imwrite("in_some.ome.tif", a, photometric="minisblack", metadata={"axes": "ZYX"})
tifffile.imwrite("in_imagej.tif", a, imagej=True, metadata={"axes": "TYX", "unit": "um"}, resolution=(5, 5))
with tifffile.TiffWriter("in_one.tif", imagej=True) as one: one.write(a, truncate=True)' -
    for name in shaped.tif some.ome.tif imagej.tif one.tif; do
        for pipeline in invert crop:3x2 resize:10x8 depth:f32 rotate:90; do
            halo run "$pipeline" "in_$name" -o "out_$name"
            case $pipeline in crop*) want='(3, 2, 3)' ;; resize*) want='(3, 8, 10)' ;; rotate*)
                want='(3, 5, 4)' ;; *) want='(3, 4, 5)' ;; esac
            expect "tifffile $name $pipeline" "$want" \
                "$(python 'import sys, tifffile; print(tifffile.imread(sys.argv[1]).shape)' "out_$name")"
        done
        halo stack mean "in_$name" -o "out_$name"
        expect "tifffile $name stack" '(4, 5)' \
            "$(python 'import sys, tifffile; print(tifffile.imread(sys.argv[1]).shape)' "out_$name")"
    done
fi

if has PIL; then
    for line in $tiffs; do
        IFS=: read -r name size pages _ type <<< "$line"
        case $name:$type in f32:*) continue ;; esac # Pillow reads no floats of three channels
        [ "$name" = tiles ] && pages=3 # overviews are frames, too
        found=$(python 'import sys
from PIL import Image
with Image.open(sys.argv[1]) as im:
    n = im.n_frames
    for k in range(n): im.seek(k); im.load()
    im.seek(0)
    print(f"{im.size[0]}x{im.size[1]}:{n}")' "$name.tif")
        expect "Pillow $name.tif" "$size:$pages" "$found"
    done
    for line in $others; do
        found=$(python 'import sys
from PIL import Image
with Image.open(sys.argv[1]) as im:
    im.load()
    print(f"{im.size[0]}x{im.size[1]}")' "${line%%:*}")
        expect "Pillow ${line%%:*}" "${line#*:}" "$found"
    done
fi

if installed exiftool; then
    for file in g8.tif g16.tif rgb.tif f32.tif counts.tif rgba.tif tiles.tif pages.tif larger.tif crop.tif \
        flip.tif half.tif \
        g8.png g16.png linear.png rgba.png rgb.jpg s16.wav s24.flac four.flac s16.aiff s.ogg; do
        # It reports what TIFF 6.0 requires of a baseline file, and most files lack: strips in place of tiles, a
        # resolution.
        found=$(exiftool -q -q -validate -a -s3 -warning -error $file 2>&1 |
            grep -v '^OK$\|^[0-9]* Warnings\|tag 0x01\(03\|1[1267ab]\)')
        expect "exiftool $file" '' "$found"
    done
fi

if installed gdalinfo; then
    # geo NAME ORIGIN PIXEL
    gdal() {
        found=$(gdalinfo "$1.tif" 2>&1 | sed -En 's/^(Origin = .*|Pixel Size = .*|.*ERROR.*|.*Warning.*)/\1/p' |
            paste -sd ' ')
        expect "gdalinfo $1.tif" "Origin = ($2) Pixel Size = ($3)" "$found"
    }
    gdal geo 500000.000000000000000,4000000.000000000000000 10.000000000000000,-10.000000000000000
    gdal crop 500040.000000000000000,3999940.000000000000000 10.000000000000000,-10.000000000000000
    gdal half 500000.000000000000000,4000000.000000000000000 20.000000000000000,-20.000000000000000
    gdal flip 500480.000000000000000,4000000.000000000000000 -10.000000000000000,-10.000000000000000
    for line in $tiffs; do
        IFS=: read -r name size pages channels type <<< "$line"
        found=$(gdalinfo "$name.tif" 2>&1)
        expect "gdalinfo $name.tif" "Size is ${size/x/, }" "$(grep '^Size is' <<< "$found")"
        expect "gdalinfo $name.tif" "$channels" "$(grep -c '^Band ' <<< "$found")"
        expect "gdalinfo $name.tif" $((pages > 1 ? pages : 0)) "$(grep -c 'SUBDATASET_.*_NAME' <<< "$found")"
        expect "gdalinfo $name.tif" '' "$(grep -i 'warning\|error' <<< "$found")"
    done
fi

if installed ffprobe; then
    for line in $sounds; do
        IFS=: read -r name channels rate frames <<< "$line"
        # Its guess of a layout is not a warning; and it objects to a mask of 0, which says that channels have
        # no loudspeakers.
        found=$(ffmpeg -v warning -guess_layout_max 0 -i "$name" -f s32le - 2> said | wc -c)
        # it loses 128 frames of Ogg, its own too
        [ "$frames" = - ] || expect "ffmpeg $name" $((frames * channels * 4)) "$found"
        expect "ffmpeg $name" '' "$(grep -v 'value of WAVEFORMATEXTENSIBLE_CHANNEL_MASK' said)"
        found=$(ffprobe -v error -show_entries stream=channels,sample_rate -of csv=p=0 "$name" 2>&1)
        expect "ffprobe $name" "$rate,$channels" "$found"
    done
    for line in $others; do
        found=$(ffprobe -v warning -show_entries stream=width,height -of csv=p=0:s=x "${line%%:*}" 2>&1)
        expect "ffprobe ${line%%:*}" "${line#*:}" "$found"
    done
fi

echo "$checks checks, $failures failures"
[ $failures -eq 0 ]
