# shellcheck shell=bash disable=SC2034,SC2154
# Benchmarks: the rows exist and are plausible; no test depends on a time.
setup() {
    load common
    common_setup
}

@test "bench ops: a row a pipeline, with the bytes it moves" {
    halo bench ops gauss:2 'invert | sobel' --size 64x48 --dtype u8 --runs 1 --device cpu --json > rows
    [ "$(grep -c '"type":"bench"' rows)" -eq 2 ]
    grep -q \
        '"pipeline":"invert | sobel","kind":"image","width":64,"height":48,"channels":1,"dtype":"u8","backend":"cpu"' rows
    run -2 --separate-stderr halo bench ops nothing
    [[ $stderr == *"nothing"* ]]
}

@test "bench ops: results are of the type that the command would write" {
    halo bench ops gauss:2 label scan stats --size 64x48 --runs 1 --device cpu --json > rows
    python3 - << 'END'
import json
rows = [json.loads(line) for line in open("rows")]
written = {row["pipeline"]: (row.get("written"), row["bytes"] / (64 * 48)) for row in rows}
assert written["gauss:2"] == ("u8", 2), written
assert written["label"][0] == "f32" and written["scan"] == ("i64", 9), written
assert written["stats"] == (None, 1), written
END
    for row in u16:png:u16 f32:tif:f32 u8:npy:f32 u8:jpg:u8 u16:jpg:u8; do
        IFS=: read -r dtype to written <<< "$row"
        halo bench ops gauss:2 --size 64x48 --dtype "$dtype" --to "$to" --runs 1 --device cpu --json |
            grep '"written":"'"$written"'"'
    done
    [[ $(halo bench ops gauss:2 --size 64x48 --runs 1 --device cpu) == *"gauss:2 "*" u8 "* ]]
}

@test "bench ops: the floor follows from the ceilings and is at most the time" {
    printf '3 3\n1 2 1\n2 4 2\n1 2 1\n' > mask.mat
    halo bench ops stats invert conv:mask.mat --size 256x256 --runs 3 --device cpu --json > rows
    python3 - << 'END'
import json
for row in map(json.loads, open("rows")):
    assert min(row[name] for name in ("read_gbs", "copy_gbs", "fma_gflops")) > 0
    memory = row["read_gbs" if row["pipeline"] == "stats" else "copy_gbs"]
    assert (row["flops"] > 0) == row["pipeline"].startswith("conv")
    floor = max(row["bytes"] / memory, row["flops"] / row["fma_gflops"]) * 1e-6
    assert abs(row["floor_ms"] - floor) <= 1e-9 * floor and row["total_ms"] >= row["kernel_ms"]
    assert abs(row["of_floor"] * row["kernel_ms"] - floor) <= 1e-9 * floor
END
}

@test "bench ops: operations for sound are timed on as many frames" {
    halo bench ops invert lowpass:4kHz average:5ms --size 64x48 --dtype u8 --runs 1 --device cpu --json > rows
    [ "$(grep -c '"kind":"image","width":64,"height":48,"channels":1,"dtype":"u8"' rows)" -eq 1 ]
    [ "$(grep -c '"kind":"audio","width":3072,"height":1,"channels":1,"dtype":"f32"' rows)" -eq 2 ]
    # fits neither: reported as for an image
    run -2 --separate-stderr halo bench ops threshold --size 64x48 --device cpu
    [[ $stderr == *"threshold"* ]]
    [[ $(halo bench ops invert lowpass:4kHz --size 64x48 --runs 1 --device cpu) == \
        *"64 x 48,"*"3072 frames of sound at 48000 Hz"* ]]
}

@test "bench ops: without a pipeline every operation; a list of devices one after the other" {
    halo bench ops --size 64x48 --runs 1 --device cpu --json > rows 2> said
    [ "$(grep -c '"type":"bench"' rows)" -eq $(($(halo list ops --json | wc -l) - 1)) ]
    grep -q '"pipeline":"gauss:2","kind":"image"' rows
    grep -q '"pipeline":"lowpass:4kHz","kind":"audio"' rows
    [ "$(wc -l < said)" -eq 1 ]
    grep -q "^halo: bench: fir:taps.txt: mask 'taps.txt'" said
    [ "$(halo bench ops stats --size 64x48 --runs 1 --device cpu,cpu --json | grep -c '"type":"bench"')" -eq 2 ]
    run -2 --separate-stderr halo run invert in.pgm --device cpu,cpu
    [[ $stderr == *"'cpu,cpu' is a list"* ]]
    run -2 --separate-stderr halo bench ops stats --device cpu,gpx
    [[ $stderr == *"'gpx'"*"did you mean 'gpu'"* ]]
}

@test "bench batch: every stage, and nothing is left behind" {
    mkdir in tmp
    for i in 1 2 3 4 5; do make_gray "in/$i.pgm" 40 30; done
    TMPDIR=$PWD/tmp halo bench batch gauss:1 in/*.pgm --device cpu -j 2 --json > row
    grep -q '"type":"batch","pipeline":"gauss:1","files":5,"workers":2,"backend":"cpu"' row
    for key in read compute write files_per_second of_slowest; do grep -q "\"$key\":[0-9]" row; done
    [ -z "$(ls -A tmp)" ]
    [ "$(ls in | wc -l)" -eq 5 ]
}

@test "bench batch: a file that cannot be read ends it and is named" {
    mkdir tmp
    make_gray 1.pgm 40 30
    echo nonsense > 2.pgm
    TMPDIR=$PWD/tmp run -1 --separate-stderr halo bench batch gauss:1 1.pgm 2.pgm --device cpu -j 2
    [[ $stderr == *2.pgm* ]]
    [ -z "$(ls -A tmp)" ]
    run -2 --separate-stderr halo bench batch gauss:1
    [[ $stderr == *"halo bench batch gauss:2"* ]]
}
