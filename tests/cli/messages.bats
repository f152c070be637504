# Messages about files that cannot be read or written: in halo's words, with a way out.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

has_format() { halo list formats | grep -q "^ *$1 "; }

@test "a table on standard input is named as one" {
    run --separate-stderr halo stats - < <(printf 'a,b\n1,2\n')
    [ "$status" -eq 1 ]; says '--raw csv for a table'
    run --separate-stderr halo stats - < <(printf '\0\1\2nothing')
    [ "$status" -eq 1 ]; says '--raw for samples without a header'
}

@test "numbers that the pipeline makes lack a full scale, not the input" {
    make_gray a.pgm 8 6; halo run '' a.pgm -o a.png
    for pipeline in label distance local:entropy; do
        run --separate-stderr halo run "$pipeline" a.png -o o.png
        [ "$status" -eq 1 ]; says 'needs a full scale, which the numbers that the pipeline has made lack'
        says normalize; says --white
    done
    halo run label a.png -o o.png --white 255
    halo run 'label | normalize' a.png -o o2.png
    halo run 'depth:f32' a.pgm -o numbers.npy
    run --separate-stderr halo run '' numbers.npy -o o3.png
    [ "$status" -eq 1 ]; says 'which the input lacks'
    run --separate-stderr halo run "over:numbers.npy" a.png -o o4.png
    [ "$status" -eq 0 ] || says 'lacks'
}

@test "halo info of a picture that is too large for any memory" {
    python3 - <<'CODE'
import struct, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
head = struct.pack(">IIBBBBB", 2**31 - 1, 2**31 - 1, 8, 2, 0, 0, 0)
open("large.png", "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) +
    chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b""))
CODE
    run --separate-stderr halo info large.png
    [ "$status" -eq 5 ]
    says '2147483647 x 2147483647 pixels of 3 channels are more than memory can address'
    run --separate-stderr halo stats large.png
    says '--max-pixels'
}

@test "TIFF and OpenEXR that are cut off" {
    make_rgb a.ppm 60 40
    if has_format tiff; then
        halo run '' a.ppm -o a.tif
        for part in 8 100 3000; do
            head -c $part a.tif > cut.tif
            run --separate-stderr halo stats cut.tif
            [ "$status" -eq 1 ]
            [[ "$stderr" != *'TIFF: TIFF'* && "$stderr" != *4294967295* ]] || { echo "$stderr"; return 1; }
        done
        head -c 8 a.tif > cut.tif
        run --separate-stderr halo stats cut.tif
        says 'TIFF is truncated or damaged ('
    fi
    has_format exr || return 0
    halo run 'depth:f32' a.ppm -o a.exr
    size=$(wc -c < a.exr)
    head -c $((size / 2)) a.exr > cut.exr
    run --separate-stderr halo stats cut.exr
    [ "$status" -eq 1 ]; says 'OpenEXR is truncated or damaged ('
}
