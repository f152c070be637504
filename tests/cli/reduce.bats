# reduce: expressions, their results, and messages about errors.
# shellcheck disable=SC2016,SC2154
setup() { load common; common_setup; make_worked in.pgm; }

@test "reduce of known samples, keys and all" {
    [ "$(halo run 'reduce:expr="a+b",map="v*v"' in.pgm --json)" = \
        '{"type":"reduce","file":"in.pgm","expr":"a+b","map":"v*v","identity":0,"channel":[{"name":"gray","value":1601}],"all":{"value":1601}}' ]
    run halo run 'reduce:"max(a,b)",identity=-inf,map="-v"' in.pgm
    [ "$status" -eq 0 ]
    [ "${lines[1]}" = 'max(a,b), of -v, from -inf' ]
    [ "${lines[2]}" = 'gray       0' ]
}

@test "NumPy agrees with reductions of every kind" {
    need_numpy
    make_rgb c.ppm 137 93
    make_gray d.pgm 241 119 65535
    make_wav s.wav 9000
    halo run gauss:1.5 c.ppm -o f.npy
    for f in c.ppm d.pgm s.wav f.npy; do
        halo run '' $f -o $f.all.npy
        halo run 'reduce:a+b | reduce:"max(a,b)",map="abs(v-100)" | reduce:"a+b",map="v>0.5 ? sqrt(v) : v/3" |
            reduce:"a*b",identity=1,map="1+v*1e-7" | reduce:"a+b",map="v>=64 && !(v>128)"' $f --json > $f.json
    done
    "$PYTHON" - << 'END'
import json
import numpy as np
for name in ('c.ppm', 'd.pgm', 's.wav', 'f.npy'):
    a = np.load(name + '.all.npy').astype(np.float64)
    a = a.reshape(-1, a.shape[-1]) if a.ndim == 3 or name == 's.wav' else a.reshape(-1, 1)
    made = [lambda v: v.sum(), lambda v: np.abs(v - 100).max(),
            lambda v: np.where(v > 0.5, np.sqrt(np.maximum(v, 0)), v / 3).sum(),
            lambda v: (1 + v * 1e-7).prod(), lambda v: ((v >= 64) & ~(v > 128)).sum()]
    rows = [json.loads(line) for line in open(name + '.json')]
    assert len(rows) == len(made)
    for row, f in zip(rows, made):
        for k, c in enumerate(row['channel']):
            assert np.isclose(c['value'], f(a[:, k]), rtol=1e-12, atol=1e-9), (name, row, f(a[:, k]))
        assert np.isclose(row['all']['value'], f(a), rtol=1e-12, atol=1e-9), (name, row)
END
}

@test "NaN is ignored, alpha counts only for itself" {
    need_numpy
    "$PYTHON" -c 'import numpy as np; np.save("n.npy", np.array([[1, np.nan, 4]], np.float32))'
    [[ "$(halo run reduce:a+b n.npy --json)" == *'"all":{"value":5}}' ]]
    printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n\1\2\3\200\4\5\6\200' \
        > a.pam
    [[ "$(halo run reduce:a+b a.pam --json)" == *'{"name":"alpha","value":256}],"all":{"value":21}}' ]]
}

@test "the same bits from every instruction set and number of threads" {
    make_rgb c.ppm 637 493
    halo run 'gauss:1 | depth:f32 | gain:0.001 | reduce:"fma(a,1,b)",map="v*v*v"' c.ppm --json -o a.npy > one
    for cpu in baseline v3 v4 neon; do
        HALO_CPU=$cpu halo run 'gauss:1 | depth:f32 | gain:0.001 | reduce:"fma(a,1,b)",map="v*v*v"' c.ppm \
            --json -o b.npy -f -j1 > two ||
            continue # this processor, or this build, has no such kernels
        diff <(head -1 one) <(head -1 two)
    done
}

@test "errors have a position" {
    run --separate-stderr halo run 'reduce:"max(a,c)"' in.pgm
    [ "$status" -eq 2 ]
    [ "${stderr_lines[0]}" = \
        "halo: reduce: expr: column 7: 'c' is not one of a, b, inf, min, max, abs, sqrt, fma" ]
    [ "${stderr_lines[1]}" = '  max(a,c)' ]
    [ "${stderr_lines[2]}" = '        ^' ]
    run --separate-stderr halo run 'reduce:a+b,map="a"' in.pgm
    [ "$status" -eq 2 ]
    says "reduce: map: column 1: 'a' is not one of v, inf"
    run --separate-stderr halo run 'reduce:a+b,identity=v' in.pgm
    [ "$status" -eq 2 ]
    says "reduce: identity: column 1: 'v' is not one of inf"
    run --separate-stderr halo run reduce in.pgm
    [ "$status" -eq 2 ]
    says 'reduce needs expr'
}
