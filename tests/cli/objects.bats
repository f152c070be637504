# Regions, distances and the table of objects.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

# Two blocks, one with a hole, and a pixel in the corner.
make_blocks() {
    printf 'P2\n10 6\n255\n' > a.pgm
    printf '%s\n' '0 0 0 0 0 0 0 0 0 0' '0 9 9 9 0 0 0 0 0 0' '0 9 0 9 0 0 80 80 80 0' \
        '0 9 9 9 0 0 80 80 80 0' '0 0 0 0 0 0 0 0 0 0' '0 0 0 0 0 0 0 0 0 7' >> a.pgm
}

@test "label numbers regions, and leaves small and large ones out" {
    make_blocks
    sums() {
        halo run -q "$1 | stats" a.pgm --json | grep -o '"max":[0-9.]*\|"sum":[0-9.]*' | head -n 2 |
            paste -sd ' '
    }
    [ "$(sums label)" = '"max":3 "sum":23' ]
    [ "$(sums label:min=2,max=7)" = '"max":1 "sum":6' ]
}

@test "labels are numbers: PNG takes them with a scale" {
    make_blocks
    run --separate-stderr halo run label a.pgm -o l.png
    [ "$status" -eq 1 ]; says '--white'
    [ ! -e l.png ]
    halo run -q 'label | normalize' a.pgm -o l.png
    halo run -q label a.pgm -o l.png -f --white=65535
    halo run -q label a.pgm -o l.npy
    halo run -q label a.pgm -o l.tif
    [ "$(halo run -q stats l.png --json | grep -o '"max":[0-9]*' | head -n 1)" = '"max":3' ]
    halo compare l.tif l.npy
    halo objects l.tif --labels yes --of a.pgm --csv | cut -d, -f4- > from.csv
    halo objects a.pgm --of a.pgm --csv | cut -d, -f4- | cmp - from.csv
}

@test "regions of colours are refused, with the remedy" {
    make_blocks
    halo run -q channels:1,1,1 a.pgm -o c.ppm
    for op in label areaopen:3 fillholes largest clearborder hysteresis:1,2 distance objects; do
        run --separate-stderr halo run "$op" c.ppm -o d.npy
        [ "$status" -eq 1 ]; says gray
    done
    halo objects --threshold otsu c.ppm > out
    grep -q '1 object' out
}

@test "regions are selected by size and place" {
    make_blocks
    sum() { halo run -q "$1 | stats" a.pgm --json | grep -o '"sum":[0-9]*' | head -n 1; }
    [ "$(sum areaopen:2)" = '"sum":552' ]
    [ "$(sum fillholes)" = '"sum":568' ]
    [ "$(sum fillholes:max=1)" = '"sum":568' ]
    [ "$(sum largest)" = '"sum":72' ]
    [ "$(sum largest:2)" = '"sum":552' ]
    [ "$(sum clearborder)" = '"sum":552' ]
    [ "$(sum hysteresis:5,50)" = '"sum":1530' ]
    run --separate-stderr halo run hysteresis:50,5 a.pgm -o b.pgm
    [ "$status" -eq 2 ]; says 'less than low'
    run --separate-stderr halo run label:min=5,max=3 a.pgm -o b.npy
    [ "$status" -eq 2 ]; says 'less than min'
}

@test "objects are listed as text, CSV and JSON" {
    make_blocks
    halo objects a.pgm > out
    grep -q '3 objects' out
    halo objects --threshold 5 --min 2 --csv a.pgm > out.csv
    [ "$(wc -l < out.csv)" -eq 3 ]
    head -n 1 out.csv | grep -q 'label,area,bbox-0.*euler_number,touches_border,intensity_min'
    [ "$(sed -n 2p out.csv | cut -d, -f3-8)" = 'gray,1,8,1,1,4' ]
    [ "$(sed -n 3p out.csv | cut -d, -f20-23)" = '80,80,480,80' ]
    halo objects --json a.pgm | grep -q '"euler_number":0'
    run --separate-stderr halo objects --labels yes --min 3 a.pgm
    [ "$status" -eq 2 ]; says 'labels=yes'
}

