# TIFF as it is compressed: --effort, and what libtiff's own programs read.
# shellcheck disable=SC2154
setup() {
    load common; common_setup
    if "$HALO" --version | grep -q 'no TIFF'; then skip "this build has no TIFF"; fi
}

@test "--effort of TIFF: the same samples, smaller files, the same bytes from any threads" {
    make_rgb noise.ppm 300 200
    halo run gauss:3 noise.ppm -o in.ppm
    for how in "" "--tile 64" --pyramid; do
        for effort in 1 2 5 9; do
            # shellcheck disable=SC2086
            for jobs in 1 3; do halo run '' in.ppm -o $jobs.tif -f -j$jobs $how --effort $effort; done
            cmp 1.tif 3.tif
            halo run '' 1.tif -o out.ppm -f
            cmp out.ppm in.ppm
            mv 1.tif effort$effort.tif
        done
        # shellcheck disable=SC2086
        halo run '' in.ppm -o default.tif -f $how
        cmp default.tif effort1.tif
        [ "$(stat -c %s effort9.tif)" -lt "$(stat -c %s default.tif)" ]
    done
    run --separate-stderr halo run '' in.ppm -o x.png --effort 5
    [ "$status" -eq 2 ]; says "JPEG XL and TIFF, not for png"
    [ ! -e x.png ]
}

# Pictures of each type and number of channels, of one column too, through libtiff's own tiffcp, which
# writes them without compression.
@test "tiffcp reads each type of samples in strips and tiles" {
    need_numpy
    command -v tiffcp > /dev/null || skip "tiffcp is not installed"
    "$PYTHON" - << 'END'
import os, struct, subprocess, numpy as np
r = np.random.default_rng(5)
halo = os.environ["HALO"]
def samples(path):
    b = open(path, "rb").read()
    at, = struct.unpack_from("<I", b, 4)
    tag = {}
    for i in range(struct.unpack_from("<H", b, at)[0]):
        t, kind, n, value = struct.unpack_from("<HHII", b, at + 2 + 12 * i)
        code = {3: "H", 4: "I"}.get(kind)
        where = at + 10 + 12 * i if code and n * struct.calcsize(code) <= 4 else value
        tag[t] = struct.unpack_from(f"<{n}{code}", b, where) if code else None
    assert tag[259] == (1,) and tag.get(317, (1,)) == (1,), "still compressed"
    return b"".join(b[o:o + n] for o, n in zip(tag[273], tag[279]))
def short(*v): return struct.pack(f"<{len(v)}H", *v)
def write(path, a):
    h, w, c = a.shape
    colours = 3 if c > 2 else 1
    tags = [(256, short(w)), (257, short(h)), (258, short(*[8 * a.itemsize] * c)), (259, short(1)),
            (262, short(2 if c > 2 else 1)), (273, b""), (277, short(c)), (278, short(h)),
            (279, struct.pack("<I", a.nbytes)), (338, short(*[0] * (c - colours))),
            (339, short(*[{"u": 1, "i": 2, "f": 3}[a.dtype.kind]] * c))]
    tags = [t for t in tags if t[1] or t[0] == 273]
    more, entries, end = b"", b"", 8 + 2 + 12 * len(tags) + 4
    for tag, value in tags:
        if tag == 273: value = struct.pack("<I", end + 64)
        kind = 4 if tag in (273, 279) else 3
        count = len(value) // (4 if kind == 4 else 2)
        if len(value) > 4: more, value = more + value, struct.pack("<I", end + len(more))
        entries += struct.pack("<HHI", tag, kind, count) + value.ljust(4, b"\0")
    open(path, "wb").write(b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + bytes(4) +
                           more.ljust(64, b"\0") + a.tobytes())
cases = [("u1", 53, 3), ("u1", 1, 1), ("u1", 2, 4), ("u2", 53, 1), ("u2", 1, 3), ("u2", 17, 2), ("i2", 33, 1),
         ("i4", 33, 3), ("u4", 1, 1), ("u4", 19, 2), ("f2", 33, 1), ("f4", 33, 3), ("f8", 33, 1), ("u1", 40, 5)]
for kind, width, channels in cases:
    shape, bits = (37, width, channels), 8 * int(kind[1])
    low, high = (-2**(bits - 1), 2**(bits - 1)) if kind[0] == "i" else (0, 2**bits)
    a = (r.standard_normal(shape) if kind[0] == "f" else r.integers(low, high, shape)).astype("<" + kind)
    if bits == 32 and kind[0] != "f": a >>= 8 # f32 holds them
    a[5:20] = a[5]
    write("a.tif", a)
    for how in [[], ["--tile", "16"]]:
        subprocess.run([halo, "run", "", "a.tif", "-o", "b.tif", "-f", *how], check=True)
        subprocess.run(["tiffcp", "-c", "none", "-s", "b.tif", "c.tif"], check=True)
        assert samples("c.tif") == a.tobytes(), (kind, width, channels, how)
END
}

@test "tiffcp reads black and white of one bit" {
    command -v tiffcp > /dev/null || skip "tiffcp is not installed"
    for width in 1 7 8 61; do
        make_gray in.pgm $width 40
        halo run threshold:50% in.pgm -o in.pbm -f
        halo run '' in.pbm -o a.tif --bits 1 -f
        tiffcp -c none a.tif b.tif
        halo run '' b.tif -o out.pbm -f
        cmp out.pbm in.pbm
    done
}

@test "pages of several sizes: the same bytes from any threads, and each page as it was" {
    local n
    make_rgb 1.ppm 90 300; make_rgb 2.ppm 91 300; cp 2.ppm 3.ppm; make_rgb 4.ppm 90 2; cp 1.ppm 5.ppm
    cat ?.ppm | "$HALO" run '' - -o - --to ppm > all.ppm
    for how in "" "--tile 32" "--pyramid --tile 16"; do
        # shellcheck disable=SC2002,SC2086
        for n in 1 3; do cat all.ppm | "$HALO" run '' - -o - --to tiff -j$n $how > $n.tif; done
        cmp 1.tif 3.tif
        halo run '' 1.tif -o - --to ppm | cmp - all.ppm
    done
}
