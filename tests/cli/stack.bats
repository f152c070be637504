# `halo stack`: many images into one, against NumPy.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

# frames COUNT: f0.pgm, f1.pgm … and the same as floats and 16 bits, with colours; and what NumPy makes of them.
frames() {
    need_numpy
    "$PYTHON" - "$1" << 'END'
import sys, numpy as np
n = int(sys.argv[1])
r = np.random.default_rng(n)
a = r.integers(0, 256, (n, 23, 31, 3)).astype(np.uint8)
a[:, 5, 5] = 7
d = r.integers(0, 65536, (n, 23, 31)).astype(np.uint16)
f = r.normal(0, 1, (n, 23, 31)).astype(np.float32)
for k in range(n):
    open("a%03d.ppm" % k, "wb").write(b"P6 31 23 255\n" + a[k].tobytes())
    open("d%03d.pgm" % k, "wb").write(b"P5 31 23 65535\n" + d[k].astype(">u2").tobytes())
    np.save("f%03d.npy" % k, f[k])
def clip(v, by):
    v = v.astype(np.float64)
    near = np.abs(v - np.median(v, 0)) <= by * v.std(0)
    return (v * near).sum(0) / near.sum(0)
for name, v in (("a", a), ("d", d), ("f", f)):
    w = v.astype(np.float64)
    for what, made in (("mean", w.mean(0)), ("median", np.median(w, 0)), ("min", w.min(0)), ("max", w.max(0)),
        ("sd", w.std(0)),
                       ("range", w.max(0) - w.min(0)), ("clip", clip(v, 1.5))):
        np.save("want_%s_%s.npy" % (name, what), made.astype(np.float32))
    np.save("want_%s_sum.npy" % name, w.sum(0))
END
}

# alike WHAT NAME BOUND OPTION...: of the frames of that name.
alike() {
    local what=$1 name=$2 bound=$3 ext=ppm
    [ "$name" = d ] && ext=pgm
    [ "$name" = f ] && ext=npy
    halo stack "$what" "$name"???.$ext -o out.npy -f "${@:4}"
    case $what in mean:*) what=clip ;; esac
    "$PYTHON" -c 'import sys, numpy as np
a, b = np.load("out.npy").squeeze(), np.load(sys.argv[1])
assert a.dtype == b.dtype, (a.dtype, b.dtype)
assert a.shape == b.shape and np.abs(a - b).max() <= float(sys.argv[2]) * max(1, np.abs(b).max()), \
    np.abs(a - b).max()' "want_${name}_$what.npy" "$bound" || { echo "$what of $name"; return 1; }
}

