# --max-memory holds for whatever grows with a file: what a reader keeps of a pipe, what a writer assembles, the
# workspace of steps. Each with enough memory and without.
# shellcheck disable=SC2016,SC2002,SC2154
# Noise of three million bytes: an image, and a sound of as many.
setup_file() {
    load common; BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR common_setup
    command -v python3 > /dev/null || skip "there is no python3"
    python3 -c 'import random; random.seed(5); open("noise", "wb").write(random.randbytes(3000000))'
    halo run '' --raw u8:1000x1000x3 noise -o in.ppm
    halo run '' --raw s16,48000,1 noise -o in.wav
}

setup() {
    load common; common_setup
    cp "$BATS_FILE_TMPDIR"/{noise,in.ppm,in.wav} .
}

# peak COMMAND...: runs it; the most memory that it had at any time, in KiB, goes to the file `peak`.
peak() {
    python3 -c 'import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
open("peak", "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status)' "$@"
}

# refused WHAT: exit 5, the limit is named, and no more was allocated than the program itself and the limit.
refused() {
    [ "$status" -eq 5 ] || { echo "status $status: $stderr"; return 1; }
    says "$1"; says "--max-memory"
    [ "${HALO_PEAK:-1}" = 0 ] || [ "$(cat peak)" -lt 20000 ] || { echo "peak: $(cat peak) KiB"; return 1; }
}

# Other allocators and sanitizers use memory of their own.
if [[ "${HALO:-}" == *asan* || "${HALO:-}" == *tsan* ]]; then HALO_PEAK=0; fi

@test "a pipe that is read as a whole: TIFF and libsndfile's formats" {
    for name in tif aiff au; do
        case $name in tif) from=in.ppm to=out.ppm ;; *) from=in.wav to=out.wav ;; esac
        halo run '' $from -o "in.$name"
        halo run gauss:2 "in.$name" -o file-$to
        run --separate-stderr bash -c "cat in.$name | \"\$HALO\" run gauss:2 - -o $to --max-memory 12M"
        [ "$status" -eq 0 ] || { echo "$name: $stderr"; return 1; }
        cmp $to file-$to
        run --separate-stderr peak bash -c \
            "cat in.$name | \"\$HALO\" run gauss:2 - -o none --to ${to#out.} --max-memory 2M"
        refused "read as a whole"
        [ ! -e none ]
        rm $to file-$to
    done
}

@test "formats that are assembled in memory: FLAC and TIFF on a pipe, Ogg" {
    halo run '' in.wav -o - --to flac --max-memory 12M < /dev/null > all.flac
    run --separate-stderr peak bash -c '"$HALO" run "" in.wav -o - --to flac --max-memory 2M > none'
    refused "assembled in memory"
    run --separate-stderr peak bash -c '"$HALO" run "" in.wav -o - --to aiff --max-memory 2M > none'
    refused "assembled in memory"
    run --separate-stderr peak "$HALO" run '' in.wav -o none.ogg --max-memory 300K
    refused "assembled in memory"
    [ ! -e none.ogg ]
    halo run '' in.ppm -o - --to tiff --max-memory 14M > all.tif
    run --separate-stderr peak bash -c \
        'cat in.ppm in.ppm | "$HALO" run "" - -o - --to tiff --max-memory 6M > none'
    refused "MiB"
}

@test "volumes are read and written row by row" {
    halo run '' in.ppm -o want.pgm --to pnm
    for name in nrrd nii nii.gz mha npz; do
        peak "$HALO" run '' in.ppm -o "all.$name" --max-memory 2M
        peak "$HALO" run '' "all.$name" -o got.ppm --to pnm --max-memory 2M -f
        cmp got.ppm want.pgm
    done
}

