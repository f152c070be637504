# `halo compare`: its numbers against NumPy's, its bounds and its exit status.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

# number FILE KEY: what a line of JSON says.
number() { sed -En 's/.*"'"$2"'":"?(-?[0-9.e+-]+|-?inf|null)"?[,}].*/\1/p' "$1"; }

@test "differences, PSNR and SSIM are NumPy's" {
    need_numpy
    "$PYTHON" - << 'END'
import numpy as np
r = np.random.default_rng(7)
y, x = np.mgrid[0:61, 0:83]
a = (np.stack([128 + 90 * np.sin(x / 7), 3 * x % 256, 4 * y], 2) + r.normal(0, 9, (61, 83, 3))).clip(0,
    255).astype(np.uint8)
b = (a + r.normal(0, 6, a.shape)).clip(0, 255).astype(np.uint8)
for name, v in (("a", a), ("b", b)): open(name + ".ppm", "wb").write(b"P6 83 61 255\n" + v.tobytes())
np.save("a.npy", (a / 255).astype(np.float32)); np.save("b.npy", (b / 255).astype(np.float32))
open("b16.ppm", "wb").write(b"P6 83 61 65535\n" + (b.astype(np.uint16) * 257).astype(">u2").tobytes())
# Wang 2004 with skimage's gaussian_weights=True, sigma=1.5, use_sample_covariance=False, written out
tap = np.exp(-0.5 * (np.arange(-5, 6) / 1.5) ** 2); tap /= tap.sum()
def smooth(v):
    v = sum(t * v[i:i + v.shape[0] - 10] for i, t in enumerate(tap))
    return sum(t * v[:, i:i + v.shape[1] - 10] for i, t in enumerate(tap))
def ssim(p, q, white):
    p, q = p.astype(np.float64), q.astype(np.float64)
    up, uq = smooth(p), smooth(q)
    vp, vq, vpq = smooth(p * p) - up * up, smooth(q * q) - uq * uq, smooth(p * q) - up * uq
    c1, c2 = (0.01 * white) ** 2, (0.03 * white) ** 2
    return ((2 * up * uq + c1) * (2 * vpq + c2) / ((up ** 2 + uq ** 2 + c1) * (vp + vq + c2))).mean()
d = np.abs(a.astype(float) - b)
rmse = np.sqrt((d ** 2).mean())
at = np.unravel_index(d.argmax(), d.shape)
print(int((d > 0).sum()), d.max(), d.mean(), rmse, 20 * np.log10(255 / rmse), ssim(a, b, 255), at[1], at[0],
    "rgb"[at[2]], file=open("want", "w"))
END
    read -r differing max mean rmse psnr ssim x y channel < want
    run halo compare a.ppm b.ppm --json
    [ "$status" -eq 6 ]
    echo "$output" > said
    [ "$(number said differing)" = "$differing" ]
    grep -q "\"at\":{\"x\":$x,\"y\":$y,\"channel\":\"$channel\"}" said
    close() { awk -v a="$(number said "$1")" -v b="$2" \
        'BEGIN { exit !(a != "" && (a - b)^2 <= 1e-14 * (1 + b * b)) }' ||
        { echo "$1 $2"; cat said; return 1; }; }
    close max "$max"; close mean "$mean"; close rmse "$rmse"; close psnr "$psnr"; close ssim "$ssim"
    halo compare a.ppm b.ppm --json -j 1 | cmp - said
    run halo compare a.ppm b16.ppm --json
    sed 's/b16/b/' <<< "$output" | cmp - said
    run halo compare a.npy b.npy --json
    echo "$output" > said
    awk -v a="$(number said ssim)" -v b="$ssim" 'BEGIN { exit !((a - b)^2 < 1e-12) }'
    awk -v a="$(number said psnr)" -v b="$psnr" 'BEGIN { exit !((a - b)^2 < 1e-9) }'
}

