# Samples of 64 bits: what only moves is kept to the bit, and sound and series are computed in f64.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

# Arrays of every type, and sounds with 240 frames of two channels.
make_files() {
    need_numpy
    "$PYTHON" - << 'END'
import numpy as np, struct
r = np.random.default_rng(7)
for kind in ("u1", "u2", "u4", "i1", "i2", "i4", "f2", "f4", "f8"):
    if kind[0] == "f":
        a = r.standard_normal((40, 3)).astype(kind)
    else:
        ends = np.iinfo(kind)
        a = r.integers(ends.min, ends.max, (40, 3), dtype=kind, endpoint=True)
        a[0, :2] = ends.min, ends.max
    np.save(f"a_{kind}.npy", a)
np.save("a_b1.npy", r.integers(0, 2, (40, 3)).astype(bool))
np.save("a_i8.npy", r.integers(-2**53, 2**53, (40, 3)))
def wav(name, samples, bits, real):
    body, frame = samples.tobytes(), 2 * bits // 8
    head = struct.pack("<4sI8sIHHIIHH4sI", b"RIFF", 36 + len(body), b"WAVEfmt ", 16, 3 if real else 1, 2, 8000,
                       8000 * frame, frame, bits, b"data", len(body))
    open(f"{name}.wav", "wb").write(head + body)
wav("i08", r.integers(0, 256, 480).astype("u1"), 8, False)
wav("i16", r.integers(-2**15, 2**15, 480).astype("i2"), 16, False)
wav("i24", r.integers(0, 256, 3 * 480).astype("u1"), 24, False)
wav("i32", r.integers(-2**31, 2**31, 480).astype("i4"), 32, False)
wav("f32", r.standard_normal(480).astype("f4"), 32, True)
wav("f64", r.standard_normal(480), 64, True)
END
}

# body FILE: the samples of a WAVE file, which stand at its end.
body() { tail -c "$2" "$1"; }

# same FOLDER CODE: arrays of the folder are what CODE makes of `a`, in its type.
same() {
    "$PYTHON" - "$1" << END
import glob, sys
import numpy as np
names = glob.glob("a_*.npy")
for name in names:
    a, b = np.load(name), np.load(sys.argv[1] + "/" + name)
    c = np.ascontiguousarray($2)
    assert b.dtype == a.dtype and c.tobytes() == b.tobytes(), (name, b.dtype)
assert len(names) == 11
END
}

