# Operations on two images, against their definitions in NumPy.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

make_pairs() {
    need_numpy
    cat > pairs.py << 'END'
import numpy as np
f = np.float32
def pam(name, a):
    h, w, c = a.shape
    kind = [b"", b"GRAYSCALE", b"GRAYSCALE_ALPHA", b"RGB", b"RGB_ALPHA"][c]
    open(name, "wb").write(b"P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL 255\nTUPLTYPE %s\nENDHDR\n" % (w, h, c,
        kind) + a.tobytes())
def rounded(v):
    with np.errstate(invalid="ignore"):
        return np.where(np.isnan(v), 0, np.clip(np.rint(v), 0, 255)).astype(np.uint8)
r = np.random.default_rng(5)
def draw(name, h, w, c):
    a = r.integers(0, 256, (h, w, c)).astype(np.uint8)
    pam(name, a)
    return a
a, b = draw("a.pam", 31, 43, 3), draw("b.pam", 31, 43, 3)
x, y = a.astype(f), b.astype(f)
END
}

@test "add, multiply, divide, difference, min, max and blend are their formulas in NumPy" {
    make_pairs
    "$PYTHON" - << 'END'
exec(open("pairs.py").read())
with np.errstate(divide="ignore", invalid="ignore"):
    mean, most = f(b.astype(np.float64).mean()), f(b.max())
    ratio = lambda unit: np.where(y == 0, f(np.nan), x / (y / unit))
    want = {"add": x + y, "multiply": x * (y / f(255)), "multiply_mean": x * (y / mean), "multiply_one": x * y,
            "divide": ratio(f(255)), "divide_max": ratio(most), "divide_mean": ratio(mean), "difference": abs(x
                - y),
            "min": np.minimum(x, y), "max": np.maximum(x, y), "blend": (x + y) / f(2)}
for name, v in want.items(): pam("want_%s.pam" % name, rounded(v))
END
    for name in add multiply divide difference min max blend; do
        halo run "$name:b.pam" a.pam -o out.pam -f -q
        cmp out.pam want_$name.pam || { echo "$name"; return 1; }
        halo run "$name:b.pam" - -o - -q < a.pam | cmp - want_$name.pam
    done
    for name in multiply:mean multiply:one divide:max divide:mean; do
        halo run "${name%:*}:b.pam,unit=${name#*:}" a.pam -o out.pam -f -q
        cmp out.pam "want_${name/:/_}.pam" || { echo "$name"; return 1; }
        halo run "${name%:*}:[max:b.pam | min:b.pam],unit=${name#*:}" a.pam -o branch.pam -f -q
        cmp branch.pam out.pam || { echo "$name by a branch"; return 1; }
    done
}

@test "division by 0 gives 0 in integers, and is counted, and IEEE's result in floats" {
    printf 'P5 4 1 255 \002\000\011\377' > a.pgm
    printf 'P5 4 1 255 \377\000\000\001' > b.pgm
    need_numpy
    run --separate-stderr halo run divide:b.pgm a.pgm -o out.pgm
    [ "$status" -eq 0 ] && says "3 samples are clipped"
    [ "$(tail -c 4 out.pgm | od -An -tu1 | tr -s ' ')" = " 2 0 0 255" ]
    halo run 'divide:b.pgm | depth:u16' a.pgm -o out.npy -q
    [ "$(tail -c 8 out.npy | od -An -tu2 | tr -s ' ')" = " 514 0 0 65535" ]
    halo run divide:b.pgm a.pgm -o out.npy -f -q
    "$PYTHON" -c \
        'import numpy as np; v = np.load("out.npy").ravel()
assert v[0] == 2 and np.isnan(v[1]) and v[2] == np.inf and abs(v[3] - 65025) < 0.01'
}

@test "nothing wraps or is rounded before the end of the pipeline" {
    make_pairs
    "$PYTHON" pairs.py
    halo run 'add:b.pam | subtract:b.pam' a.pam -o out.pam -q
    cmp out.pam a.pam
    halo run 'multiply:b.pam,unit=one | add:a.pam | subtract:a.pam | divide:[gain:0 | offset:255]' a.pam -o \
        x.npy
    halo run 'multiply:b.pam,unit=one' a.pam -o y.npy
    cmp x.npy y.npy
}