@test "SSIM is scikit-image's" {
    need skimage.metrics
    "$PYTHON" - << 'END'
import numpy as np
from skimage.metrics import structural_similarity
r = np.random.default_rng(8)
y, x = np.mgrid[0:45, 0:70]
for name, shape in (("p5", (45, 70)), ("p6", (45, 70, 3))):
    a = (120 + 80 * np.sin(x / 9) * np.cos(y / 5)).reshape((45, 70) + (1,) * (len(shape) - 2)) + r.normal(0, 12,
        shape)
    a = a.clip(0, 255).astype(np.uint8)
    b = (a * 0.8 + r.normal(0, 15, shape)).clip(0, 255).astype(np.uint8)
    for side, v in (("a", a), ("b", b)):
        open(f"{side}.{name}", "wb").write(name.upper().encode() + b" 70 45 255\n" + v.tobytes())
    print(structural_similarity(a, b, gaussian_weights=True, sigma=1.5, use_sample_covariance=False,
        data_range=255,
                                channel_axis=-1 if v.ndim == 3 else None), file=open(name, "w"))
END
    local name
    for name in p5 p6; do
        halo compare a.$name b.$name --json > said || [ $? -eq 6 ]
        awk -v a="$(number said ssim)" -v b="$(cat $name)" \
            'BEGIN { exit !(b > 0.1 && b < 0.95 && (a - b)^2 < 1e-12) }' || { cat said $name; return 1; }
    done
}

@test "exit 0 within the bounds, which are identical by default, 6 beyond, 1 where files cannot be compared" {
    make_rgb a.ppm 40 30
    halo run 'offset:1' a.ppm -o b.ppm -q
    halo compare a.ppm a.ppm | grep -q 'identical'
    run halo compare a.ppm b.ppm
    [ "$status" -eq 6 ] && [[ "$output" == *"different"*"max          1 at"* ]]
    run halo compare a.ppm b.ppm --at-most max=1,rmse=1 --at-least psnr=40,ssim=0.9
    [ "$status" -eq 0 ] && [[ "$output" == *"within the bounds"* ]]
    for bound in --at-most=max=0.5 --at-most=differing=3 --at-least=psnr=90 --at-least=ssim=1; do
        run halo compare a.ppm b.ppm "$bound"
        [ "$status" -eq 6 ] || { echo "$bound: $status"; return 1; }
    done
    run halo compare a.ppm b.ppm -q
    [ "$status" -eq 6 ] && [ -z "$output" ]
    make_gray g.pgm 40 30; make_rgb c.ppm 30 40
    run --separate-stderr halo compare a.ppm g.pgm
    [ "$status" -eq 1 ] && says "g.pgm is 40 x 30 with 1 channel, and a.ppm is 40 x 30 with 3"
    run --separate-stderr halo compare a.ppm none.ppm
    [ "$status" -eq 1 ] && says "none.ppm: No such file"
    for wrong in --at-most=psnr=3 --at-most=max --at-most=max=one --at-least=max=1; do
        run --separate-stderr halo compare a.ppm a.ppm "$wrong"
        [ "$status" -eq 2 ] && [ -n "$stderr" ]
    done
    run --separate-stderr halo compare a.ppm
    [ "$status" -eq 2 ] && says "1 is given"
    run --separate-stderr halo compare c.ppm c.ppm --at-most max=1 --at-least ssim=0.9,correlation=0
    [ "$status" -eq 6 ] &&
        [[ "$output" == *"c.ppm: beyond the bounds: correlation is undefined for these files"* ]]
    run halo compare a.ppm b.ppm --at-most max=0.5,mean=2 --at-least psnr=90
    [ "$status" -eq 6 ] && [[ "${lines[0]}" == *": beyond the bounds: max is above 0.5, psnr is below 90" ]]
}

@test "-o writes the difference" {
    make_rgb a.ppm 40 30
    halo run gauss:1 a.ppm -o b.ppm
    run halo compare a.ppm b.ppm -o d.ppm
    [ "$status" -eq 6 ]
    halo run difference:b.ppm a.ppm -o want.ppm
    cmp d.ppm want.ppm
    run halo compare a.ppm b.ppm -o d.ppm
    [ "$status" -eq 1 ]
    run halo compare a.ppm b.ppm -o d.ppm -f --at-most max=255
    [ "$status" -eq 0 ]
}

