# Secondary inputs: a file, one for each input, or a branch of the pipeline.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

make_pictures() {
    need_numpy
    "$PYTHON" - << 'END'
import numpy as np
r = np.random.default_rng(1)
def pnm(name, a):
    h, w, c = a.shape
    head = b"P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n" % (
        w, h, c, 255 if a.dtype == np.uint8 else 65535, [b"", b"GRAYSCALE", b"GRAYSCALE_ALPHA", b"RGB",
            b"RGB_ALPHA"][c])
    open(name, "wb").write(head + a.astype(">u2" if a.dtype == np.uint16 else a.dtype).tobytes())
def draw(name, h, w, c, t=np.uint8):
    a = r.integers(0, np.iinfo(t).max + 1, (h, w, c)).astype(t)
    pnm(name, a)
    return a
a, dark = draw("a.pam", 37, 53, 3), draw("dark.pam", 37, 53, 3)
gray, pixel, one = draw("gray.pam", 37, 53, 1), draw("pixel.pam", 1, 1, 3), draw("one.pam", 1, 1, 1)
deep, clear = draw("deep.pam", 37, 53, 3, np.uint16), draw("clear.pam", 37, 53, 4)
def minus(x, y): return np.clip(x.astype(np.float64) - y, 0, 255).astype(np.uint8)
for name, other in (("dark", dark), ("gray", gray), ("pixel", pixel), ("one", one)):
    pnm("want_%s.pam" % name, minus(a, other))
pnm("want_deep.pam",
    np.clip(np.rint(a.astype(np.float32) - deep.astype(np.float32) / np.float32(257)), 0, 255).astype(np.uint8))
with_alpha = minus(clear, draw("dark4.pam", 37, 53, 4))
with_alpha[..., 3] = clear[..., 3]
pnm("want_clear.pam", with_alpha)
END
}

@test "subtract is NumPy's difference: a picture, one pixel, one channel, another depth, alpha that stays" {
    make_pictures
    for side in dark gray pixel one deep; do
        halo run "subtract:$side.pam" a.pam -o out.pam -f -q
        cmp out.pam "want_$side.pam" || { echo "$side"; return 1; }
        halo run "subtract:$side.pam" - -o - -q < a.pam | cmp - "want_$side.pam" ||
            { echo "$side on pipes"; return 1; }
    done
    halo run subtract:dark4.pam clear.pam -o out.pam -f -q
    cmp out.pam want_clear.pam
    run --separate-stderr halo run subtract:a.pam a.pam -o zero.pam -f
    [ -z "$stderr" ] || { echo "$stderr"; return 1; }
    halo run stats zero.pam --json | grep -q '"max":0[,}]'
}

@test "a branch starts from the value that reaches it, and branches nest" {
    make_rgb a.ppm 40 30
    halo run median:3 a.ppm -o m.ppm
    halo run subtract:m.ppm a.ppm -o by_file.pfm -q
    halo run 'subtract:[median:3]' a.ppm -o by_branch.pfm -q
    cmp by_file.pfm by_branch.pfm
    halo run 'subtract:with=[ subtract: [median:3] ]' a.ppm -o nested.ppm -q
    cmp nested.ppm m.ppm
    halo run invert a.ppm -o i.ppm
    halo run 'median:3,border=zero | rank:1' i.ppm -o b.ppm
    halo run subtract:b.ppm i.ppm -o by_file.pfm -f
    halo run 'invert | subtract:[median:3,border=zero | rank:1]' a.ppm -o by_branch.pfm -f
    cmp by_file.pfm by_branch.pfm
    halo run 'subtract:[scan:op=max,axis=x]' a.ppm -o scan.npy
    halo run 'subtract:[scan:op=max,axis=x | depth:f32]' a.ppm -o floats.npy
    cmp scan.npy floats.npy
    halo run 'subtract:[depth:u16]' a.ppm -o zero.ppm -q # what a branch says of its depth is its own
    head -c 15 zero.ppm | grep -q 255
}