@test "over composites by alpha, gray on colours, at any place, also partly outside" {
    make_pairs
    "$PYTHON" - << 'END'
exec(open("pairs.py").read())
def over(base, top, at):
    out = base.astype(np.float64)
    s = out[..., -1:] / 255 if base.shape[2] % 2 == 0 else np.ones(out.shape[:2] + (1,))
    colours = base.shape[2] - (base.shape[2] % 2 == 0)
    t = np.zeros_like(s); c = np.zeros(out.shape[:2] + (colours,))
    h, w = top.shape[:2]
    for y in range(h):
        for x in range(w):
            py, px = y + at[1], x + at[0]
            if 0 <= py < out.shape[0] and 0 <= px < out.shape[1]:
                t[py, px] = top[y, x, -1] / 255 if top.shape[2] % 2 == 0 else 1
                c[py, px] = top[y, x, :top.shape[2] - (top.shape[2] % 2 == 0)]
    u = t + s * (1 - t)
    mixed = (c * t + out[..., :colours] * s * (1 - t)) / np.where(u > 0, u, 1)
    out[..., :colours] = np.where((u > 0) & (t > 0), mixed, out[..., :colours])
    if base.shape[2] % 2 == 0: out[..., -1:] = u * 255
    return np.clip(np.rint(out), 0, 255).astype(np.uint8)
logo, gray, clear = draw("logo.pam", 9, 12, 4), draw("gray.pam", 50, 7, 1), draw("clear.pam", 31, 43, 4)
pam("w0.pam", over(a, logo, (0, 0))); pam("w1.pam", over(a, logo, (43 - 12 - 2, 31 - 9 - 3)))
pam("w3.pam", over(clear, logo, (43 - 12, 31 - 9))); pam("w4.pam", over(clear, gray, (3, 30)))
pam("w5.pam", over(a, logo, (43 - 12 + 4, 2)))
END
    check() { halo run "over:$1" "$2" -o out.pam -f -q && cmp out.pam "$3" || { echo "$1 on $2"; return 1; }; }
    check logo.pam a.pam w0.pam
    check logo.pam,at=-2-3 a.pam w1.pam
    check logo.pam,at=-0-0 clear.pam w3.pam
    check gray.pam,at=3+30 clear.pam w4.pam
    check logo.pam,at=35+2 a.pam w5.pam
    halo run over:logo.pam,at=99+99 a.pam -o out.pam -f -q
    cmp out.pam a.pam
    run --separate-stderr halo run over:a.pam gray.pam -o x.pam
    [ "$status" -eq 1 ] && says "3 colours, and the input has 1"
}

@test "cutout multiplies alpha by a gray picture, and makes one where there is none" {
    make_pairs
    "$PYTHON" - << 'END'
exec(open("pairs.py").read())
mask, clear = draw("mask.pam", 31, 43, 1), draw("clear.pam", 31, 43, 4)
pam("w0.pam", np.concatenate([a, mask], 2))
pam("w1.pam", np.concatenate([clear[..., :3], rounded(clear[..., 3:].astype(f) * (mask.astype(f) / f(255)))],
    2))
END
    halo run cutout:mask.pam a.pam -o out.pam -q
    cmp out.pam w0.pam
    halo run cutout:mask.pam clear.pam -o out.pam -f -q
    cmp out.pam w1.pam
    halo run 'cutout:[gray | gain:0 | offset:100%]' clear.pam -o out.pam -f -q
    cmp out.pam clear.pam
    "$PYTHON" -c "
import numpy as np
exec(open('pairs.py').read())
share = np.linspace(0, 1, 31 * 43, dtype=f).reshape(31, 43)
np.save('share.npy', share)
pam('w2.pam', np.concatenate([a, rounded(f(255) * share)[..., None]], 2))" || return
    halo run cutout:share.npy a.pam -o out.pam -f -q
    cmp out.pam w2.pam
    run --separate-stderr halo run cutout:clear.pam a.pam -o x.pam
    [ "$status" -eq 1 ] && says "and gray"
    run --separate-stderr halo run cutout:mask.pam a.pam -o x.jpg
    [ "$status" -eq 1 ] && says "alpha"
}

