# How far pictures are shifted, and stacks of pictures that are.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

make_burst() {
    "$PYTHON" - << 'END'
import numpy as np
r = np.random.default_rng(4)
v = r.normal(0, 1, (90, 110))
for axis in (0, 1): v = sum(np.roll(v, k, axis) * w for k, w in ((-1, 1), (0, 2), (1, 1)))
v = ((v - v.min()) / (v.max() - v.min()) * 255).astype(np.uint8)
def save(name, a): open(name, "wb").write(b"P5 %d %d 255\n" % a.shape[::-1] + a.tobytes())
save("a.pgm", v[10:74, 20:91]); save("b.pgm", v[13:77, 15:86]); save("c.pgm", v[8:72, 22:93])
END
}

@test "whole shifts of pictures, as text, JSON and CSV" {
    need_numpy
    make_burst
    run halo align a.pgm b.pgm c.pgm
    [[ "${lines[0]}" =~ ^'b.pgm: move by '-(4.9|5.0)[05]', +'(2.9|3.0)[05]' pixels (x, y); peak 0.' ]]
    [[ "${lines[1]}" =~ ^'c.pgm: move by +'(1.9|2.0)[05]', '-(1.9|2.0)[05]' pixels (x, y); peak 0.' ]]
    run halo align a.pgm b.pgm a.pgm --csv
    [ "${lines[0]}" = file,x,y,peak ]
    awk -F, '{ exit !($1 == "b.pgm" && ($2 + 5)^2 < 0.02 && ($3 - 3)^2 < 0.02) }' <<< "${lines[1]}"
    awk -F, '{ exit !($2 == 0 && $3 == 0 && ($4 - 1)^2 < 1e-20) }' <<< "${lines[2]}"
    halo align a.pgm c.pgm --json | grep -q '"type":"align","file":"c.pgm","x":'
    halo align a.pgm b.pgm c.pgm --json -j 1 > one
    halo align a.pgm b.pgm c.pgm --json | cmp - one
}

@test "shifts between pixels of a periodic picture are scikit-image's within a twentieth" {
    need skimage.registration
    "$PYTHON" - > want << 'END'
import numpy as np
from skimage.registration import phase_cross_correlation
r = np.random.default_rng(3)
for k, (h, w) in enumerate(((64, 64), (61, 83), (100, 37))):
    y, x = np.fft.fftfreq(h)[:, None], np.fft.fftfreq(w)
    f = np.fft.fft2(r.normal(0, 1, (h, w))) * np.exp(-8 * (x * x + y * y))
    moved = f * np.exp(-2j * np.pi * (3.3 * y - 7.75 * x))
    a, b = np.fft.ifft2(f).real, np.fft.ifft2(moved).real + r.normal(0, 0.01, (h, w))
    a, b = a.astype(np.float32), b.astype(np.float32)
    np.save(f"a{k}.npy", a); np.save(f"b{k}.npy", b)
    y, x = phase_cross_correlation(a.astype(float), b.astype(float), upsample_factor=20)[0]
    print(k, x, y)
END
    while read -r k x y; do
        halo align "a$k.npy" "b$k.npy" --csv | tail -1 |
            awk -F, -v x="$x" -v y="$y" '{ exit !(($2 - x)^2 < 0.0026 && ($3 - y)^2 < 0.0026) }'
    done < want
    [ "$(wc -l < want)" -eq 3 ]
}

@test "smooth pictures whose sides show something else: stars and a texture" {
    need_numpy
    "$PYTHON" - << 'END'
import numpy as np
r = np.random.default_rng(1)
n = 256
y, x = np.mgrid[:n, :n]
stars = np.c_[r.uniform(-20, n + 20, (60, 2)), r.exponential(4000, 60) + 300]
def field(dx, dy):
    made = np.full((n, n), 500.0)
    for u, v, f in stars: made += f * np.exp(-((x - u - dx) ** 2 + (y - v - dy) ** 2) / 18)
    return (made + r.normal(0, 20, made.shape)).astype(np.float32)
moves = (0, 0), (7.7, -3.4), (0.5, 0.25)
for k, at in enumerate(moves): np.save(f"stars{k}", field(*at))
v, u = np.fft.fftfreq(300)[:, None], np.fft.fftfreq(300)
f = np.fft.fft2(r.normal(0, 1, (300, 300))) * np.exp(-8 * np.pi ** 2 * (u * u + v * v))
def texture(dx, dy):
    return np.fft.ifft2(f * np.exp(-2j * np.pi * (u * dx + v * dy))).real[20:220, 20:220].astype(np.float32)
for k, at in enumerate(moves): np.save(f"texture{k}", texture(*at))
other = np.fft.fft2(r.normal(0, 1, (300, 300))) * np.exp(-8 * np.pi ** 2 * (u * u + v * v))
np.save("other", np.fft.ifft2(other).real[20:220, 20:220].astype(np.float32))
END
    for what in stars texture; do
        run --separate-stderr halo align ${what}0.npy ${what}1.npy ${what}2.npy --csv
        [ -z "$stderr" ]
        awk -F, -v k=0 'NR > 1 { dx = NR == 2 ? -7.7 : -0.5; dy = NR == 2 ? 3.4 : -0.25
            k += ($2 - dx)^2 < 0.0026 && ($3 - dy)^2 < 0.0026 } END { exit k != 2 }' <<< "$output"
    done
    run --separate-stderr halo align texture0.npy other.npy
    says "other.npy: doubtful"
}

