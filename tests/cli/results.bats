# Numeric results: known values, and NumPy's.
# shellcheck disable=SC2016,SC2002,SC2154
setup() { load common; common_setup; make_worked in.pgm; }

five='conv:mask="5x5: 1,2,3,2,1, 2,3,4,3,2, 3,4,5,4,3, 2,3,4,3,2, 1,2,3,2,1",border=zero'

@test "the worked example gives 321, as floats in NPY" {
    halo run "$five" in.pgm -o out.npy
    # The samples are the last 7 * 7 * 4 bytes; (2, 2) is the 17th.
    [ "$(tail -c 196 out.npy | od -An -t f4 -j 64 -N 4 | tr -d ' ')" = 321 ]
}

@test "the same mask from a file" {
    printf '5 5\n1 2 3 2 1\n2 3 4 3 2\n3 4 5 4 3\n2 3 4 3 2\n1 2 3 2 1\n' > k.mat
    halo run "$five" in.pgm -o a.npy
    halo run conv:k.mat,border=zero in.pgm -o b.npy
    cmp a.npy b.npy
}

@test "stats of known samples, keys and all" {
    [ "$(halo stats --json --product in.pgm)" = \
        '{"type":"stats","file":"in.pgm","kind":"image","width":7,"height":7,"channels":1,"dtype":"u8","channel":[{"name":"gray","count":49,"min":0,"min_at":[4,5],"max":9,"max_at":[6,2],"sum":253,"mean":5.1632653061224492,"sd":2.4523785935999678,"rms":5.7160711496407304,"product":0,"product_sign":0,"product_log2":"-inf","nan":0,"inf":0,"zero":2}],"all":{"count":49,"min":0,"min_at":[4,5],"max":9,"max_at":[6,2],"sum":253,"mean":5.1632653061224492,"sd":2.4523785935999678,"rms":5.7160711496407304,"product":0,"product_sign":0,"product_log2":"-inf","nan":0,"inf":0,"zero":2}}' ]
}

@test "hist of known samples, keys and all" {
    [ "$(halo hist --json --bins 2 --min 0 --max 8 in.pgm)" = \
        '{"type":"histogram","file":"in.pgm","bins":2,"range":[0,8],"channel":[{"name":"gray","counts":[13,33],"below":0,"above":3,"nan":0}]}' ]
    [ "$(halo hist --json in.pgm | tr ',' '\n' | grep -c '^[0-9]*$')" -ge 250 ]
}

@test "sub-commands are short for operations" {
    [ "$(halo stats --json in.pgm)" = "$(halo run stats in.pgm --json)" ]
    [ "$(halo hist --json --bins=5 in.pgm)" = "$(halo run hist:bins=5 in.pgm --json)" ]
    halo scan --op max --axis x in.pgm -o a.npy
    halo run scan:op=max,axis=x in.pgm -o b.npy
    cmp a.npy b.npy
}

@test "taps: results in the middle of a pipeline" {
    run halo run 'box:3 | stats | hist' in.pgm -o out.png --json
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == '{"type":"stats"'* && "${lines[1]}" == '{"type":"histogram"'* &&
        "${lines[2]}" == '{"type":"file"'* ]]
}

@test "text output: aligned, no colours in a pipe" {
    run halo stats in.pgm
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "in.pgm: image, 7 x 7, gray, u8" ]]
    [[ "$output" != *$'\033'* ]]
    run halo hist in.pgm
    for line in "${lines[@]}"; do [ "${#line}" -le 80 ]; done
}

@test "--plot draws an SVG" {
    halo hist in.pgm --plot h.svg
    [[ "$(head -c 4 h.svg)" == "<svg" ]]
    tail -c 7 h.svg | grep -q '</svg>'
}

