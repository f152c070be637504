# Every allocation fails, one after the other: the output is complete, or halo reports that it is not. Never a
# file without its metadata or its samples, and never the fault of halo's own code.
# shellcheck disable=SC2016,SC2154
setup() {
    load common; common_setup
    STARVE=$(dirname "$HALO")/tests/libstarve.so
    [ -f "$STARVE" ] || skip "this build has no library that lets allocations fail"
    [ "$(uname -s)" = Linux ] || skip "it knows glibc's allocator only"
}

# A PNG and a WAVE with much metadata.
make_talking() {
    command -v python3 > /dev/null || skip "there is no python3"
    python3 - << 'END'
import struct, zlib
def chunk(name, body):
    return struct.pack('>I', len(body)) + name + body + struct.pack('>I', zlib.crc32(name + body))
icc = bytearray(200)
icc[0:4] = struct.pack('>I', 200); icc[8:24] = b'\x02\x40\0\0mntrRGB XYZ '; icc[36:40] = b'acsp'
icc[68:80] = bytes([0, 0, 0xf6, 0xd6, 0, 1, 0, 0, 0, 0, 0xd3, 0x2d])
exif = b'II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0'
rows = b''.join(b'\0' + bytes((7 * x + 11 * y) % 256 for x in range(48)) for y in range(12))
open('in.png', 'wb').write(b'\x89PNG\r\n\x1a\n'
    + chunk(b'IHDR', struct.pack('>IIBBBBB', 16, 12, 8, 2, 0, 0, 0)) +
    chunk(b'iCCP', b'icc\0\0' + zlib.compress(bytes(icc))) + chunk(b'pHYs',
        struct.pack('>IIB', 2835, 2835, 1)) +
    chunk(b'eXIf', exif) + chunk(b'tEXt', b'Title\0a title') + chunk(b'zTXt', b'Author\0\0'
        + zlib.compress(b'me')) +
    chunk(b'iTXt', b'XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta/>') + chunk(b'IDAT', zlib.compress(rows)) +
    chunk(b'tEXt', b'Copyright\0late') + chunk(b'IEND', b''))
def part(name, body): return name + struct.pack('<I', len(body)) + body
sound = b''.join(struct.pack('<h', (97 * i) % 20000 - 10000) for i in range(3000))
wave = b'WAVE' + part(b'fmt ', struct.pack('<HHIIHH', 1, 1, 8000, 16000, 2, 16)) + part(b'LIST', b'INFO' +
    part(b'INAM', b'a title\0') + part(b'ICMT', b'remarks\0')) + part(b'data', sound)
open('in.wav', 'wb').write(part(b'RIFF', wave))
END
}

# The libraries that are loaded on demand are loaded from the start, since glibc ends a process that has no
# memory for loading one.
preloads() {
    echo "$STARVE" $(strings "$HALO" | grep -oE 'lib(tiff|sndfile|mpg123)\.so[.0-9]*' | sort -u)
}

# starved STEP LIBRARY OUTPUT ARGUMENT…: every STEP-th allocation fails once. LIBRARY: its code, not halo's, may
# crash.
starved() {
    local step=$1 library=$2 output=$3 count n code wrong=0 preloads
    shift 3
    preloads=$(preloads)
    halo "$@" --jobs 1 -o "expected-$output"
    STARVE_COUNT=count LD_PRELOAD=$preloads "$HALO" "$@" --jobs 1 -o "$output"
    count=$(cat count)
    [ "$count" -gt 20 ]
    for ((n = 1; n <= count; n += step)); do
        rm -f "$output"
        code=0
        STARVE_AT=$n LD_PRELOAD=$preloads "$HALO" "$@" --jobs 1 -o "$output" 2> said || code=$?
        if { [ "$code" -eq 0 ] || [ -e "$output" ]; } && ! cmp -s "$output" "expected-$output"; then
            echo "allocation $n of $count: ended with $code, and something is missing"; wrong=1
        elif [ "$code" -ge 124 ] && ! $library; then
            echo "allocation $n of $count: ended with $code"; wrong=1
        elif [ "$code" -gt 0 ] && [ "$code" -lt 124 ] && [ ! -s said ]; then
            echo "allocation $n of $count: a failure without a word"; wrong=1
        fi
    done 2> said-by-shell
    [ "$wrong" -eq 0 ]
}

@test "without memory: a PNG's metadata is preserved, or nothing is written" {
    make_talking
    starved 1 false out.png run '' in.png
    starved 1 false out.jpg run '' in.png
}

@test "without memory: the same of TIFF" {
    make_talking
    starved 1 false out.tif run '' in.png
    halo run '' in.png -o in.tif
    starved 1 true out.png run '' in.tif # libtiff 4.5 does not look at every pointer while it opens a file
}

@test "without memory: Radiance HDR and BMP" {
    make_talking
    starved 1 false out.hdr run depth:f32 in.png
    starved 2 false out.bmp run '' in.png
}

@test "without memory: WAVE, and the samples and comments of Ogg" {
    make_talking
    starved 1 false out.wav run '' in.wav
    starved 5 true out.ogg run '' in.wav
}

@test "a table keeps the names of its columns, or reports that it cannot" {
    printf 'time,a,b\n0,1,2\n1,2,3\n2,3,5\n' > in.csv
    starved 1 false out.csv run average:3 in.csv
}

# glibc ends a process that has no memory for a table of the library that it loads: exit 127.
@test "without memory: TIFF's library is loaded before there is a temporary" {
    make_talking
    mkdir o
    STARVE_COUNT=count LD_PRELOAD=$STARVE "$HALO" run '' in.png -o o/out.tif --jobs 1
    count=$(cat count)
    for ((n = 30; n <= count; n += 2)); do
        rm -f o/out.tif
        STARVE_AT=$n LD_PRELOAD=$STARVE "$HALO" run '' in.png -o o/out.tif --jobs 1 2> said || true
        left=$(find o -name '.*')
        [ -z "$left" ] || { echo "allocation $n of $count leaves $left: $(cat said)"; return 1; }
    done 2> said-by-shell
}