@test "arrays come back in their type, to the bit, from pictures and series that only move" {
    make_files
    halo run '' a_*.npy --out-dir copied
    same copied a
    halo run 'crop:2x30+1+2 | flip:both | rotate:90' a_*.npy --out-dir moved
    same moved 'np.rot90(a[2:32, 1:3][::-1, ::-1], -1)'
    halo run 'channels:1,1,1 | flip:y | channels:3,2' a_[ui]4.npy a_?8.npy --out-dir chosen
    halo run 'stats | flip:y | hist' a_[ui]4.npy a_?8.npy --out-dir measured > measured.txt
    for file in a_[ui]4.npy a_?8.npy; do
        "$PYTHON" -c "
import numpy as np
a, b, c = np.load('$file'), np.load('chosen/$file'), np.load('measured/$file')
assert a.dtype == b.dtype and np.stack([a[::-1]] * 2, -1).tobytes() == b.tobytes(), b.dtype
assert a.dtype == c.dtype and a[::-1].tobytes() == c.tobytes(), c.dtype"
    done
    halo run --rate 10 'trim:0.5s,3s | reverse | channels:3,1' a_*.npy --out-dir series
    same series 'a[5:30][::-1][:, [2, 0]]'
    rm a_b1.npy a_i8.npy a_i1.npy a_i2.npy # small integers have a full scale in arrays, and none in TIFF
    halo run '' a_*.npy --out-dir tiff --to tiff
    halo run 'pages:1 | flip:x | flip:x' tiff/* --out-dir back --to npy
    cp copied/a_b1.npy copied/a_i[128].npy back
    cp copied/*.npy .
    same back a
}

@test "pictures come back in their type, to the bit, through every format that has it" {
    make_files
    "$PYTHON" -c "
import numpy as np
r = np.random.default_rng(8)
for kind in 'u1', 'u2':
    for n in 1, 3: np.save(f'p_{kind}_{n}.npy', r.integers(0, np.iinfo(kind).max, (9, 7, n), kind, True))
for n in 1, 3: np.save(f'p_f4_{n}.npy', r.standard_normal((9, 7, n)).astype('f4'))"
    for format in png tiff pam pnm pfm npy; do
        files=(p_u1_1.npy p_u1_3.npy p_u2_1.npy p_u2_3.npy)
        [ "$format" = pfm ] && files=(p_f4_1.npy p_f4_3.npy)
        [ "$format" = tiff ] || [ "$format" = npy ] && files+=(p_f4_1.npy p_f4_3.npy)
        halo run 'flip:x | rotate:90' "${files[@]}" --out-dir "in_$format" --to "$format"
        halo run 'rotate:270 | flip:x' "in_$format"/* --out-dir "of_$format" --to npy
        for file in "${files[@]}"; do
            "$PYTHON" -c "
import numpy as np, sys
a, b = (np.squeeze(np.load(name)) for name in sys.argv[1:])
assert a.dtype == b.dtype and a.tobytes() == b.tobytes(), sys.argv" "$file" "of_$format/$file"
        done
    done
}

@test "sound comes back in its type, to the bit, through every format that has it" {
    make_files
    for format in wav w64 rf64 aiff caf au flac; do
        files=(i08.wav i16.wav i24.wav i32.wav)
        [ "$format" = flac ] || files+=(f32.wav f64.wav)
        halo run 'reverse | channels:2,1' "${files[@]}" --out-dir "in_$format" --to "$format"
        halo run 'pad:0s,0.01s | reverse | channels:2,1 | trim:0.01s' "in_$format"/* \
            --out-dir "of_$format" --to wav
        for file in "${files[@]}"; do
            bytes=$((480 * 10#${file:1:2} / 8))
            cmp <(body "$file" $bytes) <(body "of_$format/$file" $bytes)
        done
    done
    halo run '' i32.wav -o x.raw
    cmp x.raw <(body i32.wav 1920)
    halo run --raw f64,8000,2 'reverse | reverse' <(body f64.wav 3840) -o y.raw
    cmp y.raw <(body f64.wav 3840)
    halo join i32.wav i32.wav -o joined.wav
    cmp <(body i32.wav 1920; body i32.wav 1920) <(body joined.wav 3840)
}

@test "where nothing is computed, the cells of a table keep their text" {
    printf 'time,id,"a b",c\n%s\n%s\n%s\n' '2024-03-31T01:30:00+01:00,9007199254740993,1.50,NA' \
        '2024-03-31T03:30:00+02:00,0010,+7,' '2024-03-31T04:30:00+02:00,3e5,-0.0,-' > in.csv
    sed 's/"//g' in.csv > want.csv
    run --separate-stderr halo run '' in.csv -o out.csv
    [ "$status" -eq 0 ]; [ -z "$stderr" ]
    cmp want.csv out.csv
    cat in.csv | halo run '' - --raw csv -o - --to csv | cmp - want.csv
    halo convert in.csv -o out.tsv
    cmp out.tsv <(tr , '\t' < want.csv)
    cut -d , -f 1,4,3 want.csv | awk -F , -v OFS=, '{ print $1, $3, $2 }' > want-two.csv
    halo run '' --columns 'c,a b' in.csv -o two.csv
    cmp two.csv want-two.csv
    printf 'a,b\n1.50,x\n,1e400\n' > bad.csv
    run --separate-stderr halo run '' bad.csv -o out2.csv
    [ "$status" -eq 1 ]; [ ! -e out2.csv ]
    halo run '' --tolerate bad.csv -o out2.csv
    [ "$(paste -sd ' ' out2.csv)" = 'a,b 1.50,nan ,nan' ]
}

@test "text comes back as the same number, with the fewest digits" {
    local all='16777217 0.1 123456789.12345679 -1e-07 1e+300 5e-324 0.30000000000000004 -0 9007199254740993
        1.7976931348623157e+308 450359962737049.7 0.000123456789012345'
    printf 'x\n%s\n' "${all// /$'\n'}" | sed 's/^ *//;/^$/d' > in.csv
    halo run gain:1 in.csv -o out.csv 2> notes.txt
    diff <(sed 's/9007199254740993/9.007199254740992e+15/' in.csv) out.csv
    grep -q '1 integer is rounded to the 53 bits' notes.txt
    halo run 'reverse | reverse' in.csv -o - --to csv 2> /dev/null | diff - out.csv
    need_numpy
    "$PYTHON" - << 'END'
import numpy as np
r = np.random.default_rng(3)
v = np.concatenate([r.standard_normal(3000) * 10.0 ** r.integers(-320, 300, 3000),
    r.integers(1, 2**60, 500) * 2.0**-40,
                    2.0 ** np.arange(-60, 60), np.nextafter(2.0 ** np.arange(-60, 60), 0), r.random(2000)])
open("v.csv", "w").write("v\n" + "\n".join(f"{x:.17g}" for x in v) + "\n")
END
    halo run reverse v.csv -o w.csv
    "$PYTHON" - << 'END'
import numpy as np
v, w = ([line.strip() for line in open(name)][1:] for name in ("v.csv", "w.csv"))
for a, b in zip(v, w[::-1]):
    assert float(a) == float(b), (a, b)
    digits = lambda t: len(t.split("e")[0].replace("-", "").replace(".", "").strip("0"))
    assert digits(b) <= digits(repr(float(a))) + (np.frexp(float(a))[0] == 0.5), (a, b)
END
}