@test "flatten lays a picture with alpha on a color, as Pillow does, and leaves others as they are" {
    make_pairs
    "$PYTHON" - << 'END'
exec(open("pairs.py").read())
clear = draw("clear.pam", 31, 43, 4)
t = clear[..., 3:].astype(f) / f(255)
for name, colour in (("white", (255, 255, 255)), ("orange", (255, 128, 1))):
    c = np.array(colour, f)
    made = rounded(c * (f(1) - t) + clear[..., :3].astype(f) * t)
    pam(name + ".pam", made)
    try: from PIL import Image
    except ImportError: continue
    base = Image.new("RGBA", (43, 31), colour + (255,))
    near = np.asarray(Image.alpha_composite(base, Image.fromarray(clear)))[..., :3]
    assert np.abs(near.astype(int) - made).max() <= 1
END
    halo run flatten clear.pam -o out.pam -q
    cmp out.pam white.pam
    halo run flatten:#ff8001 clear.pam -o out.pam -f -q
    cmp out.pam orange.pam
    halo run flatten:red a.pam -o out.pam -f -q
    cmp out.pam a.pam
    halo run flatten clear.pam -o out.jpg -q
    run --separate-stderr halo run gain:1 clear.pam -o x.jpg
    [ "$status" -eq 1 ] && says "flatten:white lays it on white"
    run --separate-stderr halo run flatten:#fff0 clear.pam -o x.jpg
    [ "$status" -eq 2 ] && says "laid on an opaque color"
    run --separate-stderr halo run 'channels:1,4 | flatten:red' clear.pam -o x.pam
    [ "$status" -eq 1 ] && says "has to be a gray one"
    halo run 'channels:1,4 | flatten:black' clear.pam -o out.pgm -q
}

@test "doubled braces are braces in the name of a secondary input" {
    make_rgb a.ppm 9 5
    cp a.ppm 'b{1}.ppm'; cp a.ppm 'a{1}.ppm'
    halo run 'subtract:"b{{1}}.ppm"' a.ppm -o x.ppm
    halo run 'subtract:"{stem}{{1}}.ppm"' a.ppm -o y.ppm
    cmp x.ppm y.ppm
    halo run 'subtract:"b{{1}}.ppm"' - -o - --to ppm < a.ppm | cmp - x.ppm
    run --separate-stderr halo run 'subtract:"b{1}.ppm"' a.ppm -o z.ppm
    [ "$status" -eq 2 ]
    says "unknown field '{1}' in 'b{1}.ppm': {dir}, {stem} and {name} are known; {{ and }} stand for braces"
    run --separate-stderr halo run 'subtract:"{stam}.ppm"' a.ppm -o z.ppm
    [ "$status" -eq 2 ] && says "did you mean 'stem'?"
}

@test "a flat field's mean is known before the first band: memory stays that of bands" {
    head -c 12000000 /dev/urandom > noise
    (printf 'P5 4000 3000 255 '; cat noise) > a.pgm
    printf 'P5 1 1 255 \144' > flat.pgm
    halo run 'divide:flat.pgm,unit=mean' a.pgm -o out.pgm --max-memory 8M -q
    tail -c 12000000 out.pgm | cmp - noise
}

@test "EXIF orientation is applied before an overlay, and to a secondary input too" {
    printf 'P2 3 2 255\n1 2 3 4 5 6\n' > six.pgm
    printf 'P2 2 3 255\n4 1 5 2 6 3\n' > seen.pgm
    printf 'P2 2 3 255\n4 1 5 2 6 255\n' > marked.pgm
    printf 'P2 2 3 255\n0 0 0 0 0 0\n' > none.pgm
    printf 'P2 1 1 255\n255\n' > dot.pgm
    halo run '' six.pgm -o plain.png
    with_orientation plain.png > lies.png
    halo run over:dot.pgm,at=-0-0 lies.png -o marked.png
    halo compare marked.png marked.pgm
    [[ "$(halo info --json marked.png)" == *'"orientation":1,'* ]]
    halo run over:lies.png none.pgm -o over.pgm; halo compare over.pgm seen.pgm
    for pipeline in difference:lies.png 'difference:{dir}/{name}' 'orient | difference:lies.png'; do
        halo run "$pipeline" lies.png -o none.png -f --strip -q; halo compare none.png none.pgm
        halo run "$pipeline" lies.png -o out.pgm -f -q; halo compare out.pgm none.pgm
    done
    halo run difference:seen.pgm lies.png -o none.png -f # whatever the output holds
    halo compare none.png none.pgm
    [[ "$(halo info --json none.png)" == *'"width":2,"height":3'*'"orientation":1,'* ]]
    run --separate-stderr halo run difference:plain.png lies.png -o refused.png
    [ "$status" -eq 1 ]; says 'the input is 2 x 3 with 1 channel, turned upright: it has to be'
    cp lies.png also.png # two workers share the operand
    halo run -j 2 difference:lies.png lies.png also.png --out-dir two --to ppm -q
    for name in lies also; do halo compare two/$name.ppm none.pgm; done
}