@test "formats that need an image as a whole: TGA, HDR, PFM and BMP in pipes, interlaced PNG, strips" {
    for name in tga hdr; do
        halo run '' in.ppm -o all.$name --max-memory 20M
        run --separate-stderr peak "$HALO" run '' in.ppm -o none.$name --max-memory 2M
        refused "MiB"
        [ ! -e none.$name ]
    done
    for name in pfm bmp; do
        halo run '' in.ppm -o all.$name --max-memory 2M
        halo run '' in.ppm -o - --to $name --max-memory 30M | cmp - all.$name
        run --separate-stderr peak bash -c '"$HALO" run "" in.ppm -o - --to $0 --max-memory 2M > none' $name
        refused "MiB"
        run --separate-stderr peak bash -c 'cat all.$0 | "$HALO" stats - --max-memory 2M' $name
        refused "MiB"
        halo stats all.$name --max-memory 2M > /dev/null
    done
    python3 - << 'PYTHON'
import struct, zlib
width, height = 1000, 1000
noise = open("noise", "rb").read()
def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
rows = b""
for x0, y0, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
    (0, 1, 1, 2)):
    for y in range(y0, height, dy):
        rows += b"\0" + b"".join(noise[3 * at:3 * at + 3] for at in range(y * width + x0, (y + 1) * width, dx))
open("laced.png", "wb").write(b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 1))
    + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))
packed = zlib.compress(noise, 1)
tags = [(256, width), (257, height), (258, 8), (259, 8), (262, 2), (273, 200), (277, 3), (278, height),
    (279, len(packed))]
head = b"II*\0" + struct.pack("<IH", 8, len(tags)) + b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag,
    value in tags)
open("strip.tif", "wb").write((head + bytes(200))[:200] + packed)
PYTHON
    for name in laced.png strip.tif; do
        halo run '' $name -o same.ppm -f --max-memory 16M
        cmp same.ppm in.ppm
        run --separate-stderr peak "$HALO" run gauss:2 $name -o none.ppm --max-memory 2M
        refused "MiB"
    done
}

# The same bytes as a picture are measured in memory: floats of any size, NaN and infinities among them.
@test "details of long sound take passes over it instead of memory, from a pipe too" {
    details() {
        sed 's/,"all":.*//' | grep -o '"skewness":[^,]*,\|"kurtosis":[^,]*,\|"percentile[^}]*}'
    }
    { while cat "$HALO"; do :; done 2> none || true; } | head -c 36000000 > long
    stats="clamp:-1,1 | stats:full,percentiles='0,1,33.3,50,100'"
    halo run "$stats" --raw f32:3000x3000x1 long --json | details > expected
    grep -q '"33.3":' expected
    run --separate-stderr peak "$HALO" run "$stats" --raw f32,48000,1 long --json --max-memory 25M
    [ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
    [ "${HALO_PEAK:-1}" = 0 ] || [ "$(cat peak)" -lt 30000 ]
    details <<< "$output" | diff expected -
    halo run "$stats" --raw f32,48000,1 - --json --max-memory 25M < <(cat long) | details | diff expected -
    python3 -c 'from array import array
floats = array("f")
floats.frombytes(open("long", "rb").read())
array("d", floats).tofile(open("wide", "wb"))'
    halo run "stats:percentiles='0,1,33.3,50,100'" --raw f64,48000,1 wide --json --max-memory 25M > got
    halo run "stats:percentiles='0,1,33.3,50,100'" --raw f32,48000,1 long --json > expected
    [ "$(grep -o '"percentile[^}]*}' got)" = "$(grep -o '"percentile[^}]*}' expected)" ]
}

@test "rows of results are printed as they come, not gathered" {
    name=$(printf '%0200d' 0).wav # stands in every row
    halo run trim:0,4 in.wav -o "$name"
    for how in --csv --json '-o rows.csv'; do
        # shellcheck disable=SC2086
        run peak "$HALO" run peaks "$name" $how
        [ "$status" -eq 0 ]
        [ "${HALO_PEAK:-1}" = 0 ] || [ "$(cat peak)" -lt 26000 ] || { echo "$how: $(cat peak) KiB"; return 1; }
    done
    "$HALO" run peaks "$name" --csv | cmp - rows.csv
    [ "$(wc -l < rows.csv)" -gt 60000 ]
}

