# --explain: of sound, of --precision fast, and in JSON.
# shellcheck disable=SC2154
setup() {
    load common
    common_setup
    make_gray g.pgm 64 48
    head -c 40000 /dev/zero > in.raw
    halo run --raw s16,8000,1 '' in.raw -o s.wav
}

@test "sound is explained in blocks of frames, not in rows and bands" {
    for pipeline in lowpass:1kHz gauss:3 'median:5 | average:5ms' normalize stats 'gain:2'; do
        out=(-o x.wav); [ "$pipeline" != stats ] || out=()
        halo run --explain "$pipeline" s.wav "${out[@]}" > said
        run grep -E 'rows|bands| x 1|columns|pixel' said
        [ "$status" -eq 1 ] || { cat said; return 1; }
        grep -Ex 'blocks  1 of 20000 frames; at most .*' said
    done
    halo run --explain lowpass:1kHz s.wav -o x.wav | grep -E 'convolve with [0-9]+ taps, border mirror'
    halo run --explain median:5 s.wav -o x.wav | grep -E 'sort 5, fraction 0.5'
    halo run --explain gauss:2 g.pgm -o x.pgm | grep -Ex 'bands   1 of 48 rows; .*'
    [ ! -e x.wav ] && [ ! -e x.pgm ]
}

@test "every format that is written can be explained, and an impossible output is reported" {
    "$HALO" list formats --json > formats
    extensions=$(python3 -c '
import json
for line in open("formats"):
    format = json.loads(line)
    if format["writes"] and "image" in format["kinds"]: print(format["extensions"].split(",")[0])')
    [ "$(wc -w <<< "$extensions")" -ge 9 ]
    for extension in $extensions; do
        halo run --explain 'threshold:9' g.pgm -o "x.$extension" > said
        grep -q '^output' said
        run --separate-stderr "$HALO" run 'threshold:9' g.pgm -o "none/x.$extension"
        [ "$status" -eq 4 ]
    done
}

@test "sound of unknown length is explained without being read to its end" {
    mkfifo endless
    exec 5<> endless # held open: it never ends
    head -c 4000 in.raw >&5
    timeout 20 "$HALO" run --explain --raw s16,8000,1 average:21 - -o - < endless > said 5>&-
    exec 5>&-
    grep -x 'input   v0: frames until it ends, 1 channel, f32, 8000 Hz' said
    grep -E '  0.06 MB, 0.03 Mflop a second$' said
    grep -x 'blocks  of 800 frames; .*' said
    # A format that needs the length first, and a pipeline that needs all of it: both are kept in a file, whose
    # length is known.
    # shellcheck disable=SC2002
    cat in.raw | halo run --explain --raw s16,8000,1 average:21 - -o x.npy > said
    # shellcheck disable=SC2002
    cat in.raw | halo run --explain --raw s16,8000,1 normalize - -o x.wav >> said
    [ "$(grep -c '^input   v0: 20000 frames, ' said)" -eq 2 ]
    run grep 'until it ends' said
    [ "$status" -eq 1 ]
}

@test "--precision fast: inexact steps are named, and their operations counted" {
    awk 'BEGIN { v = 1; for (y = 0; y < 45; y++) for (x = 0; x < 45; x++) { v = (v * 16807) % 2147483647
        printf "%d%s", v % 1999 - 999, x < 44 ? "," : "\n" } }' > full.csv
    halo run --explain --precision fast "gauss:2 | conv:mask=full.csv" g.pgm -o x.pgm > said
    if grep Fourier said; then
        grep -x 'fast    step 2 may differ a little from exact: docs/numerics.md has the bound' said
        grep -E 'Fourier transforms .* 5.90 Mflop$' said # of a transform, not 12.44 of 45 x 45 taps
    else
        grep -x 'fast    changes nothing here: every step is exact' said
    fi
    halo run --explain --precision fast gauss:2 g.pgm -o x.pgm |
        grep -x 'fast    changes nothing here: every step is exact'
    make_gray large.pgm 90 90 # a mask more than twice as tall as the picture goes as two steps
    halo run --explain --precision fast "gauss:2 | gauss:20" large.pgm -o x.pgm > said
    grep -F 'convolve rows by 161, then columns by 161, border replicate, from splines' said
    grep -x 'fast    step 2 may differ a little from exact: docs/numerics.md has the bound' said
    run grep fast <(halo run --explain "conv:mask=full.csv" g.pgm -o x.pgm)
    [ "$status" -eq 1 ]
}

@test "--json --explain is JSON, one object a line and file, without results" {
    need_numpy
    halo run --json --explain -j 2 'gauss:2 | sobel | stats' g.pgm s.wav --out-dir out > lines 2> errors || true
    halo run --json --explain gauss:2 g.pgm s.wav --out-dir out >> lines
    halo stats --json --explain g.pgm >> lines
    cat in.raw | halo run --json --explain --raw s16,8000,1 average:21 - -o - >> lines
    [ ! -e out ]
    "$PYTHON" - << 'END'
import json
lines = [json.loads(line) for line in open("lines")]
plans = [line for line in lines if line["type"] == "plan"]
failed = [line for line in lines if line["type"] != "plan"]
# sobel is for images
assert [(line["type"], line["status"]) for line in failed] == [("file", "failed")], failed
assert [plan["file"] for plan in plans] == ["g.pgm", "g.pgm", "s.wav", "g.pgm", "-"]
image, again, sound, stats, live = plans
keys = {"type", "file", "output", "in", "shrunk", "with", "steps", "per_second", "out", "precision", "backend",
    "variant", "why", "devices", "bands", "memory",
        "workers", "threads", "threads_why", "max_memory", "max_memory_why"}
for plan in plans:
    assert set(plan) - {"latency"} == keys, set(plan) ^ keys
    assert plan["backend"] in ("cpu", "cuda") and plan["precision"] == "exact"
    assert plan["with"] == [] and plan["shrunk"] == 1
    made = {plan["in"]["value"]}
    for step in plan["steps"]:
        assert set(step["from"]) <= made and step["exact"] and step["bytes"] > 0
        made.add(step["to"])
    if plan["out"]:
        assert plan["out"]["value"] in made
assert image["output"] == "out/g.pgm" and image["in"]["width"] == 64 and image["bands"]["unit"] == "rows"
assert image["workers"] == 2 and image["threads"] == 1 and image["threads_why"] == "--jobs"
assert sound["bands"] == {"unit": "frames", "count": 1, "size": 20000,
    "flow": True} and sound["in"]["rate"] == 8000
assert stats["output"] is None and stats["out"] is None and stats["steps"][0]["to"] is None
assert live["in"]["width"] is None and live["per_second"] and live["bands"]["count"] is None
assert live["latency"]["block_ms"] == 100 and live["latency"]["first_ms"] == 100 + live["latency"]["ahead_ms"]
END
}
