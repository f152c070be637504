# Histograms drawn: what stands where, read back from the files.
# shellcheck disable=SC2016,SC2154
setup() { load common; common_setup; make_worked in.pgm; }

@test "--plot draws SVG and PNG that show the same counts" {
    need_numpy
    halo hist --bins 2 --min 0 --max 8 --plot h.svg in.pgm
    halo hist --bins 2 --min 0 --max 8 --plot h.png in.pgm
    halo run '' h.png -o h.npy
    "$PYTHON" - << 'END'
import re
import numpy as np
import xml.etree.ElementTree as tree
top = [365 - 305 * 13 / 33, 60] # of 13 and 33 samples between y = 365 and y = 60
root = tree.parse('h.svg').getroot()
assert root.get('viewBox') == '0 0 800 400'
path = [e.get('d') for e in root.iter() if e.tag.endswith('path')]
assert path == ['M70 365V%.2fH425.00V%.2fH780.00V365Z' % (top[0], top[1])], path
words = [e.text for e in root.iter() if e.tag.endswith('text')]
assert 'in.pgm' in words and 'samples in 2 bins' in words
assert all(str(v) in words for v in range(9)) and '30' in words
a = np.load('h.npy').astype(int)
assert a.shape == (400, 800, 3)
for x, y in ((200, top[0]), (650, top[1])):
    dark = 55 + np.nonzero(a[55:, x].sum(1) < 400)[0]          # below the words
    assert abs(dark[0] - y) <= 1.5, (x, dark, y)          # the outline
    assert abs(dark[-1] - 365) <= 1                        # the axis
    assert (a[dark[0] + 5:355, x].max() < 235)             # filled between them
    assert (a[55:dark[0] - 2, x].size == 0 or a[55:dark[0] - 2, x].min() > 220) # nothing but the grid above
assert a[20:26, 70:120].min() < 100                        # the title
END
}

@test "the legend names every channel in its colour" {
    need_numpy
    make_rgb c.ppm 37 23
    halo hist --plot h.png c.ppm
    halo hist --plot h.svg c.ppm
    halo run '' h.png -o h.npy
    "$PYTHON" - << 'END'
import numpy as np
a = np.load('h.npy')
for colour in ((0xd6, 0x27, 0x28), (0x2c, 0xa0, 0x2c), (0x1f, 0x77, 0xb4)):
    assert (a[39:49] == np.array(colour, np.uint8)).all(2).sum() == 100, colour # ten by ten pixels
END
    for name in r g b; do grep -q ">$name</text>" h.svg; done
}

@test "--log draws counts by their logarithm, on terminals too" {
    awk 'BEGIN { print "P2 10101 1 255"; for (i = 0; i < 10101; i++) print (i < 10000 ? 10 : i < 10100 ? 100 : 200) }' > l.pgm
    halo hist --log --plot l.svg l.pgm > l.txt
    grep -q 'highest bar (logarithmic): 10,000' l.txt
    # 100 samples lie at log(200) / log(20000) of the height, 1 at log(2) / log(20000).
    grep -q 'V201.83H' l.svg
    grep -q 'V343.65H' l.svg
    for mark in 1 10 100 1000 10k; do grep -q ">$mark</text>" l.svg; done
    [ "$(halo hist --log --json l.pgm)" = "$(halo hist --json l.pgm)" ]
}

@test "plots of many bins, of sound, of ranges without a middle" {
    make_gray d.pgm 31 17 65535
    halo hist --plot d.png d.pgm > /dev/null
    make_wav s.wav 900
    halo hist --log --plot s.png s.wav > /dev/null
    halo hist --bins 3 --min 1e6 --max 1000000.001 --plot n.svg s.wav > /dev/null
    halo hist --min -1e308 --max 1e308 --plot w.svg s.wav > /dev/null
    halo hist --bins 7 --min 1e-300 --max 2e-300 --plot t.png s.wav > /dev/null
    for f in d.png s.png t.png; do [[ "$(halo info $f)" == *'800 x 400'* ]]; done
    ! grep -q nan n.svg w.svg
}

@test "a name that is no picture is refused before any work" {
    for name in h.jpg h 'h.svg/' png; do
        run --separate-stderr halo hist in.pgm --plot "$name"
        [ "$status" -eq 2 ]
        says 'neither'
    done
}