@test "mean, median, min, max, sum, sd, range and the clipped mean are NumPy's" {
    for count in 7 12; do
        rm -f ./*.ppm ./*.pgm ./*.npy
        frames $count
        for name in a d f; do
            for what in median min max range; do alike $what $name 0; done
            for what in mean sum; do alike $what $name $([ $name = f ] && echo 1e-7 || echo 0); done
            for what in sd mean:clip=1.5; do alike $what $name 2e-7; done
        done
    done
}

@test "the same bytes in bands of any size, with any number of threads and of files that may be open" {
    frames 40
    halo stack median a*.ppm -o want.ppm
    halo stack median a*.ppm -o out.ppm -j 1 && cmp out.ppm want.ppm
    (ulimit -n 40 && halo stack median a*.ppm -o out.ppm -f -j 2) && cmp out.ppm want.ppm
    (ulimit -n 40 && halo stack median a*.ppm -o out.ppm -f -j 2 --max-memory 300K) && cmp out.ppm want.ppm
    halo stack median a*.ppm -o - --to ppm | cmp - want.ppm
    halo stack median a*.ppm -o out.png && halo run '' out.png -o out.ppm -f && cmp out.ppm want.ppm
    run --separate-stderr halo stack median a*.ppm -o x.ppm --max-memory 2K
    [ "$status" -eq 5 ] && [ ! -e x.ppm ]
}

@test "an expression of reduce, with a map and an identity" {
    frames 7
    halo stack 'reduce:"a*b",identity=1,map="v/128"' a*.ppm -o out.npy
    "$PYTHON" -c 'import numpy as np, glob
a = [np.frombuffer(open(f, "rb").read()[13:], np.uint8).reshape(23, 31, 3) / 128 for f in \
    sorted(glob.glob("a*.ppm"))]
assert np.array_equal(np.load("out.npy"), np.prod(a, 0))'
    halo stack 'max(a,b)' d*.pgm -o one.pgm
    halo stack max d*.pgm -o two.pgm
    cmp one.pgm two.pgm
}

@test "an expression without an identity starts with the first image, and leaves NaN out" {
    need_numpy
    "$PYTHON" -c 'import numpy as np
np.save("a.npy", np.float32([[-1, -5, np.nan, np.nan]]))
np.save("b.npy", np.float32([[-2, -3, -4, np.nan]]))'
    expect() {
        halo stack "$1" a.npy b.npy -o out.npy -f
        "$PYTHON" -c 'import numpy as np, sys
got, nan = np.load("out.npy").ravel(), np.nan
assert np.array_equal(got, eval(sys.argv[1]), equal_nan=True), got' "$2" || { echo "$1"; return 1; }
    }
    expect 'max(a,b)' '[-1, -3, -4, nan]'
    expect 'min(a,b)' '[-2, -5, -4, nan]'
    expect 'a*b' '[2, 15, -4, nan]'
    expect 'reduce:"max(a,b)",map="v*2"' '[-2, -6, -8, nan]'
    expect 'reduce:"max(a,b)",identity=0' '[0, 0, 0, 0]'
    expect 'reduce:"max(a,b)",-3.5' '[-1, -3, -3.5, -3.5]'
}

@test "pages, folders and an image from a pipe as inputs" {
    frames 7
    cat a000.ppm a001.ppm a002.ppm > three.ppm
    halo run '' - -o three.tif --to tiff < three.ppm
    halo stack mean three.tif a003.ppm -o pages.npy
    halo stack mean a000.ppm a001.ppm a002.ppm a003.ppm -o files.npy
    cmp pages.npy files.npy
    mkdir deep && cp a00[0-3].ppm deep
    halo stack mean deep -r -o walked.npy
    cmp walked.npy files.npy
    halo stack mean a000.ppm - a002.ppm a003.ppm -o piped.npy < a001.ppm
    cmp piped.npy files.npy
}

@test "every page is read, of files and of standard input: TIFF, arrays, concatenated images and raw frames" {
    frames 7
    cat a*.ppm > all.ppm
    halo stack median a*.ppm -o want.ppm
    halo run '' - -o all.tif --to tiff < all.ppm
    halo run '' all.tif -o all.npy
    halo run '' all.ppm -o all.raw
    for input in all.ppm all.tif "all.npy --axes nhwc" "all.raw --raw u8:31x23x3"; do
        # shellcheck disable=SC2086
        halo stack median $input -o out.ppm -f
        cmp out.ppm want.ppm || { echo "$input"; return 1; }
        # shellcheck disable=SC2086
        (ulimit -n 30 && halo stack median $input -o out.ppm -f --max-memory 300K)
        cmp out.ppm want.ppm || { echo "$input, opened again"; return 1; }
        read -r file options <<< "$input"
        # shellcheck disable=SC2086,SC2002
        cat "$file" | halo stack median - $options -o out.ppm -f
        cmp out.ppm want.ppm || { echo "$input through a pipe"; return 1; }
        # shellcheck disable=SC2086
        halo stack median - $options -o out.ppm -f < "$file"
        cmp out.ppm want.ppm || { echo "$input as standard input"; return 1; }
    done
    halo stack median a000.ppm - a006.ppm -o out.ppm -f < <(cat a00[1-5].ppm)
    cmp out.ppm want.ppm
    run --separate-stderr halo stack median - -o x.ppm --max-memory 10K < all.ppm
    [ "$status" -eq 5 ] && [ ! -e x.ppm ]
    run --separate-stderr bash -c '{ cat a000.ppm; head -c 100 a001.ppm; } | "$HALO" stack median - -o x.ppm'
    [ "$status" -eq 1 ] && says "page 2" && [ ! -e x.ppm ]
}

@test "NaN propagates, overflowing sums are reported, and 16 bits stay 16" {
    need_numpy
    "$PYTHON" -c 'import numpy as np
v = np.ones((4, 5), np.float32); np.save("a.npy", v); v[1, 1] = np.nan; np.save("b.npy", v)'
    for what in mean median min max sd range mean:clip=2 sum; do
        halo stack $what a.npy b.npy a.npy -o out.npy -f
        "$PYTHON" -c \
            'import numpy as np; v = np.load("out.npy"); assert np.isnan(v[1, 1]) and np.isnan(v).sum() == 1' ||
            { echo $what; return 1; }
    done
    printf 'P5 2 1 255 \310\001' > u.pgm
    run --separate-stderr halo stack sum u.pgm u.pgm -o out.pgm
    [ "$status" -eq 0 ] && says "1 sample is clipped"
    [ "$(tail -c 2 out.pgm | od -An -tu1 | tr -s ' ')" = " 255 2" ]
    printf 'P5 1 1 65535 \001\003' > d.pgm
    halo stack mean d.pgm d.pgm -o out.png && halo info out.png | grep -q 'read as u16'
}

@test "inputs that do not fit and invalid parameters are reported" {
    make_rgb a.ppm 20 10; make_rgb b.ppm 10 20; make_gray g.pgm 20 10; make_wav s.wav 50
    wrong() { # STATUS TEXT COMMAND...
        run --separate-stderr "${@:3}"
        [ "$status" -eq "$1" ] && says "$2" && [ ! -e x.ppm ] || { echo "${*:3}: $status $stderr"; return 1; }
    }
    wrong 1 "b.ppm is 10 x 20 with 3 channels, and a.ppm is 20 x 10 with 3" halo stack mean a.ppm b.ppm -o x.ppm
    wrong 1 "g.pgm is 20 x 10 with 1 channel" halo stack mean a.ppm g.pgm -o x.ppm
    halo run depth:u16 a.ppm -o d.ppm
    wrong 1 "d.ppm has u16 samples, and a.ppm has u8; use 'halo run depth:…' to convert them" halo stack mean \
        a.ppm d.ppm -o x.ppm
    wrong 1 "only images can be stacked" halo stack mean s.wav -o x.ppm
    wrong 1 "none.ppm: No such file" halo stack mean a.ppm none.ppm -o x.ppm
    wrong 2 "did you mean 'median'" halo stack medain a.ppm -o x.ppm
    wrong 2 "clip" halo stack mean:clip=0 a.ppm -o x.ppm
    wrong 2 "clip" halo stack mean:3 a.ppm -o x.ppm
    wrong 2 "halo: stack: column 3: expected a value, found the end" halo stack 'a+' a.ppm -o x.ppm
    wrong 2 "halo: stack: column 2: 'v' is not one of a, b" halo stack '(v-mean)' a.ppm -o x.ppm
    wrong 2 "halo: stack: column 4: expected an operator" halo stack 'a+b" | gauss:2 | stats:"' a.ppm -o x.ppm
    wrong 2 "halo: reduce: map: column 1" halo stack 'reduce:"a+b",map=w' a.ppm -o x.ppm
    wrong 2 "an input is missing" halo stack mean -o x.ppm
    wrong 2 "an output is missing" halo stack mean a.ppm
    cp a.ppm keep.ppm
    wrong 2 "a.ppm" halo stack mean a.ppm a.ppm -o a.ppm -f
    cmp a.ppm keep.ppm
    head -c 300 a.ppm > cut.ppm
    wrong 1 "cut.ppm" halo stack mean a.ppm cut.ppm -o x.ppm
}

@test "pictures are turned upright where the output does not say how they lie" {
    make_rgb a.ppm 7 5; halo run '' a.ppm -o a.png; with_orientation a.png > lies.png
    halo run orient lies.png -o upright.ppm
    run --separate-stderr halo stack mean lies.png lies.png -o x.ppm
    [ "$status" -eq 0 ]; says 'turned as EXIF says'; cmp x.ppm upright.ppm
    run --separate-stderr halo stack mean lies.png lies.png -o x.png --strip
    [ "$status" -eq 0 ]; says 'turned as EXIF says'; halo convert x.png x.ppm -f; cmp x.ppm upright.ppm
    run --separate-stderr halo stack mean lies.png lies.png -o y.png
    [ "$status" -eq 0 ]; [ -z "$stderr" ]
    [[ "$(halo info --json y.png)" == *'"width":7,"height":5'*'"orientation":6,'* ]]
    run --separate-stderr halo stack mean lies.png a.png -o z.png
    [ "$status" -eq 1 ]; says 'a.png is to be turned otherwise than lies.png'; [ ! -e z.png ]
}
