# Structuring elements, hits of patterns, and local statistics that take a window in order.
# shellcheck disable=SC2154
setup() { load common; common_setup; }

# A dot, and a corner.
make_dots() {
    printf 'P2\n7 5\n255\n' > a.pgm
    printf '%s\n' '0 0 0 0 0 0 0' '0 9 0 0 8 8 0' '0 0 0 0 8 0 0' '0 0 0 0 8 0 0' '0 0 0 0 0 0 0' >> a.pgm
}

samples() { halo run -q "$1" a.pgm -o - --to pgm | tail -c 35 | od -An -v -w7 -tu1 | tr -s ' ' | sed 's/^ //'; }

@test "dilation turns the mask, erosion does not" {
    make_dots
    [ "$(samples 'dilate:mask="3x1: 1,0,0"' | sed -n 2p)" = '9 0 0 8 8 0 0' ]
    [ "$(samples 'erode:mask="3x1: 1,0,0"' | sed -n 2p)" = '0 0 9 0 0 8 8' ]
    [ "$(samples 'open:mask="2x1: 1,1"')" = "$(printf '%s\n' '0 0 0 0 0 0 0' '0 0 0 0 8 8 0' '0 0 0 0 0 0 0' \
        '0 0 0 0 0 0 0' '0 0 0 0 0 0 0')" ]
    [ "$(samples 'erode:mask="3x3: 1,0,1,0,1,0,1,0,1",border=constant=0' | tr -d ' 0\n')" = '' ]
}

@test "an element is a box, a shape, or has members one by one" {
    make_dots
    diff <(samples erode:3) <(samples 'erode:mask="3x3: 1,1,1,1,1,1,1,1,1"')
    diff <(samples dilate:3,shape=cross) <(samples 'dilate:mask="3x3: 0,2,0,2,2,2,0,2,0"')
    diff <(samples dilate:3) <(samples 'dilate:heights="3x3: 0,0,0,0,0,0,0,0,0"')
    diff <(samples 'dilate:3 | offset:2') <(samples 'dilate:heights="3x3: 2,2,2,2,2,2,2,2,2"')
    halo run --explain 'dilate:mask="3x1: 1,0,1"' a.pgm | grep -q 'greatest of 2 of 3 x 1'
    halo run --explain 'dilate:mask="3x3: 0,1,0,1,1,1,0,1,0"' a.pgm | grep -q 'sort 5 of 3 x 3'
}

@test "without a border, or where it is kept, the size of a mask counts, whatever is zero in it" {
    make_dots
    mask='5x5: 0,0,0,0,0, 0,1,1,1,0, 0,1,1,1,0, 0,1,1,1,0, 0,0,0,0,0'
    halo run -q "erode:mask=\"$mask\",border=valid" a.pgm -o - --to pgm | head -2 | grep -q '^3 1$'
    diff <(samples "dilate:mask=\"$mask\",border=keep") \
        <(samples "dilate:heights=\"${mask//1/0}\",mask=\"$mask\",border=keep")
    [ "$(samples "dilate:mask=\"$mask\",border=keep" | sed -n 2p)" = '0 9 0 0 8 8 0' ]
    [ "$(samples "dilate:mask=\"$mask\",border=keep" | sed -n 3p)" = '0 0 9 8 8 0 0' ]
    halo run -q "open:heights=\"3x1: 0,0,0\",border=valid" a.pgm -o - --to pgm | head -2 | grep -q '^3 5$'
}

@test "hitmiss finds patterns of foreground and background" {
    make_dots
    [ "$(samples 'hitmiss:"3x3: 0,0,0, 0,1,0, 0,0,0"' | sed -n 2p)" = '0 255 0 0 0 0 0' ]
    [ "$(samples 'hitmiss:"3x3: 0,0,0, 0,1,1, 0,1,-1"' | sed -n 2p)" = '0 0 0 0 255 0 0' ]
    [ "$(samples 'hitmiss:"1x1: 0"' | sed -n 2p)" = '255 0 255 255 0 0 255' ]
    run --separate-stderr halo run 'hitmiss:"1x1: -1"' a.pgm -o b.pgm
    [ "$status" -eq 2 ]; says 'neither a 1'
}

@test "elements that are none are refused" {
    make_dots
    refuses() { run --separate-stderr halo run "$1" a.pgm -o b.pgm; [ "$status" -eq 2 ]; says "$2"; }
    refuses 'erode:mask="3x1: 0,0,0"' 'every coefficient of the mask is 0'
    refuses 'erode:mask="3x1: 1,1,1",heights="1x3: 1,2,3"' 'one size'
    refuses 'erode:5,mask="3x1: 1,1,1"' 'mutually exclusive'
    refuses 'local:entropy,width=999' 'at most 255'
    refuses 'local:mean,percent=5' 'belongs to percentile'
    printf '1\n2\n3\n' > s.csv
    run --separate-stderr halo run --rate 1 'erode:mask="3x1: 1,1,1"' s.csv -o t.csv
    [ "$status" -eq 2 ]; says 'for pictures'
}

@test "local statistics in order: median, percentile, mode, mad, entropy" {
    make_dots
    diff <(samples local:median) <(samples median:3)
    diff <(samples local:percentile,percent=100) <(samples dilate:3)
    [ "$(samples local:mode | sed -n 3p)" = '0 0 0 0 0 0 0' ]
    [ "$(samples local:mad,width=1 | tr -d ' 0\n')" = '' ]
    halo run -q 'local:entropy,width=7,height=5,border=valid | stats' a.pgm --json > out
    grep -q '"max":0.6948' out
    run --separate-stderr halo run local:entropy a.pgm -o b.png
    [ "$status" -eq 1 ]; says '--white'
}

@test "elements give what SciPy gives" {
    need scipy
    "$PYTHON" -c "
import numpy as np, scipy.ndimage as nd
r = np.random.default_rng(1)
a = r.integers(0, 256, (40, 50)).astype('u1')
np.save('a.npy', a)
on, h = r.random((4, 5)) < .5, r.integers(-9, 9, (4, 5))
on[0, 0] = on[3, 4] = True
for name, v in ('on', on), ('h', h):
    open(name + '.txt', 'w').write('5x4: ' + ','.join('%d' % k for k in v.ravel()))
for name in 'erosion dilation'.split():
    want = getattr(nd, 'grey_' + name)(a.astype(int), footprint=on, structure=h, mode='nearest')
    np.save(name + '.npy', want.astype('f4'))"
    for pair in erode/erosion dilate/dilation; do
        halo run -q "${pair%/*}:mask=on.txt,heights=h.txt" a.npy -o got.npy -f
        halo compare got.npy "${pair#*/}.npy" --at-most max=0
    done
}
