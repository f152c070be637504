# The set-up of every test of the command line: a folder of its own, and functions that make small inputs.
# shellcheck disable=SC2034 # PYTHON is for the tests
bats_require_minimum_version 1.5.0

common_setup() {
    local root
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    HALO=$(realpath "${HALO:-$root/build/cpu/halo}")
    [ -x "$HALO" ] || { echo "no program at $HALO; the environment variable HALO names it" >&2; return 1; }
    export HALO
    unset NO_COLOR HALO_CPU
    export LC_ALL=C.UTF-8
    cd "$BATS_TEST_TMPDIR" || return 1
}

halo() { "$HALO" "$@"; }

# The 7x7 image of the worked example.
make_worked() {
    printf '%s\n' 'P2 7 7 255' '1 2 3 4 5 6 7' '2 3 4 5 6 7 8' '3 4 5 6 7 8 9' '4 5 6 7 8 5 6' '5 6 7 8 5 6 7' \
        '6 7 8 9 0 1 2' '7 8 9 0 1 2 3' > "$1"
}

# make_gray FILE WIDTH HEIGHT [MAXVAL]: noise that is the same every time.
make_gray() {
    awk -v w="$2" -v h="$3" -v m="${4:-255}" 'BEGIN { printf "P2 %d %d %d\n", w, h, m; v = 1
        for (i = 0; i < w * h; i++) { v = (v * 16807) % 2147483647; print v % (m + 1) } }' > "$1"
}

make_rgb() {
    awk -v w="$2" -v h="$3" 'BEGIN { printf "P3 %d %d 255\n", w, h; v = 7
        for (i = 0; i < 3 * w * h; i++) { v = (v * 16807) % 2147483647; print v % 256 } }' > "$1"
}

# make_wav FILE FRAMES [RATE]: a 16-bit saw tooth, one channel.
make_wav() {
    local frames=$2 rate=${3:-8000} bytes=$((2 * $2))
    {
        printf 'RIFF'; le 4 $((36 + bytes)); printf 'WAVEfmt '; le 4 16; le 2 1; le 2 1
        le 4 "$rate"; le 4 $((2 * rate)); le 2 2; le 2 16; printf 'data'; le 4 "$bytes"
        awk -v n="$frames" \
            'BEGIN { for (i = 0; i < n; i++) { v = (i * 97) % 20000 - 10000; if (v < 0) v += 65536
            printf "\\x%02x\\x%02x", v % 256, int(v / 256) } }' | xargs -0 printf '%b'
    } > "$1"
}

# with_orientation FILE: a PNG with EXIF of which the orientation is 6: its row 0 is the right side of the
# upright image.
with_orientation() {
    head -c 33 "$1"
    printf \
        '\000\000\000\032eXIfII*\000\010\000\000\000\001\000\022\001\003\000\001\000\000\000\006\000\000\000\000\000\000\000\267H\021)'
    tail -c +34 "$1"
}

# live COMMAND…: what the command writes, through the pipe `live`, which stays open until `live_ends`.
live() {
    mkfifo live
    { "$@"; exec sleep 60; } > live 3>&- &
    live=$!
}
live_ends() { kill "$live"; }

# le BYTES VALUE: a little-endian integer.
le() {
    local i v=$2 text=''
    for ((i = 0; i < $1; i++)); do
        printf -v text '%s\\x%02x' "$text" $((v & 255))
        v=$((v >> 8))
    done
    printf '%b' "$text"
}

# be BYTES VALUE: a big-endian integer.
be() {
    local i text=''
    for ((i = $1 - 1; i >= 0; i--)); do printf -v text '%s\\x%02x' "$text" $(($2 >> 8 * i & 255)); done
    printf '%b' "$text"
}

need_numpy() {
    local python
    for python in /usr/bin/python3 python3; do
        if "$python" -c 'import numpy' 2>/dev/null; then
            PYTHON=$python
            return 0
        fi
    done
    skip "there is no python3 with numpy"
}

# says TEXT: the message of the last `run --separate-stderr` holds it.
says() {
    # shellcheck disable=SC2154 # set by bats
    [[ "$stderr" == *"$1"* ]] || { echo "expected: $1"; echo "found:    $stderr"; return 1; }
}

# need MODULE: a python3 that has it, in $PYTHON.
need() {
    need_numpy
    "$PYTHON" -c "import $1" 2>/dev/null || skip "there is no python3 with $1"
}

# npy LINES: Python with the arrays of a.npy (input) and b.npy (halo's) as a and b.
npy() {
    "$PYTHON" -c "
import numpy as np
a, b = np.load('a.npy'), np.load('b.npy')
$1"
}

# moved_samples PIPELINE: the size and the samples that it makes of six.pgm, as "3 2: 1 2 3 4 5 6".
moved_samples() {
    halo run "$1 | depth:u8" six.pgm -o - --to pgm |
        { read -r magic; read -r size; read -r most; echo "$size: $(od -An -tu1 -v -w1000 | tr -s ' ' |
        sed 's/^ //')"; }
}

# rgb_profile FILE FIRST SECOND: linear light, sRGB's blue, and these as red and green.
rgb_profile() {
    local red='\0\0\157\242\0\0\70\365\0\0\3\220' green='\0\0\142\231\0\0\267\205\0\0\30\332'
    local blue='\0\0\44\240\0\0\17\204\0\0\266\317' tag at=0 zeros12='\0\0\0\0\0\0\0\0\0\0\0\0'
    local first=${!2} second=${!3}
    {
        printf '\0\0\1\60\0\0\0\0\2\100\0\0mntrRGB XYZ '"$zeros12"'acsp'"$zeros12$zeros12"'\0\0\0\0'
        printf '\0\0\366\326\0\1\0\0\0\0\323\55\0\0\0\0'
        printf "$zeros12$zeros12$zeros12"'\0\0\0\0\0\0\0\0\0\0\0\6' # 128 bytes, then six tags
        for tag in rXYZ gXYZ bXYZ; do
            printf "$(printf '%s\\0\\0\\0\\%03o\\0\\0\\0\\24' $tag $((204 + at)))"; at=$((at + 20))
        done
        for tag in rTRC gTRC bTRC; do printf '%s\0\0\1\10\0\0\0\14' $tag; done
        for tag in "$first" "$second" "$blue"; do printf 'XYZ \0\0\0\0'"$tag"; done
        printf 'curv\0\0\0\0\0\0\0\0'
        head -c 28 /dev/zero
    } > "$1"
}

# profiled PROFILE FILE: a PNG with that profile, of the pixels 255 0 0, 128 128 128, 10 20 30.
profiled() {
    python3 - "$@" <<'CODE'
import struct, sys, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
icc = open(sys.argv[1], "rb").read()
row = bytes([0, 255, 0, 0, 128, 128, 128, 10, 20, 30])
open(sys.argv[2], "wb").write(
    b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 3, 1, 8, 2, 0, 0, 0)) +
    chunk(b"iCCP", b"p\0\0" + zlib.compress(icc)) + chunk(b"IDAT", zlib.compress(row)) + chunk(b"IEND", b""))
CODE
}
