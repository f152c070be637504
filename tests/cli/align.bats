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

@test "shifts between pixels are scikit-image's within a twentieth" {
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

@test "a stack of pictures that are shifted" {
    need_numpy
    make_burst
    halo stack mean --align a.pgm b.pgm c.pgm -o out.pgm 2> said
    grep -q 'b.pgm: moved by -5, +3 pixels (-' said
    halo run -q crop:60x55+5+5 out.pgm -o middle.pgm
    halo run -q crop:60x55+5+5 a.pgm -o want.pgm
    cmp middle.pgm want.pgm
    halo stack mean --align -q a.pgm b.pgm c.pgm -o again.pgm --max-memory 2M
    halo stack mean --align -q a.pgm b.pgm c.pgm -o whole.pgm
    cmp again.pgm whole.pgm
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
