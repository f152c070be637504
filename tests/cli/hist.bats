# Histograms of floats take the range of the finite samples.
setup() { load common; common_setup; need_numpy; }

py() { "$PYTHON" -c "import json, numpy as np
$1"; }

@test "the range of floats is that of the finite samples" {
    py 'r = np.random.default_rng(3)
a = (r.normal(size=(31, 47)) * 900 + 70).astype(np.float32)
np.save("plain.npy", a)
a.flat[[3, 8, 500]] = np.nan, np.inf, -np.inf
np.save("a.npy", a)
np.save("none.npy", np.full((3, 4), np.nan, np.float32))'
    halo hist --json a.npy > a.json
    halo hist --json --bins 10 plain.npy > plain.json
    halo hist --json --min 0 plain.npy > half.json
    py 'a, p = np.load("a.npy"), np.load("plain.npy")
h = json.load(open("a.json"))
finite = a[np.isfinite(a)].astype(float)
assert h["range"] == [finite.min(), finite.max()], h["range"]
c = h["channel"][0]
assert sum(c["counts"]) == finite.size and (c["below"], c["above"], c["nan"]) == (1, 1, 1)
h = json.load(open("plain.json"))
assert h["channel"][0]["counts"] == np.histogram(p.astype(float), 10)[0].tolist()
h = json.load(open("half.json"))
assert h["range"] == [0, float(p.max())] and h["channel"][0]["below"] == (p < 0).sum()'
    # in a pipeline, beside other results, whatever the threads
    halo run 'gain:2 | stats | hist:bins=9' plain.npy -o out.npy --json > 1.json
    halo run 'gain:2 | stats | hist:bins=9' plain.npy -o out.npy --json -f -j 3 > 3.json
    cmp <(head -2 1.json) <(head -2 3.json)
    py 'p = np.load("plain.npy") * np.float32(2)
h = json.loads(open("1.json").read().splitlines()[1])
assert h["range"] == [float(p.min()), float(p.max())]'
    halo hist none.npy | grep -q 'no sample is finite'
}

@test "--total adds histograms of equal ranges of floats, and reports different ranges" {
    mkdir in
    py 'a = np.arange(12, dtype=np.float32).reshape(3, 4)
np.save("in/a.npy", a)
np.save("in/b.npy", a[::-1])
np.save("c.npy", a * 2)'
    make_gray in/a.pgm 4 3
    make_gray in/b.pgm 5 3
    run --separate-stderr halo hist -r in --total --json --bins 4
    [ "$status" -eq 0 ]
    printf '%s\n' "$output" | grep '"file":null' > t.json
    py 'h = [json.loads(l) for l in open("t.json")]
found = [(r["files"], r["range"], sum(r["channel"][0]["counts"])) for r in h]
assert found == [(2, [0, 11], 24), (2, [0, 256], 27)], h'
    mv c.npy in
    run --separate-stderr halo hist -r in --total --json --bins 4
    [ "$status" -eq 1 ]
    says 'differ in their range are not added up'
    says 'min=...,max=... gives one'
    printf '%s\n' "$output" > one.json
    py 'h = [json.loads(l) for l in open("one.json")][-2:]
assert h[0]["range"] == [None, None] and h[0]["files"] == 3 and h[0]["channel"] == [], h
assert h[1]["range"] == [0, 256] and h[1]["files"] == 2'
    for i in 1 2 3 4; do halo hist -r in --total --json --bins 4 --shard "$i/4" > "part$i.json"; done
    run --separate-stderr halo merge part3.json part1.json part4.json part2.json
    [ "$status" -eq 1 ]
    says 'differ in their range are not added up'
    printf '%s\n' "$output" | cmp - one.json
    halo hist -r in --total --json --bins 4 --shard 1/1 > part.json # it knows itself that they differ
    run --separate-stderr halo merge part.json
    [ "$status" -eq 1 ]
    printf '%s\n' "$output" | cmp - one.json
    run --separate-stderr halo hist in/*.npy --total
    [ "$status" -eq 1 ]
    halo hist in/*.npy --total --json --min 0 --max 24 --bins 4 | tail -1 > t.json
    py 'h = json.load(open("t.json"))
assert h["files"] == 3 and sum(h["channel"][0]["counts"]) == 36, h'
}

@test "f64 in sound beyond f32 is an infinity, which stats reports" {
    py 'import struct
a = np.array([1e300, -1e300, 1e-300, 0.5, 0.1], "<f8").tobytes()
fmt = struct.pack("<HHIIHH", 3, 1, 8000, 64000, 8, 64)
open("a.wav", "wb").write(b"RIFF" + struct.pack("<I", 36 + len(a)) + b"WAVEfmt " + struct.pack("<I", 16) + fmt
                          + b"data" + struct.pack("<I", len(a)) + a)'
    halo run 'offset:0' a.wav -o a.npy
    py 'assert np.load("a.npy").ravel().tolist() == [1e300, -1e300, 1e-300, 0.5, 0.1]'
    halo run --precision single 'offset:0' a.wav -o a.npy -f
    py 'a = np.load("a.npy").ravel()
assert a.tolist() == [np.inf, -np.inf, 0, 0.5, float(np.float32(0.1))], a'
    halo stats --precision single --json a.wav | grep -q '"inf":2'
    halo stats --json a.wav | grep -q '"inf":0'
}

@test "a sample on the edge of a bin is in the bin that begins there" {
    printf '1\n' > one.csv
    halo hist --json --bins 10 --min 0.9 --max 1.1 one.csv | grep -q '"counts":\[0,0,0,0,0,1,0,0,0,0\]'
    printf -- '-1.5\n' > less.csv
    halo hist --bins 6 --min -2 --max -1.4 less.csv | grep -q -- '-1.5 to -1.4  1 '
    run --separate-stderr halo hist --bins 600 --min 1e300 --max 1.00000000000001e300 one.csv
    [ "$status" -eq 2 ]
    says 'cannot divide'
}