@test "a drawing of the spectra of long sound takes its columns, not the sound" {
    while cat noise; do :; done 2> none | head -c 18000000 > long
    run --separate-stderr peak "$HALO" run spectrogram --raw s16,48000,1 long --plot long.svg --max-memory 25M
    [ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
    [ "${HALO_PEAK:-1}" = 0 ] || [ "$(cat peak)" -lt 40000 ]
    halo run spectrogram --raw s16,48000,1 - --plot pipe.svg --max-memory 25M < <(cat long)
    [ "$(grep -c '<image\|<path\|<rect' long.svg)" -gt 0 ]
    cmp <(grep -v '<title\|<text' long.svg) <(grep -v '<title\|<text' pipe.svg)
}

@test "sound of unknown length is kept once, not twice" {
    run --separate-stderr peak bash -c \
        'cat in.wav in.wav in.wav in.wav | "$HALO" run stats:percentiles=50 --raw f32,48000,1 - --max-memory 14M'
    [ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
    run --separate-stderr peak bash -c \
        'cat in.wav in.wav in.wav in.wav | "$HALO" run stats:percentiles=50 --raw f32,48000,1 - --max-memory 6M'
    refused "MiB"
}

@test "workspace of steps counts: large windows of floats, tables of tiles" {
    halo run '' in.ppm -o in.pfm
    head -c 1000000 noise > small
    # A window of 121 x 121 floats takes as much as its tile of samples, sorted, for each thread.
    halo run median:121 in.pfm -o all.npy -j 4 --max-memory 400M
    run --separate-stderr peak "$HALO" run median:121 in.pfm -o none.npy -j 4 --max-memory 3M
    refused "MiB"
    halo run clahe:tiles=16 --raw u16:500x500x2 small -o all.npy -f --max-memory 400M
    run --separate-stderr peak "$HALO" run clahe:tiles=16 --raw u16:500x500x2 small -o none.npy --max-memory 8M
    refused "MiB"
    halo run median:121 in.ppm -o less.ppm --max-memory 12M
    halo run median:121 in.ppm -o more.ppm
    cmp less.ppm more.ppm
}

@test "zero-phase filters: only the input and the output are kept" {
    halo run lowpass:1kHz,design=butterworth in.wav -o all.npy
    halo run lowpass:1kHz,design=butterworth in.wav -o less.npy --max-memory 14M
    cmp all.npy less.npy
    run --separate-stderr peak "$HALO" run lowpass:1kHz,design=butterworth in.wav -o none.npy --max-memory 10M
    refused "MiB"
}

@test "sums of sound, and its samples at other times, are made in little memory" {
    for i in 1 2 3 4; do cat noise; done > long
    for pipeline in scan scan:op=max,exclusive=1 'scan | trim:10s,11s' resample:3ms resample:1s,how=mean \
        'trim:10s,11s | resample:10ms' 'resample:100ms | resample:300ms'; do
        halo run --raw s16,48000,1 "$pipeline" long -o less --to npy -f --max-memory 4M
        cat long | halo run --raw s16,48000,1 "$pipeline" - -o all --to npy -f
        cmp less all
    done
}

@test "a branch that ends early holds nothing from there on" {
    for i in 1 2 3 4; do cat noise; done > long
    for pipeline in 'add:[trim:0,5]' 'add:[trim:100ms,5 | lowpass:300]' 'pad:2 | lowpass:300' \
        'add:[trim:3,4]'; do
        halo run --raw s16,48000,1 "$pipeline" long -o less --to raw -f --max-memory 4M
        cat long | halo run --raw s16,48000,1 "$pipeline" - -o all --to raw -f
        cmp less all
    done
}

@test "all lags of long sound at once are refused, with the key that takes few" {
    run --separate-stderr peak "$HALO" run xcorr in.wav -o none.npy --max-memory 24M
    refused "lag=1s"
    halo run xcorr:lag=1s in.wav -o none.npy --max-memory 24M
}

@test "a table of too many peaks is refused, with the keys that keep fewer" {
    run --separate-stderr "$HALO" run peaks in.wav --max-memory 36M
    [ "$status" -eq 5 ]
    says "rows of peaks"; says "prominence="
    halo run peaks:prominence=1.99 in.wav --max-memory 36M > few
    [ "$(wc -l < few)" -gt 1 ]
}

@test "peaks are found while sound is read, and its mirrored ends take little memory" {
    for i in 1 2 3 4; do cat noise; done > long
    run --separate-stderr peak "$HALO" run peaks:prominence=1.9,distance=20ms --raw s16,48000,1 long
    [ "$status" -eq 0 ]
    [ "${HALO_PEAK:-1}" = 0 ] || [ "$(cat peak)" -lt 30000 ] || { echo "peak: $(cat peak) KiB"; return 1; }
    run --separate-stderr peak "$HALO" run pad:6,border=mirror --raw s16,48000,1 long -o padded.wav
    [ "$status" -eq 0 ]
    [ "${HALO_PEAK:-1}" = 0 ] || [ "$(cat peak)" -lt 24000 ] || { echo "peak: $(cat peak) KiB"; return 1; }
}

@test "reverse reads a file from its end, where that is possible" {
    halo run '' in.wav -o in.w64
    cat in.wav | halo run 'reverse | gauss:3' - -o all.wav
    for name in wav w64; do
        halo run 'reverse | gauss:3' in.$name -o less.wav -f --max-memory 1M
        cmp all.wav less.wav
    done
    if halo list formats | grep -q '^flac'; then
        halo run '' in.wav -o in.flac
        halo run 'reverse | gauss:3' in.flac -o less.wav -f --max-memory 1M
        cmp all.wav less.wav
    fi
    halo run reverse in.wav -o back.wav --max-memory 1M
    halo run reverse back.wav -o there.wav --max-memory 1M
    cmp in.wav there.wav
    run --separate-stderr peak bash -c 'cat in.wav | "$HALO" run reverse - -o none.wav --max-memory 4M'
    refused "MiB"
}

@test "zero-phase filters in bands, where the file can be read backwards" {
    for i in 1 2 3 4 5 6 7 8; do cat noise; done > long
    local pipeline='gauss:3 | highpass:80,design=butterworth,order=3'
    pipeline+=' | blend:[notch:50Hz,harmonics=3] | trim:10s,11s'
    for raw in s16,48000,1 s16,8000,2; do
        halo run --raw $raw "$pipeline" long -o less --to raw -f --max-memory 8M
        cat long | halo run --raw $raw "$pipeline" - -o all --to raw -f
        cmp all less
    done
}

@test "histograms of many channels count as memory" {
    head -c 4000 noise > many
    run --separate-stderr peak "$HALO" run stats:percentiles=50 --raw u16:2x1x1000 many --max-memory 100M
    refused "MiB"
}

@test "results of a stream of images are held until its end" {
    printf 'P5 1 1 65535 ab' > one.pgm
    for i in 1 2 3 4 5 6 7 8 9 10; do cat one.pgm; done > ten.pgm
    run --separate-stderr bash -c 'cat ten.pgm | "$HALO" run hist - --json --max-memory 24M > /dev/null'
    [ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
    run --separate-stderr peak bash -c 'cat ten.pgm | "$HALO" run hist:bins=65536 - --json --max-memory 3M'
    refused "results of"
}

@test "sizes that PNG chunks claim are not allocated" {
    python3 - << 'END'
import struct, zlib
def chunk(name, body, size=None):
    return struct.pack(">I", len(body) if size is None else size) + name + body + struct.pack(">I",
        zlib.crc32(name + body))
head = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 0, 0, 0, 0))
rows, end, big = chunk(b"IDAT", zlib.compress(b"\0abcd" * 4)), chunk(b"IEND", b""), 9 << 20
texts = {
    "long": chunk(b"iTXt", b"Title\0\0\0\0\0" + b"x" * big), "packed": chunk(b"zTXt", b"Title\0\0"
        + zlib.compress(b"x" * big)),
    "exif": chunk(b"eXIf", b"II*\0" + b"\0" * big), "many": chunk(b"tEXt", b"Title\0x") * 40,
    "lies": chunk(b"iTXt", b"Title\0\0\0\0\0x", 0x7ffffffe), "old": chunk(b"tEXt", b"Title\0" + b"x" * big)}
for name, text in texts.items(): open(name + ".png", "wb").write(head + text + rows + end)
open("late.png", "wb").write(head + rows + texts["lies"] + end)
END
    ulimit -v 1000000
    for name in long packed exif many; do
        run "$HALO" run invert $name.png -o out.pgm -f
        [ "$status" -eq 0 ] &&
            [[ $output == *"chunk that is too large, truncated or one too many is left out"* ]] ||
            { echo "$name: $output"; return 1; }
    done
    run "$HALO" run invert lies.png -o out.pgm -f
    [ "$status" -eq 1 ] && [[ $output == *"truncated before the first row"* ]] || { echo "$output"; return 1; }
    run "$HALO" run invert old.png -o out.pgm -f
    # libpng 1.6.39 cannot continue after it, 1.6.48 can.
    [[ $status:$output == 1:*"a tEXt chunk is too large"* ]] ||
        [[ $status:$output == 0:*"chunk that is too large"* ]] ||
        { echo "$output"; return 1; }
    run "$HALO" run invert late.png -o out.pgm -f
    [ "$status" -ne 2 ] && [[ $output != *"memory"* ]] || { echo "$output"; return 1; }
}

@test "a stride of a tall image runs in bands, and reads only what it needs" {
    for i in 1 2 3 4 5 6 7 8; do cat noise; done | head -c 16777216 > many
    [ "$(wc -c < many)" -eq 16777216 ]
    (printf 'P5 256 65536 255 '; cat many) > tall.pgm
    for stride in 1+3 5+40; do
        pipeline="conv:mask=\"3x3: 1,2,1,2,4,2,1,2,1\",stride=$stride"
        halo run "$pipeline" tall.pgm -o whole.pgm -f -q
        halo run "$pipeline" tall.pgm -o bands.pgm -f -q --max-memory 4M
        cmp whole.pgm bands.pgm
    done
}

@test "statistics and reductions of floats, and scans along rows, run in bands" {
    printf 'Pf\n8192 8000\n-1.0\n' > large.pfm
    truncate -s $((18 + 4 * 8192 * 8000)) large.pfm
    [[ "$(halo stats --json --max-memory 32M large.pfm)" == *'"count":65536000,'*'"sum":0,'* ]]
    [[ "$(halo run --json --max-memory 32M 'reduce:a+b,map=v+1' large.pfm)" == *'65536000'* ]]
    make_gray tall.pgm 400 9000
    halo run --max-memory 4M scan:axis=x tall.pgm -o tall.npy
    [ "$(tail -c 8 tall.npy | od -An -td8 | tr -d ' ')" -eq \
        "$(tail -n 400 tall.pgm | awk '{ sum += $1 } END { print sum }')" ]
}

@test "samples before a cut are processed, not kept: recursive filters and scans" {
    for i in 1 2 3 4 5 6 7 8; do cat noise; done > long
    local filter='lowpass:1kHz,design=butterworth,phase=causal | notch:50Hz,phase=causal'
    halo run --raw s16,48000,1 "$filter" long -o - --to raw | tail -c +22000001 | head -c 20000 > cut
    halo run --raw s16,48000,1 "$filter | trim:11000000f,length=10000f" long -o less --to raw --max-memory 2M
    cat long | halo run --raw s16,48000,1 "$filter | trim:11000000f,length=10000f" - -o piped --to raw \
        --max-memory 2M
    cmp cut less
    cmp cut piped
    (printf 'P5 512 40000 255 '; head -c 20480000 long) > tall.pgm
    halo run "scan:axis=y | crop:500x30+3+39000" tall.pgm -o less.npy --max-memory 4M
    halo run "scan:axis=y" tall.pgm -o all.npy
    halo run "crop:500x30+3+39000 | gain:1" all.npy -o cut.npy
    cmp cut.npy less.npy
}

@test "coefficients of resize are computed in pieces, with the same result" {
    printf 'P5 3 1 255\nabc' > row.pgm
    printf 'P5 3 2 255\nabcdef' > tiny.pgm
    peak "$HALO" run resize:2000000x1,fit=exact row.pgm -o wide.pgm --max-memory 10M
    [ "${HALO_PEAK:-1}" = 0 ] || [ "$(cat peak)" -lt 20000 ] || { echo "peak: $(cat peak) KiB"; return 1; }
    halo run 'transpose | resize:1x2000000,fit=exact | transpose' row.pgm -o turned.pgm
    peak "$HALO" run resize:3x2000000,fit=exact tiny.pgm -o tall.pgm --max-memory 20M
    [ "${HALO_PEAK:-1}" = 0 ] || [ "$(cat peak)" -lt 30000 ] || { echo "peak: $(cat peak) KiB"; return 1; }
    cmp wide.pgm turned.pgm
    halo run 'transpose | resize:2000000x3,fit=exact | transpose' tiny.pgm -f -o turned.pgm
    cmp tall.pgm turned.pgm
}

@test "what analyses a sound, or needs to know all of it, reads it again rather than keep it" {
    halo run 'pad:0,90' in.wav -o long.wav
    for call in psd:4096 detrend detrend:constant mfcc:13 mel:scale=db xcorr:lag=100ms denoise; do
        peak "$HALO" run -q "$call" long.wav -o out.npy -f
        [ "${HALO_PEAK:-1}" = 0 ] || [ "$(cat peak)" -lt 26000 ] || { echo "$call: $(cat peak) KiB"; return 1; }
    done
    # A plot makes only what it shows: all columns are 48 MB.
    peak "$HALO" run -q spectrogram:window=256,hop=16 in.wav --plot seen.png
    [ "${HALO_PEAK:-1}" = 0 ] || [ "$(cat peak)" -lt 32000 ] || { echo "plot: $(cat peak) KiB"; return 1; }
}

@test "the rows of results for each label, and the counters that percentiles are searched with" {
    python3 -c 'open("lab.pgm", "wb").write(b"P5 200 100 65535\n" + b"".join(
        (1 + y // 2 * 100 + x // 2).to_bytes(2, "big") for y in range(100) for x in range(200)))'
    [ "$(halo stats --labels lab.pgm lab.pgm --csv --max-memory 4M | wc -l)" -eq 5001 ]
    run --separate-stderr peak "$HALO" hist --bins 256 --labels lab.pgm lab.pgm --csv --max-memory 8M
    refused "5000 labels, 256 rows each"
    printf 'Pf\n2 1\n-1\n\0\0\200\113\0\0\0\0' > great.pfm # labels 2^24 and 0
    run --separate-stderr peak "$HALO" stats --labels great.pfm great.pfm --csv --max-memory 64M
    refused 'for labels up to 16777216: label before it numbers regions from 1'
    halo stats --labels great.pfm great.pfm --csv --max-memory 200M | grep -q ',16777216,1,0,'
    many='"1,2,3,4,5,6,7,8,9,10,20,30,40,50,60,70"'
    halo run "stats:percentiles=$many | gain:2x | stats:percentiles=$many" --raw f64,48000,1 noise \
        --max-memory 40M > all
    run --separate-stderr halo run "stats:percentiles=$many | gain:2x | stats:percentiles=$many" \
        --raw f64,48000,1 noise --max-memory 20M
    [ "$status" -eq 5 ]; says "--max-memory"
}

@test "the cells that deskew looks at" {
    printf 'P5 1500 1500 255\n' > page.pgm
    head -c 2250000 /dev/zero >> page.pgm
    run --separate-stderr halo run deskew page.pgm -o out.pgm --max-memory 14M
    [ "$status" -eq 5 ]; says "--max-memory"
    halo run deskew page.pgm -o out.pgm --max-memory 40M
}