@test "folders are compared by name, and a file that only one has is a failure" {
    mkdir -p a/deep b/deep
    for i in 1 2; do make_rgb a/$i.ppm $((20 + i)) 8; done
    cp a/1.ppm a/deep/3.ppm
    cp -r a/. b
    halo compare a b | grep -c identical | grep -qx 3
    halo compare a/ b/ --json | grep -c '"within":true' | grep -qx 3
    halo run invert a/2.ppm -o b/2.ppm -f
    run halo compare a b
    [ "$status" -eq 6 ]
    rm a/1.ppm
    run --separate-stderr halo compare a b
    [ "$status" -eq 1 ] && says "b/1.ppm: there is no a/1.ppm"
    rm b/1.ppm b/2.ppm
    run --separate-stderr halo compare a b
    [ "$status" -eq 1 ] && says "b/2.ppm: No such file"
    run --separate-stderr halo compare a b/deep/3.ppm
    [ "$status" -eq 2 ] && says "is a folder, and"
}

@test "pages are compared one by one" {
    make_rgb a.ppm 20 12; halo run invert a.ppm -o b.ppm
    cat a.ppm a.ppm > aa.ppm; cat a.ppm b.ppm > ab.ppm
    halo run '' aa.ppm -o aa.tif; halo run '' ab.ppm -o ab.tif
    run halo compare aa.tif ab.tif --json
    [ "$status" -eq 6 ] && [[ "${lines[0]}" == *'"image":1,"within":true'* ]] &&
        [[ "${lines[1]}" == *'"image":2,"within":false'* ]]
    run --separate-stderr halo compare aa.tif a.ppm
    [ "$status" -eq 1 ] && says "aa.tif has more images than a.ppm"
    run --separate-stderr halo compare aa.tif ab.tif -o d.tif
    [ "$status" -eq 2 ] && says "aa.tif: -o writes the difference of two images, and this file holds several" &&
        [ ! -e d.tif ]
}

@test "the lag of a delayed sound, and none of others" {
    need_numpy
    "$PYTHON" - << 'END'
import numpy as np
r = np.random.default_rng(3)
v = r.normal(0, 0.1, 5000)
def wav(name, x):
    s = np.clip(np.rint(x * 32767), -32768, 32767).astype("<i2").tobytes()
    open(name, "wb").write(b"RIFF" + np.uint32(36 + len(s)).tobytes() + b"WAVEfmt \x10\0\0\0\1\0\1\0"
        + np.uint32(8000).tobytes() + np.uint32(16000).tobytes() + b"\2\0\x10\0data"
        + np.uint32(len(s)).tobytes() + s)
wav("a.wav", v); wav("late.wav", np.concatenate([np.zeros(137), v[:-137]]))
wav("early.wav", np.concatenate([v[42:], np.zeros(42)]) / 2)
END
    halo list formats > /dev/null
    run halo compare a.wav late.wav --json
    [ "$status" -eq 6 ]
    echo "$output" > said
    [ "$(number said lag)" = null ] && skip "no Fourier transforms in this build"
    [ "$(number said lag)" = 137 ]
    run halo compare a.wav early.wav
    [[ "$output" == *"the second is 42 frames (0.00525 s) early, correlation 0.99"* ]]
    halo compare a.wav a.wav --json > said
    [ "$(number said lag)" = 0 ] && ! grep -q ssim said
    run halo compare a.wav late.wav --at-most lag=200
    [ "$status" -eq 0 ]
    run halo compare a.wav late.wav --at-most lag=100
    [ "$status" -eq 6 ]
}