@test "pictures that have nothing in common, or too little, are doubtful" {
    need_numpy
    make_burst
    "$PYTHON" - << 'END'
import numpy as np
for k in (1, 2): open(f"n{k}.pgm", "wb").write(b"P5 71 64 255\n" +
    np.random.default_rng(k).integers(0, 256, (64, 71), np.uint8).tobytes())
END
    run --separate-stderr halo align n1.pgm n2.pgm a.pgm
    [ "$status" -eq 0 ] && says "n2.pgm: doubtful: the correlation with n1.pgm has a peak of 0.0"
    says "a.pgm: doubtful"
    run --separate-stderr halo stack mean --align a.pgm b.pgm n1.pgm -o out.pgm
    [ "$status" -eq 0 ] && says "n1.pgm: doubtful" && says "'halo align' prints peaks"
    [[ "$stderr" != *"b.pgm: doubtful"* ]]
    run --separate-stderr halo align -q n1.pgm n2.pgm
    [ -z "$stderr" ]
}

@test "a stack of pictures that are shifted" {
    need_numpy
    make_burst
    halo stack mean --align a.pgm b.pgm c.pgm -o out.pgm 2> said
    grep -q 'b.pgm: moved by -[45].[09][05], +[23].[09][05] pixels' said
    halo run -q crop:60x55+5+5 out.pgm -o middle.pgm
    halo run -q crop:60x55+5+5 a.pgm -o want.pgm
    halo compare --at-most mean=1 middle.pgm want.pgm
    halo stack mean --align -q a.pgm b.pgm c.pgm -o again.pgm --max-memory 2M
    cmp again.pgm out.pgm
    (ulimit -n 28 && halo stack mean --align -q a.pgm b.pgm c.pgm -o again.pgm -f -j 1 --max-memory 2M)
    cmp again.pgm out.pgm
}

# make_moved ROTATION SCALE X Y: a0.npy, and b0.npy that this lays on it: spots, which have values everywhere.
make_moved() {
    "$PYTHON" - "$@" << 'END'
import sys, numpy as np
r = np.random.default_rng(8)
spots = np.c_[r.uniform(-110, 110, (900, 2)), r.uniform(-60, 60, 900)]
turn, scale, dx, dy = map(float, sys.argv[1:])
h, w = 120, 150
y, x = np.mgrid[:h, :w]
def at(x, y):
    made = np.full(x.shape, 128.0)
    for px, py, height in spots:
        near = (np.abs(x - px) < 9) & (np.abs(y - py) < 9)
        made[near] += height * np.exp(-((x[near] - px) ** 2 + (y[near] - py) ** 2) / 2)
    return made.astype(np.float32)
c, s = scale * np.cos(np.radians(turn)), scale * np.sin(np.radians(turn))
u, v = x - (w - 1) / 2, y - (h - 1) / 2
np.save("a0.npy", at(u, v))
np.save("b0.npy", at(c * u - s * v + dx, s * u + c * v + dy))
END
}

