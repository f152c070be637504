# Levels, percentiles, decibels and percentages, against NumPy.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

make_picture() {
    need_numpy
    cat > picture.py << 'END'
import numpy as np
f = np.float32
r = np.random.default_rng(11)
a = r.normal(120, 40, (41, 53, 3)).clip(0, 255).astype(np.uint8)
open("a.ppm", "wb").write(b"P6 53 41 255\n" + a.tobytes())
np.save("a.npy", (a / 255).astype(f))
def stretched(v, low, high, full): return ((v.astype(np.float64) - low) * full / (high - low)).clip(0, full)
END
    "$PYTHON" picture.py
}

# same FILE EXPRESSION BOUND: of what halo wrote, in NumPy.
same() {
    "$PYTHON" -c '
import sys
exec(open("picture.py").read())
got, want = np.load(sys.argv[1]).astype(np.float64), eval(sys.argv[2])
assert got.shape == want.shape
assert np.abs(got - want).max() <= float(sys.argv[3]), np.abs(got - want).max()' "$@"
}

@test "levels stretches the range, in the samples' units or in percent, with a gamma" {
    make_picture
    halo run levels:black=40,white=200 a.ppm -o out.npy
    same out.npy 'stretched(a, 40, 200, 255)' 1e-4
    halo run levels:black=10%,white=90%,gamma=2 a.ppm -o out.npy -f
    same out.npy '(stretched(a, 25.5, 229.5, 255) / 255) ** 0.5 * 255' 1e-4
    halo run levels:black=0.1,white=0.9 a.npy -o out.npy -f
    same out.npy 'stretched(np.load("a.npy"), 0.1, 0.9, 1)' 1e-6
    halo run levels a.ppm -o out.ppm
    halo run '' a.ppm -o same.ppm
    cmp out.ppm same.ppm
    halo run 'levels:black=40,white=200 | depth:u8' a.ppm -o out.ppm -f
    halo run 'threshold:200 | depth:u8' a.ppm -o white.ppm
    halo run 'min:white.ppm' out.ppm -o same.ppm -f
    cmp same.ppm white.ppm # white is full scale, to the bit
    run --separate-stderr halo run levels:black=60%,white=50% a.ppm -o x.ppm
    [ "$status" -ne 0 ] && says "black (153) has to be below white (127.5)"
}

@test "normalize by percentiles is NumPy's, and a list of numbers needs no quotes" {
    make_picture
    halo run normalize:percentiles=1,99 a.ppm -o out.npy
    same out.npy 'stretched(a, *np.percentile(a, (1, 99)), 255)' 1e-4
    halo run 'normalize:percentiles="1 99"' a.ppm -o quoted.npy
    cmp quoted.npy out.npy
    halo run 'normalize:percentiles=2.5, 90,max=50%' a.npy -o out.npy -f
    same out.npy 'stretched(np.load("a.npy"), *np.percentile(np.load("a.npy"), (2.5, 90)), 0.5)' 1e-6
    halo run stats:percentiles=10,20,30 a.ppm --json > one
    halo run 'stats:percentiles="10,20,30"' a.ppm --json > two
    cmp one two
    for wrong in 99,1 1 1,2,3 -1,50 a,b; do
        run --separate-stderr halo run "normalize:percentiles=$wrong" a.ppm -o x.ppm
        [ "$status" -eq 2 ] && [ -n "$stderr" ] || { echo "$wrong"; return 1; }
    done
}

@test "a gain in decibels and percent, a border in percent" {
    make_picture
    halo run gain:-6dB a.npy -o out.npy
    same out.npy 'np.load("a.npy") * f(10 ** (-6 / 20))' 0
    halo run gain:150% a.npy -o out.npy -f
    same out.npy 'np.load("a.npy") * f(1.5)' 0
    halo run 'gain: 20 dB' a.npy -o out.npy -f
    same out.npy 'np.load("a.npy") * f(10)' 0
    halo run box:5,border=constant=50% a.ppm -o one.ppm
    halo run box:5,border=constant=127.5 a.ppm -o two.ppm
    cmp one.ppm two.ppm
    run --separate-stderr halo run gain:6Hz a.ppm -o x.ppm
    [ "$status" -eq 2 ] && says "expected a number"
    run --separate-stderr halo run box:5,border=constant=5x a.ppm -o x.ppm
    [ "$status" -eq 2 ] && says "after constant="
}