@test "16 bits stay 16 bits" {
    make_gray deep.pgm 31 17 65535
    halo run '' deep.pgm -o deep.png
    halo run gauss:1 deep.png -o blur.png
    [[ "$(halo info --json blur.png)" == *'"dtype":"u16","bits":16'* ]]
    halo run '' deep.png -o back.pgm
    [ "$(halo stats --json deep.pgm | sed 's/"file":"[^"]*"//')" = \
        "$(halo stats --json back.pgm | sed 's/"file":"[^"]*"//')" ]
}

@test "no dark fringe: a blurred red disc on transparency stays red" {
    awk 'BEGIN { printf "P7\nWIDTH 40\nHEIGHT 40\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n" }' \
        > disc.pam
    for ((y = 0; y < 40; y++)); do
        for ((x = 0; x < 40; x++)); do
            if (((x - 20) * (x - 20) + (y - 20) * (y - 20) < 100)); then printf '\xff\x00\x00\xff'; else \
                printf '\0\0\0\0'; fi
        done
    done >> disc.pam
    halo run gauss:4 disc.pam -o soft.png
    need_numpy
    halo run '' soft.png -o soft.npy
    "$PYTHON" - << 'END'
import numpy as np
a = np.load('soft.npy')
seen = a[..., 3] > 0
assert seen.sum() > 400
assert (a[seen][:, 0] == 255).all() and (a[seen][:, 1:3] == 0).all()
END
}

@test "NumPy agrees: 8 bits, 16 bits, floats, sound" {
    need_numpy
    make_rgb c.ppm 37 23
    make_gray d.pgm 41 19 65535
    make_wav s.wav 5000
    halo run gauss:1.5 c.ppm -o f.npy
    for f in c.ppm d.pgm s.wav f.npy; do halo run '' $f -o $f.all.npy; halo stats --json $f > $f.json; done
    "$PYTHON" - << 'END'
import json, math
import numpy as np
for name in ('c.ppm', 'd.pgm', 's.wav', 'f.npy'):
    a = np.load(name + '.all.npy')
    r = json.load(open(name + '.json'))
    audio = r['kind'] == 'audio'
    a = a.reshape(-1, a.shape[-1]) if audio or a.ndim == 3 else a.reshape(-1, 1)
    assert r['dtype'] == {'uint8': 'u8', 'uint16': 'u16', 'float32': 'f32'}[str(a.dtype)]
    for k, c in enumerate(r['channel']):
        v = a[:, k]
        exact = v.dtype != np.float32
        w = v.astype(np.int64) if exact else v.astype(np.float64)
        at = (lambda i: i) if audio else (lambda i: [i % r['width'], i // r['width']])
        assert c['count'] == v.size and c['zero'] == int((v == 0).sum()) and c['nan'] == 0
        assert c['min'] == w.min() and c['max'] == w.max(), (name, k)
        assert c['min_at'] == at(int(v.argmin())) and c['max_at'] == at(int(v.argmax()))
        if exact: assert c['sum'] == int(w.sum())
        else: assert math.isclose(c['sum'], w.sum(), rel_tol=1e-12, abs_tol=1e-9)
        assert math.isclose(c['mean'], w.mean(), rel_tol=1e-12, abs_tol=1e-12)
        assert math.isclose(c['sd'], w.std(), rel_tol=1e-12)
        assert math.isclose(c['rms'], math.sqrt((w.astype(float) ** 2).mean()), rel_tol=1e-12)
END
}

@test "NumPy agrees: histograms and integral images" {
    need_numpy
    make_rgb c.ppm 37 23
    halo run '' c.ppm -o c.npy
    halo hist --json c.ppm > h.json
    halo scan c.ppm -o integral.npy
    "$PYTHON" - << 'END'
import json
import numpy as np
a = np.load('c.npy')
h = json.load(open('h.json'))
for k in range(3): assert h['channel'][k]['counts'] == np.bincount(a[..., k].ravel(), minlength=256).tolist()
s = np.load('integral.npy')
assert s.dtype == np.int64 and (s == a.astype(np.int64).cumsum(0).cumsum(1)).all()
END
}

@test "windows in time: average:5ms of 8 kHz is a mean of 40 samples" {
    make_wav in.wav 3000
    halo run average:5ms in.wav -o time.npy
    halo run average:40 in.wav -o samples.npy
    cmp time.npy samples.npy
}

@test "dog is one blur minus a wider one" {
    need_numpy
    make_gray a.pgm 31 22
    for border in replicate valid; do
        halo run "dog:1.5,border=$border" a.pgm -o d.npy -f
        halo run "gauss:1.5,border=$border" a.pgm -o n.npy -f
        halo run "gauss:2.4,border=$border" a.pgm -o w.npy -f
        "$PYTHON" - <<'EOF'
import numpy
d, n, w = (numpy.load(name + ".npy").astype("f8") for name in "dnw")
cut = [(a - b) // 2 for a, b in zip(n.shape, d.shape)]
n = n[cut[0]:cut[0] + d.shape[0], cut[1]:cut[1] + d.shape[1]]
assert d.shape == w.shape and abs(d - (n - w)).max() < 2e-5
EOF
    done
}

@test "results of a pipeline that only measures go to a CSV file" {
    printf 'x\n0\n3\n1\n5\n0\n' > q.csv
    halo run peaks q.csv --csv > printed.csv
    [ -z "$(halo run peaks q.csv -o found.csv)" ]
    cmp printed.csv found.csv
    run --separate-stderr halo run peaks q.csv -o found.csv
    [ "$status" -eq 1 ]; says "exists"
    halo run peaks q.csv q.csv -o found.csv -f
    [ "$(grep -c '^q.csv' found.csv)" -eq 4 ]
    run --separate-stderr halo run peaks q.csv -o q.csv -f
    [ "$status" -eq 2 ]; says "q.csv is an input"
    run --separate-stderr halo run peaks none.csv -o new.csv
    [ "$status" -eq 1 ]; [ ! -e new.csv ]
    run --separate-stderr halo run peaks q.csv -o new.csv --json
    [ "$status" -eq 2 ]; says "the results go to new.csv"
    halo run peaks q.csv -o copy.csv --to csv
    cmp q.csv copy.csv
    halo run 'gain:2 | peaks' q.csv -o louder.csv
    [ "$(sed -n 3p louder.csv)" = 6 ]
}
