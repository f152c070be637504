# Filters against NumPy, SciPy and OpenCV, and what they refuse.
# shellcheck disable=SC2016,SC2154
setup() { load common; common_setup; }

@test "median and rank are NumPy's sorted windows" {
    need_numpy
    make_gray a.pgm 37 23
    halo run '' a.pgm -o a.npy
    for size in 3 5 9; do
        halo run "median:window=$size,border=valid" a.pgm -o b.npy --force
        npy "
w = np.lib.stride_tricks.sliding_window_view(a, ($size, $size))
assert (np.median(w, axis=(2, 3)) == b).all()"
        halo run "rank:1,window=$size,border=valid" a.pgm -o b.npy --force
        npy "assert (np.lib.stride_tricks.sliding_window_view(a, ($size, $size)).max(axis=(2, 3)) == b).all()"
    done
}

@test "median removes a click from sound, and a window may be a time" {
    make_wav a.wav 400
    halo run median:window=5 a.wav -o b.wav
    halo run median:radius=2 a.wav -o c.wav
    halo run median:window=0.6ms a.wav -o d.wav
    cmp b.wav c.wav
    cmp b.wav d.wav
}

@test "median reports invalid windows" {
    make_gray a.pgm 9 9
    run --separate-stderr halo run median:window=4 a.pgm -o b.pgm
    [ "$status" -eq 2 ]
    says 'median: window has to be odd, not 4'
    run --separate-stderr halo run median:width=5,height=4 a.pgm -o b.pgm
    [ "$status" -eq 2 ]
    says 'median: height has to be odd, not 4'
    run --separate-stderr halo run median:radius=1,window=3 a.pgm -o b.pgm
    [ "$status" -eq 2 ]
    says 'radius and window both set the size; give one of them'
    run --separate-stderr halo run rank:1,window=3,height=5 a.pgm -o b.pgm
    [ "$status" -eq 2 ]
    says 'window and width or height both set the size; give one of them'
    make_wav a.wav 100
    run --separate-stderr halo run median:width=3,height=5 a.wav -o b.wav
    [ "$status" -eq 2 ]
    says 'median: audio has no height'
    run --separate-stderr halo run erode:40001,shape=disk a.pgm -o b.pgm
    [ "$status" -eq 2 ]
    says 'needs shape=box'
}