@test "labels of a file are taken as they are, and samples of another are measured" {
    make_blocks
    halo run -q label a.pgm -o l.npy
    halo objects l.npy --of a.pgm --csv > out.csv
    [ "$(wc -l < out.csv)" -eq 4 ]
    [ "$(sed -n 4p out.csv | cut -d, -f22)" = 7 ]
    halo run -q crop:3x3 a.pgm -o small.pgm
    run --separate-stderr halo objects l.npy --of small.pgm
    [ "$status" -eq 1 ]; says "has to be of the input's size"
    halo run -q 'gain:0.3' l.npy -o m.npy
    run --separate-stderr halo objects m.npy
    [ "$status" -eq 1 ]; says 'labels are integers'
}

@test "an empty picture has no objects and infinite distances" {
    printf 'P2\n4 2\n255\n0 0 0 0 0 0 0 0\n' > e.pgm
    halo objects e.pgm | grep -q '0 objects'
    [ "$(halo objects e.pgm --csv | wc -l)" -eq 1 ]
    halo run -q 'invert | distance | stats' e.pgm --json | grep -q '"inf":8'
}

@test "the level that a method finds is told with -v and in JSON" {
    make_blocks
    for method in otsu li triangle yen isodata mean; do
        halo run -v threshold:$method a.pgm -o b.pgm -f 2> err
        grep -q "threshold:$method is at " err
        halo run --json threshold:$method a.pgm -o b.pgm -f | grep -q "threshold:$method is at "
    done
    run --separate-stderr halo run -f threshold:minimum a.pgm -o b.pgm
    [ "$status" -eq 0 ] || says 'two maxima'
}

@test "objects are drawn over the picture: outlines and numbers" {
    make_blocks
    halo objects a.pgm --plot o.svg > out
    grep -q '3 objects; pixels' o.svg
    [ "$(grep -c '>[123]</text>' o.svg)" -ge 3 ]
    [ "$(grep -c '#ffb000' o.svg)" -ge 12 ]
    halo objects --threshold otsu --plot o.png a.pgm > out
    halo info o.png | grep -q 800
    halo objects --threshold 50 --plot - a.pgm | grep -q '1 object; pixels'
    halo objects --of '[gain:2]' --connect 4 --plot o.svg -f a.pgm > out
    halo run -q label a.pgm -o l.npy
    halo objects --of a.pgm --plot o.svg -f l.npy > out
    grep -q '3 objects; pixels' o.svg
    run --separate-stderr halo objects --plot o.svg a.pgm
    [ "$status" -eq 1 ]; says '--force'
    run --separate-stderr halo objects --plot o2.svg - < a.pgm
    [ "$status" -eq 2 ]; says 'has to be a file'
}

@test "objects has the options of its own alone, and help" {
    halo objects --help | grep -q 'count and measure regions'
    run --separate-stderr halo objects --tile 16 a.pgm
    [ "$status" -eq 2 ]; says 'is not an option'
}

@test "the boxes of objects are cut out by crop" {
    make_blocks
    halo objects --csv a.pgm | tail -n +2 | while IFS=, read -r _ _ _ label _ top left bottom right _; do
        halo run -q "crop:$((right - left))x$((bottom - top))+$left+$top" a.pgm -o "$label.pgm"
    done
    [ "$(head -n 2 1.pgm | tail -n 1)" = '3 3' ]
    [ "$(tail -c 6 2.pgm | od -An -v -tu1 | tr -s ' ')" = ' 80 80 80 80 80 80' ]
    [ "$(tail -c 1 3.pgm | od -An -v -tu1 | tr -d ' ')" = 7 ]
}

@test "several classes of a histogram become shades" {
    make_blocks
    halo run --json threshold:otsu,classes=3 a.pgm -o b.pgm > out
    grep -q 'threshold:otsu is at 1, 10' out || grep -q 'threshold:otsu is at 10, 81' out
    [ "$(tail -c 60 b.pgm | od -An -v -w1 -tu1 | sort -u | tr -d ' ' | sort -n | paste -sd,)" = 0,128,255 ]
    [ "$(halo run --explain threshold:otsu,classes=5 a.pgm | grep -c 'count in')" -eq 1 ]
    run --separate-stderr halo run -f threshold:otsu,classes=5 a.pgm -o b.pgm
    [ "$status" -eq 1 ]; says 'the input has 4'
    run --separate-stderr halo run -f threshold:li,classes=3 a.pgm -o b.pgm
    [ "$status" -eq 2 ]; says 'only otsu'
}