@test "rotations and scales, and half a turn" {
    need_numpy
    for moved in "3 1 4 -2.5" "-12 1.1 6 3.5" "0.4 1 -3.3 2.2" "170 0.9 5 -4"; do
        # shellcheck disable=SC2086
        make_moved $moved
        halo align --rotation a0.npy b0.npy --csv > said
        [ "$(head -1 said)" = file,x,y,rotation,scale,peak ]
        read -r turn scale x y <<< "$moved"
        tail -1 said | awk -F, -v turn="$turn" -v scale="$scale" -v x="$x" -v y="$y" \
            '{ exit !(($2 - x)^2 < 0.05 && ($3 - y)^2 < 0.05 && ($4 - turn)^2 < 0.01 &&
                      ($5 / scale - 1)^2 < 4e-6) }' || { echo "$moved: $(cat said)"; return 1; }
    done
    halo align --rotation a0.npy b0.npy --json | grep -q '"rotation":1[67][0-9.]*,"scale":0.[89]'
    halo align --rotation a0.npy b0.npy | grep -q '^b0.npy: turn by +1[67].* degrees, scale by 0.[89]'
    halo align --rotation a0.npy b0.npy --json -j 1 > one
    halo align --rotation a0.npy b0.npy --json | cmp - one
    run --separate-stderr halo stack mean --rotation a0.npy b0.npy -o out.npy
    [ "$status" -eq 2 ] && says 'needs --align'
}

@test "a stack has what affine makes of each picture" {
    need_numpy
    for moved in "0 1 4.35 -2.6" "5 1.05 4 -2.5"; do
        # shellcheck disable=SC2086
        make_moved $moved
        rotation=; [ "${moved%% *}" = 0 ] || rotation=--rotation
        halo align $rotation a0.npy b0.npy --csv | tail -1 > said
        matrix=$("$PYTHON" -c 'import math
f = [float(v) for v in open("said").read().split(",")[1:]]
x, y, turn, scale = f[0], f[1], *(f[2:4] if len(f) > 3 else (0, 1))
c, s = scale * math.cos(math.radians(turn)), scale * math.sin(math.radians(turn))
u, v = 149 / 2, 119 / 2
print(f"{c!r},{-s!r},{u + x - (c * u - s * v)!r},{s!r},{c!r},{v + y - (s * u + c * v)!r}")')
        halo run "affine:$matrix,kernel=cubic,border=replicate" b0.npy -o c0.npy -f
        halo stack mean a0.npy c0.npy -o want.npy -f
        halo stack mean --align $rotation -q a0.npy b0.npy -o is.npy -f
        halo compare --at-most max=1e-2 is.npy want.npy
        halo stack mean --align $rotation -q a0.npy b0.npy -o again.npy -f --max-memory 4M -j 1
        cmp again.npy is.npy
        "$PYTHON" -c 'import numpy as np
a, b, m = (np.load(f).squeeze()[15:-15, 15:-15] for f in ("a0.npy", "b0.npy", "is.npy"))
assert np.abs(m - a).mean() < 0.06 * np.abs(b - a).mean(), (np.abs(m - a).mean(), np.abs(b - a).mean())'
    done
}

@test "turned by half a turn, and whole shifts, which keep a NaN to itself" {
    need_numpy
    make_moved 180 1 0 0
    halo stack max --align --rotation -q a0.npy b0.npy -o whole.npy
    halo stack max --align --rotation -q a0.npy b0.npy -o bands.npy --max-memory 5M -j 1
    cmp whole.npy bands.npy
    printf 'P2\n4 3\n255\n1 2 3 4\n5 60 7 8\n9 1 2 3\n' > a.pgm
    halo stack mean --align -q a.pgm a.pgm -o same.pgm && cmp <(halo run '' a.pgm -o - --to pgm) same.pgm
}

@test "what cannot be aligned" {
    printf 'P2\n3 2\n255\n1 2 3\n4 5 6\n' > a.pgm
    printf 'P2\n2 2\n255\n1 2\n4 5\n' > b.pgm
    printf 'P2\n3 2\n255\n0 0 0\n0 0 0\n' > zero.pgm
    refuse() { # STATUS WORDS COMMAND…
        run --separate-stderr halo "${@:3}"
        [ "$status" -eq "$1" ]; says "$2"
    }
    refuse 1 'b.pgm is 2 x 2, and a.pgm is 3 x 2' align a.pgm b.pgm
    refuse 1 'zero.pgm cannot be aligned with a.pgm' align a.pgm zero.pgm
    refuse 2 'a reference and pictures' align a.pgm
    refuse 1 'nowhere.pgm' align a.pgm nowhere.pgm
    refuse 2 'standard input' stack mean --align a.pgm - -o out.pgm
    cat a.pgm a.pgm > two.pgm
    refuse 1 'several images' stack mean --align a.pgm two.pgm -o out.pgm
    [ ! -e out.pgm ]
}
