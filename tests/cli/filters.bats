# Filters beside what NumPy, SciPy or OpenCV make of the same samples, and what they refuse.
# shellcheck disable=SC2016,SC2154
setup() { load common; common_setup; }

# need MODULE: a python3 that has it, in $PYTHON.
need() {
    need_numpy
    "$PYTHON" -c "import $1" 2>/dev/null || skip "there is no python3 with $1"
}

# npy LINES: Python with the arrays of a.npy (input) and b.npy (halo's) as a and b.
npy() {
    "$PYTHON" -c "
import numpy as np
a, b = np.load('a.npy'), np.load('b.npy')
$1"
}

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

@test "a click in sound is gone, and a window may be a time" {
    make_wav a.wav 400
    halo run median:window=5 a.wav -o b.wav
    halo run median:radius=2 a.wav -o c.wav
    halo run median:window=0.6ms a.wav -o d.wav
    cmp b.wav c.wav
    cmp b.wav d.wav
}

@test "median says what is wrong with its window" {
    make_gray a.pgm 9 9
    run --separate-stderr halo run median:window=4 a.pgm -o b.pgm
    [ "$status" -eq 2 ]
    says 'median: window has to be odd, not 4'
    run --separate-stderr halo run median:radius=1,window=3 a.pgm -o b.pgm
    [ "$status" -eq 2 ]
    says 'give one of them'
}
