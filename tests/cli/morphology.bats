# Edges, reconstruction, thinning, watersheds and peaks of pictures.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

# Two plateaus, 40 and 90 high, joined by a saddle of 30; a bump of 12 beside them.
make_hills() {
    printf 'P2\n9 3\n255\n' > h.pgm
    printf '%s\n' '0 0 0 0 0 0 0 0 0' '0 40 40 30 90 90 0 12 0' '0 0 0 0 0 0 0 0 0' >> h.pgm
}

rows() { halo run -q "$1 | depth:u8" "$2" -o - --to pgm -f | od -An -v -t u1 -w9 -j 11 | tr -s ' '; }

@test "hmax lowers peaks and removes low ones, reconstruct grows a marker" {
    make_hills
    [ "$(rows hmax:15 h.pgm | sed -n 2p)" = ' 0 30 30 30 75 75 0 0 0' ]
    [ "$(rows hmax:5 h.pgm | sed -n 2p)" = ' 0 35 35 30 85 85 0 7 0' ]
    [ "$(rows 'invert | hmin:15 | invert' h.pgm | sed -n 2p)" = ' 0 30 30 30 75 75 0 0 0' ]
    [ "$(rows 'reconstruct:[threshold:80 | min:[gain:1]]' h.pgm | sed -n 2p)" = ' 0 30 30 30 90 90 0 0 0' ]
    halo run -q 'gain:0 | offset:20 | crop:1x1' h.pgm -o one.pgm
    [ "$(rows reconstruct:one.pgm h.pgm | sed -n 2p)" = ' 0 20 20 20 20 20 0 12 0' ]
    run --separate-stderr halo run hmax h.pgm -o x.pgm
    [ "$status" -eq 2 ]; says 'h'
    run --separate-stderr halo run reconstruct h.pgm -o x.pgm
    [ "$status" -eq 2 ]; says 'marker'
}

@test "a flat picture has no edges, a step has one of one pixel" {
    make_hills
    halo run -q 'gain:0 | canny | stats' h.pgm --json | grep -q '"max":0'
    { printf 'P5\n40 20\n255\n'; for ((y = 0; y < 20; y++)); do
        printf '\0%.0s' {1..20}; printf '\377%.0s' {1..20}; done; } > step.pgm
    halo run -q canny step.pgm -o edge.pgm
    [ "$(od -An -v -t u1 -w40 -j 13 edge.pgm | tr -s ' ' | sort -u | tr ' ' '\n' | grep -c 255)" -eq 1 ]
    run --separate-stderr halo run canny:low=30%,high=20% step.pgm -o x.pgm
    [ "$status" -eq 2 ]; says 'less than low'
    halo run -q channels:1,1,1 step.pgm -o c.ppm
    run --separate-stderr halo run canny c.ppm -o x.png
    [ "$status" -eq 1 ]; says 'gray'
}

@test "thin takes pixels from all sides, skeleton leaves lines" {
    printf 'P2\n11 7\n255\n' > bar.pgm
    for ((y = 0; y < 7; y++)); do
        if ((y == 0 || y == 6)); then echo '0 0 0 0 0 0 0 0 0 0 0'; else echo '0 9 9 9 9 9 9 9 9 9 0'; fi
    done >> bar.pgm
    [ "$(halo run -q 'thin:1 | stats' bar.pgm --json | grep -o '"sum":[0-9]*' | head -n 1)" = '"sum":189' ]
    halo run -q skeleton bar.pgm -o line.pgm
    [ "$(od -An -v -t u1 -w11 -j 12 line.pgm | tr -s ' ' | sed -n 4p | tr ' ' '\n' | grep -c 9)" -ge 4 ]
    [ "$(od -An -v -t u1 -w11 -j 12 line.pgm | tr -s ' ' | sed -n 2p | tr -d ' 0')" = '' ]
    run --separate-stderr halo run thin:0 bar.pgm -o x.pgm
    [ "$status" -eq 2 ]
}

@test "watershed parts a picture between markers, in a mask" {
    make_hills
    halo run -q 'invert | watershed:[invert | threshold:40],mask=[invert | threshold:1] | stats' h.pgm \
        --json > out
    grep -q '"max":2' out
    halo run --explain 'watershed:[threshold:200]' h.pgm -o w.npy | grep -q 'on the CPU alone'
    run --separate-stderr halo run 'watershed:[crop:2x2]' h.pgm -o w.npy -f
    [ "$status" -eq 1 ]; says "input's size"
}

@test "peaks of pictures are listed, and keys of sound refused" {
    make_hills
    halo run -q peaks:width=3 h.pgm --csv > out
    [ "$(wc -l < out)" -eq 4 ]
    tail -n 1 out | grep -q '7,1,12$'
    [ "$(halo run -q peaks:width=3,threshold=50 h.pgm --csv | tail -n +2 | cut -d, -f4-)" = '4,1,90' ]
    [ "$(halo run -q peaks:width=3,border=2 h.pgm --csv | wc -l)" -eq 1 ]
    run --separate-stderr halo run peaks:width=4 h.pgm
    [ "$status" -eq 2 ]; says 'odd'
    run --separate-stderr halo run peaks:distance=4 h.pgm
    [ "$status" -eq 2 ]; says 'for sound'
    printf 't,v\n0,1\n1,2\n2,1\n' > s.csv
    run --separate-stderr halo run peaks:threshold=1 s.csv
    [ "$status" -eq 2 ]; says 'for pictures'
}

@test "edges, reconstruction, thinning, watershed and peaks are scikit-image's" {
    need skimage
    "$PYTHON" -c "
import numpy as np
from scipy import ndimage
r = np.random.default_rng(4)
x = ndimage.gaussian_filter(r.random((90, 110)), 2).astype('f4')
np.save('x.npy', (x - x.min()) / (x.max() - x.min()))
m = np.zeros(x.shape, 'f4'); m.flat[r.integers(0, x.size, 25)] = range(1, 26)
np.save('m.npy', m)"
    halo run -q canny:low=0.1,high=0.2 x.npy -o canny.npy
    halo run -q reconstruct:[erode:5] x.npy -o reconstruct.npy
    halo run -q 'threshold:0.5 | thin' x.npy -o thin.npy
    halo run -q watershed:m.npy,connect=4 x.npy -o watershed.npy
    halo run -q peaks:width=7 x.npy --csv > peaks.csv
    "$PYTHON" -c "
import csv, numpy as np
from scipy import ndimage
from skimage import feature, morphology, segmentation
def load(name): return np.load(name + '.npy')
x = load('x'); inside = np.s_[8:-8, 8:-8]
edges = feature.canny(x.astype('f8'), 1.4, low_threshold=.1, high_threshold=.2, mode='nearest')
assert ((load('canny') != 0) != edges)[inside].sum() == 0 and edges.sum() > 100
assert (load('reconstruct') == morphology.reconstruction(ndimage.minimum_filter(x, 5, mode='nearest'), x)).all()
assert ((load('thin') != 0) == morphology.thin(x >= .5)).all()
assert (load('watershed') == segmentation.watershed(x, load('m').astype(int))).all()
found = [(int(r['y']), int(r['x'])) for r in csv.DictReader(open('peaks.csv'))]
assert found == sorted(map(tuple, feature.peak_local_max(x, min_distance=3, exclude_border=False)))"
}