@test "what differs in the last bit is different" {
    make_files
    printf 'a\n16777216\n' > a.csv
    printf 'a\n16777217\n' > b.csv
    run halo compare a.csv b.csv
    [ "$status" -eq 6 ]
    "$PYTHON" - << 'END'
import numpy as np
a = np.load("a_f8.npy"); a[5, 1] = np.nextafter(a[5, 1], 9); np.save("b_f8.npy", a)
bytes = bytearray(open("i32.wav", "rb").read()); bytes[80] ^= 1; open("j32.wav", "wb").write(bytes)
END
    run halo compare a_f8.npy b_f8.npy
    [ "$status" -eq 6 ]
    run halo compare i32.wav j32.wav
    [ "$status" -eq 6 ]
    halo run '' i32.wav -o k32.flac
    halo compare i32.wav k32.flac | grep -q identical
}

@test "series are computed in f64 beside SciPy, and in f32 on request" {
    need scipy
    "$PYTHON" - << 'END'
import numpy as np
r = np.random.default_rng(5)
np.save("a.npy", np.column_stack([1e6 + r.standard_normal(900), r.standard_normal(900)]))
END
    beside() {
        halo run --rate 100 "$1" a.npy -o b.npy -f 2> /dev/null
        npy "from scipy import ndimage, signal
c = $2
assert b.dtype == np.float64 and np.abs(b - c).max() < 1e-5
assert np.abs(b - c)[:, 1].max() < 1e-12, np.abs(b - c).max(0)"
    }
    beside gauss:2 'ndimage.gaussian_filter1d(a, 2, axis=0, mode="mirror", truncate=4)'
    beside average:21 'ndimage.uniform_filter1d(a, 21, axis=0, mode="mirror")'
    beside median:9 'ndimage.median_filter(a, (9, 1), mode="mirror")'
    beside median:701 'ndimage.median_filter(a, (701, 1), mode="mirror")'
    beside 'subtract:[gauss:40] | scan' \
        'np.cumsum(a - ndimage.gaussian_filter1d(a, 40, axis=0, mode="mirror"), axis=0)'
    beside 'gain:0.1 | offset:0.1' 'a * 0.1 + 0.1'
    beside 'lowpass:10,design=butterworth,order=4,phase=causal' \
        'signal.sosfilt(signal.butter(4, 10, fs=100, output="sos"), a, axis=0)'
    beside 'subtract:a.npy' 'a - a'
    halo run --precision single --rate 100 gain:1 a.npy -o b.npy -f 2> /dev/null
    npy 'assert b.dtype == np.float32 and (b == a.astype(np.float32)).all()'
    halo run --rate 100 gauss:2 a.npy -o b.npy -f --explain | grep -q 'v0 -> v1 f64'
    halo run gain:1 a.npy -o b.npy -f 2> /dev/null # a picture
    npy 'assert b.dtype == np.float32'
}

@test "percentiles, extremes and histograms see the last digits" {
    printf '1000000000.25\n1000000000.75\n1000000000.5\n' > in.csv
    halo stats --full --json in.csv > said.json
    grep -q '"min":1000000000.25,' said.json
    grep -q '"max":1000000000.75,' said.json
    grep -q '1000000000.5' said.json
    halo hist --json in.csv --min 1000000000 --max 1000000001 --bins 4 | grep -q '\[0,1,1,1\]'
}