@test "a file is named after each input" {
    mkdir raw dark out
    for i in 1 2 3; do make_rgb raw/$i.ppm $((10 + i)) 8; halo run box:3 raw/$i.ppm -o dark/$i-dark.ppm; done
    halo run 'subtract:{dir}/../dark/{stem}-dark.ppm' raw/*.ppm --out-dir out -q
    for i in 1 2 3; do
        halo run subtract:dark/$i-dark.ppm raw/$i.ppm -o one.ppm -f -q; cmp one.ppm out/$i.ppm
    done
    (cd dark && halo run 'subtract:{dir}/{name}' 1-dark.ppm -o ../zero.ppm -q)
    run --separate-stderr halo run 'subtract:{stem}.ppm' - -o x.ppm < raw/1.ppm
    [ "$status" -eq 2 ] && says "standard input has none"
    run --separate-stderr halo run 'subtract:{stme}.ppm' raw/1.ppm -o x.ppm
    [ "$status" -eq 2 ] && says "did you mean 'stem'"
    run --separate-stderr halo run 'subtract:dark/{stem}.ppm' raw/1.ppm raw/2.ppm --out-dir none
    [ "$status" -eq 1 ] && says "dark/1.ppm: No such file"
}

@test "a dark frame is read once, for a hundred files and several workers" {
    command -v strace > /dev/null || skip "no strace"
    mkdir in
    for i in $(seq 100); do printf 'P5 4 4 255 abcdefghijklmnop' > in/$i.pgm; done
    printf 'P5 4 4 255 aaaaaaaaaaaaaaaa' > dark.pgm
    strace -f -e trace=openat -o trace "$HALO" run subtract:dark.pgm in/ -r --out-dir out -j 3 -q
    [ "$(grep -c 'dark\.pgm' trace)" -eq 1 ] || { grep 'dark\.pgm' trace; return 1; }
    [ "$(ls out | wc -l)" -eq 100 ]
}

@test "-f does not overwrite a dark frame" {
    make_rgb a.ppm 9 9; make_rgb dark.ppm 9 9
    cp dark.ppm before
    for text in subtract:dark.ppm 'subtract:[subtract:dark.ppm]'; do
        run --separate-stderr halo run "$text" a.ppm -o dark.ppm -f
        [ "$status" -eq 2 ] && says "dark.ppm is read by the pipeline"
    done
    cp dark.ppm a.dark
    run --separate-stderr halo run 'subtract:{stem}.dark' a.ppm -o a.dark --to ppm -f
    [ "$status" -eq 2 ] && says "a.dark is read by the pipeline"
    cmp dark.ppm before
    cmp a.dark before
}

@test "sizes that do not fit are an error that names both" {
    make_rgb a.ppm 19 18; make_rgb b.ppm 18 19; make_gray g.pgm 19 18; make_wav s.wav 50
    make_wav t.wav 50 16000
    run --separate-stderr halo run subtract:b.ppm a.ppm -o x.ppm
    [ "$status" -eq 1 ] && says "b.ppm is 18 x 19 with 3 channels, and the input is 19 x 18 with 3 channels"
    run --separate-stderr halo run subtract:a.ppm g.pgm -o x.pgm
    [ "$status" -eq 1 ] && says "a.ppm is 19 x 18 with 3 channels, and the input is 19 x 18 with 1 channel"
    run --separate-stderr halo run 'subtract:[gauss:1,border=valid]' a.ppm -o x.ppm
    [ "$status" -eq 1 ] && says "the branch is 11 x 10 with 3 channels, and the input is 19 x 18"
    run --separate-stderr halo run subtract:s.wav a.ppm -o x.ppm
    [ "$status" -eq 1 ] && says "s.wav is audio, and the input is an image"
    run --separate-stderr halo run subtract:t.wav s.wav -o x.wav
    [ "$status" -eq 1 ] && says "t.wav has a sample rate of 16000 Hz, and the input of 8000 Hz"
    for text in 'subtract:[stats]' 'subtract:[gauss:1' 'subtract:' 'subtract:[nothing]' \
        'subtract:[gauss:1]]'; do
        run --separate-stderr halo run "$text" a.ppm -o x.ppm
        [ "$status" -ne 0 ] && [ "$status" -lt 128 ] && [ -n "$stderr" ] && [ ! -e x.ppm ]
    done
}

@test "sound: an operand of the same length, also for input from a pipe, and a branch in blocks" {
    make_wav s.wav 5000; make_wav longer.wav 6000
    halo run gauss:3 s.wav -o g.wav -q
    halo run subtract:g.wav s.wav -o out.wav -q
    halo run subtract:g.wav - -o - < s.wav | cmp - out.wav
    (head -c 40 s.wav; printf '\xff\xff\xff\xff'; tail -c +45 s.wav) |
        halo run subtract:g.wav - -o - -q > endless.wav
    halo run subtract:out.wav endless.wav -o zero.wav -q
    halo run stats zero.wav --json | grep -q '"max":0[,}]'
    run --separate-stderr halo run subtract:g.wav longer.wav -o x.wav
    [ "$status" -eq 1 ] && says "g.wav is 5000 frames of 1 channel, and the input is 6000 frames of 1 channel"
    halo run 'subtract:[gauss:3]' s.wav -o whole.wav -q
    halo run 'subtract:[gauss:3]' - -o - --latency 20 -q < s.wav | cmp - whole.wav
}

@test "secondary inputs count as memory, and --linear decodes them, too" {
    head -c 3000000 /dev/zero | tr '\0' '\200' > noise
    (printf 'P6 1000 1000 255 '; cat noise) > large.ppm
    run --separate-stderr halo run subtract:large.ppm large.ppm -o x.ppm --max-memory 2M
    [ "$status" -eq 1 ] && says "MiB"
    make_rgb a.ppm 20 20; make_rgb b.ppm 20 20
    halo run gauss:1 a.ppm -o b.ppm -f
    halo run subtract:b.ppm a.ppm -o one.ppm --linear -q
    halo run linear b.ppm -o b.pfm -q
    halo run linear a.ppm -o a.pfm -q
    halo run 'subtract:b.pfm | clamp:min=0,max=1 | srgb' a.pfm -o want.pfm -q
    halo run depth:u8 want.pfm -o want.ppm -q
    cmp want.ppm one.ppm
}

# Files of more than 256 KiB of samples are read in step with the input.
@test "long secondary inputs are read in step, from files and pipes, forwards and backwards" {
    need_numpy
    "$PYTHON" - << 'END'
import numpy as np
draw = np.random.default_rng(8)
for name, n, c in (('a', 90000, 2), ('b', 150000, 2), ('m', 70000, 1), ('n', 120000, 2)):
    x = (draw.standard_normal((n, c)) * 0.1).astype(np.float32)
    if name == 'n': x[50000] = np.nan
    x.tofile(name + '.f32')
END
    halo run '' --raw f32,8000,2 b.f32 -o b.wav -q
    halo run '' --raw f32,8000,1 m.f32 -o m.wav -q
    halo run '' --raw f32,8000,2 n.f32 -o n.wav -q
    halo run '' b.wav -o b.flac --bits 24 -q
    halo run '' b.flac -o b24.f32 --to raw --bits float -q
    cat > mixed.py << 'END'
import subprocess, sys
import numpy as np
halo = sys.argv[1]
load = lambda name, c: np.fromfile(name, np.float32).reshape(-1, c)
a = load('a.f32', 2)
def expected(a, b, at, absent, op):
    n = max(len(a), len(b) + at)
    x, y = np.full((n, 2), absent, np.float32), np.full((n, 2), absent, np.float32)
    x[:len(a)], y[at:at + len(b)] = a, b
    return op(x, y)
def same(got, want):
    assert got.shape == want.shape and (got.view(np.uint32) == want.view(np.uint32)).all(), (got.shape,
        want.shape)
def run(a, pipeline, piped, *more):
    a.tofile('in.f32')
    said = subprocess.run([halo, 'run', '--raw', 'f32,8000,2', pipeline, '-' if piped else 'in.f32', '-o', '-',
        '--to', 'raw', *more],
                          stdin=open('in.f32', 'rb') if not piped else subprocess.Popen(['cat', 'in.f32'],
                              stdout=subprocess.PIPE).stdout,
                          capture_output=True)
    assert said.returncode == 0, said.stderr
    return np.frombuffer(said.stdout, np.float32).reshape(-1, 2)
for piped in (False, True):
    for frames in (90000, 3):
        part = a[:frames]
        for name, raw, c in (('b.wav', 'b.f32', 2), ('m.wav', 'm.f32', 1), ('n.wav', 'n.f32', 2),
            ('b.flac', 'b24.f32', 2)):
            b, at = load(raw, c), 12000
            same(run(part, f'add:with={name}', piped), expected(part, b, 0, 0, np.add))
            same(run(part, f'multiply:with={name},at=1.5s', piped), expected(part, b, at, 1, np.multiply))
        both = expected(part, load('b.f32', 2), 12000, 0, np.add)
        same(run(part, 'add:with=b.wav,at=1.5s | reverse', piped), both[::-1])
        same(run(part, 'add:with=b.wav,at=1.5s | trim:10s,12s', piped), both[80000:96000])
        same(run(part, 'trim:0,1s | add:with=b.wav', piped),
            expected(part[:8000], load('b.f32', 2), 0, 0, np.add))
        same(run(part, 'add:[add:with=b.wav | gain:0.5]', piped),
             expected(part, expected(part, load('b.f32', 2), 0, 0, np.add) * np.float32(0.5), 0, 0, np.add))
        whole = run(both, 'average:101 | lowpass:1kHz,design=butterworth,phase=causal', False)
        same(run(part, 'add:with=b.wav,at=1.5s | average:101 | lowpass:1kHz,design=butterworth,phase=causal',
            piped, '--latency', '7ms'), whole)
END
    "$PYTHON" mixed.py "$HALO"
    head -c 700000 b.wav > cut.wav
    run --separate-stderr halo run --raw f32,8000,2 add:with=cut.wav a.f32 -o x.wav
    [ "$status" -eq 1 ] && says cut.wav && [ ! -e x.wav ]
    run --separate-stderr halo run --raw f32,8000,1 add:with=b.wav - -o - < <(cat m.f32)
    [ "$status" -eq 1 ] &&
        says \
        "b.wav is 150000 frames of 2 channels, and the input is 1 channel: it has to have as many channels or one"
}

@test "an hour mixed with an hour takes the memory of a few bands, live too" {
    head -c 24000000 /dev/zero > h.f32
    halo run '' --raw f32,8000,1 h.f32 -o h.wav -q
    halo run add:with=h.wav --raw f32,8000,1 h.f32 -o x.wav -q --max-memory 20M
    # shellcheck disable=SC2002
    cat h.f32 | halo run add:with=h.wav,at=1s --raw f32,8000,1 - -o - -q --max-memory 20M | wc -c |
        grep -qx 24032000
    # Their lengths have to be known: a pipe is kept in a file.
    # shellcheck disable=SC2002
    cat h.f32 | halo run difference:with=h.wav --raw f32,8000,1 - -o y.raw --max-memory 20M
    [ "$(wc -c < y.raw)" -eq 24000000 ]
}