@test "stats and hist measure the samples in a mask, and of each label" {
    make_blocks
    halo run -q label a.pgm -o labels.npy
    halo stats --mask '[threshold:8]' --json a.pgm | grep -q '"count":14,"min":9,.*"min_at":\[1,1\],"max":80'
    halo run 'stats:mask=[threshold:8],percentiles=50' a.pgm --csv | grep -q ',14,0,0,0,9,80,552,'
    halo stats --labels labels.npy --csv a.pgm > out
    [ "$(head -n 1 out)" = file,image,channel,label,count,nan,inf,zero,min,max,sum,mean,sd,rms ]
    [ "$(wc -l < out)" -eq 4 ]
    grep -q 'a.pgm,,gray,2,6,0,0,0,80,80,480,80,0,80' out
    halo stats --labels labels.npy a.pgm | grep -q '3 groups'
    halo hist --mask '[threshold:8]' --bins 4 --json a.pgm | grep -q '"counts":\[8,6,0,0\]'
    halo hist --labels labels.npy --bins 2 --csv a.pgm > out
    grep -q 'a.pgm,,gray,2,0,128,6' out
    halo hist --labels labels.npy --bins 2 --json a.pgm | grep -q '{"label":1,"from":0,"to":128,"count":8}'
    halo run 'stats:mask=[threshold:8]' --explain a.pgm | grep -q 'statistics of the samples in a mask'
    # no sample at all
    halo stats --mask '[threshold:200]' --full --json a.pgm | grep -q '"count":0,"min":null,"min_at":null'
    halo hist --mask '[threshold:200]' a.pgm > out
    run --separate-stderr halo stats --mask '[threshold:8]' --labels labels.npy a.pgm
    [ "$status" -eq 2 ]; says 'mutually exclusive'
    run --separate-stderr halo stats --mask '[crop:2x2]' a.pgm
    [ "$status" -eq 1 ]; says "of the input's size"
    run --separate-stderr halo stats --labels '[gain:0.5 | depth:f32]' a.pgm
    [ "$status" -eq 1 ]; says 'labels are integers'
    halo run -q channels:1,1,1 a.pgm -o c.ppm
    run --separate-stderr halo stats --mask c.ppm a.pgm
    [ "$status" -eq 1 ]; says 'one channel'
}

@test "objects are scikit-image's regions" {
    need skimage
    "$PYTHON" -c "
import numpy as np
r = np.random.default_rng(2)
np.save('a.npy', ((r.random((60, 70)) < .45) * r.integers(1, 255, (60, 70))).astype('u1'))"
    halo objects a.npy --threshold 1 --csv > out.csv
    "$PYTHON" -c "
import csv, numpy as np, skimage.measure as m
a = np.load('a.npy')
want = m.regionprops(m.label(a > 0, connectivity=2), a)
rows = list(csv.DictReader(open('out.csv')))
assert len(rows) == len(want)
for row, w in zip(rows, want):
    for name in 'area perimeter euler_number eccentricity'.split():
        assert abs(float(row[name]) - float(w[name])) < 1e-9, (name, row[name], w[name])"
}

# 700 x 700 pixels of a striped and dotted picture: some regions reach across all of it.
make_large() {
    awk 'BEGIN {
        printf "P5\n700 700\n255\n"
        for (y = 0; y < 700; y++) {
            row = ""
            for (x = 0; x < 700; x++) {
                dark = (x + y) % 7 ? "!" : "~"
                row = row ((y % 40 < 3 && x % 300 > 5) || (x * x + 3 * y * y) % 97 < 9 ? "x" : dark)
            }
            printf "%s", row
        }
    }' > large.pgm
}

@test "large pictures are read twice for their regions, within the limit, with the same result" {
    make_large
    [ "$(wc -c < large.pgm)" -eq 490015 ]
    for op in label label:min=4,max=90 label:connect=4 areaopen:9 largest:3 clearborder fillholes \
        hysteresis:13%,46% 'gauss:2 | threshold:otsu | label' 'label | crop:200x200+300+400'; do
        case $op in gauss*) ;; *) [[ "$op" == hysteresis* ]] || op="threshold:100 | $op" ;; esac
        halo run -q "$op" large.pgm -o held.npy -f
        halo run -q "$op" large.pgm -o read.npy -f --max-memory 3M
        cmp held.npy read.npy || { echo "$op"; return 1; }
    done
    for of in '' ',of=[gauss:2]'; do
        halo run -q "objects:threshold=100,min=3$of" large.pgm --csv > held.csv
        halo run -q "objects:threshold=100,min=3$of" large.pgm --csv --max-memory 3M > read.csv
        cmp held.csv read.csv
    done
    halo run --explain 'threshold:100 | label' large.pgm -o read.npy --max-memory 3M > said
    grep -q 'read and written as they come' said
    halo run -q label large.pgm -o held.npy -f
    halo run -q label - -o read.npy -f --max-memory 3M < <(cat large.pgm)
    cmp held.npy read.npy
}