@test "erode, dilate, open and close are SciPy's, with any footprint" {
    need scipy.ndimage
    make_gray a.pgm 47 33
    halo run '' a.pgm -o a.npy
    for size in 'width=5,height=3' 'width=4,height=6' 'width=7,shape=disk' 'width=9,height=5,shape=cross'; do
        for op in erode dilate open close; do
            halo run "$op:$size,border=reflect" a.pgm -o b.npy --force
            npy "
from scipy import ndimage
args = dict(part.split('=') for part in '$size'.split(','))
w = int(args['width']); h = int(args.get('height', w)); shape = args.get('shape', 'box')
y, x = np.abs(np.mgrid[:h, :w] - np.array([h - 1, w - 1]).reshape(2, 1, 1) / 2)
window = {'box': x >= 0, 'cross': (x == 0) | (y == 0), 'disk': x * x + y * y <= (w // 2) ** 2}[shape]
# Of even windows SciPy's dilation has the other anchor, as the second of two has here.
grow = lambda v: ndimage.maximum_filter(v, footprint=window)
made = {'erode': lambda v: ndimage.grey_erosion(v, footprint=window), 'dilate': grow,
        'open': lambda v: ndimage.grey_opening(v, footprint=window),
        'close': lambda v: ndimage.minimum_filter(grow(v), footprint=window, origin=[(h % 2) - 1, (w % 2) - \
            1])}['$op'](a)
assert (made == b).all(), ('$op', '$size')"
        done
    done
}

# OpenCV may be missing; the sides of the images are multiples of the tiles, and not.
@test "equalize and clahe are OpenCV's" {
    need cv2
    make_gray noise.pgm 97 61
    halo run 'gauss:6 | normalize:min=40,max=170 | depth:u8' noise.pgm -o a.pgm
    halo run '' a.pgm -o a.npy
    halo run 'equalize | depth:u8' a.pgm -o b.npy
    npy 'import cv2
assert (cv2.equalizeHist(a) == b).all()'
    for tiles in 1 4 7 8 12 31; do
        for limit in 0 2 40; do
            halo run "clahe:tiles=$tiles,limit=$limit | depth:u8" a.pgm -o "b-$tiles-$limit.npy"
        done
    done
    npy 'import cv2
for tiles in 1, 4, 7, 8, 12, 31:
    for limit in 0, 2, 40:
        b = np.load(f"b-{tiles}-{limit}.npy")
        expected = cv2.createCLAHE(limit, (tiles, tiles)).apply(a)
        assert (expected == b).all(), (tiles, limit, np.abs(expected.astype(int) - b).max())'
    make_gray deep.pgm 96 64 65535
    halo run 'gauss:3' deep.pgm -o smooth.pgm
    halo run '' smooth.pgm -o a.npy --force
    halo run 'clahe:tiles=8,limit=30 | depth:u16' smooth.pgm -o b.npy --force
    npy 'import cv2
expected = cv2.createCLAHE(30, (8, 8)).apply(a)
assert (expected == b).all(), (np.abs(expected.astype(int) - b).max(), (expected != b).sum())'
}

@test "threshold:otsu is OpenCV's and scikit-image's, and takes a word, a percentage or a number" {
    make_gray noise.pgm 97 61
    halo run 'gauss:3 | normalize:min=10%,max=90% | depth:u8' noise.pgm -o a.pgm
    run --separate-stderr halo run threshold:otsy a.pgm -o b.pgm
    [ "$status" -eq 2 ]
    says "expected a number, a percentage or otsu|li|triangle|yen|isodata|minimum|mean, found 'otsy'"
    run --separate-stderr halo run clamp:50%% a.pgm -o b.pgm
    [ "$status" -eq 2 ]
    says 'expected a number'
    need skimage
    need cv2
    for kind in '' 'median:9 | ' 'equalize | depth:u8 | ' 'gauss:9 | depth:u8 | '; do
        halo run "${kind}depth:u8" a.pgm -o c.pgm --force
        halo run '' c.pgm -o "a-$kind.npy"
        halo run threshold:otsu c.pgm -o "b-$kind.npy"
    done
    "$PYTHON" -c '
import glob, cv2, numpy as np
from skimage.filters import threshold_otsu
names = glob.glob("a-*.npy")
assert len(names) == 4
for name in names:
    a, b = np.load(name), np.load("b" + name[1:])
    level, black_and_white = cv2.threshold(a, 0, 255, cv2.THRESH_OTSU)
    assert level == threshold_otsu(a)
    assert (black_and_white == b).all() and ((a > level) == (b > 0)).all()'
}

@test "gamma and sRGB are their formulas, and --linear wraps them round a pipeline" {
    need_numpy
    make_rgb a.ppm 40 30
    halo run 'depth:f32' a.ppm -o a.npy
    halo run gamma:2.2 a.ppm -o b.npy
    npy 'assert np.allclose((a / 255.0) ** (1 / 2.2) * 255, b, rtol=2e-6, atol=0)'
    halo run linear a.ppm -o b.npy --force
    npy 'x = a / 255.0
assert np.allclose(np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4) * 255, b, rtol=2e-6, atol=0)'
    halo run 'linear | gauss:1.5 | srgb' a.ppm -o by-hand.ppm
    halo run gauss:1.5 a.ppm -o wrapped.ppm --linear
    halo run gauss:1.5 a.ppm -o plain.ppm
    cmp by-hand.ppm wrapped.ppm
    run ! cmp plain.ppm wrapped.ppm
}

@test "--linear alone changes nothing: not the samples, not alpha, not floats" {
    { printf 'P7\nWIDTH 2\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n'
      printf '\001\002\003\200\376\020\100\001\377\000\177\377\003\002\001\000'; } > a.pam
    halo run '' a.pam -o b.pam --linear
    cmp a.pam b.pam
    make_gray g.pgm 9 9
    halo run depth:f32 g.pgm -o g.npy
    halo run gauss:1 g.npy -o a.npy
    halo run gauss:1 g.npy -o b.npy --linear
    cmp a.npy b.npy
}

@test "integral images are cumulative sums, of squares too, in 64 bits" {
    need_numpy
    make_gray a.pgm 61 43 65535
    halo run '' a.pgm -o a.npy
    halo run integral a.pgm -o b.npy
    npy 'assert b.dtype == np.int64 and (a.astype(np.int64).cumsum(0).cumsum(1) == b).all()'
    halo run integral:squares=1 a.pgm -o b.npy --force
    npy 'assert b.dtype == np.int64 and ((a.astype(np.int64) ** 2).cumsum(0).cumsum(1) == b).all()'
    halo run 'depth:f32 | integral:squares=1' a.pgm -o b.npy --force
    npy \
        'assert b.dtype == np.float64 and np.allclose((a.astype(float) ** 2).cumsum(0).cumsum(1), b, rtol=1e-12)'
}

@test "savgol with edge=interp is SciPy's, the ends included" {
    need scipy.signal
    make_wav a.wav 400
    halo run '' a.wav -o a.npy
    for fit in 5,2 31,4 101,3; do
        halo run "savgol:window=${fit%,*},order=${fit#*,},edge=interp" a.wav -o b.npy --force
        npy "from scipy.signal import savgol_filter
expected = savgol_filter(a.astype(float), ${fit%,*}, ${fit#*,}, axis=0, mode='interp')
assert np.abs(expected - b).max() < 2e-6"
    done
}

@test "savgol with edge=interp reports what it cannot do" {
    make_wav a.wav 400
    run --separate-stderr halo run savgol:window=401,order=3,edge=interp a.wav -o b.wav
    [ "$status" -eq 1 ]
    says '400 samples are too few'
    run --separate-stderr halo run savgol:window=5,order=3,edge=interp,border=valid a.wav -o b.wav
    [ "$status" -eq 2 ]
    says 'savgol: edge=interp fits the ends itself'
}

@test "conv with a stride gives every n-th output; anchors and flips are as in the definition" {
    need_numpy
    make_gray a.pgm 21 16
    halo run '' a.pgm -o a.npy
    mask='conv:mask="3x2: 1,2,-1, 3,-2,1",border=zero'
    for stride in 2:2,2 2x3:3,2 5+1:1,5; do
        halo run "$mask,stride=${stride%:*} | abs" a.pgm -o b.npy --force
        halo run "$mask | abs" a.pgm -o all.npy --force
        npy "y, x = ${stride#*:}
full = np.load('all.npy')
assert (full[::y, ::x] == b).all() and b.shape == full[::y, ::x].shape"
    done
    npy "m = np.array([[1, 2, -1], [3, -2, 1]]); p = np.pad(a.astype(float), 4)
def at(m, ay, ax): return \
    sum(m[j, i] * p[4 + j - ay:4 + j - ay + 16, 4 + i - ax:4 + i - ax + 21] for j in range(2) for i in range(3))
np.save('middle.npy', np.abs(at(m, 1, 1))); np.save('corner.npy', np.abs(at(m, 0, 2)))
np.save('turned.npy', np.abs(at(m[::-1, ::-1], 1, 0)))"
    halo run "$mask,anchor=2+0 | abs" a.pgm -o b.npy --force
    npy "assert (np.load('all.npy') == np.load('middle.npy')).all() and (np.load('corner.npy') == b).all()"
    halo run "$mask,anchor=2+0,flip=1 | abs" a.pgm -o b.npy --force
    npy "assert (np.load('turned.npy') == b).all()"
    run --separate-stderr halo run "$mask,stride=0" a.pgm -o b.pgm
    [ "$status" -eq 2 ]
    says 'conv: stride 0x0 has to be 1 to'
}

@test "bilateral needs a range, in levels or percent, and takes times along sound" {
    make_gray a.pgm 30 20
    run --separate-stderr halo run bilateral:2,range=0 a.pgm -o b.pgm
    [ "$status" -eq 2 ]
    says 'bilateral: range has to be from 1e-30 to 1e+30, not 0'
    halo run bilateral:2 a.pgm -o b.pgm
    halo run bilateral:sigma=2,range=25.5 a.pgm -o c.pgm
    cmp b.pgm c.pgm
    make_wav a.wav 400
    halo run bilateral:1ms,range=0.1 a.wav -o b.wav
    halo run bilateral:8 a.wav -o c.wav
    cmp b.wav c.wav
}

@test "windows much larger than the image cost no more than their length" {
    printf 'P5 3 2 255\n\100\100\100\100\100\100' > in.pgm
    halo run '' in.pgm -o flat.pgm
    local step
    for step in gauss:30000 gauss:100000 unsharp:30000 'gauss:30000 --precision=fast' erode:60001 open:60001 \
        erode:30001,shape=disk median:window=60001 rank:0.3,window=60001 local:range,width=60001 box:60001 \
        adaptive:60001,method=gauss; do
        # shellcheck disable=SC2086 # an option may stand behind the step
        timeout 60 "$HALO" run $step flat.pgm -f -o out.pgm || { echo "$step: $?"; return 1; }
        case $step in
        local*) [ "$(halo run '' out.pgm -o - --to pgm | tail -c 6 | od -An -tu1 | tr -s ' ')" = \
            " 0 0 0 0 0 0" ] ;;
        adaptive*) ;;
        *) cmp out.pgm flat.pgm || { echo "$step"; return 1; } ;;
        esac
    done
}