@test "sounds of unequal lengths: the lag of a clip in its recording, and silence where one has ended" {
    need_numpy
    "$PYTHON" - << 'END'
import numpy as np
r = np.random.default_rng(4)
v = r.normal(0, 0.1, (6000, 2))
v[3000:] *= 0.3
q = np.clip(np.rint(v * 32767), -32768, 32767).astype("<i2")
def wav(name, x):
    s = x.tobytes()
    open(name, "wb").write(b"RIFF" + np.uint32(36 + len(s)).tobytes() + b"WAVEfmt \x10\0\0\0\1\0\2\0"
        + np.uint32(8000).tobytes() + np.uint32(32000).tobytes() + b"\4\0\x10\0data"
        + np.uint32(len(s)).tobytes() + s)
wav("all.wav", q); wav("clip.wav", q[2500:3700]); wav("end.wav", np.concatenate([q[5900:], q[:700] // 3]))
wav("begin.wav", q[:5000]); wav("silent.wav", np.concatenate([q, np.zeros((9, 2), "<i2")]))
d = q[5000:].astype(float) / 32768
print(d.size + 0, np.abs(d).max(), np.abs(d).sum() / q.size, np.sqrt((d ** 2).sum() / q.size),
    file=open("want", "w"))
# by the definition, slowly
a, b = q.sum(1) / 32768, q[2500:3700].sum(1) / 32768
sums = np.correlate(a, b, "full")
k = sums.argmax() - (len(b) - 1)
part = a[min(max(k, 0), len(a) - len(b)):][:len(b)]
print(-k, sums.max() / np.sqrt((part ** 2).sum() * (b ** 2).sum()), file=open("lag", "w"))
END
    run halo compare all.wav begin.wav --json
    [ "$status" -eq 6 ]
    echo "$output" > said
    read -r differing max mean rmse < want
    [ "$(number said samples)" = 12000 ] && [ "$(number said longer)" = -1000 ]
    awk -v a="$(number said differing)" -v n="$differing" 'BEGIN { exit !(a == n) }'
    for key in max mean rmse; do
        awk -v a="$(number said $key)" -v b="${!key}" 'BEGIN { exit !((a - b)^2 < 1e-20) }' ||
            { echo $key; cat said want; return 1; }
    done
    halo compare begin.wav all.wav --json > other || [ $? -eq 6 ]
    [ "$(number other rmse)" = "$(number said rmse)" ] && [ "$(number other longer)" = 1000 ]
    run halo compare all.wav clip.wav
    [[ "$output" == *"the second is 4800 frames (0.6 s) shorter"* ]]
    halo compare all.wav silent.wav > text || [ $? -eq 6 ]
    grep -q 'max          0$' text && grep -q '9 frames (0.001125 s) longer' text &&
        grep -q 'differing    18 of' text
    halo compare all.wav silent.wav --json | grep -q '"differing":18,"max":0,"at":null' ||
        [ "${PIPESTATUS[0]}" -eq 6 ]
    run halo compare all.wav silent.wav --at-most max=0
    [ "$status" -eq 0 ]
    [ "$(number said lag)" = null ] && skip "no Fourier transforms in this build"
    [ "$(number said lag)" = 0 ]
    halo compare all.wav clip.wav --json > said || [ $? -eq 6 ]
    read -r lag correlation < lag
    [ "$(number said lag)" = -2500 ] && [ "$lag" = -2500 ]
    awk -v a="$(number said correlation)" -v b="$correlation" \
        'BEGIN { exit !((a - b)^2 < 1e-10 && a > 0.9999) }'
    run halo compare clip.wav all.wav --at-most lag=2500 --at-least correlation=0.999
    [ "$status" -eq 0 ] && [[ "$output" == *"the second is 2500 frames (0.3125 s) late"* ]]
    halo compare all.wav end.wav --json > said || [ $? -eq 6 ] # it juts out behind the end
    [ "$(number said lag)" != null ] &&
        awk -v c="$(number said correlation)" 'BEGIN { exit !(c > -1.000001 && c < 1.000001) }'
}

@test "NaN equals NaN and differs infinitely from a number; memory is limited" {
    need_numpy
    "$PYTHON" -c 'import numpy as np
v = np.linspace(0, 1, 300, dtype=np.float32).reshape(15, 20)
v[2, 3] = np.nan; v[4, 4] = np.inf; np.save("a.npy", v)
v[7, 7] = np.nan; np.save("b.npy", v)'
    halo compare a.npy a.npy --json > said
    [ "$(number said differing)" = 0 ]
    run halo compare a.npy b.npy --json
    [ "$status" -eq 6 ]
    echo "$output" > said
    [ "$(number said differing)" = 1 ] && [ "$(number said max)" = inf ] && grep -q '"at":{"x":7,"y":7' said
    head -c 3000000 /dev/zero > zeros
    (printf 'P5 2000 1500 255 '; cat zeros) > large.pgm
    run --separate-stderr halo compare large.pgm large.pgm --max-memory 4M
    [ "$status" -eq 5 ] && says "MiB"
    halo compare large.pgm large.pgm --max-memory 12M > /dev/null
}

# What three measures are made of, written out in NumPy.
make_colours() {
    "$PYTHON" - << 'END'
import numpy as np
r = np.random.default_rng(5)
y, x = np.mgrid[0:180, 0:177]
a = np.stack([128 + 90 * np.sin(x / 7), 3 * x % 256, 4 * y % 256], 2).clip(0, 255).astype(np.uint8)
b = (a + r.normal(0, 12, a.shape)).clip(0, 255).astype(np.uint8)
for name, v in (("a", a), ("b", b)): open(name + ".ppm", "wb").write(b"P6 177 180 255\n" + v.tobytes())
open("gray.pgm", "wb").write(b"P5 177 180 255\n" + a[..., 0].tobytes())
np.save("a.npy", a); np.save("b.npy", b)
END
}

near() { # KEY VALUE WITHIN
    awk -v a="$(number said "$1")" -v b="$2" -v d="$3" 'BEGIN { exit !(a != "" && (a - b)^2 <= d * d) }' ||
        { echo "$1: $2"; cat said; return 1; }
}

@test "FLIP and MS-SSIM are their definitions" {
    need_numpy
    make_colours
    "$PYTHON" - > want << 'END'
import numpy as np
a, b = (np.load(f + ".npy").astype(float) / 255 for f in "ab")
def along(v, taps, axis):
    r = len(taps) // 2
    v = np.pad(v, [(r, r) if k == axis else (0, 0) for k in range(v.ndim)], "edge")
    n = v.shape[axis] - 2 * r
    return sum(t * v.take(range(k, k + n), axis) for k, t in enumerate(taps[::-1]))
# FLIP, its two-dimensional kernels applied by rows of their singular vectors
ppd = 67.0
M = np.array([[10135552/24577794, 8788810/24577794, 4435075/24577794], [2613072/12288897, 8788810/12288897,
    887015/12288897], [1425312/73733382, 8788810/73733382, 70074185/73733382]])
W = np.array([0.950428545, 1, 1.088900371])
def dense(v, kernel):
    u, s, t = np.linalg.svd(kernel)
    return sum(along(along(v, u[:, k] * s[k], 0), t[k], 1) for k in range(3) if s[k] > 1e-12 * s[0])
def contrast(p):
    r = int(np.ceil(3 * np.sqrt(0.04 / (2 * np.pi**2)) * ppd))
    y, x = np.mgrid[-r:r + 1, -r:r + 1] / ppd
    g = sum(h * np.sqrt(np.pi / w) * np.exp(-np.pi**2 * (x * x + y * y) / w) for h, w in p)
    return g / g.sum()
def feature(of):
    sd = 0.5 * 0.082 * ppd; r = int(np.ceil(3 * sd))
    y, x = np.mgrid[-r:r + 1, -r:r + 1]
    g = np.exp(-(x * x + y * y) / (2 * sd * sd))
    g = -x * g if of == "edge" else (x * x / sd**2 - 1) * g
    return np.where(g < 0, g / -g[g < 0].sum(), g / g[g > 0].sum())
def lab(rgb):
    t = rgb @ M.T / W
    f = np.where(t > (6/29)**3, np.cbrt(t), t / (3 * (6/29)**2) + 4/29)
    L = 116 * f[..., 1] - 16
    return np.stack([L, .01 * L * 500 * (f[..., 0] - f[..., 1]), .01 * L * 200 * (f[..., 1] - f[..., 2])], -1)
def hyab(p, q):
    d = p - q
    return (abs(d[..., 0]) + np.hypot(d[..., 1], d[..., 2])) ** 0.7
def stages(v):
    v = np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)
    X, Y, Z = np.moveaxis(v @ M.T / W, -1, 0)
    y, cx, cz = 116 * Y - 16, 500 * (X - Y), 200 * (Y - Z)
    kernels = [feature("edge"), feature("edge").T, feature("point"), feature("point").T]
    f = [dense((y + 16) / 116, k) for k in kernels]
    y, cx, cz = (dense(c, contrast(p)) for c, p in ((y, [(1, .0047)]), (cx, [(1, .0053)]),
        (cz, [(34.1, .04), (13.5, .025)])))
    Y = (y + 16) / 116
    rgb = (np.stack([Y + cx / 500, Y, Y - cz / 200], -1) * W @ np.linalg.inv(M).T).clip(0, 1)
    return lab(rgb), np.hypot(f[0], f[1]), np.hypot(f[2], f[3])
(p, e, s), (q, f, t) = stages(a), stages(b)
most = hyab(lab(np.array([0., 1, 0])), lab(np.array([0., 0, 1])))
c = hyab(p, q)
c = np.where(c < .4 * most, .95 / (.4 * most) * c, .95 + (c - .4 * most) / (.6 * most) * .05)
flip = c ** (1 - np.sqrt(np.maximum(abs(e - f), abs(s - t)) / np.sqrt(2)))
# MS-SSIM
tap = np.exp(-0.5 * (np.arange(-5, 6) / 1.5) ** 2); tap /= tap.sum()
def smooth(v): return along(along(v, tap, 0), tap, 1)[5:-5, 5:-5]
def half(v):
    v = np.pad(v, [(0, v.shape[0] % 2), (0, v.shape[1] % 2)], "edge")
    return (v[::2, ::2] + v[1::2, ::2] + v[::2, 1::2] + v[1::2, 1::2]) / 4
made = []
for k in range(3):
    p, q, product = a[..., k], b[..., k], 1
    for n, w in enumerate((0.0448, 0.2856, 0.3001, 0.2363, 0.1333)):
        up, uq = smooth(p), smooth(q)
        vp, vq, vpq = smooth(p * p) - up * up, smooth(q * q) - uq * uq, smooth(p * q) - up * uq
        cs = (2 * vpq + 0.0009) / (vp + vq + 0.0009)
        l = (2 * up * uq + 0.0001) / (up**2 + uq**2 + 0.0001)
        product *= (cs if n < 4 else l * cs).mean() ** w
        p, q = half(p), half(q)
    made.append(product)
print(repr(float(flip.mean())), repr(float(np.mean(made))))
END
    read -r flip msssim < want
    run halo compare a.ppm b.ppm --json --measure msssim,flip
    echo "$output" > said
    near flip "$flip" 1e-9; near msssim "$msssim" 1e-10
    halo compare a.ppm b.ppm --json --measure msssim,flip -j 1 | cmp - said
}

@test "CIEDE2000 is scikit-image's, up to its matrix" {
    need skimage.color
    make_colours
    "$PYTHON" - > want << 'END'
import numpy as np
from skimage.color import rgb2lab, deltaE_ciede2000
d = deltaE_ciede2000(*(rgb2lab(np.load(f + ".npy")) for f in "ab"))
print(d.mean(), np.percentile(d, 95), d.max())
END
    read -r mean most max < want
    run halo compare a.ppm b.ppm --json --measure deltae
    echo "$output" > said
    near deltae "$mean" 3e-4; near deltae95 "$most" 3e-3; near deltaemax "$max" 3e-3
}

@test "more measures in text and CSV, as limits, and where there are none" {
    printf 'P3\n2 1\n255\n10 20 30  200 100 50\n' > a.ppm
    printf 'P3\n2 1\n255\n10 20 30  200 100 90\n' > b.ppm
    run halo compare a.ppm b.ppm --measure all
    [[ "$output" == *"MS-SSIM      of pictures of 176 pixels"* && "$output" == *"CIEDE2000    mean "* &&
        "$output" == *"FLIP         0."* ]]
    run halo compare a.ppm b.ppm --at-most flip=0.001
    [ "$status" -eq 6 ]; [[ "$output" == *"flip is above 0.001"* ]]
    run halo compare a.ppm b.ppm --at-most deltae=50,flip=1 --at-least psnr=1
    [ "$status" -eq 0 ]
    run halo compare a.ppm b.ppm --at-least msssim=0.5
    [ "$status" -eq 6 ]; [[ "$output" == *"msssim is undefined"* ]]
    run halo compare a.ppm b.ppm --csv --measure flip
    [ "${#lines[@]}" -eq 2 ]
    [[ "${lines[0]}" == a,b,image,within,*,flip,lag,correlation ]]
    [[ "${lines[1]}" == a.ppm,b.ppm,,false,6,1,40,* ]]
    run --separate-stderr halo compare a.ppm b.ppm --measure dip
    [ "$status" -eq 2 ]; says 'not one of deltae, msssim, flip, all'
    run --separate-stderr halo compare a.ppm b.ppm --ppd 0
    [ "$status" -eq 2 ]; says 'from 1 to 1000'
    run halo compare a.ppm a.ppm --measure all --json
    [[ "$output" == *'"deltae":0,"deltae95":0,"deltaemax":0,"msssim":null,"flip":0'* ]]
}