@test "regions and their measurements are counted against --max-memory as they are found" {
    awk 'BEGIN { printf "P5\n1000 1000\n255\n"
        for (i = 0; i < 500000; i++) printf "%s", int(i / 500) % 2 ? "\1\1" : "\1~" }' > dots.pgm
    run --separate-stderr halo run -q 'threshold:99 | objects' dots.pgm --max-memory 10M
    [ "$status" -eq 5 ]; says 'regions: leave out small ones by min='; says '--max-memory'
    run --separate-stderr halo run -q 'threshold:99 | areaopen:2' dots.pgm -o d.png --max-memory 2M
    [ "$status" -eq 5 ]; says 'runs of connected pixels'; [ ! -e d.png ]
    run --separate-stderr halo run -q 'threshold:99 | objects' dots.pgm --max-memory 45M
    [ "$status" -eq 5 ]; says 'rows of objects'
    halo run -q 'threshold:99 | objects' dots.pgm --csv | tail -n 1 | grep -q ',250000,1,'
}

@test "regions, distances and hysteresis are SciPy's and scikit-image's, of any kind of picture" {
    need skimage
    "$PYTHON" - "$HALO" << 'end'
import subprocess, sys
import numpy as np
from scipy import ndimage
from skimage import filters, measure, morphology, segmentation

random = np.random.default_rng(5)
EIGHT = np.ones((3, 3))

def spiral(n):
    x = np.zeros((n, n), bool)
    top, left, bottom, right = 0, 0, n - 1, n - 1
    while left <= right and top <= bottom:
        x[top, max(left - 2, 0):right + 1] = x[top:bottom + 1, right] = x[bottom, left:right + 1] = True
        x[top + 2:bottom + 1, left] = True
        top, left, bottom, right = top + 2, left + 2, bottom - 2, right - 2
    return x

def comb(height, width):
    x = np.tile(np.arange(width) % 2 == 0, (height, 1))
    x[-1] = True
    return x

masks = [random.random((47, 70)) < density for density in (0.02, 0.3, 0.5, 0.6, 0.97)]
masks += [spiral(33), comb(21, 40), np.ones((6, 9), bool), random.random((1, 90)) < 0.5,
          random.random((90, 1)) < 0.5, np.ones((1, 1), bool), np.zeros((7, 5), bool)]

def halo(pipeline, x):
    np.save("x.npy", x)
    subprocess.run([sys.argv[1], "run", "-q", pipeline, "x.npy", "-o", "y.npy", "-f"], check=True)
    return np.load("y.npy").reshape(x.shape)

for number, mask in enumerate(masks):
    kind = ("u1", "u2", "f4")[number % 3]
    x = (mask * random.integers(1, 200, mask.shape)).astype(kind)
    if kind == "f4":
        x[~mask & (random.random(mask.shape) < 0.5)] = np.nan
    four, eight = ndimage.label(mask)[0], ndimage.label(mask, EIGHT)[0]
    sizes = np.bincount(eight.ravel())
    kept = lambda keep: np.where(keep, np.nan_to_num(x), 0)
    wanted = {
        "label:4": four, "label": eight,
        "areaopen:5": kept(morphology.remove_small_objects(mask, 5, connectivity=2)),
        "clearborder": kept(segmentation.clear_border(eight) > 0),
        "threshold:1 | fillholes | abs": ndimage.binary_fill_holes(mask),
        "hysteresis:50,150,connect=4": filters.apply_hysteresis_threshold(np.nan_to_num(x), 50, 150),
    }
    if not mask.all():
        wanted["distance"] = ndimage.distance_transform_edt(mask).astype("f4")
        for metric in "taxicab", "chessboard":
            wanted["distance:" + metric] = ndimage.distance_transform_cdt(mask, metric)
    if mask.any():
        wanted["largest"] = kept(eight == 1 + np.argmax(sizes[1:]))
    for pipeline, made in wanted.items():
        got = halo(pipeline, x)
        if made.dtype == bool:
            got = np.nan_to_num(got) != 0
        assert np.array_equal(np.nan_to_num(got), made), (number, kind, pipeline)
end
}
